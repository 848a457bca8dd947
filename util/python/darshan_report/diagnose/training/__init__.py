"""The diagnoses of trainings: whether a training waits for its data, why, and what it does for each
sample."""
