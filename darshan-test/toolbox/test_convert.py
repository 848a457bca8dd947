"""darshan-convert writes a log with the same content, the requested part of it, or an anonymized
form."""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from darshan_report import open_log
from lab.command import finished_in_bytes
from logs.bad import half_readable, unreadable
from logs.catalogue import good_cases
from logs.content import counted, standard_log
from logs.encode import encode
from logs.model import Log, Module
from logs.pydarshan import compare_with_pydarshan
from logs.record_id import record_id
from logs.rows import rows
from logs.tools import data_lines, run
from sample import turning

from .hashes import hidden_id, lookup3, siphash

# The generated logs by name.
CASES = {case.name: case for case in good_cases()}
# Beginnings of the preamble's lines that are about the file, not about the job.
OF_THE_FILE = (b"# darshan log version", b"# compression method", b"# header:", b"# WARNING")
# Names of the compressions in options and in the preamble.
HOW = {"zlib": "ZLIB", "bzip2": "BZIP2", "none": "NONE"}


def test_the_hashes_are_those_that_they_are_called() -> None:
    """The hash functions of hashes.py return the published test values, so that comparisons with
    them are meaningful."""
    assert [lookup3(b"abc", key) for key in (0, 42)] == [238646833, 1376080953]
    key = (0x0706050403020100, 0x0F0E0D0C0B0A0908)
    assert siphash(key, bytes(range(15))) == 0xA129CA6149BE45E5


@pytest.fixture
def convert(build: Path) -> Path:
    """Returns the command."""
    return build / "darshan-convert"


def made(convert: Path, folder: Path, log: Log | bytes, *options: str) -> Path:
    """Converts a log in the folder with darshan-convert, and checks that it leaves no other new
    file and prints nothing. Returns the path of the new log. options: of darshan-convert."""
    old, new = folder / "old", folder / "new.darshan"
    old.write_bytes(log if isinstance(log, bytes) else encode(log))
    new.unlink(missing_ok=True)
    done = run(convert, *options, old, new)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), done.stderr.decode()
    assert sorted(path.name for path in folder.iterdir()) == ["new.darshan", "old"]
    return new


def printed(parser: Path, log: Path, *options: str) -> tuple[list[bytes], list[bytes]]:
    """Returns what darshan-parser prints for a log: the lines of the preamble about the job, and
    the rows of data."""
    done = run(parser, "--show-incomplete", *options, log)
    assert done.returncode == 0, done.stderr.decode()
    job = [line for line in done.stdout.split(b"\n\n# columns")[0].split(b"\n") if line]
    job = [x for x in job if not x.startswith(OF_THE_FILE) and b" bytes (compressed)" not in x]
    return job, data_lines(done.stdout)


def is_readable(name: str) -> bool:
    """Returns whether a case can be converted without loss, by its name."""
    return not name.startswith(("good-unknown", "good-no-handler", "good-version"))


@pytest.mark.parametrize("name", turning(filter(is_readable, CASES), 0.5, "convert"))
def test_it_says_the_same(name: str, convert: Path, build: Path, tmp_path: Path) -> None:
    """A log that darshan-convert rewrote has the same job, rows and traces, for every version and
    byte order."""
    how = list(HOW)[len(name) % 3]
    new = made(convert, tmp_path, CASES[name].log, "--compression", how)
    head = new.read_bytes()[:17]
    assert head[:16] == b"3.41\0\0\0\0" + (6567223).to_bytes(8, "little")
    assert head[16] == list(HOW).index(how)
    before, after = (printed(build / "darshan-parser", tmp_path / x) for x in ("old", new.name))
    assert after == before
    assert after[1] == rows(CASES[name].log)
    dxt = build / "darshan-dxt-parser"
    traces = [
        run(dxt, "--show-incomplete", log).stdout.split(b"# DXT,", 1)[1:]
        for log in (tmp_path / "old", new)
    ]
    assert traces[0] == traces[1]


# Cases that PyDarshan can read, too.
READABLE = [n for n, case in CASES.items() if is_readable(n) and not case.pydarshan]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", turning(READABLE, 0.1, "pydarshan"))
def test_pydarshan_reads_it(name: str, convert: Path, parser: Path, tmp_path: Path) -> None:
    """PyDarshan reads from a converted and from an anonymized log the values that darshan-parser
    prints. Traces of old logs keep their version, because PyDarshan's library can read only this
    one."""
    log = CASES[name].log
    compare_with_pydarshan(parser, made(convert, tmp_path, log))
    compare_with_pydarshan(parser, made(convert, tmp_path, log, "--obfuscate=strong"))


