# Made by ./dev describe.
complete -c darshan-diff -l relative -x -d 'values may differ by this part of the larger one, 0.05 for 5 %'
complete -c darshan-diff -l seconds -x -d 'times may differ by so much'
complete -c darshan-diff -l ignore -x -d 'leave out counters with such a name (POSIX_F_*)'
complete -c darshan-diff -l no-job -d 'leave out the fields of the job, of which times always differ'
complete -c darshan-diff -l no-annex -d 'leave out the modules that other readers do not know'
complete -c darshan-diff -s q -l quiet -d 'print nothing, the exit status tells'
complete -c darshan-diff -l version
complete -c darshan-diff -l help
