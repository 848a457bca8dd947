# Made by ./dev describe.
complete -c darshan-analyzer -l version
complete -c darshan-analyzer -l help
