"""The report as a PDF file, made by LaTeX or, if that is not installed, by matplotlib."""
