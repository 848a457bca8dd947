# Made by ./dev describe.
complete -c darshan-digest -s h -l help -d 'show this help message and exit'
complete -c darshan-digest -l week -x -a 'this last' -d 'this or last (the last complete week, the default)'
complete -c darshan-digest -l top -x -d 'number of programs (10)'
complete -c darshan-digest -l user -x -d 'only this user\'s jobs'
complete -c darshan-digest -l text -d 'write plain lines for a mail instead of Markdown, as for an OUT that ends in .txt'
complete -c darshan-digest -s o -l output -r -F -d 'the file to write'
