"""The diagnoses of trainings: what loaders of data wait for, and what they do for each sample."""
