"""The command darshan trace: converts the traces of a log for viewers such as Perfetto."""
