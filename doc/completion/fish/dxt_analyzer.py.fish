# Made by ./dev describe.
complete -c dxt_analyzer.py -w darshan-dxt-analyzer
