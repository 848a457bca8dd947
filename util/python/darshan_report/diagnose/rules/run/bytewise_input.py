"""A process reads its input byte by byte from a pipe, a terminal or a socket. The runtime records
only calls on files, but the kernel counts the reads of a process on all descriptors. If the kernel
counted many reads of a few bytes that no recorded call explains, they are reads of such an input.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....units import amount, count, seconds
from ...facts import Facts
from ...finding import CAUSE, PROBLEM, Finding, Remedy
from ...reached import needs
from ...remedies.language import of_program
from ...times.unjudged import bytewise

NAME = "bytewise-input"
ROLE = CAUSE
_BLOCKS = Remedy(
    "A shell reads a pipe byte by byte, because it must not read beyond the end of a line, but it "
    "reads a file in blocks. Let the loop read a file, or let one program, such as awk, do the "
    "whole loop. Other programs should read blocks into a buffer.",
    "shell: done < access.log  # not: cat access.log | while read ...\n"
    "shell: command > lines.txt; while read -r line; do ...; done < lines.txt\n"
    "shell: command | awk '{ sum[$4] += $5 } END { ... }'\n"
    "C: fgets(line, sizeof line, stdin);  // not read(0, &c, 1)",
)
_UNBUFFERED = Remedy(
    "sed -u (--unbuffered) reads its input byte by byte and writes each line at once: leave it "
    "out, unless somebody reads along on a terminal. The same holds for grep --line-buffered.",
    "shell: zcat access.log.gz | sed -e 's/a/b/' | grep -v x  # not sed -u",
)
_IN_PYTHON = Remedy(
    "A pipe without a buffer (bufsize=0, buffering=0, os.read) costs a call of the kernel and one "
    "of Python for each byte of a line: leave out bufsize=0, so that Python reads blocks.",
    "Python: process = subprocess.Popen(command, stdout=subprocess.PIPE)  # without bufsize=0\n"
    "Python: for line in process.stdout: ...\n"
    "Python: file = os.fdopen(descriptor, 'rb')  # not buffering=0;  then file.readline()",
)
_METHOD = 3e-7  # seconds of a method in Python, which readline() of a raw file calls for each byte


@needs("USAGE")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if a process made very many reads of a few bytes that were not on recorded
    files, and they took much time in the kernel; otherwise nothing."""
    found, usage = bytewise(facts), facts.table("USAGE")
    if found is None or usage is None:
        return
    # The log of a single process does not repeat its command.
    started = (found.command or facts.info.exe).partition(" ")[0]
    language = of_program(found.program) or of_program(started)
    in_python = min(found.user, _METHOD * found.calls) if language == "Python" else 0.0
    stake = facts.stake(
        found.system,
        "time in the kernel of this process, mostly in these reads"
        + (", and in Python's method for each" if in_python > 0 else ""),
        between=in_python,
    )
    if not facts.worth(stake):
        return
    is_shell = language == "shell"
    yield Finding(
        NAME,
        "Input is read byte by byte from a pipe",
        f"{found.program or 'The program'} made {count(found.calls)} reads of "
        f"{amount(found.read / found.calls)} on average that are not of a recorded file: its input "
        "is a pipe, a terminal or a socket. The kernel counted them; it worked "
        f"{seconds(found.system)} for this process.",
        PROBLEM,
        stake,
        facts.sums(usage, "READ_CALLS", "CHARS_READ", "F_SYSTEM_TIME"),
        _IN_PYTHON if language == "Python" else _UNBUFFERED if found.program == "sed" else _BLOCKS,
        limits=("bytewise.calls",),
        programs=found.program,
        doers=(found.program,) if found.program else (),
        # A shell has lines of its script. The sites of another program are not those of its input.
        at="" if is_shell or not found.command else f"the command {found.command}",
    )
