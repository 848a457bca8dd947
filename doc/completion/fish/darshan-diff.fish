# Made by ./dev describe.
complete -c darshan-diff -l relative -x -d 'ignore differences up to this part of the larger value, 0.05 for 5 %'
complete -c darshan-diff -l seconds -x -d 'ignore differences of times up to SECONDS'
complete -c darshan-diff -l ignore -x -d 'ignore counters whose names match (POSIX_F_*)'
complete -c darshan-diff -l no-job -d 'ignore the fields of the job, of which times always differ'
complete -c darshan-diff -l no-annex -d 'ignore the modules that other readers do not know'
complete -c darshan-diff -s q -l quiet -d 'print nothing'
complete -c darshan-diff -l version
complete -c darshan-diff -l help
