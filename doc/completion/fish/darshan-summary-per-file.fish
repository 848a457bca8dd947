# Made by ./dev describe.
complete -c darshan-summary-per-file -l version
complete -c darshan-summary-per-file -l help
