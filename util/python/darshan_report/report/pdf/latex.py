"""The report as PDF by LaTeX: makes the source from the template, and runs a LaTeX engine.

Without LaTeX, plain.py draws the report with matplotlib."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib import resources

from ...classes import dataclass
from ...show import signal_exit
from ...show.model import Block, Code, Column, Facts, Heading, Paragraph, PlotRow, Report, Table
from ...show.output import replace, standard_output
from ...show.text import latex, pdf_string
from . import figures

FIGURES = "figures.pdf"
SOURCE = "report.tex"
RESULT = "report.pdf"
# pdflatex starts in half the time of lualatex, needs half the memory, and is in every TeX
# distribution.
_ENGINE = "pdflatex"
_INDENT = 1  # em per level of a tree
_BREAKABLE = 12  # rows; a longer table may continue on the next page, with its head repeated
_SECONDS = 120  # an engine that takes longer hangs
_SPARSE = 0.25  # share of the last page; if less is used, a second run tries to save the page
_TIGHT = (  # the settings of that run: less white space
    r"\setlength{\topmargin}{\dimexpr 8mm-1in\relax}\setlength{\textheight}{274mm}"
    r"\setlength{\parskip}{0.4mm}\setlength{\LTpre}{0.4mm}\renewcommand{\headingskip}{1.2mm}"
)


class NotKeptError(OSError):
    """The intermediate files could not be copied. The exception's filename is their target
    folder."""


class LatexFailed(RuntimeError):
    """The LaTeX engine made no PDF. The message is the reason in one line."""


def engine() -> str | None:
    """Returns the path of the LaTeX engine, or None if it is not installed."""
    return shutil.which(_ENGINE)


def _cell(column: Column, text: str) -> str:
    return rf"\texttt{{{latex(text)}}}" if column.code else latex(text)


def _rows(table: Table) -> list[list[str]]:
    """Returns the rows of a table; each cell is LaTeX."""
    rows = [[_cell(c, text) for c, text in zip(table.columns, row)] for row in table.rows]
    for row, depth in zip(rows, table.indents):
        row[0] = rf"\hspace*{{{_INDENT * depth}em}}{row[0]}"
    return rows


def _widest(heads: list[str], rows: list[list[str]]) -> str:
    """Returns a row that gives the table its final column widths and is never printed. Until a
    second run of the engine, the head and the rows of a longtable have independent widths. A
    dropped row whose cells contain all texts of their columns makes both right in the first run."""
    cells = []
    for place, head in enumerate(heads):
        lines = [head, *dict.fromkeys(row[place] for row in rows if place < len(row))]
        cells.append(r"\vbox{" + "".join(rf"\hbox{{{line}}}" for line in lines) + "}")
    return " & ".join(cells) + r"\kill"


def _table(table: Table) -> str:
    kinds = "".join("r" if c.right else "l" for c in table.columns)
    long = len(table.rows) > _BREAKABLE
    kind = "longtable" if long else "tabular"
    # Without @{} the outer columns would be indented.
    lines = [rf"{{\footnotesize\begin{{{kind}}}{{@{{}}{kinds}@{{}}}}"]
    heads = [rf"\textbf{{{latex(c.title)}}}" for c in table.columns]
    rows = _rows(table)
    if long:
        lines.append(_widest(heads, rows))
    lines.append(" & ".join(heads) + r"\\\hline" + (r"\endhead" if long else ""))
    for place, row in enumerate(rows):
        lines.append((r"\strutbelow " if place == 0 else "") + " & ".join(row) + r"\\")
    lines.append(rf"\end{{{kind}}}\par}}")
    if table.note:
        lines.append(rf"\nobreak\note{{{latex(table.note)}}}")
    return "\n".join(lines)


def _outline_text(text: str) -> str:
    """Returns a title for the PDF's list of bookmarks. Characters that are not safe there become
    spaces."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in " .,:;-+/=_") else " " for c in text)
    return latex(plain).replace("-{}", "-").replace(",{}", ",").replace(r"\_", "\\string_")


