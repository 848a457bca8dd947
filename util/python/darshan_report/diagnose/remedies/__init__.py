"""Texts of remedies: what to change, in the language and the libraries of a program."""
