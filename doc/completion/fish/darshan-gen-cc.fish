# Made by ./dev describe.
complete -c darshan-gen-cc -s h -l help
complete -c darshan-gen-cc -l output -r -F
