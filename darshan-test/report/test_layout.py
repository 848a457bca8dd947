"""The layout of PDF pages: no overlaps, shortened names that can be distinguished, visible short
transfers, marks at impossible times, and no page with only a few lines."""

from __future__ import annotations

import random
import re
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from darshan_report import open_log, units
from darshan_report.measure.traces import timelines
from darshan_report.report.pdf import latex
from darshan_report.report.plots import file_time_lines
from darshan_report.show import text
from darshan_report.show.model import Paragraph, Report
from lab.log import rows_in
from logs.content import standard_log
from logs.encode import encode
from logs.model import Counted, Dxt, Log, Module, Segment
from logs.record_id import record_id
from place import needs
from sample import turning
from tree import real_log_paths

from .conftest import INCOMPLETE, Run
from .pages import close, quantities, text_of
from .test_numbers import parsed
from .test_pages import pages


def boxes(pdf: Path) -> list[tuple[int, str, np.ndarray]]:
    """Returns for every word of a PDF, also in figures: its page, its text, and its box in points
    (left, top, right, bottom)."""
    done = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, check=True)
    found, page = [], 0
    for line in done.stdout.decode().split("\n"):
        page += "<page " in line
        word = re.search(r'<word xMin="(.*)" yMin="(.*)" xMax="(.*)" yMax="(.*)">(.*)</word>', line)
        if word:
            found.append((page, word[5], np.array([float(word[n]) for n in range(1, 5)])))
    return found


def overlaps(pdf: Path) -> list[tuple[int, str, str]]:
    """Returns the page and the two words of each overlap. An overlap is at least a quarter of the
    words' height and more than a point wide."""
    found = []
    words = boxes(pdf)
    for number in {page for page, _, _ in words}:
        some = [(word, box) for page, word, box in words if page == number]
        left, top, right, low = np.array([box for _, box in some]).T
        wide = np.minimum.outer(right, right) - np.maximum.outer(left, left)
        high = np.minimum.outer(low, low) - np.maximum.outer(top, top)
        least = np.minimum.outer(low - top, low - top)
        for one, other in np.argwhere((wide > 1) & (high > 0.25 * least)):
            if one < other:
                found.append((number, some[one][0], some[other][0]))
    return found


def test_nothing_stands_on_something_else(summary: Run, tmp_path: Path) -> None:
    """No number of a histogram, label of a colour bar or cell of a table overlaps another."""
    needs("real-logs")
    with_traces = [p for p in real_log_paths() if "dxt" in p.name or "treddy_mpi" in p.name]
    others = [p for p in real_log_paths() if p not in with_traces]
    for path in [*turning(with_traces, 0.01, "traces"), *turning(others, 0.01, "layout")]:
        assert summary(path, "-o", "out.pdf").returncode in (0, INCOMPLETE)
        assert overlaps(tmp_path / "out.pdf") == [], path.name


def test_a_full_histogram(summary: Run, tmp_path: Path) -> None:
    """A histogram with all sizes in both directions has no overlaps, even if small numbers are next
    to a large one."""
    log = standard_log({"POSIX": 4}, files=1)
    record = log.modules[0].records[0]
    assert isinstance(record, Counted)
    for name in record.counters:
        if name.startswith("POSIX_SIZE_"):
            record.counters[name] = 1_234_567 if "1K_10K" in name else 7
    path = tmp_path / "log"
    path.write_bytes(encode(log))
    assert summary(path, "-o", "out.pdf").returncode == 0
    assert "over 1 GiB" in text_of(tmp_path / "out.pdf")
    assert overlaps(tmp_path / "out.pdf") == []


# --- names -------------------------------------------------------------------------


def alike(rng: random.Random) -> list[str]:
    """Returns 6 to 29 long names that differ in few characters."""
    base = "".join(rng.choice("abc/") for _ in range(rng.randrange(30, 120)))
    names = {base}
    number = rng.randrange(6, 30)
    while len(names) < number:
        name = rng.choice(sorted(names))
        place = rng.randrange(len(name))
        names.add(f"{name[:place]}{rng.randrange(100)}{name[place + rng.randrange(2) :]}")
    return rng.sample(sorted(names), len(names))


