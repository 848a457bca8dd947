# Made by ./dev describe.
complete -c darshan-gen-fortran.pl -w darshan-gen-cc
