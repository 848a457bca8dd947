"""Each configure option of Darshan 3.5.0 has its effect, or a message of one line says why it has
none."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import lab.environment as lab
import pytest
from lab.command import finished
from lab.log import read_rows
from sample import everything
from tree import SOURCE

from .runs import run, without_ours

# The script, and the page about its options.
CONFIGURE = SOURCE / "configure"
PAGE = (SOURCE / "doc" / "configure.md").read_text("utf-8")
# The parts of the runtime that a module's option disables.
BITS = {"POSIX": ["POSIX", "POSIX_EXT"], "HDF5": ["H5F", "H5D", "H5_META"]}
# The last check before the compiler's: this option stops configure there, with the message ENDED.
END, ENDED = "--with-bzip2=/there is none", "there is no include/bzlib.h in it"


def configure(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs configure in the folder, to its end or to its first error. Returns its exit status and
    output."""
    if not CONFIGURE.exists():  # the tests run in a tree without configure
        run(["autoreconf", "-fi"], cwd=SOURCE)
    program = os.path.relpath(CONFIGURE, folder)  # configure does not accept a path with a blank
    command = ["sh", program, *options]
    return finished(command, cwd=folder, env=without_ours())


def defined(folder: Path) -> dict[str, str]:
    """Returns the macros that would be compiled in, with their values, from config.log of a
    configure run that was stopped. folder: of the run."""
    text = (folder / "config.log").read_text()
    return dict(re.findall(r"^#define (DARSHAN_\w+(?:\(X\))?) ?(.*)$", text, re.M))


