# Made by ./dev describe.
complete -c darshan-digest -s h -l help -d 'show this help message and exit'
complete -c darshan-digest -l week -x -a 'this last' -d 'this or last (the last that is over, the default)'
complete -c darshan-digest -l top -x -d 'how many programs (10)'
complete -c darshan-digest -l user -x -d 'of this user\'s jobs alone'
complete -c darshan-digest -l text -d 'plain lines for a mail instead of Markdown'
complete -c darshan-digest -s o -l output -r -F -d 'a file for it'
