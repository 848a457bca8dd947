# Made by ./dev describe.
complete -c darshan-merge -s o -l output -r -F -d 'the log [darshan-merge.darshan]'
complete -c darshan-merge -l shared-redux -d 'combine the records of files that ranks share (default, unless ranks are missing that may be on other nodes)'
complete -c darshan-merge -l no-shared-redux -d 'keep a record per rank'
complete -c darshan-merge -l job-end-time -x -d 'end of the job, seconds since 1970 [the latest timestamp of all records]'
complete -c darshan-merge -l remove -d 'remove the journals, or logs, when the log is complete'
complete -c darshan-merge -l job -x -d 'use only the logs or journals of this job'
complete -c darshan-merge -l logs -x -a '(__fish_complete_directories)' -d 'make a log of each job in this folder, with a generated name'
complete -c darshan-merge -l version
complete -c darshan-merge -l help
complete -c darshan-merge -l dated -d 'DIR has folders for years, months and days'
complete -c darshan-merge -l command -x -d 'command line of the log if the root process left none'
complete -c darshan-merge -l numbered -d 'if FILE exists, the log is FILE.2, FILE.3 and so on'
complete -c darshan-merge -l keep -d 'do not change the folder'
complete -c darshan-merge -l ask -d 'make nothing'
complete -c darshan-merge -l print -d 'print the path of the log'
complete -c darshan-merge -l quiet -d 'print nothing else'
complete -c darshan-merge -l run -x -a '(__fish_complete_directories)'
complete -c darshan-merge -l fold -x -a '(__fish_complete_directories)'