@pytest.mark.parametrize("name", ["good-unknown-ids", "good-no-handler"])
def test_what_nobody_reads_is_left_out(
    name: str, convert: Path, parser: Path, tmp_path: Path
) -> None:
    """darshan-convert leaves out the parts of unknown modules, with a message of one line for each;
    the rest is complete, and readers accept the new log without a message."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(encode(CASES[name].log))
    done = run(convert, old, new)
    assert done.returncode == 0
    assert done.stderr.count(b"skipped") == done.stderr.count(b"\n") > 0
    again = run(parser, new)
    assert (again.returncode, again.stderr) == (0, b"")
    assert data_lines(again.stdout) == rows(CASES[name].log)


def bad_logs() -> list[object]:
    """Returns the damaged logs, and those of unknown versions."""
    logs = [*unreadable(), *(bad for bad, _ in half_readable())]
    logs = [bad for bad in logs if "bomb" not in bad.name]  # the bombs take seconds to read
    versions = [CASES[name] for name in CASES if name.startswith("good-version")]
    return [pytest.param(bad, id=bad.name) for bad in logs] + [
        pytest.param(case, id=case.name) for case in versions
    ]


@pytest.mark.parametrize("bad", turning(bad_logs(), 0.5, "bad logs"))
def test_a_damaged_log_leaves_none(bad: object, convert: Path, tmp_path: Path) -> None:
    """For a damaged log, darshan-convert exits with 1 and one line that names the file, and leaves
    no partial new log."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(encode(bad.log) if hasattr(bad, "log") else bad.data)  # type: ignore[attr-defined]
    done = run(convert, old, new)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.count(b"\n") == 1 and os.fsencode(old) in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_no_file_is_replaced(convert: Path, tmp_path: Path) -> None:
    """darshan-convert never replaces an existing file, folder or dangling link; it exits with an
    error."""
    old = tmp_path / "old"
    old.write_bytes(encode(Log()))
    for name in ("file", "folder", "link"):
        there = tmp_path / name
        if name == "file":
            there.write_text("mine")
        elif name == "folder":
            there.mkdir()
        else:
            there.symlink_to("nowhere")
        done = run(convert, old, there)
        assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
        assert b"File exists" in done.stderr
    assert (tmp_path / "file").read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


def test_to_standard_output(convert: Path, tmp_path: Path) -> None:
    """darshan-convert writes the same bytes to standard output ("-") as to a file; if the write
    fails, it exits with 1 and one line."""
    new = made(convert, tmp_path, CASES["good-annex-big"].log)
    assert run(convert, tmp_path / "old", "-").stdout == new.read_bytes()
    with Path("/dev/full").open("wb") as full:
        command = [str(convert), str(tmp_path / "old"), "-"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        *([], ["old"], ["old", "new", "other"], ["--compression", "zip", "old", "new"]),
        *(["--file", "x", "old", "new"], ["--obfuscate=weak", "old", "new"]),
        *(["--obfuscate", "--key", "word", "old", "new"], ["--key-file", "none", "old", "new"]),
        *(["--obfuscate=strong", "--key", "", "old", "new"], ["--key-file", "/dev/zero", "o", "n"]),
        ["--obfuscate=strong", "--key", "a", "--key-file", "/etc/hostname", "old", "new"],
    ],
)
def test_wrong_arguments(arguments: list[str], convert: Path, tmp_path: Path) -> None:
    """Wrong arguments of darshan-convert are usage errors, and no file is created."""
    done = finished_in_bytes([str(convert), *arguments], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"") and done.stderr
    assert not list(tmp_path.iterdir())


def test_a_pipe_with_a_name(convert: Path, tmp_path: Path) -> None:
    """darshan-convert writes to a named pipe or device and does not replace it; if the write fails,
    it exits with 1 and one line."""
    new = made(convert, tmp_path, CASES["good-annex-big"].log)
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen([convert, tmp_path / "old", tmp_path / "pipe"]) as writer:
        assert (tmp_path / "pipe").read_bytes() == new.read_bytes()
    assert writer.returncode == 0 and (tmp_path / "pipe").is_fifo()
    (tmp_path / "full").symlink_to("/dev/full")
    done = run(convert, tmp_path / "old", tmp_path / "full")
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)