def test_shortened_names_stay_apart() -> None:
    """Shortened names differ if the names do, fit the width, and are the same in all tables."""
    rng = random.Random(5)
    for _ in range(300):
        width, names = rng.randrange(12, 64), alike(rng)
        shown = text.shorten_all([*names, names[0]], width)
        assert len(set(shown)) == len(names) and shown[0] == shown[-1]
        assert max(map(len, shown)) <= width
        several = text.ShortNames()
        tables = [several.all(names[:5], width), several.all(names[3:], width)]
        assert tables[0][3:] == tables[1][:2]
        assert len(set(tables[0] + tables[1])) == len(names)
        assert max(map(len, tables[1])) <= width
        for name, given in zip(names[3:], tables[1]):
            assert given == name or several.full[given] == name


def test_shortened_names_of_a_report(summary: Run, tmp_path: Path) -> None:
    """Names of files of different ranks can be distinguished after they are shortened, if their
    folders differ in the middle of the names."""
    log = standard_log({"POSIX": 4}, files=14)
    ids = list(dict.fromkeys(r.id for r in log.modules[0].records))
    end = "/output/of/the/simulation/with/a/long/path/of/folders/that/are/alike/result.h5"
    log.names = [
        (number, f"/scratch/project/users/someone/runs/rank-{place:04}{end}".encode())
        for place, number in enumerate(ids)
    ]
    path = tmp_path / "log"
    path.write_bytes(encode(log))
    assert summary(path, "-o", "out.pdf").returncode == 0
    page = text_of(tmp_path / "out.pdf")
    table = page[page.index("POSIX: files by time") : page.index("Names in full")]
    shown = re.findall(r"^ *(\S+/result\.h5) ", table, re.MULTILINE)
    assert len(shown) == len(set(shown)) == len(ids)
    assert all(sum(f"rank-{n:04}" in name for name in shown) == 1 for n in range(len(ids)))


# --- times -------------------------------------------------------------------------


def test_what_cannot_be_is_marked(summary: Run, tmp_path: Path) -> None:
    """If the clock was set back during a run, the report marks every time that depends on it and
    has a warning; other reports have neither."""
    log = standard_log({"POSIX": 4}, files=2)
    path = tmp_path / "log"
    for back in (False, True):
        for record in log.modules[0].records:
            assert isinstance(record, Counted)
            for name in record.fcounters:
                if name.endswith(("_READ_TIME", "_WRITE_TIME", "_META_TIME")):
                    record.fcounters[name] = -1.3 if back else 1.3
        path.write_bytes(encode(log))
        assert summary(path, "-o", "out.pdf").returncode in (0, INCOMPLETE)
        shown = " ".join(text_of(tmp_path / "out.pdf").split())
        shown += " ".join(summary("--text", path).stdout.split())
        assert ("a clock was set back" in shown) is back
        negative = re.findall(
            r"(?<![\w-])[-\u2212][\d.,]+ (?:µs|μs|ms|s|%)(?: \(\S+ s\))?( \(!\)|.)", shown
        )
        assert bool(negative) is back and set(negative) <= {" (!)", "!"}


@pytest.mark.parametrize("show", [units.seconds, units.duration, units.amount, units.count,
                                  units.rate, units.brief])  # fmt: skip
def test_zero_has_no_sign(show: object) -> None:
    """A number that is rounded to zero has no minus sign. show: the function that formats it."""
    for value in (-0.0, -1e-9, -0.0004, -0.3, -0.04999):
        shown = show(value)  # type: ignore[operator]
        assert not re.search(r"-0(\.0+)?\b(?!\.)", shown), (value, shown)
    for part in (-0.0, -1e-9, -1e-4, -4e-4):
        for shown in (units.share(part, 1), units.percent(part, 1)):
            assert not re.search(r"-0(\.0+)?\b(?!\.)", shown), (part, shown)


# --- transfers ---------------------------------------------------------------------