def _inside(blocks: list[Block], place: int) -> int:
    """Returns the number of subheadings below the heading at index `place`."""
    count = 0
    for block in blocks[place + 1 :]:
        if isinstance(block, Heading):
            if block.level == 0:
                break
            count += 1
    return count


def _heading(block: Heading, name: str, inside: int) -> str:
    start = r"\clearpage" if block.new_page else ""
    children = f" count -{inside}" if inside and block.level == 0 else ""
    mark = rf"\bookmark{{{name}}}{{{children}}}{{{_outline_text(block.text)}}}"
    return rf"{start}\heading{{{mark}{latex(block.text)}}}"


def _facts(facts: Facts) -> str:
    lines = [r"{\footnotesize\begin{tabular}{@{}p{18mm}p{155mm}@{}}"]
    for label, value in facts.wide:
        lines.append(rf"\textbf{{{latex(label)}}} & \raggedright {latex(value, True)}\cr")
    lines.append(r"\end{tabular}\par\begin{tabular}{@{}p{18mm}p{67mm}p{14mm}p{72mm}@{}}")
    for pair in facts.pairs:
        cells = (rf"\textbf{{{latex(label)}}} & {latex(value)}" for label, value in pair)
        lines.append(" & ".join(cells) + r"\\")
    lines.append(r"\end{tabular}\par}")
    return "\n".join(lines)


def _plots(row: PlotRow, pages: Iterator[int]) -> str:
    width = figures.width_in(row)
    cells = []
    for plot in row.plots:
        image = rf"\includegraphics[page={next(pages)},width=\linewidth]{{{FIGURES}}}"
        note = rf"\par\note{{{latex(plot.note)}}}" if plot.note else ""
        cells.append(rf"\plot{{{width}mm}}{{{latex(plot.title)}}}{{{image}{note}}}")
    return r"\par\vskip 2mm" + "\n" + "\\hfill\n".join(cells) + r"\par"


def _block(block: Block, pages: Iterator[int], report: int) -> str:
    if isinstance(block, Paragraph):
        text = latex(block.text)
        if block.link:
            text = rf"\linkto{{r{report}-{block.link}}}{{{text}}}"
        elif block.url:  # in hexadecimal, which needs no escaping
            text = rf"\linkout{{<{block.url.encode('ascii').hex()}>}}{{{text}}}"
        return rf"{{\normalsize {text}\par}}" if block.strong else rf"{text}\par"
    if isinstance(block, Facts):
        return _facts(block)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, PlotRow):
        return _plots(block, pages)
    if isinstance(block, Code):
        lines = (rf"\hangindent=8mm\hspace*{{4mm}}{latex(line, True)}\par" for line in block.lines)
        return r"{\footnotesize\ttfamily " + "\n".join(lines) + "}"
    raise TypeError(f"cannot write a block of type {type(block).__name__} as LaTeX")


def source(reports: list[Report], spacing: str = "") -> str:
    """Returns the LaTeX source of the reports, at least one. Their plots are the pages of the file
    FIGURES, in order. spacing: LaTeX commands that set distances."""
    pages = itertools.count(1)
    body = []
    for number, report in enumerate(reports):
        title = latex(report.title)
        body.append(rf"\clearpage\setcounter{{page}}{{1}}\def\reporttitle{{{title}}}")
        body.append(rf"{{\Large\bfseries {title}\par}}\vskip 1mm")
        for place, block in enumerate(report.blocks):
            if isinstance(block, Heading):
                name = f"r{number}-{block.anchor or f'h{place}'}"
                body.append(_heading(block, name, _inside(report.blocks, place)))
            else:
                body.append(_block(block, pages, number))
    template = resources.files(__package__).joinpath("template.tex").read_text("utf-8")
    info = f"/Title {pdf_string(reports[0].title)} /Creator {pdf_string('darshan-job-summary')}"
    # The body is inserted last, because text of a log must not be taken for a placeholder.
    template = template.replace("@SPACING@", spacing)
    return template.replace("@INFO@", info).replace("@BODY@", "\n".join(body))


