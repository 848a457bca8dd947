"""Parts of the diagnoses of trainings: loaders of data, and what they do for each sample."""
