"""darshan try: applies remedies to runs of a program, and says what they gained."""