def _by_latex(reports: list[Report], folder: str, program: str) -> str:
    """Makes the PDF in an empty folder and returns its path. program: path of the LaTeX engine. If
    the last page is nearly empty, tries a tighter layout. Raises LatexFailed."""
    figures.write(reports, os.path.join(folder, FIGURES))
    result = os.path.join(folder, RESULT)
    made = _set(source(reports), folder, program)
    if len(reports) == 1 and made.pages > 1 and made.used < _SPARSE:
        os.replace(result, f"{result}-wide")
        # If the second run fails or saves no page, the first result remains.
        with contextlib.suppress(LatexFailed):
            if _set(source(reports, _TIGHT), folder, program).pages < made.pages:
                return result
        os.replace(f"{result}-wide", result)
    return result


@dataclass(frozen=True)
class _Made:
    """The PDF that the LaTeX engine made: number of pages, and how much of the last page is
    used."""

    pages: int
    used: float  # share of the last page's height


def _set(text: str, folder: str, program: str) -> _Made:
    """Writes the LaTeX source into the folder, runs the engine on it and returns the result.
    program: the engine. Raises LatexFailed if the engine makes no PDF."""
    with open(os.path.join(folder, SOURCE), "w", encoding="utf-8") as file:
        file.write(text)
    # The engine may access only files in its folder and may start no program.
    limits = {**os.environ, "openin_any": "p", "openout_any": "p"}
    command = [program, "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", SOURCE]
    try:
        status = signal_exit.run(command, folder, limits, _SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LatexFailed(f"{program}: {error}") from error
    result = os.path.join(folder, RESULT)
    if status != 0 or not os.path.exists(result):
        raise LatexFailed(f"{program} failed: {_complaint(_log(folder))}")
    said = _log(folder)
    pages = re.search(r"^Output written on .*\((\d+) pages?,", said, re.MULTILINE)
    used = re.search(r"^used ([\d.]+) of ([\d.]+)$", said, re.MULTILINE)
    part = float(used[1]) / float(used[2]) if used else 1.0
    # A share above 1 contains a full page that TeX had not yet written when it printed the height.
    return _Made(int(pages[1]) if pages else 1, part - 1 if part > 1 else part)


def _log(folder: str) -> str:
    """Returns the engine's log; "" if there is none."""
    try:
        with open(os.path.join(folder, "report.log"), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _complaint(said: str) -> str:
    """Returns the first error in the engine's log, or a phrase if there is none. said: the log."""
    errors = (line.strip() for line in said.split("\n") if line.startswith("!"))
    return next(errors, "no reason given" if said else "it left no log")


def _render(reports: list[Report], folder: str, use_latex: bool, say: Callable[[str], None]) -> str:
    program = engine() if use_latex else None
    if program is not None:
        try:
            return _by_latex(reports, folder, program)
        except LatexFailed as error:
            say(f"{error}; the report is drawn without LaTeX")
    figures.prepare()
    # This needs matplotlib. If matplotlib is missing, its error must be the only message.
    from . import plain  # noqa: PLC0415

    if use_latex and not program:
        say("cannot find pdflatex; the report is drawn without LaTeX")
    result = os.path.join(folder, RESULT)
    plain.render(reports, result)
    return result


def _keep(folder: str, target: str) -> None:
    try:
        os.makedirs(target, exist_ok=True)
        for name in os.listdir(folder):
            shutil.copyfile(os.path.join(folder, name), os.path.join(target, name))
    except OSError as error:
        raise NotKeptError(error.errno, error.strerror, target) from error


def write_pdf(
    reports: list[Report],
    target: str,
    *,
    keep: str | None,
    use_latex: bool,
    say: Callable[[str], None],
) -> None:
    """Writes the PDF of the reports to `target`, atomically; "-" is standard output. keep: folder
    to which the intermediate files are copied; None: they are removed. use_latex: false draws it by
    matplotlib. say: prints a line if LaTeX was requested but not used. Raises OSError if the target
    cannot be written, NotKeptError if `keep` cannot."""
    with signal_exit.folder() as work:
        made = _render(reports, work, use_latex, say)
        if keep:
            _keep(work, keep)
        with open(made, "rb") as pdf:
            if target == "-":
                shutil.copyfileobj(pdf, standard_output())
            else:
                replace(target, lambda copy: shutil.copyfileobj(pdf, copy))
