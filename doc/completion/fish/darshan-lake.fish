# Made by ./dev describe.
complete -c darshan-lake -s h -l help -d 'show this help message and exit'
complete -c darshan-lake -l deep -d 'check: reads every file'
complete -c darshan-lake -l older -x -d 'prune: jobs of days that are longer ago: 2y, 90d'
complete -c darshan-lake -l user -x -d 'prune: all rows of a user, at once and for ever'
complete -c darshan-lake -l dry-run -d 'prune: says what would go, and leaves it'
complete -c darshan-lake -l grace -x -d 'sweep, compact: how long what was replaced stays for those who read it (24h)'
complete -c darshan-lake -n 'not __fish_seen_subcommand_from info check compact prune sweep views' -a 'info check compact prune sweep views'
