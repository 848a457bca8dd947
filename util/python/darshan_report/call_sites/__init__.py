"""Call sites of a log (the records of the module SITES: a stack, and the sums of the I/O calls made
from it), and the lines of source code that they belong to."""
