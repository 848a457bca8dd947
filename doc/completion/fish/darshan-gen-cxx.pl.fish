# Made by ./dev describe.
complete -c darshan-gen-cxx.pl -w darshan-gen-cc
