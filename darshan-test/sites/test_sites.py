"""Call sites of sites.c, whose stacks and calls are known."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lab.environment import preload
from lab.log import read_rows

from .stacks import KINDS, Outcome, Program, build_id

# Most call sites that a process records.
SITES_MOST = 1024


def counts(outcome: Outcome, called: str, *functions: str) -> list[tuple[int, int]]:
    """Returns (calls, bytes) of each site of `called` whose innermost frames are these functions,
    those with most calls first."""
    found = [
        (
            int(sum(site.row[kind] for kind in KINDS)),
            int(site.row["BYTES_READ"] + site.row["BYTES_WRITTEN"]),
        )
        for site in outcome.of(called, *functions)
    ]
    return sorted(found, reverse=True)


def test_two_lines_are_two_sites(program: Program) -> None:
    """Two loops that call the same function from two lines have two sites, each with its own calls,
    bytes, and counts by size."""
    outcome = program.run("loops")
    assert counts(outcome, "write", "put", "loops", "main") == [(100, 100000), (40, 2000)]
    assert counts(outcome, "pread", "get", "loops", "main") == [(10, 40960), (5, 1000)]
    big, small = sorted(outcome.of("write", "put"), key=lambda site: -site.row["WRITES"])
    assert (big.row["SIZE_WRITE_100_1K"], big.row["SIZE_WRITE_0_100"]) == (100, 0)
    assert (small.row["SIZE_WRITE_100_1K"], small.row["SIZE_WRITE_0_100"]) == (0, 40)
    assert (big.row["CONSECUTIVE"], big.row["FILE_SWITCHES"]) == (99, 1)


def test_places_of_transfers(program: Program) -> None:
    """A site counts the reads at a lower offset than the previous one (BACKWARD), and those at the
    same offset (REPEATED)."""
    outcome = program.run("loops")
    backward, again = sorted(outcome.of("pread", "get"), key=lambda site: -site.row["READS"])
    assert (backward.row["BACKWARD"], backward.row["REPEATED"]) == (9, 0)
    assert (again.row["BACKWARD"], again.row["REPEATED"]) == (0, 4)


def test_every_kind_of_call(program: Program) -> None:
    """An open, a seek, a sync, a close and a look-up are each counted once, each at the site of its
    call."""
    outcome = program.run("loops")
    for called, kind, functions in (
        ("open", "OPENS", ["make", "loops", "main"]),
        ("lseek", "SEEKS", ["loops", "main"]),
        ("fsync", "SYNCS", ["loops", "main"]),
        ("close", "CLOSES", ["loops", "main"]),
        ("access", "LOOKUPS", ["loops", "main"]),
    ):
        (site,) = outcome.of(called, *functions)
        assert {k: v for k, v in site.row.items() if k in KINDS and v} == {kind: 1}, called


def test_sums_are_those_of_posix(program: Program) -> None:
    """Summed over all sites, bytes and calls equal the sums over the POSIX records."""
    outcome = program.run("loops")
    for counter in ("BYTES_READ", "BYTES_WRITTEN", "READS", "WRITES", "OPENS", "SEEKS"):
        files = sum(row[counter] for row in outcome.rows["POSIX"].values())
        assert outcome.total(counter) == files, counter


def test_times_are_those_of_posix(program: Program) -> None:
    """Summed over all sites, read time equals that of the POSIX records; the time between calls is
    counted separately."""
    outcome = program.run("loops")
    for ours, theirs in (("F_READ_TIME", "F_READ_TIME"), ("F_SYNC_TIME", None)):
        spent = outcome.total(ours)
        assert spent > 0
        if theirs:
            files = sum(row[theirs] for row in outcome.rows["POSIX"].values())
            assert spent == pytest.approx(files, abs=2e-5)
    calls = sum(outcome.total(kind) for kind in KINDS)
    gaps = sum(outcome.total(f"GAPS_{length}") for length in ("SHORT", "MEDIUM", "LONG"))
    assert gaps == calls - 1
    for site in outcome.sites:
        assert 0 < site.row["F_START_TIMESTAMP"] <= site.row["F_END_TIMESTAMP"]


def test_objects_are_named(program: Program) -> None:
    """The program and libc each have a SITES record with their build id and path."""
    outcome = program.run("loops")
    (ours,) = [entry for entry in outcome.objects.items() if entry[1][1].endswith("/sites")]
    assert ours[1][0] == build_id(program.path)
    assert ours[0] == (ours[1][0][:8] or "sites")
    assert any("libc.so" in path for _, path in outcome.objects.values())


def test_a_recursion_is_one_site(program: Program) -> None:
    """Calls in a recursion have one site for each line that starts or continues it, whatever the
    depth; the deepest stacks are cut."""
    outcome = program.run("recursion")
    assert sum(calls for calls, _ in counts(outcome, "write", "put", "dive")) == 1 + 101 + 501
    whole = [s for s in outcome.of("write", "put", "dive") if not s.name.endswith(";...")]
    assert (
        len(whole) == 3 + 2
    )  # the outermost calls from three lines, and the deeper calls from two lines
    # The deepest stacks are cut and form one site; stacks near the limit of a walk still have parts
    # of their ends.
    assert len(outcome.of("write", "put", "dive")) <= len(whole) + 5


def test_threads_share_a_site(program: Program) -> None:
    """All calls of eight threads with small stacks are counted at one site."""
    outcome = program.run("threads")
    assert counts(outcome, "write", "put", "worker") == [(8000, 64000)]


def test_children_have_their_own(program: Program) -> None:
    """Without a common log, a forked child counts only its own calls; the sites of parent and
    children have the same names."""
    program.start(program.path, "fork", DARSHAN_JOB_TREE="0")
    outcomes = [program.read(log) for log in program.logs()]
    found = sorted(counts(outcome, "write", "put", "forks", "main") for outcome in outcomes)
    assert found == [[(1, 100)], [(5, 35)], [(5, 35)]]
    names = [{site.name for site in outcome.of("write", "put", "forks")} for outcome in outcomes]
    assert len(set.union(*names)) == 2


def test_a_run_merges_its_processes(program: Program) -> None:
    """In the log of a run, the site has the calls of parent and children together."""
    program.start(
        program.build / "darshan", "run", "--", program.path, "fork", tells=True, **preload()
    )
    (log,) = program.logs()
    by_name: dict[str, int] = {}
    for row in read_rows(program.parser, log, "SITES"):
        if row.counter == "SITES_WRITES":
            by_name[row.name] = by_name.get(row.name, 0) + int(row.text)
    assert sorted(n for n in by_name.values() if n) == [1, 10]


def test_a_killed_process_keeps_its_sites(program: Program) -> None:
    """The call sites of a killed process are in its journal, and in the log that darshan-merge
    makes of it."""
    program.start(program.path, "killed", status=-9)
    (journal,) = [p for p in (program.folder / "journals").iterdir() if p.is_file()]
    merged = program.folder / "merged.darshan"
    subprocess.run(
        [program.build / "darshan-merge", "-o", merged, journal], check=True, capture_output=True
    )
    assert counts(program.read(merged), "write", "put", "killed", "main") == [(30, 330)]


def test_past_the_limit_functions_count(program: Program) -> None:
    """If a program calls from 1,331 stacks, only 1,024 sites are kept. Calls from the other stacks
    are counted for the called function, so that the sums are exact."""
    outcome = program.run("many")
    assert len(outcome.sites) == SITES_MOST
    assert outcome.total("WRITES") == outcome.total("BYTES_WRITTEN") == 3 * 11**3
    assert outcome.others["write"]["WRITES"] == 3 * (11**3 - (SITES_MOST - 1))
    assert all(site.row["WRITES"] == 3 for site in outcome.of("write", "put"))


def test_coroutines(program: Program) -> None:
    """Calls in coroutines whose stacks exist only for a short time, in turn with calls of the main
    stack, have the right sites."""
    outcome = program.run("coroutine")
    assert counts(outcome, "write", "put", "away_main") == [(12, 240)]
    assert counts(outcome, "write", "put", "coroutine", "main") == [(16, 480)]


def test_a_stream_is_the_call(program: Program) -> None:
    """Calls of streams are counted as calls of the program, and the system calls that libc makes
    for them are not."""
    outcome = program.run("nested")
    assert {site.called for site in outcome.sites} >= {"fopen", "fwrite", "fflush", "fclose"}
    assert not {site.called for site in outcome.sites} & {"open", "write", "close"}
    assert counts(outcome, "fwrite", "nested", "main") == [(1000, 100000)]
    assert outcome.total("BYTES_WRITTEN") == 100005


def test_a_handler_has_one_site(program: Program) -> None:
    """All writes of a signal handler are counted at one site, whatever the handler interrupted."""
    outcome = program.run("handler")
    assert counts(outcome, "write", "put", "handler") == [(20, 60)]


def test_a_moving_stack_pointer(program: Program) -> None:
    """Calls of a function with an array of variable length, which moves the stack pointer, are
    counted at one site."""
    outcome = program.run("moving")
    assert counts(outcome, "write", "put", "moving", "main") == [(50, 250)]


def test_a_timer_switches_coroutines(program: Program) -> None:
    """If a handler switches stacks at any instruction, each call is counted at its own site."""
    outcome = program.run("preempted")
    assert counts(outcome, "write", "put", "turn_main") == [(2 * 20_000, 2 * 20_000 * 7)]
    assert outcome.total("WRITES") == 2 * 20_000


def test_handlers_that_jump(program: Program) -> None:
    """If a signal handler jumps out of a call, only this call may be counted or not; all other
    calls are counted at their sites."""
    program.start(program.path, "jumping")
    (log,) = program.logs()
    outcome = program.read(log)
    jumps, returned = map(int, program.output.split())
    assert jumps == 300
    (loop,) = outcome.of("write", "put", "jumping", "main")
    assert returned - jumps <= loop.row["WRITES"] <= returned + jumps
    assert counts(outcome, "write", "put", "after_jumps") == [(500, 4500)]
    lost = {site.name for site in outcome.sites if site.row["PROCESSES"] != 1}
    assert not lost


def test_off_unless_asked(program: Program) -> None:
    """With DARSHAN_SITES=0 the log has no call sites."""
    assert "SITES" not in program.run("loops", DARSHAN_SITES="0").rows


def test_stripped(program: Program, tmp_path: Path) -> None:
    """The call sites of a stripped program have the same names as before, because strip does not
    remove unwind tables."""
    bare = tmp_path / "sites"
    subprocess.run(["strip", "-s", "-o", bare, program.path], check=True)
    program.start(bare, "loops")
    (log,) = program.logs()
    names = set(program.read(log).rows["SITES"])
    (tmp_path / "logs").rename(tmp_path / "logs-before")
    outcome = program.run("loops")
    assert {site.name for site in outcome.sites} <= names
