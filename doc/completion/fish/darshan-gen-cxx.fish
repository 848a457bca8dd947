# Made by ./dev describe.
complete -c darshan-gen-cxx -w darshan-gen-cc
