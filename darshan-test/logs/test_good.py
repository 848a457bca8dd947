"""For every correct log, darshan-parser prints the values that the log was made from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .aggregate import annex_totals, file_counts, perf, totals
from .catalogue import Case, good_cases
from .content import AGGREGATED, aggregation_log, standard_log
from .encode import encode, module_id
from .layouts import ANNEX_NAMES
from .model import Counted, Log, Module
from .rows import data_modules, preamble, readable, rows
from .tools import by_module, data_lines, run

CASES = [pytest.param(case, id=case.name) for case in good_cases()]
# Cases with a module that ran out of memory for records.
PARTIAL = [param for param in CASES if any(m.partial for m in param.values[0].log.modules)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with every correct log, named after its case."""
    path = tmp_path_factory.mktemp("good")
    for case in good_cases():
        (path / case.name).write_bytes(encode(case.log))
    return path


def first_difference(got: list[bytes], want: list[bytes]) -> str:
    """Returns a text about the first line that differs, or about the numbers of lines."""
    for i, (a, b) in enumerate(zip(got, want)):
        if a != b:
            return f"line {i}: got {a!r}, want {b!r}"
    return f"{len(got)} lines, want {len(want)}; last {(got or [b''])[-1]!r}"


def is_partial(case: Case, name: str) -> bool:
    """Returns whether a module of the case ran out of memory for records. name: of the module."""
    return any(m.partial for m in case.log.modules if m.name == name)


def incomplete(sections: dict[str, list[str]]) -> list[str]:
    """Returns the modules about which darshan-parser warns that they contain incomplete data.
    sections: as by_module() returns them."""
    sentence = "# *WARNING*: The {} module contains incomplete data!"
    return [
        name
        for name, lines in sections.items()
        if any(line.startswith(sentence.format(name)) for line in lines)
    ]


@pytest.mark.parametrize("case", CASES)
def test_rows_and_preamble(case: Case, folder: Path, parser: Path) -> None:
    """darshan-parser prints every value, name and mount point of the log's records, and every line
    of the preamble, as the log was made."""
    done = run(parser, *case.options, folder / case.name)
    assert done.returncode == 0, done.stderr.decode()
    unreadable = case.name.startswith(("good-version", "good-unknown", "good-no-handler"))
    assert (done.stderr != b"") == unreadable, done.stderr.decode()
    want = rows(case.log)
    got = data_lines(done.stdout)
    assert got == want, first_difference(got, want)
    lines = set(preamble(case.log))
    shown = [line for line in done.stdout.split(b"\n") if line in lines]
    assert shown == preamble(case.log), first_difference(shown, preamble(case.log))
    assert done.stdout.startswith(b"# WARNING") == (case.log.version == "3.20")
    sections = by_module(done.stdout)
    assert [name for name in sections if name not in ANNEX_NAMES] == data_modules(case.log)
    assert incomplete(sections) == [
        name for name in data_modules(case.log) if is_partial(case, name)
    ]


def aggregated(log: Log) -> Iterator[tuple[Module, list[Counted]]]:
    """Yields the modules of a log for which --total, --file and --perf work, each with its records
    in the newest version."""
    for module in sorted(log.modules, key=module_id):
        records = [r for r in readable(module) if isinstance(r, Counted)]
        if module.name in AGGREGATED and records:
            yield module, records


def wanted_sums(log: Log) -> dict[str, list[str]]:
    """Returns the lines that --total, --file and --perf must print for a log, by module."""
    out = {}
    for module, records in aggregated(log):
        lines = [f"{key}: {value}" for key, value in totals(module.name, records).items()]
        lines += [f"# {key}: {v}" for key, v in file_counts(module.name, records).items()]
        lines += [f"# {key}: {value}" for key, value in perf(module.name, records).items()]
        out[module.name] = lines
    for module in log.annex:
        counted = [r for r in module.records if isinstance(r, Counted)]
        out[module.name] = [
            f"{key}: {value}" for key, value in annex_totals(module.name, counted).items()
        ]
    return out


