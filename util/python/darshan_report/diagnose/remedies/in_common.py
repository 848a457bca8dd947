"""Remedies for files that several processes use at the same time while some of them write. Many
remedies keep a file open, or its contents in memory. They are right only for a file of one process
(Remedy.alone). If other processes read or write the file at the same time, these remedies would
lose data. This module then replaces them, for all rules.
"""

from __future__ import annotations

from dataclasses import replace

from ...units import plural
from ..facts import Facts
from ..finding import Finding, Remedy
from ..programs.sqlite import databases

STATE = Remedy(
    "Processes use this file at the same time, and each must see what the others wrote, so no "
    "process may keep its contents in memory and write them later. Let one process keep the "
    "contents, hand out the work or the numbers, and receive the results as messages; or, under "
    "one lock, read the "
    "file, take many items at once, such as a block of 1,000 numbers, and write it back; or use a "
    "database.",
    "C: flock(fd, LOCK_EX);  pread first;  pwrite first + 1000;  flock(fd, LOCK_UN)\n"
    "C: MPI_Fetch_and_op(&many, &first, MPI_LONG, 0, 0, MPI_SUM, window)\n"
    "Fortran: call MPI_Fetch_and_op(many, first, MPI_INTEGER8, 0, 0_MPI_ADDRESS_KIND, MPI_SUM, "
    "window, ierror)\n"
    "Python: with multiprocessing.Pool() as pool: results = pool.map(work, items)  # one writes\n"
    "Perl: flock($f, LOCK_EX);  my $first = <$f>;  seek($f, 0, 0);  print $f $first + 1000, "
    '"\\n";  # a block\n'
    "Java: executor.invokeAll(tasks)  // one process; one thread writes the results\n"
    "shell: printf '%s\\n' items | xargs -n 100 -P 4 work  # each gets its own items\n"
    "SQL: BEGIN IMMEDIATE;  UPDATE counter SET n = n + 1000 RETURNING n;  COMMIT;",
)
OUTPUT = Remedy(
    "Several processes write this file at the same time: a process that only kept it open would "
    "overwrite what the others have written in the meantime. Let each process write a file of "
    "its "
    "own, and join them at the end; or let each write at an offset that it computes; or open the "
    "file once with O_APPEND and write whole records, a record or a block of them with each "
    "write().",
    "C: fd = open(path, O_WRONLY | O_APPEND);  before the loop, write(fd, record, size)\n"
    "C: MPI_Exscan(&size, &at, ...);  MPI_File_write_at_all(file, start + at, records, size, ...)\n"
    "C++: std::ofstream out(path + std::to_string(rank));  before the loop\n"
    "Fortran: open(newunit=unit, file=path_of(rank))  before the loop: a file for each process\n"
    "Fortran: call MPI_File_write_at_all(file, offset, text, size, MPI_CHARACTER, status, ierror)\n"
    "Rust: let mut file = File::options().append(true).open(path)?;  file.write_all(&record)?\n"
    "Go: file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0);  file.Write(record)\n"
    "Python: file = open(path, 'ab', buffering=0)  # before the loop, then file.write(record)\n"
    "Java: Files.newOutputStream(path, APPEND)  // before the loop, then out.write(record)\n"
    "R: out <- file(paste0(path, Sys.getpid()), 'w')  # before the loop: a file for each process\n"
    "Perl: open(my $out, '>>', $path);  $out->autoflush(1);  print $out $record\n"
    "shell: work > part.$n &  # a file for each process;  at the end: cat part.* > all",
)
# For files that are locked, but that no other process of the run used at the same time.
LOCKED = Remedy(
    "A lock protects this file, so processes of other runs may use it; in this run, no other "
    "process did so at the same time. Hold the lock for many changes: until its release, what was "
    "read may stay in memory, and what is new may be written at once, just before the release. If "
    "no other process ever uses the file, leave out the lock.",
    "C: flock(fd, LOCK_EX);  read all;  many changes;  write all;  flock(fd, LOCK_UN)\n"
    "Python: fcntl.flock(file, fcntl.LOCK_EX)  # before the loop, then LOCK_UN after its writes\n"
    "Perl: flock($f, LOCK_EX);  # before the loop, then LOCK_UN after its writes\n"
    "Java: try (var lock = channel.lock()) { the whole loop, and its writes }\n"
    "shell: flock lockfile script  # around the whole loop",
)


def safe(facts: Facts, finding: Finding) -> Finding:
    """Returns the finding with a remedy that does not lose data of other processes."""
    if not finding.remedy.alone:
        return finding
    told_of = [row.id for row in finding.evidence if row.id is not None and row.record]
    # The evidence has sums over files: any file counts.
    ids = finding.covers | frozenset(told_of) or facts.common.ids
    some = [n for n in facts.common.ids & ids if facts.name(n) not in databases(facts)]
    if not some:
        return finding
    if told_of[:1] and told_of[0] in some:
        return replace(finding, remedy=_remedy(facts, told_of[0]))
    text = finding.remedy.text
    if crowd := [n for n in some if n not in facts.common.apart]:
        text += (
            f" Do not do this for {_named(facts, crowd)}: other processes use "
            f"{'them' if len(crowd) > 1 else 'it'} at the same time, and would lose data or read "
            "outdated data."
        )
    if alone := [n for n in some if n in facts.common.apart]:
        it = "them" if len(alone) > 1 else "it"
        text += (
            f" Do not do this for {_named(facts, alone)} without the lock that protects {it}: "
            f"processes of other runs may use {it}."
        )
    return replace(finding, remedy=replace(finding.remedy, text=text))


def _remedy(facts: Facts, record: int) -> Remedy:
    """Returns the remedy for a file (a record's id) that several processes use."""
    if record in facts.common.apart:
        return LOCKED
    return STATE if record in facts.common.states else OUTPUT


def _named(facts: Facts, files: list[int]) -> str:
    """Returns the name of one of some files, and the number of the others."""
    more = f" and {plural(len(files) - 1, 'more file')}" if len(files) > 1 else ""
    return facts.name(min(files)) + more