def test_nothing_is_left_of_half_a_log(convert: Path, parser: Path, tmp_path: Path) -> None:
    """If darshan-convert is killed at any time, it leaves no temporary file, and a new log only if
    it is complete."""
    (tmp_path / "old").write_bytes(encode(CASES["good-annex-big"].log))
    for wait in (0.0, 0.002, 0.005, 0.01, 0.02, 0.04):
        with subprocess.Popen([convert, "--bzip2", "old", "new"], cwd=tmp_path) as writer:
            time.sleep(wait)
            writer.kill()
        assert {x.name for x in tmp_path.iterdir()} <= {"old", "new"}
        if (tmp_path / "new").exists():
            assert printed(parser, tmp_path / "new") == printed(parser, tmp_path / "old")
        (tmp_path / "new").unlink(missing_ok=True)


# --- selections ------------------------------------------------------------------


def test_one_file(convert: Path, parser: Path, tmp_path: Path) -> None:
    """With --file ID, darshan-convert writes the records of this id in every module, and its name.
    It exits with 1 for an id that the log lacks."""
    log = CASES["good-annex-big"].log
    number = next(r.id for m in log.annex for r in m.records)
    new = made(convert, tmp_path, log, "--file", str(number))
    want = [row for row in rows(log) if row.split(b"\t")[2] == b"%d" % number]
    assert {row.split(b"\t")[0] for row in want} > {b"POSIX_EXT"}
    assert printed(parser, new)[1] == want
    with open_log(new) as opened:
        assert set(opened.names()) == {number}
    done = run(convert, "--file", "12345", tmp_path / "old", tmp_path / "none")
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"12345" in done.stderr and not (tmp_path / "none").exists()


def test_without_the_annex(convert: Path, parser: Path, tmp_path: Path) -> None:
    """With --no-annex, darshan-convert writes a log without the annex, and with all else."""
    log = CASES["good-annex-little"].log
    new = made(convert, tmp_path, log, "--no-annex")
    assert b"DshAnnex" not in new.read_bytes()
    assert printed(parser, new) == printed(parser, tmp_path / "old", "--no-annex")


def metadata(log: Path) -> tuple[tuple[str, str], ...]:
    """Returns the metadata of a log, as pairs of key and value."""
    with open_log(log) as opened:
        return opened.info.metadata


def test_metadata(convert: Path, tmp_path: Path) -> None:
    """darshan-convert adds lines to the metadata, each of which must have a key; --reset-md removes
    the old lines first."""
    log = standard_log({"POSIX": 4}, metadata=b"lib_ver=3.1.0\nh=a=b;c=d\n")
    text = "site=here\ta word\twhat=a=b"
    added = (("site", "here"), ("annotation", "a word"), ("what", "a=b"))
    old = (("lib_ver", "3.1.0"), ("h", "a=b;c=d"))
    assert metadata(made(convert, tmp_path, log, "--annotate", text)) == old + added
    assert metadata(made(convert, tmp_path, log, "--annotate", text, "--reset-md")) == added
    assert metadata(made(convert, tmp_path, log, "--reset-md")) == ()
    pieces = ("--annotate", "site=here", "--annotate", "a word", "--annotate", "what=a=b")
    assert metadata(made(convert, tmp_path, log, *pieces)) == old + added
    odd = made(convert, tmp_path, log, "--reset-md", "--annotate", os.fsdecode(b"k=gr\xfcn"))
    assert metadata(odd) == (("k", "gr?n"),)
    done = run(convert, "--annotate", "x" * 1000, tmp_path / "old", tmp_path / "long")
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert not (tmp_path / "long").exists()


def test_an_old_job_that_is_full(convert: Path, tmp_path: Path) -> None:
    """The current job record is 16 bytes longer than old ones: if an old job region is full,
    darshan-convert shortens the command line, not the mount points."""
    end = b"\next4\t/\0"
    log = standard_log({"POSIX": 3}, version="3.10", mounts=[(b"/", b"ext4")])
    log.exe = b"x" * (4096 - 1064 - len(end))
    with open_log(made(convert, tmp_path, log)) as opened:
        assert opened.info.mounts == (("/", "ext4"),)
        assert opened.info.exe == "x" * (4096 - 1080 - len(end) - 11) + "<TRUNCATED>"


