# Made by ./dev describe.
complete -c darshan-serve -s h -l help -d 'show this help message and exit'
complete -c darshan-serve -l port -x -d 'where (8642)'
complete -c darshan-serve -l bind -x -d 'an address of this machine, as a number (127.0.0.1)'
complete -c darshan-serve -l allow-remote -d 'that may be one that others reach: everybody who does reads everything'
complete -c darshan-serve -l name -x -d 'another name that it is asked by, by a proxy, say'
complete -c darshan-serve -l user -x -d 'shows this user\'s jobs alone'
complete -c darshan-serve -l memory -x -d 'what a page may take, before it goes to the disk (2GB)'
