# Made by ./dev describe.
complete -c darshan-gen-fortran -w darshan-gen-cc
