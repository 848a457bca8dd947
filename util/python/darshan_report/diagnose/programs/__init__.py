"""The programs of a log: which program caused a finding, what it does, and what it reads."""
