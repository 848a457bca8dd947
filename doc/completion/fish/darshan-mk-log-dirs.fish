# Made by ./dev describe.
complete -c darshan-mk-log-dirs -l years -x -d 'for so many years [2]'
complete -c darshan-mk-log-dirs -l mode -x -d 'of the folders of days [1777: users make logs there, and none removes another\'s]'
complete -c darshan-mk-log-dirs -l version
complete -c darshan-mk-log-dirs -l help
