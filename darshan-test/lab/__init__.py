"""The common functions of the Python tests: they run programs without and with the runtime, and
read the logs and output.

environment.py has the variables that instrument a program, watch.py runs one and collects its
files, compare.py runs it without and with the runtime, compile.py makes programs from C, log.py
reads logs through darshan-parser, strace.py reads the output of strace, and findings.py judges the
findings that a report has for a program."""
