"""The command darshan try: applies remedies to runs of a program, and reports what they gained."""
