# Made by ./dev describe.
complete -c darshan-job-summary.pl -w darshan-job-summary
