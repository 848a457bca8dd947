"""Makes the pictures of the guides (./dev pictures): pictures.py BUILD [FOLDER of the pictures]

A small Python program runs under darshan run, and a lake is collected from the logs of an invented
centre. Chromium shows the report and the pages of darshan serve; pdftoppm draws the PDF.
"""

from __future__ import annotations

import base64
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageChops

TREE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "darshan-test"))
from report.browser import Browser, browser  # noqa: E402

# The folder of the pictures in the tree.
FOLDER = TREE / "doc" / "pictures"
# Width of the browser's window, in pixels.
WIDTH = 1060
# Greatest height in pixels of a picture of a page of darshan serve.
HIGHEST = 1150
# Logs of the invented centre.
LOGS = 300
# Colours that a picture has at most.
COLOURS = 64
# Resolution of the pictures of the PDF, in pixels per inch.
PDF_DPI = 84
# Empty pixels that are left at the bottom.
MARGIN = 12
# Sections of the report's page, by the end of their id.
SECTIONS = ("timeline", "findings", "files", "layers", "below", "processes", "sizes")
# Pages of darshan serve, in the order in which the script visits them: a page of its own, or the
# beginning of a link on the page before.
SERVED = {
    "serve-week": "week",
    "serve-program": "program?name=solver",
    "serve-user": "user?name=mira",
    "serve-job": "job?",
}


def save(image: Image.Image, target: Path) -> None:
    """Writes an image as a PNG with few colours, without the empty space at the bottom, except a
    margin."""
    image = image.convert("RGB")
    corner = image.getpixel((image.width - 1, image.height - 1))
    box = ImageChops.difference(image, Image.new("RGB", image.size, corner)).getbbox()
    if box:
        image = image.crop((0, 0, image.width, min(image.height, box[3] + MARGIN)))
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(target, optimize=True)


def environment(build: Path, folder: Path) -> dict[str, str]:
    """Returns the whole environment for all commands, without the caller's Darshan settings. It
    makes a link to the Python installation in the folder, so that no path of this tree is in a
    picture."""
    python = folder / "python"
    python.symlink_to(sys.prefix)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DARSHAN_", "DXT_", "LD_"))}
    return kept | {
        "PATH": f"{python}/bin:{build}:{os.environ['PATH']}",
        "PYTHONPATH": str(build / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DARSHAN_PYTHON": sys.executable,
        "DARSHAN_DOC_URL": "",
    }


def run(command: list[str | Path], folder: Path, settings: dict[str, str]) -> None:
    """Runs a command in a folder. Raises RuntimeError with the command's output if its exit status
    is not 0. settings: its whole environment."""
    done = subprocess.run(
        command, cwd=folder, env=settings, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout}")


def make_reports(folder: Path, settings: dict[str, str]) -> None:
    """Runs slices.py with a trace in the folder, and makes report.html and report.pdf of its log
    there."""
    shutil.copy(TREE / "darshan-test" / "docs" / "slices.py", folder)
    program = ["python3", "slices.py", "field.h5"]
    run([*program, "--write"], folder, settings)
    traced = {key: value for key, value in settings.items() if key != "PYTHONPATH"}
    traced["DXT_ENABLE_IO_TRACE"] = "1"
    run(["darshan", "run", "-o", "logs", *program], folder, traced)
    (log,) = (folder / "logs").glob("*.darshan")
    log.rename(folder / "slices.darshan")
    for kind, more in (("html", ["--html"]), ("pdf", [])):
        report = ["darshan", "report", *more, "slices.darshan", "-o", f"report.{kind}"]
        run(report, folder, settings)


def draw_pages(folder: Path, target: Path) -> None:
    """Draws each page of the folder's report.pdf as a PNG in the folder `target`."""
    run(["pdftoppm", "-r", str(PDF_DPI), "-png", "report.pdf", "pdf"], folder, dict(os.environ))
    for number, page in enumerate(sorted(folder.glob("pdf-*.png")), 1):
        save(Image.open(page), target / f"pdf-{number}.png")


def part(window: Browser, top: float, height: float) -> Image.Image:
    """Returns a picture of a part of the page that the browser shows, in the page's full width.
    top, height: in pixels."""
    clip = {"x": 0, "y": top, "width": WIDTH, "height": height, "scale": 1}
    made = window.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
    return Image.open(io.BytesIO(base64.b64decode(made["data"])))


def place(window: Browser, section: str) -> tuple[float, float]:
    """Returns the top and the height, in pixels, of a section of the report that the browser shows.
    section: the section's name."""
    top, height = window.run(
        "const r = document.getElementById(arguments[0]).getBoundingClientRect();"
        "return [r.top + scrollY, r.height];",
        f"r0-{section}",
    )
    return top, height


def show_report(window: Browser, folder: Path, target: Path) -> None:
    """Saves pictures of the folder's report.html in the folder `target`: up to its first section,
    up to its third heading (for the README), and of each section."""
    window.open(folder / "report.html", WIDTH)
    window.run(
        "for (const one of document.querySelectorAll('details'))"
        " if (one.querySelector('h2')) one.open = true;"
    )
    save(part(window, 0, place(window, SECTIONS[0])[0]), target / "report.png")
    top, end = window.run(
        "return [...document.querySelectorAll('h1, h2')].slice(0, 3)"
        ".map(head => head.getBoundingClientRect().top + scrollY).filter((_, n) => n != 1);"
    )
    save(part(window, top - MARGIN, end - top), target / "finding.png")  # of the README
    for section in SECTIONS:
        save(part(window, *place(window, section)), target / f"page-{section}.png")


@contextmanager
def served(folder: Path, settings: dict[str, str]) -> Iterator[str]:
    """Collects a lake from the logs of an invented centre, and starts `darshan serve` on it. Yields
    the server's address, and ends the server after the block."""
    corpus = TREE / "darshan-test" / "centre" / "make-corpus"
    run([sys.executable, corpus, "corpus", "--logs", str(LOGS)], folder, settings)
    run(["darshan", "collect", "--into", "lake", "corpus"], folder, settings)
    command = ["darshan", "serve", "lake", "--port", "0"]
    server = subprocess.Popen(command, cwd=folder, env=settings, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+/", server.stdout.readline())
        assert found, "darshan serve does not start"
        yield found[0]
    finally:
        server.terminate()
        server.wait()


def show_served(window: Browser, address: str, target: Path) -> None:
    """Saves pictures of the pages of `darshan serve` in the folder `target`. address: of the
    server."""
    for name, page in SERVED.items():
        if page.endswith("?"):
            script = "return document.querySelector(arguments[0]).getAttribute('href');"
            link = window.run(script, f'a[href^="{page}"]')
        else:
            link = page
        window.open(address + link, WIDTH)
        height = window.run("return document.documentElement.scrollHeight;")
        save(part(window, 0, min(height, HIGHEST)), target / f"{name}.png")


def make(build: Path, target: Path) -> None:
    """Makes all pictures of the guides in the folder `target`, which is created."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="demo-") as name:
        folder = Path(name)
        settings = environment(build, folder)
        make_reports(folder, settings)
        draw_pages(folder, target)
        with browser(folder) as window, served(folder, settings) as address:
            show_report(window, folder, target)
            show_served(window, address, target)


if __name__ == "__main__":
    make(Path(sys.argv[1]).resolve(), Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER)
