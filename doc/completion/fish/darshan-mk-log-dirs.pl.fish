# Made by ./dev describe.
complete -c darshan-mk-log-dirs.pl -w darshan-mk-log-dirs
