"""Group records (module GROUP), which many files share: program files of an interpreter, and files
of one folder and extension beyond the record limit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import lab.environment as lab
import pytest
from lab.command import finished, finished_in_bytes
from lab.log import read_logs

# Counters that are sums over files, and exceptions.
SUMS = re.compile(r"POSIX_(OPENS|READS|WRITES|SEEKS|STATS|BYTES_|CONSEC_|SEQ_|RW_|SIZE_)|STDIO_")
NOT_SUMS = re.compile(r"MAX|_F_|RANK|ACCESS\d|STRIDE\d|ALIGNMENT|MODE|RENAMED")
# Packages of the virtual environment, and modules of each.
PACKAGES, MODULES = 4, 60


@dataclass
class Told:
    """The integer counters of all records of a log, by module and name, and the modules that are
    marked as partial."""

    records: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    partial: list[str] = field(default_factory=list)

    def of(self, module: str) -> dict[str, dict[str, int]]:
        """Returns the records of a module, by name."""
        return {name: row for (m, name), row in self.records.items() if m == module}

    def sums(self, module: str, below: str) -> Counter[str]:
        """Returns the sums of the counters that can be added, over all records of a module whose
        names begin with `below`; counters whose sum is 0 are left out."""
        total: Counter[str] = Counter()
        for name, row in self.of(module).items():
            if name.startswith(below):
                total.update(
                    {c: v for c, v in row.items() if SUMS.match(c) and not NOT_SUMS.search(c)}
                )
        return +total

    def files(self, name: str) -> int:
        """Returns the number of files that the group record with this name represents."""
        return self.of("GROUP")[name]["GROUP_FILES"]


def tell(build: Path, log: Path) -> Told:
    """Returns the integer counters of a log, summed over the records of all ranks. log: its
    path."""
    read = read_logs(build / "darshan-parser", log)
    told = Told(partial=re.findall(r"WARNING\*: The (\w+) module", read.text))
    for row in read.rows:
        if "_F_" not in row.counter:
            counters = told.records.setdefault((row.module, row.name), {})
            counters[row.counter] = counters.get(row.counter, 0) + int(row.text)
    return told


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a folder like that of a Python virtual environment, with user data in it. Returns the
    folder site-packages."""
    top = tmp_path_factory.mktemp("venv")
    packages = top / "lib" / "python3.11" / "site-packages"
    for p in range(PACKAGES):
        folder = packages / f"part{p}"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(f"NUMBER = {p}\n")
        for m in range(MODULES):
            (folder / f"m{m}.py").write_text("VALUE = 1\n" * (m + 1))
        (folder / "model.h5").write_bytes(bytes(1000 + p))
    for i in range(40):
        (top / f"image{i}.jpg").write_bytes(bytes(100))
    # The first import of a module writes a temporary file, which would count too.
    subprocess.run([sys.executable, "-m", "compileall", "-q", packages], check=True)
    return packages


# Imports some modules of each package, reads its data file, and writes a result.
IMPORTS = """
import importlib, pathlib, sys
first, last = int(sys.argv[1]), int(sys.argv[2])
for p in range({packages}):
    for m in range(first, last):
        importlib.import_module(f"part{{p}}.m{{m}}")
    pathlib.Path(sys.modules[f"part{{p}}"].__file__).with_name("model.h5").read_bytes()
pathlib.Path("mine.txt").write_text("a result")
"""


