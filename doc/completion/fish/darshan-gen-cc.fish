# Made by ./dev describe.
complete -c darshan-gen-cc -l version
complete -c darshan-gen-cc -s h
complete -c darshan-gen-cc -l help
complete -c darshan-gen-cc -l output -r -F
