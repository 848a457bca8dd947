# Made by ./dev describe.
complete -c darshan-summary-per-file.sh -w darshan-summary-per-file
