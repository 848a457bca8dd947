"""The report as a PDF file, made by LaTeX or, without it, by matplotlib."""
