# Made by ./dev describe.
complete -c darshan-compare -s h -l help -d 'show this help message and exit'
complete -c darshan-compare -l fail-if -x -d 'ends with exit status 1 if this holds'
complete -c darshan-compare -l json -d 'data instead of text'
complete -c darshan-compare -s o -l output -r -F -d 'a file instead of standard output'
complete -c darshan-compare -l thresholds -r -F -d 'other thresholds of findings: lines name = number'
