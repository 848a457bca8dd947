"""`darshan report --open` starts the user's browser, and never fails if the browser does."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lab.command import finished

SECONDS = 60
LOG = "job one.darshan"


@pytest.fixture
def place(build: Path, tmp_path: Path) -> Path:
    """Makes a folder with a log, and with a program in place of a browser, which stores its
    arguments. Returns the folder."""
    subprocess.run(
        [build / "darshan", "run", "-o", tmp_path / "logs", "true"], capture_output=True, check=True
    )
    (log,) = (tmp_path / "logs").glob("*.darshan")
    log.rename(tmp_path / LOG)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{tmp_path}/shown"\n')
    browser.chmod(0o755)
    return tmp_path


def report(
    build: Path, place: Path, *options: str, browser: str = "", path: str = "/usr/bin:/bin"
) -> subprocess.CompletedProcess[str]:
    """Runs `darshan report --open` in the folder. browser: the variable BROWSER; path: PATH.
    Returns status and output."""
    return finished(
        [build / "darshan", "report", "--open", *options],
        cwd=place,
        env={"PATH": path, "HOME": str(place), "BROWSER": browser, "MPLCONFIGDIR": str(place)},
        timeout=SECONDS,
    )


def shown(place: Path) -> Path:
    """Returns the file whose address the browser was started with."""
    address = urlsplit((place / "shown").read_text().splitlines()[-1])
    assert address.scheme == "file"
    return Path(unquote(address.path))


def test_a_page_is_shown(build: Path, place: Path) -> None:
    """Without an option for the form, the report is a web page, and the browser is started with its
    file:// address."""
    done = report(build, place, LOG, browser=str(place / "browser"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "job one.html\n", "")
    assert shown(place) == place / "job one.html"
    assert (place / "job one.html").read_text().startswith("<!DOCTYPE html>")


def test_a_pdf_is_shown(build: Path, place: Path) -> None:
    """The browser is the first command of the variable BROWSER that works; %s in it is replaced by
    the address of the PDF."""
    browser = f"/no/such:false:{place}/browser --new-window %s:{place}/none"
    done = report(build, place, "--no-latex", "-o", "a.pdf", LOG, browser=browser)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a.pdf\n", "")
    assert shown(place) == place / "a.pdf"
    assert (place / "shown").read_text().startswith("--new-window\n")


def test_xdg_open(build: Path, place: Path) -> None:
    """Without BROWSER, --open uses xdg-open."""
    (place / "bin").mkdir()
    (place / "browser").rename(place / "bin" / "xdg-open")
    done = report(build, place, LOG, path=f"{place}/bin:/usr/bin:/bin")
    assert done.returncode == 0 and shown(place) == place / "job one.html"


def test_no_browser(build: Path, place: Path) -> None:
    """If no browser works, the report is made all the same, the status is 0, and a message of one
    line says that no browser was found."""
    (place / "bin").mkdir()
    failing = place / "bin" / "xdg-open"
    failing.write_text("#!/bin/sh\nexit 3\n")
    failing.chmod(0o755)
    done = report(build, place, LOG, browser="/no/such:'", path=f"{place}/bin:/usr/bin:/bin")
    assert (done.returncode, done.stdout) == (0, "job one.html\n")
    assert done.stderr == (
        "darshan report: cannot start a browser for job one.html: set BROWSER to the name of one\n"
    )


@pytest.mark.parametrize("options", [["--text"], ["--json"], ["-o", "-"], ["-o", "a.csv"]])
def test_what_no_browser_shows(options: list[str], build: Path, place: Path) -> None:
    """--open is a usage error for forms that a browser does not show."""
    done = report(build, place, *options, LOG, browser=str(place / "browser"))
    assert done.returncode == 2 and "--open needs a PDF or a web page" in done.stderr
    assert not (place / "shown").exists()
