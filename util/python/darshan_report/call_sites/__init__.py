"""Call sites of a log (module SITES), and the lines of source code that they belong to."""