# --- anonymized names ------------------------------------------------------------

# Modules with names that identify users, and names that are kept.
MODULES = {"POSIX": 4, "MPI-IO": 3, "H5D": 2, "LUSTRE": 2, "HEATMAP": 1, "DFS": 1, "DAOS": 1}
KEPT = (b"<STDIN>", b"<STDOUT>", b"heatmap:POSIX")


def secret_log() -> Log:
    """Returns a log with all fields that can identify a user or a machine, and with a file that was
    renamed to another."""
    log = standard_log(
        MODULES | {"DXT_POSIX": 1}, exe=b"./secret --of me", uid=1234, jobid=77,
        metadata=b"lib_ver=3.5.0\nhosts=secret1,secret2,...\n",
    )  # fmt: skip
    assert log.names is not None
    log.names = [(i, n if n in KEPT else n.replace(b"file", b"secret")) for i, n in log.names]
    log.names += [(record_id(n), n) for n in (b"<STDOUT>", b"<STDERR>")]
    first = log.modules[0].records
    first[1].counters["POSIX_RENAMED_FROM"] = first[0].id  # type: ignore[union-attr]
    for module in log.modules:
        for record in module.records:
            if hasattr(record, "host"):
                record.host = b"secret1"
            if hasattr(record, "components"):
                record.components[0].pool = b"secretpool"
    return log


def columns(lines: list[bytes]) -> list[list[bytes]]:
    """Returns the columns of each row."""
    return [line.split(b"\t") for line in lines]


@pytest.mark.parametrize("key", ["", "42", "-1"])
def test_the_way_of_3_5_0(key: str, convert: Path, parser: Path, tmp_path: Path) -> None:
    """darshan-convert --obfuscate replaces names by their mount points and 32-bit hashes, as in
    3.5.0; ids and values do not change."""
    log = secret_log()
    options = ["--obfuscate", *(["--key", key] if key else [])]
    new = made(convert, tmp_path, log, *options)
    initial = int(key or 0) % (1 << 32)
    with open_log(new) as opened:
        info, names = opened.info, opened.names()
    assert info.uid == lookup3((1234).to_bytes(8, "little"), initial)
    assert info.jobid == lookup3((77).to_bytes(8, "little"), initial)
    assert info.exe == str(lookup3(b"./secret --of me", initial))
    hosts = [str(lookup3(host, initial)) for host in (b"secret1", b"secret2")]
    assert dict(info.metadata)["hosts"] == ",".join((*hosts, "..."))
    mounts = sorted((path for path, _ in log.mounts), key=len, reverse=True)
    for number, name in log.names or []:
        mount = next((m for m in mounts if name.startswith(m)), None)
        hidden = str(lookup3(name, initial))
        want = hidden if mount is None else f"{mount.decode()}/{hidden}"
        assert names[number] == (name.decode() if name[:1] == b"<" or b":" in name else want)
    before, after = (columns(printed(parser, tmp_path / x)[1]) for x in ("old", "new.darshan"))
    assert [x[:5] + x[6:] for x in after] == [x[:5] + x[6:] for x in before]


def test_one_by_one(convert: Path, tmp_path: Path) -> None:
    """The options --obfuscate_uid, _jobid, _exe and _names of darshan-convert each anonymize only
    this field; a job id of 0 stays 0."""
    log = secret_log()

    def facts(path: Path) -> dict[str, object]:
        with open_log(path) as opened:
            info = opened.info
            return {"uid": info.uid, "jobid": info.jobid, "exe": info.exe, "names": opened.names()}

    for what in ("uid", "jobid", "exe", "names"):
        new = made(convert, tmp_path, log, f"--obfuscate_{what}")
        old = facts(tmp_path / "old")
        assert {k for k, value in facts(new).items() if value != old[k]} == {what}
    log.jobid = 0
    assert facts(made(convert, tmp_path, log, "--obfuscate"))["jobid"] == 0


