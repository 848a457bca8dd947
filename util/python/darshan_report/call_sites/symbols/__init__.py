"""Functions and lines of addresses, from the files of programs and libraries."""
