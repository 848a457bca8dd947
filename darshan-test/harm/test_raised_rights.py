"""A program with raised rights (set-user-id, set-group-id or file capabilities) ignores all
settings of the user who starts it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab.compile import compile_c
from lab.watch import SECONDS

# User ids: of the user who starts the program, and of the program's owner.
STARTER, OWNER = 65534, 54321
SOURCE = """
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int fd = open(argv[1], O_CREAT | O_WRONLY, 0666);
  if (fd < 0 || write(fd, "text", 4) != 4) return 3;
  printf("%ld %d\\n", getauxval(AT_SECURE), argc);
  return 0;
}
"""
LINKED = {
    "dynamic": ("-Wl,--no-as-needed", "libdarshan.so"),
    "static": (
        "-static",
        "-Wl,@{build}/runtime/link/made/ld-options",
        "-Wl,--start-group",
        "{build}/runtime/link/made/libdarshan.a",
        "-Wl,--end-group",
    ),
}


@pytest.fixture(name="place")
def make_place() -> Iterator[Path]:
    """Yields a folder that all users may enter, with a subfolder that only its owner may enter."""
    place = Path(tempfile.mkdtemp(prefix="darshan-rights-"))
    place.chmod(0o755)
    for name, owner, mode in (
        ("secret", OWNER, 0o700),
        ("logs", STARTER, 0o777),
        ("journals", STARTER, 0o777),
        ("work", STARTER, 0o777),
    ):
        folder = place / name
        folder.mkdir()
        folder.chmod(mode)
        os.chown(folder, owner, owner)
    (place / "secret/shadow").write_text("MODMEM $6$salt$hash\nroot:$6$salt$hash:19000:0\n")
    os.chown(place / "secret/shadow", OWNER, OWNER)
    yield place
    shutil.rmtree(place)


def link(build: Path, place: Path, how: str) -> Path:
    """Compiles the program, linked with the runtime, such that all users may run it. Returns its
    path. how: "dynamic" or "static"."""
    shutil.copy(build / "libdarshan.so", place)
    (place / "libdarshan.so").chmod(0o755)
    flags = [flag.format(build=build.resolve()) for flag in LINKED[how]]
    if how == "dynamic":
        flags = [flags[0], str(place / flags[1]), f"-Wl,-rpath,{place}"]
    program = compile_c(place, SOURCE, *flags)
    program.chmod(0o755)
    return program


def hostile_settings(place: Path) -> dict[str, str]:
    """Returns settings that would read and create files with the owner's rights."""
    secret = place / "secret"
    return {
        "PATH": os.environ["PATH"],
        "DARSHAN_ENABLE_NONMPI": "1",
        "DARSHAN_CONFIG_PATH": str(secret / "shadow"),
        "DARSHAN_LOGFILE": str(secret / "cron"),
        "DARSHAN_LOGPATH": str(secret),
        "DARSHAN_MMAP_LOGPATH": str(secret),
        "DARSHAN_DUMP_CONFIG": "1",
        "DARSHAN_INTERNAL_TIMING": "1",
        "HOME": str(secret),
        "LOGNAME": "../../secret/x",
        "TZ": f":{secret}/shadow",
    }


def start(
    place: Path, program: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """Runs the program as an ordinary user. Returns its status and output."""
    return subprocess.run(
        [program, place / "work/out"],
        env=environment,
        user=STARTER,
        group=STARTER,
        extra_groups=[],
        cwd=place / "work",
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )


def raise_rights(program: Path, how: str) -> None:
    """Gives the program the set-user-id bit ("user") or the set-group-id bit of OWNER, or a file
    capability ("capability")."""
    if how == "capability":
        subprocess.run(["/sbin/setcap", "cap_net_bind_service+ep", program], check=True)
        return
    os.chown(program, OWNER, OWNER)
    program.chmod(0o4755 if how == "user" else 0o2755)


@pytest.mark.needs("raised-rights")
@pytest.mark.usefixtures("archives")
@pytest.mark.parametrize("how", LINKED)
@pytest.mark.parametrize("rights", ["user", "group", "capability"])
def test_environment_is_not_heard(build: Path, place: Path, how: str, rights: str) -> None:
    """With raised rights, no file is read or created with the owner's rights, and nothing is
    printed."""
    program = link(build, place, how)
    raise_rights(program, rights)
    before = sorted(path.name for path in (place / "secret").iterdir())
    done = start(place, program, hostile_settings(place))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"1 2\n", b"")
    assert sorted(path.name for path in (place / "secret").iterdir()) == before == ["shadow"]
    left = [path.name for path in place.glob("*/*") if path.parent.name != "secret"]
    assert left == ["out"]
    # The runtime also writes nothing to folders that the starter may write.
    named = hostile_settings(place) | {
        "DARSHAN_LOGFILE": str(place / "logs/log"),
        "DARSHAN_MMAP_LOGPATH": str(place / "journals"),
    }
    assert start(place, program, named).stderr == b""
    assert not list((place / "logs").iterdir()) and not list((place / "journals").iterdir())


@pytest.mark.needs("root", "ordinary-user")
@pytest.mark.usefixtures("archives")
@pytest.mark.parametrize("how", LINKED)
def test_same_program_without_rights(build: Path, place: Path, how: str) -> None:
    """Without raised rights the same program is recorded. A configuration file that its user may
    not read is not read, and errors in a readable one quote none of its lines."""
    program = link(build, place, how)
    settings = hostile_settings(place) | {
        "DARSHAN_LOGFILE": str(place / "logs/log"),
        "DARSHAN_MMAP_LOGPATH": str(place / "journals"),
        "TZ": "",
    }
    del settings["DARSHAN_DUMP_CONFIG"], settings["DARSHAN_INTERNAL_TIMING"]
    done = start(place, program, settings)
    assert done.stdout == b"0 2\n" and b"cannot read" in done.stderr and b"$6$" not in done.stderr
    assert [path.name for path in (place / "logs").iterdir()] == ["log"]
    (place / "work/lines").write_text("# text\n\nroot:$6$salt$hash:1\nMODMEM $6$salt$hash\n")
    done = start(place, program, settings | {"DARSHAN_CONFIG_PATH": str(place / "work/lines")})
    assert (
        b"/lines, line 3: the directive does not exist" in done.stderr and b"$6$" not in done.stderr
    )
