# Made by ./dev describe.
complete -c darshan-merge -s o -l output -r -F -d 'the log [darshan-merge.darshan]'
complete -c darshan-merge -l shared-redux -d 'combine the records of files that ranks share (default, unless ranks are missing that may be on other nodes)'
complete -c darshan-merge -l no-shared-redux -d 'keep a record per rank'
complete -c darshan-merge -l job-end-time -x -d 'end of the job, seconds since 1970 [the last thing that a record tells]'
complete -c darshan-merge -l remove -d 'remove the journals, or logs, when the log is complete'
complete -c darshan-merge -l job -x -d 'of logs or journals of several jobs, those of this one'
complete -c darshan-merge -l logs -x -a '(__fish_complete_directories)' -d 'a log of each job, in this folder under a name that is made'
complete -c darshan-merge -l version
complete -c darshan-merge -l help
complete -c darshan-merge -l dated -d 'DIR has folders for years, months and days'
complete -c darshan-merge -l command -x -d 'what was asked for, if the first process cannot say it'
complete -c darshan-merge -l numbered -d 'where FILE is taken, the log is FILE.2 or the like'
complete -c darshan-merge -l keep -d 'the folder stays as it is'
complete -c darshan-merge -l ask -d 'makes nothing'
complete -c darshan-merge -l print -d 'say where the log is'
complete -c darshan-merge -l quiet -d 'say nothing else'
complete -c darshan-merge -l run -x -a '(__fish_complete_directories)'
complete -c darshan-merge -l fold -x -a '(__fish_complete_directories)'
