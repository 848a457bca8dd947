"""The I/O share (time in I/O as a percentage of the processes' time) as text, with the same wording
in all reports."""

from __future__ import annotations

from ..units import seconds, share
from .shares import Shares

FILES = "in file I/O"
ALL = "in I/O of all layers"
OF_RUN, OF_WORK = "run time", "working time"


def of_what(shares: Shares) -> str:
    """Returns the name of the time of which a percentage is given: the run time or, if processes
    waited for children, the working time."""
    return OF_WORK if shares.waited else OF_RUN


def files(shares: Shares) -> str:
    """Returns the time in file I/O as text, "37 %": a percentage of the run time or, if processes
    waited for children, of the working time."""
    return share(shares.files, shares.work)


def all_layers(shares: Shares) -> str:
    """Returns the time in I/O of all layers as text, "37 %": a percentage of the run time or, if
    processes waited for children, of the working time."""
    return share(shares.all, shares.work)


def sentence(shares: Shares) -> str:
    """Returns a sentence with the percentages of file I/O and of I/O of all layers, which also
    explains the time to which they refer."""
    what = of_what(shares)
    told = f"{files(shares)} of the {what} went into file I/O"
    if shares.above:
        told += f", {all_layers(shares)} into I/O of all layers"
    if shares.waited:
        told += (
            f". Working time ({seconds(shares.work)}) is the lifetime of the processes without the "
            "time in which they only waited"
        )
    if shares.overlapping:
        told += (
            f". The share is above 100 % ({seconds(shares.all)} in {seconds(shares.work)}) because "
            "calls of several threads, or asynchronous requests, lasted at the same time"
        )
    return f"{told}."
