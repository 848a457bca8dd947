"""The diagnoses of machine-learning trainings: whether a training waits for its data, why, and what
it does for each sample."""