def test_the_strong_way(convert: Path, parser: Path, build: Path, tmp_path: Path) -> None:
    """The log of --obfuscate=strong has no old name, mount point or host, and has all values with
    ids that stay consistent; without a key, each run uses a random one."""
    log = secret_log()
    plain = ("--compression", "none", "--obfuscate=strong")
    new = made(convert, tmp_path, log, *plain, "--key", "a b")
    for word in (b"secret", b"scratch", b"home", b"/dev", b"/shm"):
        assert word not in new.read_bytes(), word
    before, after = (columns(printed(parser, tmp_path / x)[1]) for x in ("old", "new.darshan"))
    ids = {}
    heat = {b"%d" % record_id(b"heatmap:" + x) for x in (b"POSIX", b"MPIIO", b"STDIO")}
    for old, now in zip(before, after):
        number = int(old[2])
        assert ids.setdefault(number, now[2]) == now[2]
        kept = old[5] in KEPT or old[0] == b"HEATMAP"
        assert now[2] == (old[2] if kept else b"%d" % hidden_id("a b", number))
        assert (now[5] == old[5]) == kept
        assert [now[0], now[1], now[3], now[7]] == [old[0], old[1], old[3], old[7]]
        of_id = old[3].endswith((b"FILE_REC_ID", b"RENAMED_FROM", b"POOL_NAME", b"_UUID", b"OID"))
        if old[3] == b"POSIX_RENAMED_FROM" and old[4] != b"0":
            assert now[4] == b"%d" % hidden_id("a b", int(old[4]))
        assert of_id or now[4] == old[4], (old, now)
    assert heat & {x[2] for x in after}
    renamed = next(x for x in after if x[3] == b"POSIX_RENAMED_FROM" and x[2] == after[0][2])
    assert renamed
    same = made(convert, tmp_path, log, *plain, "--key", "a b").read_bytes()
    (tmp_path / "key").write_text("a b\nmore\n")
    key = tmp_path / "key"
    other = run(convert, *plain, "--key-file", key, tmp_path / "old", "-").stdout
    assert same == other
    assert run(convert, *plain, "--key", "c", tmp_path / "old", "-").stdout != same
    random = [run(convert, *plain, tmp_path / "old", "-").stdout for _ in range(2)]
    assert random[0] != random[1]


def test_files_of_sites(convert: Path, parser: Path, tmp_path: Path) -> None:
    """--obfuscate=strong replaces the ids of files in records of call sites by the new ids of these
    files. The sketch, from which the number of files is estimated, keeps its number of set bits,
    which become its lowest ones."""
    log = secret_log()
    ids = [record.id for record in log.modules[0].records]
    site = counted(Random(3), "SITES", 2, 0, 0)
    lists = [f"SITES_FILE{n}_BY_{measure}" for measure in ("CALLS", "BYTES") for n in range(1, 5)]
    values = [*ids[:3], 0, ids[1], ids[0], 0, 0]
    site.counters |= dict(zip(lists, values)) | {"SITES_FILE_BITS": 0b1101 << 40}
    log.annex = [Module("SITES", 2, [site])]

    def printed_files(*options: str) -> list[int]:
        new = made(convert, tmp_path, log, *options)
        found = {x[3].decode(): x[4] for x in columns(printed(parser, new, "--annex")[1])}
        return [int(found[name]) for name in (*lists, "SITES_FILE_BITS")]

    assert printed_files("--obfuscate") == [*values, 0b1101 << 40]
    hidden = [hidden_id("a", value) if value else 0 for value in values]
    assert printed_files("--obfuscate=strong", "--key", "a") == [*hidden, 0b111]


def test_names_in_the_annex(convert: Path, parser: Path, tmp_path: Path) -> None:
    """--obfuscate=strong anonymizes the names of PROCESS records, which contain hosts and command
    lines."""
    log = CASES["good-tree-big"].log
    new = made(convert, tmp_path, log, "--obfuscate=strong", "--compression", "none")
    assert b"node1" not in new.read_bytes()
    before, after = (columns(printed(parser, tmp_path / x)[1]) for x in ("old", "new.darshan"))
    for old, now in zip(before, after):  # pids are anonymized like the job id
        number = old[3].endswith((b"_PID", b"_PARENT", b"_LAUNCH")) and old[4] not in (b"0", b"-1")
        assert now[3] == old[3] and (now[4] != old[4]) == number
    many = [Counter(x[2] for x in each) for each in (before, after)]
    assert sorted(many[0].values()) == sorted(many[1].values())
    assert not many[0].keys() & many[1].keys()