def watched(
    build: Path, work: Path, venv: Path, script: str, *arguments: str, **settings: str
) -> Told:
    """Runs a Python program with the runtime, and returns the content of its log. work: a new
    folder; venv: its site-packages; settings: variables to add."""
    work.mkdir()
    (work / "program.py").write_text(script)
    log = work / "one.darshan"
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(venv),
        **lab.settings(build, DARSHAN_LOGFILE=str(log)),
        **settings,
    }
    command = [sys.executable, "-S", "program.py", *arguments]
    done = finished_in_bytes(command, cwd=work, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    return tell(build, log)


def configured(folder: Path, text: str) -> str:
    """Writes the runtime's configuration file with this text and returns its path."""
    path = folder / "darshan.conf"
    path.write_text(text)
    return str(path)


def test_imports_share_a_record(build: Path, tmp_path: Path, venv: Path) -> None:
    """The program files of a virtual environment share a record with the sums of all, and data
    files in it have their own records. With DARSHAN_PROGRAM_FILES, each program file has its own
    record."""
    script = IMPORTS.format(packages=PACKAGES)
    shared = watched(build, tmp_path / "shared", venv, script, "0", str(MODULES))
    each = watched(
        build, tmp_path / "each", venv, script, "0", str(MODULES), DARSHAN_PROGRAM_FILES="1"
    )
    name = f"{venv}/*"
    programs = {n for n in each.of("POSIX") if n.startswith(f"{venv}/") and not n.endswith(".h5")}
    assert len(programs) >= 2 * PACKAGES * MODULES
    below = [n for n in shared.of("POSIX") if n.startswith(f"{venv}/")]
    assert sorted(below) == [name, *(f"{venv}/part{p}/model.h5" for p in range(PACKAGES))]
    assert shared.sums("POSIX", f"{venv}/") == each.sums("POSIX", f"{venv}/")
    assert shared.files(name) == len(programs)
    assert shared.of("GROUP")[name]["GROUP_KIND"] == 1
    assert f"{tmp_path}/shared/mine.txt" in shared.of("POSIX")
    assert shared.partial == each.partial == []
    assert not each.of("GROUP")


def test_other_trees_can_be_named(build: Path, tmp_path: Path, venv: Path) -> None:
    """Files below a folder in DARSHAN_PROGRAM_TREES share a record."""
    plugins = tmp_path / "parts" / "of.mine"
    plugins.mkdir(parents=True)
    for i in range(5):
        (plugins / f"{i}.plug").write_bytes(bytes(7))
    script = f"import pathlib\nfor f in pathlib.Path({str(plugins)!r}).iterdir(): f.read_bytes()\n"
    plain = watched(build, tmp_path / "plain", venv, script)
    assert {n for n in plain.of("POSIX") if "of.mine" in n} == set(map(str, plugins.iterdir()))
    trees = "nothing,parts/of.*"
    named = watched(build, tmp_path / "named", venv, script, DARSHAN_PROGRAM_TREES=trees)
    assert [n for n in named.of("POSIX") if "of.mine" in n] == [f"{plugins}/*"]
    assert named.sums("POSIX", f"{plugins}/") == plain.sums("POSIX", f"{plugins}/")


# Reads many images of one folder, and writes files with many different endings.
IMAGES = """
import pathlib, sys
top = pathlib.Path(sys.argv[1])
for turn in range(2):
    for i in range(40):
        (top / f"image{i}.jpg").read_bytes()
        with open(f"out{i}.{i:04}", "ab") as f:
            f.write(bytes(10))
for i in range(300):
    pathlib.Path(f"one.e{i}x").write_bytes(bytes(1))
"""


def test_past_the_limit_folders_share(build: Path, tmp_path: Path, venv: Path) -> None:
    """Beyond the limit of records, the files of a folder with the same ending share a record.
    Beyond the limit of such records, the others share one. Sums and numbers of files are exact."""
    top = venv.parents[2]
    config = configured(tmp_path, "MAX_RECORDS 10 POSIX\n")
    few = watched(build, tmp_path / "few", venv, IMAGES, str(top), DARSHAN_CONFIG_PATH=config)
    all_ = watched(build, tmp_path / "all", venv, IMAGES, str(top))
    groups = few.of("GROUP")
    own = [n for n in few.of("POSIX") if n not in groups]
    assert len(own) == 10
    images = {n for n in all_.of("POSIX") if n.endswith(".jpg")}
    assert few.files(f"{top}/*.jpg") == len(images - set(own))
    steps = {n for n in own if "/few/out" in n}
    assert few.files(f"{tmp_path}/few/*") == 40 - len(steps)
    assert groups[f"{top}/*.jpg"]["GROUP_KIND"] == 2
    folders = [n for n, row in groups.items() if row["GROUP_KIND"] == 2]
    assert len(folders) == 256
    assert groups["<overflow>"]["GROUP_KIND"] == 3
    met = sum(few.files(n) for n, row in groups.items() if row["GROUP_KIND"] != 1) + len(own)
    assert met == len([n for n in all_.of("POSIX") if n not in all_.of("GROUP")])
    assert few.sums("POSIX", "") == all_.sums("POSIX", "")
    assert (few.partial, all_.partial) == (["POSIX"], [])


# Creates files with similar names in one folder and below it.
KINDS = """
import pathlib, sys
top = pathlib.Path(sys.argv[1])
(top / "in").mkdir(parents=True)
for i in range(3):
    (top / f"first{i}").write_bytes(b"")
for i in range(3):
    names = f"{i}.dat in/{i}.dat .dat {i}.at {i}x.dat {i}.dat.1 a.b{i}"
    for name in names.split():
        (top / name).write_bytes(b"1")
"""


def test_names_that_look_alike_have_their_own_groups(
    build: Path, tmp_path: Path, venv: Path
) -> None:
    """A file beyond the record limit is added to the group record of its folder and extension, also
    if the previous file, whose group the runtime remembers, has a similar name."""
    config = configured(tmp_path, "MAX_RECORDS 1 POSIX\n")
    top = tmp_path / "files"
    told = watched(build, tmp_path / "run", venv, KINDS, str(top), DARSHAN_CONFIG_PATH=config)
    groups = {name: told.files(name) for name in told.of("GROUP") if name.startswith(f"{top}/")}
    assert groups == {
        f"{top}/*": 2 + 1 + 3 if f"{top}/first0" in told.of("POSIX") else 3 + 1 + 3,
        f"{top}/*.dat": 6,
        f"{top}/in/*.dat": 3,
        f"{top}/*.at": 3,
        f"{top}/*.b0": 1,
        f"{top}/*.b1": 1,
        f"{top}/*.b2": 1,
    }


def test_a_process_that_is_no_rank_has_many_records(
    build: Path, tmp_path: Path, venv: Path
) -> None:
    """A process that is not a rank of a job has 16,384 records, and more files share one."""
    script = "for i in range(20000):\n    open(f'f{i}.dat', 'wb').close()\n"
    told = watched(build, tmp_path / "many", venv, script)
    group = f"{tmp_path}/many/*.dat"
    own = [n for n in told.of("POSIX") if n.endswith(".dat") and n != group]
    assert len(own) + told.files(group) == 20000
    assert 16384 - 20 < len(own) <= 16384


# Uses a program file through copied and inherited descriptors, and in another program.
HANDED_ON = """
import os, sys
import part0.m5 as first
fd = os.open(first.__file__, os.O_RDONLY)
os.read(fd, 10)
copy = os.dup(fd)
if os.fork() == 0:
    os.read(copy, 10)
    os.lseek(fd, 0, 0)
    os.dup2(fd, 9)
    os.read(9, 10)
    os.execv("/bin/dd", ["dd", "bs=10", "count=1", "of=/dev/null", "if=" + sys.argv[1]])
os.wait()
"""


def test_descriptors_keep_their_group(build: Path, tmp_path: Path, venv: Path) -> None:
    """Reads of a program file through copied and inherited descriptors, and in a program after
    exec, are counted in the shared record."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "program.py").write_text(HANDED_ON)
    module = venv / "part0" / "m5.py"
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(venv), "DARSHAN_LOGPATH": str(work)}
    for logs, more in (("shared", {}), ("each", {"DARSHAN_PROGRAM_FILES": "1"})):
        (work / logs).mkdir()
        command = [build / "darshan", "run", "-o", logs, "--", sys.executable, "-S", "program.py"]
        done = finished_in_bytes([*command, str(module)], cwd=work, env={**environment, **more})
        assert done.returncode == 0, done.stderr
    (shared,) = (tell(build, log) for log in (work / "shared").glob("*.darshan"))
    (each,) = (tell(build, log) for log in (work / "each").glob("*.darshan"))
    assert each.of("POSIX")[str(module)]["POSIX_BYTES_READ"] >= 40
    assert [n for n in shared.of("POSIX") if n.startswith(f"{venv}/")] == [f"{venv}/*"]
    assert shared.sums("POSIX", f"{venv}/") == each.sums("POSIX", f"{venv}/")
    assert f"{venv}/*" in shared.of("GROUP")


def test_files_of_several_processes_are_estimated(build: Path, tmp_path: Path, venv: Path) -> None:
    """If several processes use the same program files, the number of different files is an estimate
    within a quarter."""
    (tmp_path / "program.py").write_text(IMPORTS.format(packages=PACKAGES))
    parts = [(0, 40), (20, 60), (0, 60)]
    once = " ; ".join(f"{sys.executable} -S program.py {a} {b}" for a, b in parts)
    subprocess.run(
        [build / "darshan", "run", "-o", "logs", "--", "sh", "-c", once],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(venv)},
        capture_output=True,
        check=True,
    )
    (log,) = (tmp_path / "logs").glob("*.darshan")
    row = tell(build, log).of("GROUP")[f"{venv}/*"]
    alone = watched(
        build, tmp_path / "alone", venv, IMPORTS.format(packages=PACKAGES), "0", str(MODULES)
    )
    truth = alone.files(f"{venv}/*")
    assert row["GROUP_SEEN"] > 2 * truth
    assert abs(row["GROUP_FILES"] - truth) < 0.25 * truth


def test_every_tool_knows_groups(build: Path, tmp_path: Path, venv: Path) -> None:
    """`darshan stat` and the report count the files of shared records, darshan-convert anonymizes
    the records, and darshan-diff compares them."""
    script = IMPORTS.format(packages=PACKAGES) + IMAGES.replace("sys.argv[1]", "sys.argv[3]")
    config = configured(tmp_path, "MAX_RECORDS 30 POSIX\n")
    limits = ("0", str(MODULES), str(venv.parents[2]))
    told = watched(build, tmp_path / "work", venv, script, *limits, DARSHAN_CONFIG_PATH=config)
    log = tmp_path / "work" / "one.darshan"

    def run(*command: str | Path) -> str:
        done = finished(command, cwd=tmp_path)
        assert done.returncode in (0, 3), done.stderr  # 3: the report has findings
        return done.stdout + done.stderr

    groups = told.of("GROUP")
    number = sum(told.files(n) if n in groups else 1 for n in told.of("POSIX"))
    screen = run(build / "darshan", "stat", "-r", log)
    assert re.search(rf"^POSIX +{number} ", screen, re.M)
    # Program trees come after the user's own files, which exceed the number of rows. The time of
    # each row, and so which rows are shown, depends on the machine.
    assert "/work/*" in screen and "totals are exact" in screen
    text = run(build / "darshan", "report", "--text", log)
    assert re.search(rf"^POSIX +{number:,} ", text, re.M)
    hidden = tmp_path / "hidden.darshan"
    run(build / "darshan-convert", "--obfuscate=strong", log, hidden)
    after = tell(build, hidden)
    counted = sorted(row["GROUP_FILES"] for row in groups.values())
    assert sorted(row["GROUP_FILES"] for row in after.of("GROUP").values()) == counted
    assert set(after.of("GROUP")) <= set(after.of("POSIX"))
    assert not [n for _, n in after.records if "part" in n or "image" in n]
    assert all(v == 0 for r in after.of("GROUP").values() for c, v in r.items() if "SKETCH" in c)
    assert run(build / "darshan-diff", log, log) == ""
    merged = tmp_path / "merged.darshan"
    run(build / "darshan-convert", log, merged)
    assert tell(build, merged).records == told.records


def test_pydarshan_reads_it(build: Path, tmp_path: Path, venv: Path) -> None:
    """PyDarshan reads the record that the files of a tree share, with its sums."""
    darshan = pytest.importorskip("darshan")
    script = IMPORTS.format(packages=PACKAGES)
    told = watched(build, tmp_path / "work", venv, script, "0", str(MODULES))
    with darshan.DarshanReport(str(tmp_path / "work" / "one.darshan"), read_all=True) as report:
        frame = report.records["POSIX"].to_df()["counters"]
        names = report.name_records
    read = {names[i]: n for i, n in zip(frame["id"], frame["POSIX_BYTES_READ"])}
    assert read[f"{venv}/*"] == told.of("POSIX")[f"{venv}/*"]["POSIX_BYTES_READ"]


def rules(kind: str) -> list[str]:
    """Returns the patterns, or file extensions, in the rows of one kind (such as TREE) in the
    runtime's table program-trees.def."""
    table = Path(__file__).parents[2] / "runtime" / "names" / "program-trees.def"
    return re.findall(rf'^{kind}\("(.*)"\)$', table.read_text(), re.MULTILINE)


def test_every_row_of_the_table(build: Path, tmp_path: Path) -> None:
    """The program files in each tree of program-trees.def (Python, Node, R, Julia, Perl, Java ...)
    share one group record, and each data file in it has its own record."""
    expected: dict[str, int] = {}
    for number, pattern in enumerate(rules("TREE")):
        tree = tmp_path / f"home{number}" / pattern.replace("[0-9]*", "3.1").replace("*", "x")
        for name in ("deep/one.part", "two"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text("program")
        expected[f"{tree}/*"] = 2
    data = tmp_path / "venv" / "site-packages"
    data.mkdir(parents=True)
    names = [data / f"a.{ending}" for ending in rules("DATA")]
    for path in names:
        path.write_text("data")
    assert len(expected) > 30 and len(names) > 40
    script = "import pathlib, sys\nfor name in sys.stdin: pathlib.Path(name[:-1]).read_bytes()\n"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    log = tmp_path / "one.darshan"
    environment = {"PATH": "/usr/bin:/bin", **lab.settings(build, None, DARSHAN_LOGFILE=str(log))}
    subprocess.run(
        [sys.executable, "-S", "-c", script],
        input="".join(f"{path}\n" for path in files), text=True, env=environment, check=True,
    )  # fmt: skip
    told = tell(build, log)
    read = {n: row for n, row in told.of("POSIX").items() if n.startswith(f"{tmp_path}/")}
    assert set(read) == {*expected, *map(str, names)}
    assert {name: told.files(name) for name in expected} == expected
    assert all(read[name]["POSIX_BYTES_READ"] == 2 * len("program") for name in expected)


# A program in two jars that reads a file.
JAVA = """
import java.nio.file.*;
public class Main {
  public static void main(String[] names) throws Exception {
    System.out.println(new Part().sum(Files.readAllBytes(Path.of(names[0]))));
  }
}
class Part { int sum(byte[] all) { int n = 0; for (byte b : all) n += b; return n; } }
"""


@pytest.mark.needs("java")
def test_jars_are_program_files_of_java(build: Path, tmp_path: Path) -> None:
    """In a process of Java, the jars of a folder share a group record; in other processes each jar
    has its own record."""
    (tmp_path / "Main.java").write_text(JAVA)
    (tmp_path / "data.txt").write_text("data")
    app = tmp_path / "app"
    app.mkdir()
    subprocess.run(["javac", "Main.java"], cwd=tmp_path, check=True)
    for name in ("Main", "Part"):
        with zipfile.ZipFile(app / f"{name}.jar", "w") as jar:
            jar.write(tmp_path / f"{name}.class", f"{name}.class")
    found = {}
    reads = "import sys; [open(name, 'rb').read() for name in sys.argv[1:]]"
    for name, command in {
        "java": [
            build / "darshan",
            "run",
            "java",
            "-cp",
            "app/Main.jar:app/Part.jar",
            "Main",
            "data.txt",
        ],
        "python": [
            build / "darshan",
            "run",
            sys.executable,
            "-S",
            "-c",
            reads,
            "app/Main.jar",
            "app/Part.jar",
            "data.txt",
        ],
    }.items():
        log = tmp_path / f"{name}.darshan"
        environment = os.environ | {"DARSHAN_LOGFILE": str(log)}
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
        told = tell(build, log)
        found[name] = {n for n in told.of("POSIX") if n.endswith((".jar", ".txt"))}
        if name == "java":
            assert told.of("GROUP")[f"{app}/*.jar"]["GROUP_KIND"] == 1
            assert told.files(f"{app}/*.jar") == 2
    data = str(tmp_path / "data.txt")
    assert found["java"] == {data, f"{app}/*.jar"}
    assert found["python"] == {data, f"{app}/Main.jar", f"{app}/Part.jar"}