def assert_sums(parser: Path, path: Path, log: Log, options: list[str]) -> None:
    """Fails unless the parser prints the sums of a log that are computed here. options: further
    options."""
    done = run(parser, "--total", "--file", "--perf", "--annex", *options, path)
    assert done.returncode == 0, done.stderr.decode()
    sections = by_module(done.stdout)
    wanted = wanted_sums(log)
    titles = data_modules(log) + [module.name for module in log.annex]
    assert list(sections) == [name for name in titles if name in (*AGGREGATED, *ANNEX_NAMES)]
    for name, want in wanted.items():
        keys = {line.split(": ")[0] for line in want}
        got = [line for line in sections[name] if line.split(": ")[0] in keys]
        assert got == want, first_difference([x.encode() for x in got], [x.encode() for x in want])


@pytest.mark.parametrize("case", CASES)
def test_sums(case: Case, folder: Path, parser: Path) -> None:
    """darshan-parser prints the right totals, file counts and performance for each module that has
    them."""
    assert_sums(parser, folder / case.name, case.log, case.options)


@pytest.mark.parametrize("seed", range(24))
def test_sums_of_awkward_values(seed: int, tmp_path: Path, parser: Path) -> None:
    """darshan-parser's totals, file counts and performance are right if many values are equal, -1
    or 0."""
    log = aggregation_log(seed)
    path = tmp_path / "log"
    path.write_bytes(encode(log))
    assert_sums(parser, path, log, [])


def test_common_values_of_mpiio_that_begin_with_zero(tmp_path: Path, parser: Path) -> None:
    """For MPI-IO, and only there, --total skips a record's list of common values if its first value
    is zero."""
    log = standard_log({"POSIX": 4, "MPI-IO": 3}, files=3)
    for module in log.modules:
        prefix = "POSIX" if module.name == "POSIX" else "MPIIO"
        for record in module.records[1:]:
            assert isinstance(record, Counted)
            record.counters |= {f"{prefix}_ACCESS1_ACCESS": 0, f"{prefix}_ACCESS1_COUNT": 0}
            record.counters |= {f"{prefix}_ACCESS2_ACCESS": 77, f"{prefix}_ACCESS2_COUNT": 5}
    path = tmp_path / "log"
    path.write_bytes(encode(log))
    assert_sums(parser, path, log, [])


@pytest.mark.parametrize("case", [p for p in CASES if p.id in ("good-3.5.0-big", "good-annex-big")])
def test_all_is_everything(case: Case, folder: Path, parser: Path) -> None:
    """darshan-parser --all prints exactly the rows and the totals; with --no-annex, both without
    the annex."""
    done = run(parser, "--all", folder / case.name)
    got = data_lines(done.stdout)
    sums = [line for line in got if line.startswith(b"total_")]
    assert [line for line in got if line not in sums] == rows(case.log)
    wanted = [line for lines in wanted_sums(case.log).values() for line in lines]
    assert [line.decode() for line in sums] == [w for w in wanted if w.startswith("total_")]
    bare = run(parser, "--no-annex", folder / case.name)
    plain = [row for row in rows(case.log) if not row.startswith(b"POSIX_EXT")]
    assert data_lines(bare.stdout) == plain


@pytest.mark.parametrize("case", [p for p in CASES if p.id.startswith("good-annex")])
def test_sums_of_the_annex_are_asked_for(case: Case, folder: Path, parser: Path) -> None:
    """Totals of the annex are printed only with the option for them, because scripts for 3.5.0 do
    not know them; rows of the annex are printed with and without it."""
    log = folder / case.name
    plain = run(parser, "--total", log)
    assert plain.returncode == 0
    assert data_lines(plain.stdout) == data_lines(run(parser, "--total", "--no-annex", log).stdout)
    more = run(parser, "--total", "--annex", log)
    assert len(data_lines(more.stdout)) > len(data_lines(plain.stdout))
    both = data_lines(run(parser, "--base", "--total", log).stdout)
    assert [line for line in both if not line.startswith(b"total_")] == rows(case.log)
    assert [x for x in both if x.startswith(b"total_")] == data_lines(plain.stdout)


@pytest.mark.parametrize("case", PARTIAL)
def test_partial_module_stops_the_output(case: Case, folder: Path, parser: Path) -> None:
    """Without --show-incomplete, darshan-parser ends with 255 and a message at a partial module,
    after the rows of the modules before it."""
    done = run(parser, folder / case.name)
    assert done.returncode == 255  # scripts for 3.5.0 know this status
    assert done.stderr
    first = min(module_id(m) for m in case.log.modules if m.partial)
    case_before = Log(**vars(case.log) | {"annex": []})
    case_before.modules = [m for m in case.log.modules if module_id(m) < first]
    assert data_lines(done.stdout) == rows(case_before)
