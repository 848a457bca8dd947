"""The command darshan try: runs a program without and with remedies that are applied from outside,
and reports what each gained."""
