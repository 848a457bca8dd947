"""The input and the result of planning a remedy: a log and a finding, and how the remedy is
applied."""
