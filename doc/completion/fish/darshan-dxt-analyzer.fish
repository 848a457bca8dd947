# Made by ./dev describe.
complete -c darshan-dxt-analyzer -s h -l help -d 'show this help message and exit'
complete -c darshan-dxt-analyzer -s i -l input -r -F -d 'the same'
complete -c darshan-dxt-analyzer -s o -l output -r -F -d 'draw transfers over time by rank'
complete -c darshan-dxt-analyzer -l show -d 'draw them in a window'
complete -c darshan-dxt-analyzer -l read -d 'draw reads [writes]'
complete -c darshan-dxt-analyzer -l ranks -d 'a row for each rank, too'
complete -c darshan-dxt-analyzer -l filemode -d 'only one file: that of -f'
complete -c darshan-dxt-analyzer -s f -l filename -x -d 'only files whose names end so'
