# Made by ./dev describe.
complete -c darshan-mk-log-dirs -l years -x -d 'number of years [2]'
complete -c darshan-mk-log-dirs -l mode -x -d 'mode of the folders of days [1777: users can make logs there, but not remove logs of others]'
complete -c darshan-mk-log-dirs -l version
complete -c darshan-mk-log-dirs -l help
