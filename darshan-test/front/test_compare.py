"""`darshan compare` prints the differences of two logs and fails if a given condition holds. The
GitHub action and the GitLab job use it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from lab.command import finished
from tree import SOURCE

from .conftest import SECONDS, Run

CI = SOURCE / "doc" / "ci"
# Writes a file of 1 MB, and reads it in pieces of 100 kB as often as the argument says.
READ = """
import sys
open("data", "wb").write(bytes(1000000))
with open("data", "rb", buffering=0) as file:
    for _ in range(int(sys.argv[1])): file.seek(0); file.read(100000)
"""


@pytest.fixture
def logs(darshan: Run, work: Path) -> tuple[Path, Path]:
    """Makes two logs, before and after a change: of a program that reads 1 MB, and of the same
    program reading 2 MB."""
    for number, name in (("10", "before"), ("20", "after")):
        variables = {"DARSHAN_LOGFILE": str(work / f"{name}.darshan")}
        done = darshan("run", sys.executable, "-c", READ, number, variables=variables)
        assert done.returncode == 0
    return work / "before.darshan", work / "after.darshan"


def data(darshan: Run, *arguments: str | Path) -> dict[str, Any]:
    """Returns the JSON that `darshan compare ARGUMENT... --json` prints. Fails unless the exit
    status is 1 exactly if a condition holds."""
    done = darshan("compare", *arguments, "--json")
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["failed"] == (done.returncode == 1)
    return found


def test_measures_are_those_of_the_logs(darshan: Run, logs: tuple[Path, Path]) -> None:
    """For each log, run time, bytes, reads, I/O share and number of problems equal the sums in
    `darshan report --json`."""
    found = data(darshan, *logs)
    assert (found["format"], found["version"], found["failed"]) == ("darshan-compare", 1, False)
    for key, log in zip(("before", "after"), logs):
        report = json.loads(darshan("report", "--json", "-o", "-", log).stdout)
        report = report["logs"][0] if "logs" in report else report
        layers = [x for x in report["layers"] if x["module"] in ("POSIX", "STDIO")]
        values = {name: pair[key] for name, pair in found["measures"].items()}
        assert values["run_seconds"] == report["job"]["run_seconds"]
        assert values["bytes_read"] == sum(layer["bytes_read"] for layer in layers)
        assert values["bytes_written"] == sum(layer["bytes_written"] for layer in layers)
        assert values["reads"] == sum(layer["operations"]["read"] for layer in layers)
        assert values["file_io_share"] == report["io"]["file_io_share"]
        problems = [f for f in report["findings"] if f["kind"] == "problem"]
        assert values["findings"] == len(problems)
    pair = found["measures"]["bytes_read"]
    assert pair["after"] - pair["before"] == 1000000


@pytest.mark.parametrize(
    "condition, holds",
    [("bytes_read>+10%", True), ("bytes_read>+1000%", False), ("bytes_read>+999999", True),
     ("bytes_read>+1000000B", False), ("bytes_read>=+1MB", True), ("bytes_read > +1MiB", False),
     ("bytes_read<+0%", False), ("bytes_written>+0", False), ("bytes_written<=+0%", True),
     ("bytes_read<-10%", False), ("reads>+9", True), ("reads>+10", False),
     ("bytes_written<1MB", False), ("bytes_written>=1000kB", True), ("processes>1", False),
     ("run_seconds>1e6", False), ("file_io_share>=0%", True), ("new_findings>0", False)],
)  # fmt: skip
def test_conditions(condition: str, holds: bool, darshan: Run, logs: tuple[Path, Path]) -> None:
    """If the condition of --fail-if holds for the two logs, the exit status is 1 and the last line
    says FAILED; otherwise 0 and passed. condition: on a difference (with +) or on the value of the
    second log. holds: whether it does."""
    found = data(darshan, *logs, "--fail-if", condition, "--fail-if", "processes>1000")
    assert [c["holds"] for c in found["conditions"]] == [holds, False]
    assert found["conditions"][0]["condition"] == condition
    done = darshan("compare", *logs, "--fail-if", condition)
    assert done.returncode == holds
    word = b"FAILED" if holds else b"passed"
    assert done.stdout.splitlines()[-1].startswith(word + b": " + condition.encode())


def test_the_text_is_that_of_the_report(darshan: Run, logs: tuple[Path, Path]) -> None:
    """Without --json, the output equals that of `darshan report --compare --text`."""
    text = darshan("report", "--compare", *logs, "--text").stdout
    assert darshan("compare", *logs).stdout == text != b""


@pytest.mark.parametrize(
    "condition", ["bytes_read", "bytes_red>1", "bytes_read>+10parsec", "bytes_read=1", "reads>10%",
                  "bytes_read>+-3", ""],
)  # fmt: skip
def test_conditions_that_are_none(condition: str, darshan: Run) -> None:
    """For a condition with an unknown measure, operator or unit, or without one, the exit status is
    2, and the message names --fail-if."""
    done = darshan("compare", "a", "b", "--fail-if", condition)
    assert done.returncode == 2 and b"error: argument --fail-if: " in done.stderr


def test_logs_that_cannot_be_read(darshan: Run, logs: tuple[Path, Path], work: Path) -> None:
    """For a log that is unreadable or missing, or output that cannot be written, the exit status is
    2, so that a script can distinguish it from a condition that holds (1)."""
    done = darshan("compare", logs[0], "/no/log", "--fail-if", "findings>0")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"darshan compare: /no/log: No such file or directory\n"
    done = darshan("compare", *logs, "--json", "-o", "/dev/full")
    assert done.returncode == 2 and b"cannot write /dev/full: No space" in done.stderr
    assert darshan("compare", logs[0]).returncode == 2
    done = darshan("compare", *logs, "-o", "out", "--fail-if", "reads>+0")
    assert done.returncode == 1 and (work / "out").exists()
    assert done.stderr.startswith(b"darshan compare: FAILED: reads>+0 (reads: ")


def test_measures_in_the_help(darshan: Run, logs: tuple[Path, Path]) -> None:
    """--help lists exactly the measures of the JSON output, and new_findings."""
    told = darshan("compare", "--help", variables={"COLUMNS": "1000"}).stdout.decode()
    listed = re.findall(r"([a-z_]+) \(", told.partition("Measures: ")[2].partition(". Bytes")[0])
    assert listed == [*data(darshan, *logs)["measures"], "new_findings"]


def in_ci(
    script: str, build: Path, work: Path, environment: dict[str, str], **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a shell script in the folder `work`, as a CI job does, with this build's commands in
    PATH. Returns its status and output. variables: added to the environment."""
    path = {"PATH": f"{build}:{os.environ['PATH']}"}
    return finished(
        ["sh", "-e", "-c", script],
        cwd=work,
        env={**environment, **path, **variables},
        timeout=2 * SECONDS,
    )


