# Made by ./dev describe.
complete -c darshan-dxt-parser -l show-incomplete -d 'do not stop at a module that lacks records'
complete -c darshan-dxt-parser -l version -d 'print the version'
complete -c darshan-dxt-parser -l help -d 'print this'
