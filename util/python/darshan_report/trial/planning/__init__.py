"""The cases of remedies' plans: a log and a finding, and the files and hints in question."""
