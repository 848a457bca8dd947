"""Recognizes files that a virtual machine, an interpreter or MPI uses internally, such as counters,
sockets and caches. They are not the user's data."""

from __future__ import annotations

import re

# The same patterns as in util/front/summary/similar-files.c.
_RUNTIME = re.compile(
    r"/hsperfdata_|/\.java_pid|/\.dotnet/|/clr-debug-pipe-|/dotnet-diagnostic-"
    r"|/v8-compile-cache-|/node-compile-cache/|/\.julia/logs/|/tmp/ompi\."
    r"|/\.cache/(?:matplotlib|fontconfig)/|/pyvenv\.cfg"
)


def is_of_runtime(name: str) -> bool:
    """Returns whether a file belongs to the runtime of a language or of MPI."""
    return _RUNTIME.search(name) is not None
