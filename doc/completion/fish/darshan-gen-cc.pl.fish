# Made by ./dev describe.
complete -c darshan-gen-cc.pl -w darshan-gen-cc
