# Made by ./dev describe.
complete -c darshan-dxt-analyzer -s h -l help -d 'show this help message and exit'
complete -c darshan-dxt-analyzer -s i -l input -r -F -d 'another way to name LOG'
complete -c darshan-dxt-analyzer -s o -l output -r -F -d 'draw transfers over time by rank'
complete -c darshan-dxt-analyzer -l show -d 'draw transfers in a window'
complete -c darshan-dxt-analyzer -l read -d 'draw reads instead of writes'
complete -c darshan-dxt-analyzer -l ranks -d 'also print a row for each rank'
complete -c darshan-dxt-analyzer -l filemode -d 'only the file of -f'
complete -c darshan-dxt-analyzer -s f -l filename -x -d 'only files whose names end with NAME'
