"""Fixtures of all tests: the build folder, and the real logs.

DARSHAN_BUILD is the top of the build folder; the default is build/ of the tree.
DARSHAN_REAL_LOGS is the folder of real logs; the default is ../shared/logs, seen from the tree.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from place import allowed, needs
from sample import TOLD, left_out, seed, turning, without_tests
from tree import build_folder, real_log_paths


def pytest_configure(config: pytest.Config) -> None:
    """Declares the markers of the tests. Restores signals that a shell or nohup has set to be
    ignored (SIGINT, SIGQUIT, SIGHUP, SIGTERM), because tested programs inherit this."""
    config.addinivalue_line("markers", "always: runs even if its file's tests are sampled")
    config.addinivalue_line("markers", "needs(name, ...): what the place must be able to do")
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # nohup ignores signals as well.
    for number in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Returns a deterministic name for a parameter that is a set, so that two processes find the
    same tests; None lets pytest choose one."""
    return str(sorted(val)) if isinstance(val, (set, frozenset)) else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option --part SHARE, for steps that run a sample of tests again with another
    build."""
    parser.addoption("--part", type=float, default=0, help="run a sample of the tests, this share")


def all_tests(config: pytest.Config) -> bool:
    """Returns whether pytest was called for the whole folder darshan-test. In this case only a
    sample of the tests of long files runs."""
    return {Path(argument).name for argument in config.args} == {"darshan-test"}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Returns True for a file of which no test is in the sample of this run, because importing all
    files takes long; otherwise None, so that pytest decides."""
    if collection_path.suffix == ".py" and all_tests(config) and without_tests(collection_path):
        return True
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """If the whole folder is run, selects a sample of the tests of long files. A file that is named
    on the command line runs in full, or the requested part of it."""
    places = range(len(items))
    out: set[int] = set()
    if all_tests(config):
        always = {place for place in places if items[place].get_closest_marker("always")}
        out = left_out([str(item.path) for item in items], always)
    if part := config.getoption("--part", 0):
        out |= set(places) - set(turning(places, part, "part of these tests"))
    config.hook.pytest_deselected(items=[items[place] for place in sorted(out)])
    items[:] = [items[place] for place in places if place not in out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the lines that passed tests recorded under the key TOLD, and the seed with which the
    run can be repeated."""
    for report in terminalreporter.stats.get("passed", ()):
        for name, line in report.user_properties:
            if name == TOLD:
                terminalreporter.write_line(str(line))
    terminalreporter.write_line(f"samples: DARSHAN_SAMPLE={seed()}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips or fails a test whose mark "needs" names a feature that is missing here, before any
    fixture is made."""
    for mark in item.iter_markers("needs"):
        needs(*mark.args)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """On CI, turns a skip into a failure, unless its reason was given by elsewhere() of
    place.py."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
        if not allowed(reason):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid}: CI is set, where nothing is skipped, but: {reason}"


@pytest.fixture(scope="session", autouse=True)
def no_cache_of_ours() -> None:
    """Removes PYTHONPYCACHEPREFIX, so that Python programs in tests write compiled files where they
    do outside of tests."""
    os.environ.pop("PYTHONPYCACHEPREFIX", None)


@pytest.fixture(scope="session", autouse=True)
def passable(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Lets all users traverse the tests' temporary folder and the folders above it, up to the
    system's temporary folder or one of another user."""
    base, top = tmp_path_factory.getbasetemp(), Path(tempfile.gettempdir())
    for folder in (base, *base.parents):
        if folder == top or folder.stat().st_uid != os.geteuid():
            break
        folder.chmod(folder.stat().st_mode | 0o111)


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the top of the build folder, by a path that LD_PRELOAD can contain: a link if its
    path has a blank or a colon. Fails if there is no build."""
    path = build_folder()
    if not (path / "Makefile").exists():
        pytest.fail(
            f"there is no build in {path}: ./dev build makes it, DARSHAN_BUILD names another"
        )
    if not any(separator in str(path) for separator in " :"):
        return path
    link = tmp_path_factory.mktemp("build") / "build"
    link.symlink_to(path)
    return link


@pytest.fixture(scope="session")
def archives(build: Path) -> Path:
    """Builds the static archives for linking, because `make` alone does not, and returns their
    folder."""
    with (build / "archives-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        env = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
        command = ["make", "-s", "-C", str(build), "link-archives"]
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, timeout=300, check=True)
    return build / "runtime" / "link" / "made"


@pytest.fixture(scope="session")
def parser(build: Path) -> Path:
    """Returns the darshan-parser of this build, or that of DARSHAN_TOOLS if the build is for
    another kind of machine."""
    return Path(os.environ.get("DARSHAN_TOOLS", build)).resolve() / "darshan-parser"


@pytest.fixture(scope="session")
def real_logs() -> list[Path]:
    """Returns the paths of the real logs; [] if this clone lacks them. If CI is set, their absence
    is an error."""
    return real_log_paths()