def test_the_github_action(build: Path, work: Path, environment: dict[str, str]) -> None:
    """The step of doc/ci/action.yml, run as GitHub runs it, succeeds without a baseline log and
    with an equal one, fails if the condition holds, and passes on the status of a failed
    command."""
    action = yaml.safe_load((CI / "action.yml").read_text())
    (step,) = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite" and step["shell"] == "sh"
    (work / "read.py").write_text(READ)
    given = {"baseline": "base.darshan", "fail-if": "bytes_read>+10%\n\nprocesses>9\n"}

    def run(number: int) -> subprocess.CompletedProcess[str]:
        inputs = {name: row.get("default", "") for name, row in action["inputs"].items()}
        inputs |= {**given, "command": f"{sys.executable} read.py {number}"}
        assert {n for n, row in action["inputs"].items() if row.get("required")} <= inputs.keys()
        filled = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: inputs[m[1]], value)
            for name, value in step["env"].items()
        }
        summary = {"GITHUB_ACTION_PATH": str(CI), "GITHUB_STEP_SUMMARY": str(work / "summary")}
        return in_ci(step["run"], build, work, environment, **filled, **summary)

    done = run(10)
    assert done.returncode == 0 and "there is no base.darshan" in done.stdout, done.stderr
    shutil.move(work / "darshan-ci.darshan", work / "base.darshan")
    assert run(10).returncode == 0
    assert json.loads((work / "darshan-ci.json").read_text())["failed"] is False
    done = run(20)
    assert done.returncode == 1 and "FAILED: bytes_read>+10%" in done.stderr
    assert json.loads((work / "darshan-ci.json").read_text())["failed"] is True
    assert "\nFAILED: bytes_read>+10%" in (work / "summary").read_text()
    given["command"] = "exit 7"
    environment["DARSHAN_CI_COMMAND"] = "exit 7"
    failed = in_ci(f"sh {CI}/compare.sh", build, work, environment, DARSHAN_CI_BASELINE="x")
    assert failed.returncode == 7


def test_the_gitlab_job(build: Path, work: Path, environment: dict[str, str]) -> None:
    """The script of doc/ci/gitlab.yml fails with status 2 without a baseline log, succeeds with an
    equal one, and fails with status 1 after a change. The artifacts that it names exist."""
    job = yaml.safe_load((CI / "gitlab.yml").read_text())["io-regression"]
    script = "\n".join(job["script"])
    (work / "read.py").write_text(READ)
    (work / "run.sh").write_text(f'{sys.executable} read.py "$(cat number)"\n')
    for number, status in (("10", 2), ("10", 0), ("20", 1)):  # first there is no baseline
        (work / "number").write_text(number)
        done = in_ci(script, build, work, environment)
        assert done.returncode == status, done.stderr
        if status != 2:
            assert all((work / path).exists() for path in job["artifacts"]["paths"])
        (work / "new.darshan").replace(work / "baseline.darshan")