def test_a_short_transfer_is_seen(tmp_path: Path) -> None:
    """A transfer of one microsecond in 15 minutes, and a transfer of no duration, are visible."""
    name = b"/data/file"
    single = [Segment(0, 8, 450.0, 450.000001, 0)]
    instant = [Segment(0, 8, 900.0, 900.0, 0)]
    log = Log(names=[(record_id(name), name)], nprocs=64)
    log.modules = [Module("DXT_POSIX", 1, [Dxt(record_id(name), 3, b"host", single, instant)])]
    path = tmp_path / "log"
    path.write_bytes(encode(log))
    with open_log(path) as opened:
        lines = timelines.timelines(opened, "DXT_POSIX", 900.0, 8)
    assert lines is not None
    dark = file_time_lines.darkness(lines, False)
    assert np.flatnonzero(dark[0]).tolist() == [timelines.BINS // 2]
    assert np.flatnonzero(dark[1]).tolist() == [timelines.BINS - 1]
    assert dark[dark > 0].min() >= 0.3


def order_and_sizes(output: str) -> tuple[Counter[str], dict[int, int], dict[int, list[bool]]]:
    """Computes from the POSIX rows of darshan-parser: the sums of the counters about calls and
    their order; by record id the highest byte used plus 1 (0 for a file without transfers); and by
    record id whether the file was read, and written."""
    sums: Counter[str] = Counter()
    last: dict[int, int] = {}
    used: dict[int, list[bool]] = {}
    for module, _, record, counter, value, *_ in rows_in(output):
        if module != "POSIX":
            continue
        name = counter[len("POSIX_") :]
        if re.fullmatch(r"(SEQ_|CONSEC_)?(READS|WRITES)", name):
            sums[name] += int(value)
        if name.startswith("MAX_BYTE_"):
            last[record] = max(last.get(record, 0), int(value) + 1)
        for place, kind in enumerate(("BYTES_READ", "BYTES_WRITTEN")):
            if name == kind:
                used.setdefault(record, [False, False])[place] |= int(value) > 0
    sizes = {record: size if any(used[record]) else 0 for record, size in last.items()}
    return sums, sizes, used


def test_order_and_sizes(parser: Path, summary: Run, tmp_path: Path) -> None:
    """The shares of sequential and consecutive calls, and the numbers and mean sizes of files, are
    right in the reports of real logs."""
    needs("real-logs")
    logs = [p for p in real_log_paths() if re.match(r"imbal|skew|nonmpi|hdf5_diag", p.name)]
    for path in turning(logs, 0.01, "order"):
        sums, sizes, used = order_and_sizes(parsed(parser, path))
        assert summary(path, "-o", "out.pdf").returncode in (0, INCOMPLETE)
        shown = text_of(tmp_path / "out.pdf")
        table = shown[shown.index("Transfers: order") :]
        for kind in ("READS", "WRITES"):
            row = re.search(rf"POSIX +{kind.lower()} +([\d,]+) (.*)", table)
            assert bool(row) is (sums[kind] > 0)
            if not row:
                continue
            assert int(row[1].replace(",", "")) == sums[kind]
            for value, start in zip(quantities(row[2] + " "), ("SEQ_", "CONSEC_")):
                assert abs(float(value or 0) - sums[start + kind] / sums[kind]) < 0.00051
        table = shown[shown.index("Number and size of files") :]
        table = table[re.search(r"^ *POSIX +all", table, re.M).start() :]  # type: ignore[union-attr]
        kinds = {"all": None, "only read": [True, False], "only written": [False, True],
                 "read and written": [True, True], "neither": [False, False]}  # fmt: skip
        for name, kind in kinds.items():
            mine = [sizes[r] for r, how in used.items() if kind in (None, how)]
            row = re.search(rf"{name} +([\d,]+) +(.*)", table) if mine else None
            assert bool(mine) is bool(row)
            if row:
                assert int(row[1].replace(",", "")) == len(mine)
                mean, largest = quantities(row[2] + " ")[:2]
                assert close(float(mean or 0), sum(mine) / len(mine), 1), (name, row[0])
                assert close(float(largest or 0), max(mine), 1), (name, row[0])


# --- pages -------------------------------------------------------------------------


def test_no_page_for_a_few_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the content is slightly longer than its pages, the report sets the lines closer, so that
    no page has only a few lines; longer content is not changed."""
    needs("program:pdflatex")
    made = {}
    for lines, sparse in ((54, 0.0), (54, latex._SPARSE), (80, latex._SPARSE), (80, 0.0)):
        monkeypatch.setattr(latex, "_SPARSE", sparse)
        report = Report("A report", [Paragraph(f"Line {n}.") for n in range(lines)])
        pdf = tmp_path / f"{lines}-{sparse}.pdf"
        latex.write_pdf([report], str(pdf), keep=None, use_latex=True, say=pytest.fail)
        made[lines, sparse > 0] = pages(pdf), text_of(pdf)
    assert [made[54, tight][0] for tight in (False, True)] == [2, 1]
    assert made[80, True] == made[80, False] and made[80, True][0] == 2
    assert all(f"Line {n}." in made[54, True][1] for n in range(54))
