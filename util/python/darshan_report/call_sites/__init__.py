"""From the call sites of a log (module SITES) to lines of source code."""
