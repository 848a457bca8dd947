"""Well-known programs have the same output with the runtime, and the log has all of their bytes.

The expected bytes are those in strace's trace of the same command without the runtime."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from lab.environment import plain, settings
from lab.log import Log
from left import left_in
from place import needs
from run_case import MODULES, parse

TRACED = "read,write,pread64,pwrite64,readv,writev,preadv,pwritev,copy_file_range,sendfile"
CALL = re.compile(r"(\w+)\((\d+)<(/[^>]*)>(?:, (?:NULL|\[\d+\]), \d+<(/[^>]*)>)?.* = (\d+)$")
SENDFILE = re.compile(r"sendfile\(\d+<(/[^>]*)>, \d+<(/[^>]*)>.* = (\d+)$")

COPY_CPP = """#include <filesystem>
int main() { std::filesystem::copy_file("input", "output"); }
"""

# Each command reads `input`, 300,000 bytes in lines, and leaves its results in the folder. A file
# that the shell opened for a redirection is not compared: no log has its name.
REDIRECTED = "redirected"
SHELL = {
    "cp": "cp input output",
    "cp-no-clone": "cp --reflink=never --sparse=never input output",
    "cat": "cat input > redirected",
    "dd": "dd if=input of=output bs=4000 status=none",
    "dd-sync": "dd if=input of=output bs=4096 conv=fsync,notrunc status=none",
    "sort": "sort -S 100K input > redirected",
    "sort-parallel": "sort --parallel=2 -r input > redirected",
    "tar": "tar cf output input && mkdir extracted && tar xf output -C extracted",
    "gzip": "gzip -k input && gzip -dc input.gz > redirected",
    "head": "head -c 100000 input > redirected",
    "wc": "wc -c -l -w input > redirected",
    "sed": "sed -n 'w output' input",
    "split": "split -b 100000 input part-",
    "rsync": "rsync -a --inplace input output",
    "python-copyfile": 'PYTHON -c \'import shutil; shutil.copyfile("input", "output")\'',
    "python-lines": 'PYTHON -c \'open("output", "w").writelines(open("input"))\'',
    "python-whole": 'PYTHON -c \'open("output", "wb").write(open("input", "rb").read())\'',
    "python-subprocess": "PYTHON -c 'import subprocess as s\n"
    'for i in range(3): s.run(["cp", "input", f"output{i}"], check=True)\'',
    "python-pool": "PYTHON -c 'import multiprocessing as m, shutil\n"
    'p = m.get_context("fork").Pool(2)\n'
    'p.starmap(shutil.copyfile, [("input", f"output{i}") for i in range(4)])\n'
    "p.close()\np.join()'",
    # The end of the block terminates the workers by a signal.
    "python-pool-terminated": "PYTHON -c 'import multiprocessing as m, shutil\n"
    'with m.get_context("fork").Pool(2) as p:\n'
    '    p.starmap(shutil.copyfile, [("input", f"output{i}") for i in range(4)])\'',
    "sqlite3": "sqlite3 base 'create table t(x); insert into t values (randomblob(1000));"
    " select count(*) from t;' > redirected",
}


def is_compared(path: str, work: Path) -> bool:
    """Returns whether a path is in the work folder and is not a file of the shell."""
    return path.startswith(f"{work}/") and Path(path).name != REDIRECTED


def traced_bytes(trace: Path, work: Path) -> dict[str, Counter[str]]:
    """Returns the bytes per path of the files below the folder `work`, from strace's output; its
    keys are "read" and "written"."""
    moved: dict[str, Counter[str]] = {"read": Counter(), "written": Counter()}
    lines = (
        line
        for path in trace.parent.glob(f"{trace.name}.*")
        for line in path.read_text(errors="surrogateescape").splitlines()
    )
    for line in lines:
        if found := SENDFILE.search(line):
            moved["written"][found[1]] += int(found[3])
            moved["read"][found[2]] += int(found[3])
        elif found := CALL.search(line):
            name, _, path, target, n = found.groups()
            if name == "copy_file_range":
                moved["read"][path] += int(n)
                moved["written"][target] += int(n)
            else:
                moved["read" if "read" in name else "written"][path] += int(n)
    return {
        kind: Counter({p: n for p, n in paths.items() if n and is_compared(p, work)})
        for kind, paths in moved.items()
    }


def logged_bytes(log: Log, work: Path) -> dict[str, Counter[str]]:
    """Returns the bytes of each file below `work` according to the log, in the form of
    traced_bytes(). Bytes of a stream are added to those of its file."""
    moved: dict[str, Counter[str]] = {"read": Counter(), "written": Counter()}
    for (module, path), row in log.records.items():
        if module == "POSIX_EXT" or not is_compared(path, work):
            continue
        for kind, counter in (("read", "BYTES_READ"), ("written", "BYTES_WRITTEN")):
            if n := row[f"{module}_{counter}"]:
                moved[kind][path] += int(n)
    return moved


def fresh(folder: Path) -> Path:
    """Creates a work folder with its input. Returns the folder."""
    folder.mkdir(parents=True)
    folder = folder.resolve()
    lines = (
        f"line {i} of some text that sorts differently {i * 7919 % 10007}\n" for i in range(9999)
    )
    (folder / "input").write_text("".join(lines)[:300000])
    os.utime(folder / "input", (10**9, 10**9))  # archives contain the time
    return folder


def files_of(work: Path) -> dict[str, bytes]:
    """Returns all files that a program left."""
    return {
        str(path.relative_to(work)): path.read_bytes()
        for path in sorted(work.glob("**/*"))
        if path.is_file()
    }


def instrumented(
    command: list[str], build: Path, parser: Path, work: Path, *, terminated: bool = False
) -> Log:
    """Runs a command in `work`. Returns the combined logs of its processes.

    Fails if a process left a journal; terminated: a signal may end processes, which then leave
    journals instead of logs."""
    logs, journals = work.parent / "logs", work.parent / "journals"
    logs.mkdir()
    journals.mkdir()
    done = finished_in_bytes(
        command, cwd=work, env=plain() | settings(build, logs, journals), timeout=120
    )
    assert (done.returncode, done.stderr) == (0, b"")
    left = left_in(journals)
    assert terminated or left == []
    log = Log(modules=MODULES)
    for path in [*sorted(logs.iterdir()), *left]:
        parse(parser, path, log)
    return log


@pytest.mark.parametrize("name", SHELL)
def test_no_byte_is_missed(name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """A shell command has the same files as without the runtime, and its log has the bytes that
    strace counts for each file."""
    command = SHELL[name].replace("PYTHON", sys.executable)
    program = command.split()[0]
    needs(f"program:{program}", "ptrace")
    plain = fresh(tmp_path / "plain" / "work")
    trace = plain.parent / "trace"
    options = ["-ff", "-y", "-qq", "-e", f"trace={TRACED}", "-e", "signal=none", "-o", str(trace)]
    done = finished_in_bytes(["strace", *options, "sh", "-c", command], cwd=plain)
    assert done.returncode == 0, done.stderr
    work = fresh(tmp_path / "run" / "work")
    shell = ["sh", "-c", command]
    log = instrumented(shell, build, parser, work, terminated="terminated" in name)
    if name != "sqlite3":  # its pages contain random numbers
        assert files_of(work) == files_of(plain)
    expected = {
        kind: {path.replace(str(plain), str(work)): n for path, n in paths.items()}
        for kind, paths in traced_bytes(trace, plain).items()
    }
    assert logged_bytes(log, work) == expected
    assert expected["read"], "strace saw nothing: this test would compare nothing"


@pytest.mark.parametrize(
    "engine", ["sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "posixaio", "mmap"]
)
def test_fio(engine: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """The log of fio has its 256 writes of 4 KiB by an I/O engine, or its mapping of the file."""
    needs("program:fio")
    work = fresh(tmp_path / "work")
    options = ["--thread", "--size=1m", "--bs=4k", "--iodepth=4", "--filename=data"]
    verify = ["--name=job", "--rw=randwrite", "--end_fsync=1"]
    log = instrumented(
        ["fio", "--output=report", f"--ioengine={engine}", *options, *verify], build, parser, work
    )
    data = str(work / "data")
    assert (work / "data").stat().st_size == 1 << 20
    if engine == "mmap":
        assert log.value(data, "POSIX_MMAPS") > 0
    else:
        assert log.value(data, "POSIX_BYTES_WRITTEN") == 1 << 20
        assert log.value(data, "POSIX_WRITES") == 256
        assert log.value(data, "POSIX_SIZE_WRITE_1K_10K") == 256
        assert log.value(data, "POSIX_FILE_NOT_ALIGNED") == 0


def copies(log: Log, work: Path) -> tuple[float, float]:
    """Returns the bytes read from the input and written to the output of a copy."""
    return (
        log.value(str(work / "input"), "POSIX_BYTES_READ"),
        log.value(str(work / "output"), "POSIX_BYTES_WRITTEN"),
    )


def test_copy_in_cpp(build: Path, parser: Path, tmp_path: Path) -> None:
    """The log has all bytes of a file that a C++ program copies."""
    needs("program:c++")
    (tmp_path / "copy.cpp").write_text(COPY_CPP)
    program = str(tmp_path / "copy")
    subprocess.run(["c++", "-std=c++17", tmp_path / "copy.cpp", "-o", program], check=True)
    work = fresh(tmp_path / "run" / "work")
    log = instrumented([program], build, parser, work)
    assert copies(log, work) == (300000, 300000)


def test_copy_in_node(build: Path, parser: Path, tmp_path: Path) -> None:
    """The log has all bytes of a file that node copies."""
    needs("program:node")
    work = fresh(tmp_path / "run" / "work")
    script = "require('fs').copyFileSync('input', 'output')"
    log = instrumented(["node", "-e", script], build, parser, work)
    assert copies(log, work) == (300000, 300000)


def test_copy_in_java(build: Path, parser: Path, tmp_path: Path) -> None:
    """The log has all bytes of a file that a Java program copies."""
    needs("program:java", "program:javac")
    work = fresh(tmp_path / "run" / "work")
    (tmp_path / "Copy.java").write_text(
        "import java.nio.file.*; public class Copy { public static void main(String[] a)"
        ' throws Exception { Files.copy(Path.of("input"), Path.of("output")); } }'
    )
    subprocess.run(["javac", "-d", tmp_path, tmp_path / "Copy.java"], check=True)
    log = instrumented(["java", "-cp", str(tmp_path), "Copy"], build, parser, work)
    assert copies(log, work) == (300000, 300000)


@pytest.mark.parametrize(
    "copy", [["cp", "in", "out"], [sys.executable, "-c", "import shutil; shutil.copy('in', 'out')"]]
)
def test_a_copy_takes_its_time_once(
    copy: list[str], build: Path, parser: Path, tmp_path: Path
) -> None:
    """The read time of the source and the write time of the copy are together at most the time that
    the copy took: a call that reads and writes counts its seconds once."""
    work = tmp_path.resolve() / "work"
    work.mkdir()
    (work / "in").write_bytes(bytes(64 << 20))
    log = instrumented(copy, build, parser, work)
    read, written = str(work / "in"), str(work / "out")
    assert log.value(read, "POSIX_BYTES_READ") == log.value(written, "POSIX_BYTES_WRITTEN")
    assert log.value(read, "POSIX_BYTES_READ") == 64 << 20
    first = log.value(read, "POSIX_F_READ_START_TIMESTAMP")
    last = log.value(written, "POSIX_F_WRITE_END_TIMESTAMP")
    took = log.value(read, "POSIX_F_READ_TIME") + log.value(written, "POSIX_F_WRITE_TIME")
    assert 0 < took <= last - first + 1e-5
