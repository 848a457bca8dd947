# Made by ./dev describe.
complete -c darshan-serve -s h -l help -d 'show this help message and exit'
complete -c darshan-serve -l port -x -d 'port (8642)'
complete -c darshan-serve -l bind -x -d 'a numeric address of this machine (127.0.0.1)'
complete -c darshan-serve -l allow-remote -d 'allow --bind with an address that other machines reach: all their users can read everything'
complete -c darshan-serve -l name -x -d 'another host name for requests, for example of a proxy'
complete -c darshan-serve -l user -x -d 'show only this user\'s jobs'
complete -c darshan-serve -l memory -x -d 'memory of a query'
