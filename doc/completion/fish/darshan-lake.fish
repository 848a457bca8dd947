# Made by ./dev describe.
complete -c darshan-lake -s h -l help -d 'show this help message and exit'
complete -c darshan-lake -l deep -d 'check: read every file'
complete -c darshan-lake -l older -x -d 'prune: remove jobs that are older: 2y, 90d'
complete -c darshan-lake -l user -x -d 'prune: remove all rows of a user for ever'
complete -c darshan-lake -l dry-run -d 'prune: only print what would be removed'
complete -c darshan-lake -l grace -x -d 'sweep, compact: keep replaced files for this time, because readers may use them (24h)'
complete -c darshan-lake -n 'not __fish_seen_subcommand_from info check compact prune sweep views' -a 'info check compact prune sweep views'