@pytest.mark.parametrize(
    "option",
    [
        *("--with-log-path", "--with-log-path=", "--with-log-path=logs", '--with-log-path=/a"b'),
        *("--with-log-path=/a\nb", "--with-log-path=/$HOME", "--with-off-file=off"),
        *("--with-log-path-by-env=", "--with-log-path-by-env=A,,B", "--with-log-path-by-env=A B"),
        *("--with-jobid-env=A,B", "--with-jobid-env=1A", "--with-username-env", "--with-log-hints"),
        *("--with-mem-align=0", "--with-mod-mem=many", "--with-mod-mem=99999999999999999999"),
        *("--with-name-mem=-1", "--with-name-mem", "--enable-posix-mod=perhaps"),
        *("--with-zlib=/there is none", "--without-zlib", "--with-daos=relative"),
        *("--with-glibc", "--with-glibc=2.17"),
    ],
)
def test_nonsense_is_one_line(option: str, tmp_path: Path) -> None:
    """An option with a wrong value stops configure, with one line that names the option."""
    done = configure(tmp_path, "-q", option)
    name = (
        option.split("=", maxsplit=1)[0]
        .replace("--without-", "--with")
        .lstrip("-")
        .replace("with", "", 1)
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("configure: error: --") and name.strip("-") in done.stderr


def test_what_is_chosen_is_compiled_in(tmp_path: Path) -> None:
    """The options become definitions with the given values, and modules that are disabled are left
    out."""
    done = configure(
        tmp_path,
        *("--with-log-path=/a folder/logs", "--with-log-path-by-env=MINE,PWD", END),
        *("--with-jobid-env=NONE", "--with-username-env=WHO", "--with-log-hints=a=b;c=d"),
        *("--with-mem-align=64", "--with-mod-mem=12", "--with-name-mem=3"),
        *("--enable-group-readable-logs", "--disable-posix-mod", "--disable-hdf5-mod"),
        *("--enable-pnetcdf-mod=/opt/pnetcdf", "--with-off-file=/a folder/off"),
        *("--enable-apmpi-mod", "--enable-apmpi-coll-sync"),
    )
    assert ENDED in done.stderr
    found = defined(tmp_path)
    expected = {
        "DARSHAN_DEFAULT_LOG_PATH": '"/a folder/logs"',
        "DARSHAN_LOG_PATH_VARIABLES": '"MINE,PWD"',
        "DARSHAN_JOBID_VARIABLE": '"NONE"',
        "DARSHAN_USER_VARIABLE": '"WHO"',
        "DARSHAN_LOG_HINTS": '"a=b;c=d"',
        "DARSHAN_DEFAULT_MEM_ALIGNMENT": "64",
        "DARSHAN_DEFAULT_MODMEM": "12",
        "DARSHAN_DEFAULT_DXT_KIB": "12288",
        "DARSHAN_DEFAULT_NAMEMEM": "3",
        "DARSHAN_LOG_MODE": "0440",
        "DARSHAN_OFF_FILE": '"/a folder/off"',
        "DARSHAN_APMPI_BY_DEFAULT": "1",
        "DARSHAN_APMPI_MEETS": "1",
    }
    assert expected.items() <= found.items()
    without = re.findall(r"X\((\w+)\)", found["DARSHAN_MODULES_WITHOUT(X)"])
    assert without == [*BITS["POSIX"], *BITS["HDF5"]]


def test_without_options(tmp_path: Path) -> None:
    """Without options, the runtime has the defaults of doc/configure.md: no path for logs, no
    communication module, and all modules."""
    configure(tmp_path, END)
    found = defined(tmp_path)
    assert found["DARSHAN_DEFAULT_LOG_PATH"] == found["DARSHAN_LOG_PATH_VARIABLES"] == '""'
    assert found["DARSHAN_DEFAULT_MODMEM"] == "64" and found["DARSHAN_DEFAULT_DXT_KIB"] == "2048"
    assert found["DARSHAN_APMPI_BY_DEFAULT"] == found["DARSHAN_APMPI_MEETS"] == "0"
    assert found["DARSHAN_MODULES_WITHOUT(X)"].strip() in ("", "/**/")


def test_every_option_of_the_page(tmp_path: Path) -> None:
    """configure knows all options of the compatibility page when they are given at once, and prints
    a message of one line for each option that has no effect here."""
    changing, *idle = (options_of(table) for table in PAGE.split("\n## ")[1:])
    unneeded = [option for table in idle for option in table]
    assert len(idle) == 2 and changing and all(idle)
    values = {"DIR": "/usr", "FILE": "/off", "NAMES": "A,B", "NAME": "A", "HINTS": "a=b"}
    values |= {"BYTES": "8", "MIB": "4"}
    given = []
    for option in [*changing, *unneeded]:
        name, _, value = option.partition("=")
        if name != "--with-bzip2":
            given.append(f"{name}={values[value]}" if value else name)
    done = configure(tmp_path, *given, END)
    assert ENDED in done.stderr and "unrecognized" not in done.stderr, done.stderr
    said = done.stdout + done.stderr
    for option in unneeded:
        lines = re.findall(rf"--(?:with|without|enable|disable)-{bare(option)}: ", said)
        assert len(lines) == 1, option
    helped = run(["sh", CONFIGURE, "--help"]).stdout
    assert all(re.search(rf"--\w+-{bare(option)}\b", helped) for option in [*changing, *unneeded])


def options_of(table: str) -> list[str]:
    """Returns the options in the first cell of each row of a Markdown table."""
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return re.findall(r"`(--[\w-]+(?:=\w+)?)`", "\n".join(cells))


def bare(option: str) -> str:
    """Returns an option's name without its first word, such as --with, and without its value."""
    return re.sub("^--(with|without|enable|disable)-", "", option.partition("=")[0])


def test_an_unknown_option_is_named(tmp_path: Path) -> None:
    """An option that configure does not know causes a warning with its name, and an error if the
    user asks for errors. Known options do not."""
    strict = "--enable-option-checking=fatal"
    done = configure(tmp_path, "-q", "--with-no-such-thing", "--enable-nothing", END)
    assert "WARNING: unrecognized options: --with-no-such-thing, --enable-nothing" in done.stderr
    done = configure(tmp_path, "-q", strict, "--with-no-such-thing")
    assert done.returncode == 1
    assert done.stderr == "configure: error: unrecognized options: --with-no-such-thing\n"
    done = configure(tmp_path, "-q", strict, "--without-mpi", "--enable-hdf5-mod", END)
    assert ENDED in done.stderr and "unrecognized" not in done.stderr


if everything():

    def test_a_build_of_many_options(tmp_path: Path) -> None:
        """After a build with these options, darshan-config prints them, the runtime uses them, and
        disabled modules record nothing."""
        folder = tmp_path / "a build"
        folder.mkdir()
        done = configure(
            folder,
            *("-q", "--with-log-path=/not used", "--with-log-path-by-env=NOT_SET,LOGS_HERE"),
            *("--with-username-env=WHO", "--with-mem-align=64", "--with-mod-mem=12"),
            *("--with-jobid-env=MY_JOB", "--with-log-hints=a=b", "--disable-posix-mod"),
        )
        assert done.returncode == 0, done.stderr
        run(
            ["make", "-j2", "libdarshan.so", "runtime/link/darshan-config", "darshan-parser"],
            cwd=folder,
        )
        text = (folder / "runtime/link/darshan-config").read_text()
        for row in (
            "log-path /not used",
            "mem-align 64",
            "mod-mem 12",
            "posix-mod no",
            "stdio-mod yes",
        ):
            assert f"\n{row}\n" in text
        (tmp_path / "logs").mkdir()
        settings = lab.settings(Path("libdarshan.so"), LD_LIBRARY_PATH=str(folder))
        settings |= {"DARSHAN_DUMP_CONFIG": "1", "WHO": "somebody"}
        settings |= {"LOGS_HERE": str(tmp_path / "logs"), "MY_JOB": "77", "DARSHAN_JOB_TREE": "0"}
        settings |= {"DARSHAN_MOD_ENABLE": "POSIX", "LOGNAME": "nobody"}
        said = run(
            ["dd", "if=/bin/sh", "of=copy"], cwd=tmp_path, env=without_ours() | settings
        ).stderr
        for row in (f"LOGPATH {tmp_path}/logs", "LOGPATH_DATED 0", "MEMALIGN 64", "MODMEM 12"):
            assert f"\n{row}\n" in f"\n{said}"
        assert "# job id 77" in said
        # dd closes its standard error before it exits, and the final message is lost with it.
        told = run(["sh", "-c", "true"], cwd=tmp_path, env=without_ours() | settings).stderr
        assert "a module that this build never records: POSIX" in told
        (log,) = (tmp_path / "logs").glob("somebody_dd_id77-*.darshan")
        modules = {row.module for row in read_rows(folder / "darshan-parser", log)}
        assert "STDIO" in modules and "POSIX" not in modules
