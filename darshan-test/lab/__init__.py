"""The laboratory of the Python tests: it runs programs without and with the runtime, and reads
what they leave.

environment.py has the variables that instrument a program, watch.py runs one and collects its
files, compare.py runs it without and with the runtime, compile.py makes programs from C, log.py
reads logs through darshan-parser, strace.py reads what strace prints, and findings.py judges what
a report tells of a program.
"""
