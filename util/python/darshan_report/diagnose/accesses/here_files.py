"""The temporary files of bash for here-documents and here-strings, which a loop of `read` reads by
lines, and partly again: before each line, bash moves back to where the last one ended."""

from __future__ import annotations

import re

import numpy as np

from ...units import plural
from ..facts import Facts
from ..finding import Remedy
from ..table import Table

NAMES = r"/sh-thd[.-]?\w+$"  # pattern for the files
REMEDY = Remedy(
    "Leave the here-document or here-string (<<, <<<) out of the loop: read the table once, before "
    "it, into an associative array, and look keys up in it; or let one awk read both files.",
    "shell: declare -A price  # once, before the loop\n"
    "shell: while IFS=';' read -r key value; do price[$key]=$value; done < table\n"
    'shell: echo "${price[$key]}"  # in the loop, without <<<\n'
    "shell: awk -F';' 'NR == FNR { price[$1] = $2; next } { print $1, price[$2] }' table calls",
)


def here_files(facts: Facts, table: Table, mask: np.ndarray) -> np.ndarray:
    """Returns a mask of the files among those of `mask` that bash made for here-documents or
    here-strings."""
    found = np.zeros(len(table), bool)
    for place in np.flatnonzero(mask).tolist():
        found[place] = re.search(NAMES, facts.name(int(table.ids[place]))) is not None
    return found


def told(number: int) -> str:
    """Returns sentences on these files, with a space before them; "" if there are none. number: of
    the files."""
    if number == 0:
        return ""
    made = f"{plural(number, 'such file')} {'was' if number == 1 else 'were'} made here"
    return (
        " bash writes a temporary file for each here-document or here-string (<<, <<<), and a loop "
        f"of read takes its lines one by one: {made}."
    )
