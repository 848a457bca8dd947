# Made by ./dev describe.
complete -c darshan -n __fish_use_subcommand -s V -l version
complete -c darshan -n __fish_use_subcommand -s h -l help
complete -c darshan -f -n __fish_use_subcommand -a run -d 'run a program under observation'
complete -c darshan -f -n __fish_use_subcommand -a stat -d 'run a program, or read logs, and show its I/O on a screen'
complete -c darshan -f -n __fish_use_subcommand -a watch -d 'what observed processes do right now'
complete -c darshan -f -n __fish_use_subcommand -a recover -d 'make the logs of processes that were killed'
complete -c darshan -f -n __fish_use_subcommand -a list -d 'your newest logs, with their costliest findings'
complete -c darshan -f -n __fish_use_subcommand -a report -d 'a report of Darshan logs: PDF, web page, data or text'
complete -c darshan -f -n __fish_use_subcommand -a parse -d 'a Darshan log as text'
complete -c darshan -f -n __fish_use_subcommand -a compare -d 'compare two logs, and fail if a condition holds'
complete -c darshan -f -n __fish_use_subcommand -a diff -d 'what two Darshan logs say otherwise'
complete -c darshan -f -n __fish_use_subcommand -a trace -d 'traced transfers for Perfetto and chrome://tracing'
complete -c darshan -f -n __fish_use_subcommand -a dxt-parse -d 'the traces of a Darshan log as text'
complete -c darshan -f -n __fish_use_subcommand -a dxt-analyze -d 'what traces say of the transfers to each file'
complete -c darshan -f -n __fish_use_subcommand -a per-file -d 'a log and a report of each file in a log'
complete -c darshan -f -n __fish_use_subcommand -a analyze -d 'folders of Darshan logs, counted'
complete -c darshan -f -n __fish_use_subcommand -a convert -d 'a Darshan log anew, compressed otherwise or with names hidden'
complete -c darshan -f -n __fish_use_subcommand -a merge -d 'one log of many journals or logs'
complete -c darshan -f -n __fish_use_subcommand -a collect -d 'many logs as tables of Parquet, each log once'
complete -c darshan -f -n __fish_use_subcommand -a ask -d 'ask a lake: ready questions, or SQL'
complete -c darshan -f -n __fish_use_subcommand -a digest -d 'a week of a lake as a text to send'
complete -c darshan -f -n __fish_use_subcommand -a serve -d 'a lake in a browser, read and never written'
complete -c darshan -f -n __fish_use_subcommand -a lake -d 'look after a lake: what is in it, is it whole, what goes'
complete -c darshan -f -n __fish_use_subcommand -a mk-log-dirs -d 'folders of days below a log folder'
complete -c darshan -f -n __fish_use_subcommand -a config -d 'what programs are linked with to be observed'
complete -c darshan -f -n __fish_use_subcommand -a gen-cc -d 'make a compiler command that links programs with the runtime'
complete -c darshan -f -n __fish_use_subcommand -a help -d 'the page of the manual'
complete -c darshan -f -n '__fish_seen_subcommand_from help' -a 'run stat watch recover list report parse compare diff trace dxt-parse dxt-analyze per-file analyze convert merge collect ask digest serve lake mk-log-dirs config gen-cc'
complete -c darshan -n '__fish_seen_subcommand_from run' -s o -x -a '(__fish_complete_directories)' -d 'the folder for logs [DARSHAN_LOGPATH, else ./darshan-logs]'
complete -c darshan -n '__fish_seen_subcommand_from run' -s h -l help
complete -c darshan -n '__fish_seen_subcommand_from run' -a '(__fish_complete_subcommand)'
complete -c darshan -n '__fish_seen_subcommand_from stat' -s o -x -a '(__fish_complete_directories)' -d 'the folder for logs [DARSHAN_LOGPATH, else ./darshan-logs]'
complete -c darshan -n '__fish_seen_subcommand_from stat' -s r -x -d 'print the summary of an existing log [the newest log]'
complete -c darshan -n '__fish_seen_subcommand_from stat' -l json -d 'the numbers as one line of JSON instead of the summary'
complete -c darshan -n '__fish_seen_subcommand_from stat' -s x -x -d 'the numbers as rows with SEP between value, unit and name: -x,'
complete -c darshan -n '__fish_seen_subcommand_from stat' -l to -r -F -d 'where these go [standard output with -r, else standard error]'
complete -c darshan -n '__fish_seen_subcommand_from stat' -s h -l help
complete -c darshan -n '__fish_seen_subcommand_from stat' -a '(__fish_complete_subcommand)'
complete -c darshan -n '__fish_seen_subcommand_from watch' -s n -x -d 'time between two screens [1]'
complete -c darshan -n '__fish_seen_subcommand_from watch' -s c -x -d 'number of screens [until interrupted]'
complete -c darshan -n '__fish_seen_subcommand_from watch' -s h -l help
complete -c darshan -n '__fish_seen_subcommand_from recover' -s o -x -a '(__fish_complete_directories)' -d 'where logs go [the folder that darshan run was given, else DARSHAN_LOGPATH, else darshan-logs in the home folder]'
complete -c darshan -n '__fish_seen_subcommand_from recover' -s n -l dry-run -d 'only print what would be done'
complete -c darshan -n '__fish_seen_subcommand_from recover' -s y -l yes -d 'do not ask'
complete -c darshan -n '__fish_seen_subcommand_from recover' -l all-users -d 'recover the logs of all users, each with its owner\'s rights'
complete -c darshan -n '__fish_seen_subcommand_from recover' -s h -l help
complete -c darshan -n '__fish_seen_subcommand_from list' -s n -x -d 'at most so many logs [20]'
complete -c darshan -n '__fish_seen_subcommand_from list' -l paths -d 'the path of each log, in a line of its own'
complete -c darshan -n '__fish_seen_subcommand_from list' -l json -d 'the same as data on standard output'
complete -c darshan -n '__fish_seen_subcommand_from list' -l no-findings -d 'without findings, which are the slowest part'
complete -c darshan -n '__fish_seen_subcommand_from list' -l seconds -x -d 'compute findings for S seconds [3]'
complete -c darshan -n '__fish_seen_subcommand_from list' -s h -l help
complete -c darshan -n '__fish_seen_subcommand_from report' -s h -l help -d 'show this help message and exit'
complete -c darshan -n '__fish_seen_subcommand_from report' -s o -l output -r -F -d 'one file for all logs, one after another'
complete -c darshan -n '__fish_seen_subcommand_from report' -l pdf -d 'write a PDF, whatever OUT\'s ending is'
complete -c darshan -n '__fish_seen_subcommand_from report' -l html -d 'write one HTML file for a browser'
complete -c darshan -n '__fish_seen_subcommand_from report' -l json -d 'write the report as JSON'
complete -c darshan -n '__fish_seen_subcommand_from report' -l csv -d 'write the report as lines: path, value'
complete -c darshan -n '__fish_seen_subcommand_from report' -l text -d 'print findings and layers on the terminal'
complete -c darshan -n '__fish_seen_subcommand_from report' -l compare -d 'report what changed from the first log to the second'
complete -c darshan -n '__fish_seen_subcommand_from report' -l campaign -d 'report many logs in a row per job, the worst first'
complete -c darshan -n '__fish_seen_subcommand_from report' -s v -l verbose -d 'with --text: also print evidence, and what is good'
complete -c darshan -n '__fish_seen_subcommand_from report' -l brief -d 'with --text: print a line per problem'
complete -c darshan -n '__fish_seen_subcommand_from report' -l thresholds -r -F -d 'read thresholds of findings from FILE: lines name = number'
complete -c darshan -n '__fish_seen_subcommand_from report' -l open -d 'show the report in a browser (BROWSER, else xdg-open)'
complete -c darshan -n '__fish_seen_subcommand_from report' -l list-thresholds -d 'print all thresholds with their sources'
complete -c darshan -n '__fish_seen_subcommand_from report' -l keep -x -a '(__fish_complete_directories)' -d 'keep the LaTeX source, its log and the figures in DIR'
complete -c darshan -n '__fish_seen_subcommand_from report' -l no-latex -d 'make the PDF without LaTeX even if LaTeX is installed'
complete -c darshan -n '__fish_seen_subcommand_from parse' -l base -d 'a row per counter of every record (the default)'
complete -c darshan -n '__fish_seen_subcommand_from parse' -l total -d 'totals per module'
complete -c darshan -n '__fish_seen_subcommand_from parse' -l file -d 'numbers of files per module'
complete -c darshan -n '__fish_seen_subcommand_from parse' -l perf -d 'performance per module'
complete -c darshan -n '__fish_seen_subcommand_from parse' -l all -d 'all of these, incomplete modules included'
complete -c darshan -n '__fish_seen_subcommand_from parse' -l show-incomplete -d 'do not stop at a module that lacks records'
complete -c darshan -n '__fish_seen_subcommand_from parse' -l annex -d 'also print totals of the modules that other readers do not know'
complete -c darshan -n '__fish_seen_subcommand_from parse' -l no-annex -d 'do not print these modules'
complete -c darshan -n '__fish_seen_subcommand_from parse' -l version -d 'print the version'
complete -c darshan -n '__fish_seen_subcommand_from parse' -l help -d 'print this'
complete -c darshan -n '__fish_seen_subcommand_from compare' -s h -l help -d 'show this help message and exit'
complete -c darshan -n '__fish_seen_subcommand_from compare' -l fail-if -x -d 'ends with exit status 1 if this holds'
complete -c darshan -n '__fish_seen_subcommand_from compare' -l json -d 'data instead of text'
complete -c darshan -n '__fish_seen_subcommand_from compare' -s o -l output -r -F -d 'a file instead of standard output'
complete -c darshan -n '__fish_seen_subcommand_from compare' -l thresholds -r -F -d 'other thresholds of findings: lines name = number'
complete -c darshan -n '__fish_seen_subcommand_from diff' -l relative -x -d 'ignore differences up to this part of the larger value, 0.05 for 5 %'
complete -c darshan -n '__fish_seen_subcommand_from diff' -l seconds -x -d 'ignore differences of times up to SECONDS'
complete -c darshan -n '__fish_seen_subcommand_from diff' -l ignore -x -d 'ignore counters whose names match (POSIX_F_*)'
complete -c darshan -n '__fish_seen_subcommand_from diff' -l no-job -d 'ignore the fields of the job, of which times always differ'
complete -c darshan -n '__fish_seen_subcommand_from diff' -l no-annex -d 'ignore the modules that other readers do not know'
complete -c darshan -n '__fish_seen_subcommand_from diff' -s q -l quiet -d 'print nothing'
complete -c darshan -n '__fish_seen_subcommand_from diff' -l version
complete -c darshan -n '__fish_seen_subcommand_from diff' -l help
complete -c darshan -n '__fish_seen_subcommand_from trace' -s h -l help -d 'show this help message and exit'
complete -c darshan -n '__fish_seen_subcommand_from trace' -s o -l output -r -F -d 'the file to write, compressed if its name ends in .gz (default: LOG\'s name with .json.gz)'
complete -c darshan -n '__fish_seen_subcommand_from dxt-parse' -l show-incomplete -d 'do not stop at a module that lacks records'
complete -c darshan -n '__fish_seen_subcommand_from dxt-parse' -l version -d 'print the version'
complete -c darshan -n '__fish_seen_subcommand_from dxt-parse' -l help -d 'print this'
complete -c darshan -n '__fish_seen_subcommand_from dxt-analyze' -s h -l help -d 'show this help message and exit'
complete -c darshan -n '__fish_seen_subcommand_from dxt-analyze' -s i -l input -r -F -d 'another way to name LOG'
complete -c darshan -n '__fish_seen_subcommand_from dxt-analyze' -s o -l output -r -F -d 'draw transfers over time by rank'
complete -c darshan -n '__fish_seen_subcommand_from dxt-analyze' -l show -d 'draw transfers in a window'
complete -c darshan -n '__fish_seen_subcommand_from dxt-analyze' -l read -d 'draw reads instead of writes'
complete -c darshan -n '__fish_seen_subcommand_from dxt-analyze' -l ranks -d 'also print a row for each rank'
complete -c darshan -n '__fish_seen_subcommand_from dxt-analyze' -l filemode -d 'only the file of -f'
complete -c darshan -n '__fish_seen_subcommand_from dxt-analyze' -s f -l filename -x -d 'only files whose names end with NAME'
complete -c darshan -n '__fish_seen_subcommand_from per-file' -l version
complete -c darshan -n '__fish_seen_subcommand_from per-file' -l help
complete -c darshan -n '__fish_seen_subcommand_from analyze' -l version
complete -c darshan -n '__fish_seen_subcommand_from analyze' -l help
complete -c darshan -n '__fish_seen_subcommand_from convert' -l compression -x -a 'zlib bzip2 none' -d 'zlib [default], bzip2 (not for PyDarshan\'s wheel) or none'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l bzip2 -d 'the same as --compression bzip2'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l obfuscate -d 'anonymize: replace file names, command line, hosts, user and job id by hashes, as 3.5.0 does'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l obfuscate_names -d 'replace only these, as 3.5.0 does'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l obfuscate_exe -d 'replace only these, as 3.5.0 does'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l obfuscate_uid -d 'replace only these, as 3.5.0 does'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l obfuscate_jobid -d 'replace only these, as 3.5.0 does'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l key -x -d 'key of the hashes: logs with the same key have the same hashes'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l key-file -r -F -d 'the key is the first line of FILE'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l file -x -d 'copy only the records with this id, of all modules'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l annotate -x -d 'add TEXT to the metadata: key=value, several separated by tabs'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l reset-md -d 'do not copy the metadata of LOG'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l no-annex -d 'do not copy the modules that other readers do not know'
complete -c darshan -n '__fish_seen_subcommand_from convert' -l version
complete -c darshan -n '__fish_seen_subcommand_from convert' -l help
complete -c darshan -n '__fish_seen_subcommand_from convert' -s o -r -F
complete -c darshan -n '__fish_seen_subcommand_from merge' -s o -l output -r -F -d 'the log [darshan-merge.darshan]'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l shared-redux -d 'combine the records of files that ranks share (default, unless ranks are missing that may be on other nodes)'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l no-shared-redux -d 'keep a record per rank'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l job-end-time -x -d 'end of the job, seconds since 1970 [the latest timestamp of all records]'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l remove -d 'remove the journals, or logs, when the log is complete'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l job -x -d 'use only the logs or journals of this job'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l logs -x -a '(__fish_complete_directories)' -d 'make a log of each job in this folder, with a generated name'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l version
complete -c darshan -n '__fish_seen_subcommand_from merge' -l help
complete -c darshan -n '__fish_seen_subcommand_from merge' -l dated -d 'DIR has folders for years, months and days'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l command -x -d 'command line of the log if the root process left none'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l numbered -d 'if FILE exists, the log is FILE.2, FILE.3 and so on'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l keep -d 'do not change the folder'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l ask -d 'make nothing'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l print -d 'print the path of the log'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l quiet -d 'print nothing else'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l run -x -a '(__fish_complete_directories)'
complete -c darshan -n '__fish_seen_subcommand_from merge' -l fold -x -a '(__fish_complete_directories)'
complete -c darshan -n '__fish_seen_subcommand_from collect' -s h -l help -d 'show this help message and exit'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l into -x -a '(__fish_complete_directories)' -d 'the folder of the lake, created if missing ($DARSHAN_LAKE, else ./darshan-lake)'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l workers -x -d 'processes that read logs (one per core)'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l traces -d 'also collect traced transfers (the table dxt)'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l no-findings -d 'do not make the table findings'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l thresholds -r -F -d 'read thresholds of findings from FILE: lines name = number'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l since -x -d 'only logs that changed since 2026-11-22, or within 7d, 12h'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l follow -d 'run until interrupted: look for new logs every minute (--every)'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l every -x -d 'seconds between two looks with --follow (60)'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l obfuscate -x -d 'anonymize: replace names of users, programs, files and hosts by hashes'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l remove-collected -d 'remove a log after its rows were read back from the lake, if the file is unchanged'
complete -c darshan -n '__fish_seen_subcommand_from collect' -l compact -d 'afterwards run darshan lake compact, which combines small files'
complete -c darshan -n '__fish_seen_subcommand_from ask' -s h -l help -d 'show this help message and exit'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l sql -x -d 'a query in SQL'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l with -r -F -d 'another table for --sql: accounts.csv (or .json, .parquet) is the table accounts'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l since -x -d 'jobs of this day and later: 2026-11-22, or 7d, 8w, 2y ago'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l until -x -d 'jobs of this day and before'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l user -x -d 'jobs of a user'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l program -x -d 'jobs of a program'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l top -x -d 'number of rows (20)'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l date -x -d 'before-after: the day of the change'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l from -x -d 'between: 2026-11-22T03:30, or 12h ago'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l to -x -d 'between: the end, in UTC'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l name -x -d 'files: pattern of names'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l least -x -d 'before-after, outliers: number of runs from which on a program is compared (3 and 8)'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l csv -d 'write the result as CSV'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l json -d 'write the result as JSON'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l parquet -d 'write the result as PARQUET'
complete -c darshan -n '__fish_seen_subcommand_from ask' -s o -l output -r -F -d 'the file to write'
complete -c darshan -n '__fish_seen_subcommand_from ask' -l memory -x -d 'memory of the query'
complete -c darshan -n '__fish_seen_subcommand_from ask; and not __fish_seen_subcommand_from programs losses small-writes users file-systems growth before-after between outliers files problems' -a 'programs losses small-writes users file-systems growth before-after between outliers files problems'
complete -c darshan -n '__fish_seen_subcommand_from digest' -s h -l help -d 'show this help message and exit'
complete -c darshan -n '__fish_seen_subcommand_from digest' -l week -x -a 'this last' -d 'this or last (the last complete week, the default)'
complete -c darshan -n '__fish_seen_subcommand_from digest' -l top -x -d 'number of programs (10)'
complete -c darshan -n '__fish_seen_subcommand_from digest' -l user -x -d 'only this user\'s jobs'
complete -c darshan -n '__fish_seen_subcommand_from digest' -l text -d 'write plain lines for a mail instead of Markdown, as for an OUT that ends in .txt'
complete -c darshan -n '__fish_seen_subcommand_from digest' -s o -l output -r -F -d 'the file to write'
complete -c darshan -n '__fish_seen_subcommand_from serve' -s h -l help -d 'show this help message and exit'
complete -c darshan -n '__fish_seen_subcommand_from serve' -l port -x -d 'port (8642)'
complete -c darshan -n '__fish_seen_subcommand_from serve' -l bind -x -d 'a numeric address of this machine (127.0.0.1)'
complete -c darshan -n '__fish_seen_subcommand_from serve' -l allow-remote -d 'allow --bind with an address that other machines reach: all their users can read everything'
complete -c darshan -n '__fish_seen_subcommand_from serve' -l name -x -d 'another host name for requests, for example of a proxy'
complete -c darshan -n '__fish_seen_subcommand_from serve' -l user -x -d 'show only this user\'s jobs'
complete -c darshan -n '__fish_seen_subcommand_from serve' -l memory -x -d 'memory of a query'
complete -c darshan -n '__fish_seen_subcommand_from lake' -s h -l help -d 'show this help message and exit'
complete -c darshan -n '__fish_seen_subcommand_from lake' -l deep -d 'check: read every file'
complete -c darshan -n '__fish_seen_subcommand_from lake' -l older -x -d 'prune: remove jobs that are older: 2y, 90d'
complete -c darshan -n '__fish_seen_subcommand_from lake' -l user -x -d 'prune: remove all rows of a user for ever'
complete -c darshan -n '__fish_seen_subcommand_from lake' -l dry-run -d 'prune: only print what would be removed'
complete -c darshan -n '__fish_seen_subcommand_from lake' -l grace -x -d 'sweep, compact: keep replaced files for this time, because readers may use them (24h)'
complete -c darshan -n '__fish_seen_subcommand_from lake; and not __fish_seen_subcommand_from info check compact prune sweep views' -a 'info check compact prune sweep views'
complete -c darshan -n '__fish_seen_subcommand_from mk-log-dirs' -l years -x -d 'number of years [2]'
complete -c darshan -n '__fish_seen_subcommand_from mk-log-dirs' -l mode -x -d 'mode of the folders of days [1777: users can make logs there, but not remove logs of others]'
complete -c darshan -n '__fish_seen_subcommand_from mk-log-dirs' -l version
complete -c darshan -n '__fish_seen_subcommand_from mk-log-dirs' -l help
complete -c darshan -n '__fish_seen_subcommand_from config' -l static -d 'first of all, where the program is a static one (-static-pie needs it): what shared libraries need is left out'
complete -c darshan -n '__fish_seen_subcommand_from config' -l pre-ld-flags -d 'what comes before the program\'s own objects and libraries'
complete -c darshan -n '__fish_seen_subcommand_from config' -l post-ld-flags -d 'what comes after them'
complete -c darshan -n '__fish_seen_subcommand_from config' -l dyn-ld-flags -d 'enough for a program all of whose libraries are shared'
complete -c darshan -n '__fish_seen_subcommand_from config' -l mpich-profile -d 'text of a file NAME.conf for MPICH\'s mpicc -profile=NAME'
complete -c darshan -n '__fish_seen_subcommand_from config' -l preload -d 'the library for LD_PRELOAD'
complete -c darshan -n '__fish_seen_subcommand_from config' -l libs -d 'the same as --dyn-ld-flags: not for a static program'
complete -c darshan -n '__fish_seen_subcommand_from config' -l log-path -d 'the folder for logs that was chosen when this was built'
complete -c darshan -n '__fish_seen_subcommand_from config' -l modulefile -d 'an environment module of this installation, for Modules or Lmod: its commands alone'
complete -c darshan -n '__fish_contains_opt modulefile; and not __fish_seen_subcommand_from tcl lua' -a 'tcl lua'
complete -c darshan -n '__fish_contains_opt modulefile; and not __fish_seen_subcommand_from tools jobs all' -a 'tools jobs all'
complete -c darshan -n '__fish_seen_subcommand_from config' -l all -d 'every fact below, one a line'
complete -c darshan -n '__fish_seen_subcommand_from config' -l version
complete -c darshan -n '__fish_seen_subcommand_from config' -l help
complete -c darshan -n '__fish_seen_subcommand_from config' -l cc
complete -c darshan -n '__fish_seen_subcommand_from config' -l log-path-by-env
complete -c darshan -n '__fish_seen_subcommand_from config' -l jobid-env
complete -c darshan -n '__fish_seen_subcommand_from config' -l username-env
complete -c darshan -n '__fish_seen_subcommand_from config' -l mem-align
complete -c darshan -n '__fish_seen_subcommand_from config' -l mod-mem
complete -c darshan -n '__fish_seen_subcommand_from config' -l name-mem
complete -c darshan -n '__fish_seen_subcommand_from config' -l log-hints
complete -c darshan -n '__fish_seen_subcommand_from config' -l ld-preload
complete -c darshan -n '__fish_seen_subcommand_from config' -l cuserid
complete -c darshan -n '__fish_seen_subcommand_from config' -l group-readable-logs
complete -c darshan -n '__fish_seen_subcommand_from config' -l mmap-logs
complete -c darshan -n '__fish_seen_subcommand_from config' -l exit-wrapper
complete -c darshan -n '__fish_seen_subcommand_from config' -l rdtscp
complete -c darshan -n '__fish_seen_subcommand_from config' -l null-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l posix-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l stdio-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l dxt-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l heatmap-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l mpiio-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l apmpi-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l apmpi-coll-sync
complete -c darshan -n '__fish_seen_subcommand_from config' -l hdf5-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l pnetcdf-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l daos-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l bgq-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l lustre-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l mdhim-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l ldms-mod
complete -c darshan -n '__fish_seen_subcommand_from config' -l zlib-path
complete -c darshan -n '__fish_seen_subcommand_from config' -l hdf5-path
complete -c darshan -n '__fish_seen_subcommand_from config' -l pnetcdf-path
complete -c darshan -n '__fish_seen_subcommand_from config' -l daos-path
complete -c darshan -n '__fish_seen_subcommand_from config' -l ldms-path
complete -c darshan -n '__fish_seen_subcommand_from gen-cc' -l version
complete -c darshan -n '__fish_seen_subcommand_from gen-cc' -s h
complete -c darshan -n '__fish_seen_subcommand_from gen-cc' -l help
complete -c darshan -n '__fish_seen_subcommand_from gen-cc' -l output -r -F
