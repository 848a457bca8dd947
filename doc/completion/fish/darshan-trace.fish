# Made by ./dev describe.
complete -c darshan-trace -s h -l help -d 'show this help message and exit'
complete -c darshan-trace -s o -l output -r -F -d 'the file to write, compressed if its name ends in .gz (default: LOG\'s name with .json.gz)'
