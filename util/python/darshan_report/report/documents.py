"""Writes the output files of `darshan report`: chooses the file for each log, and the order of the
sections."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from typing import Any

from ..called import called_as
from ..diagnose.limits import Limits
from ..library import LogError
from ..log import open_log
from ..show import blocks_text
from ..show.model import Paragraph, Report
from ..show.output import is_terminal, same_file, write_text
from ..show.progress import Progress
from ..show.text import visible
from . import terminal
from .context import Context
from .data import as_csv, as_json, data

PROGRAM = called_as("darshan-job-summary")
INCOMPLETE = 3  # exit status: the report was made, but a log is incomplete


def say(text: str) -> None:
    """Prints one line on stderr. Control characters, which names may contain, are escaped."""
    print(f"{PROGRAM}: {visible(text)}", file=sys.stderr)


def complain(path: str, error: LogError) -> None:
    """Prints the error of a log on stderr, with the log's path."""
    text = str(error)
    say(text if text.startswith(f"{path}: ") else f"{path}: {text}")


def compose(context: Context) -> Report:
    """Returns the report of one log in blocks, for the PDF. A damaged module becomes a warning in
    it."""
    # Only reports with plots need these imports.
    from .sections import (  # noqa: PLC0415
        accesses,
        checkpoints,
        code_lines,
        communication,
        datasets,
        files,
        findings,
        heat,
        job,
        layers,
        ledger,
        loaded_state,
        names,
        notes,
        processes,
        traces,
        training,
    )

    warnings = [Paragraph(f"Caution: {text}") for text in notes.warnings(context)]
    behind = [
        *findings.full(context),
        *datasets.blocks(context),
        *communication.blocks(context),
        *heat.blocks(context),
        *traces.blocks(context),
        *files.kinds(context),
        *files.per_layer(context),
        *accesses.blocks(context),
        *notes.blocks(context),
    ]
    blocks = [
        *job.answer(context),
        *warnings,
        *ledger.blocks(context),
        *findings.top(context),
        *training.blocks(context),
        *code_lines.blocks(context),
        *checkpoints.blocks(context),
        *loaded_state.blocks(context),
        *heat.first(context),
        *job.blocks(context),
        *processes.blocks(context),
        *layers.blocks(context),
        *layers.sizes(context),
        *files.top(context),
        *behind,
    ]
    return Report(
        title=f"I/O report: {context.title}",
        blocks=blocks + names.blocks(context),
    )


class Documents:
    """One execution of `darshan report`: reads its logs and writes their reports. options: of the
    command line. limits: thresholds. form: pdf, html, json, csv or text."""

    def __init__(self, options: argparse.Namespace, limits: Limits, form: str) -> None:
        self._options = options
        self._limits = limits
        self._form = form
        self._status = 0
        self._files: list[str] = []  # that were made

    def make(self) -> int:
        """Writes all reports and returns the exit status: 0, 1 if a report could not be made,
        INCOMPLETE if a log is incomplete. Errors are printed, not raised."""
        if self._options.campaign:
            self._campaign(self._options.output or self._several_name("darshan-campaign"))
        elif self._options.compare:
            self._compare(self._options.output or self._several_name("darshan-compare"))
        else:
            for target, paths in self._targets():
                self._one(target, paths)
        if self._options.open and self._files:
            self._open(self._files[0])
        return self._status

    def _open(self, path: str) -> None:
        from . import browser  # noqa: PLC0415 - for this option only

        if sys.stdout is not None:
            sys.stdout.flush()
        if not browser.show(path):
            say(f"cannot start a browser for {path}: set BROWSER to the name of one")

    def _targets(self) -> list[tuple[str, list[str]]]:
        """Returns the output files, each with the logs that it reports on. Refuses two logs for one
        file unless the user named the file with -o. After a message, returns [] if that file is one
        of the logs."""
        paths = self._options.logs
        if self._options.output:
            if any(same_file(self._options.output, path) for path in paths):
                say(
                    f"cannot write the report to {self._options.output}: it is one of the logs; "
                    "name another file with -o"
                )
                self._status = 1
                return []
            return [(self._options.output, paths)]
        if self._form == "text":
            return [("-", paths)]
        found: dict[str, list[str]] = {}
        for path in paths:
            target = self._output_name(path)
            if target in found:
                say(
                    f"cannot write the report of {path} to {target}: another log has its report "
                    "there; use -o for one report of all logs"
                )
                self._status = 1
            else:
                found[target] = [path]
        return list(found.items())

    def _output_name(self, log: str) -> str:
        name = os.path.basename(os.path.normpath(log))
        stem = name[: -len(".darshan")] if name.endswith(".darshan") else name
        return f"{stem or 'darshan'}.{self._form}"

    def _each(self, paths: list[str], make: Any) -> list[Any]:
        """Returns the result of make(context) for each log. Leaves out logs that cannot be read,
        after printing why; the exit status is 1 then."""
        made = []
        for path in paths:
            try:
                with open_log(path) as log:
                    context = Context(log, self._limits)
                    made.append(make(context))
                    self._told(context)
            except LogError as error:
                complain(path, error)
                self._status = 1
        return made

    def _told(self, context: Context) -> None:
        """Sets the exit status to INCOMPLETE if the log is incomplete, so that scripts notice
        it."""
        if context.incomplete and not self._status:
            self._status = INCOMPLETE

    def _one(self, target: str, paths: list[str]) -> None:
        """Writes one document about these logs to `target`."""
        if self._form == "text":
            self._write(target, self._screens(paths))
        elif self._form in ("json", "csv"):
            made = self._each(paths, data)
            if made:
                text = as_json(made) if self._form == "json" else as_csv(made)
                self._write(target, text)
        elif self._form == "html":
            self._pages(target, paths)
        else:
            reports = self._each(paths, compose)
            if reports:
                self._render(target, reports)

    def _pages(self, target: str, paths: list[str]) -> None:
        from .html import run  # noqa: PLC0415 - for this form only

        numbers = itertools.count()
        with_sources = self._options.sources
        runs = self._each(
            paths, lambda context: run.run(context, next(numbers), with_sources=with_sources)
        )
        if runs:
            self._write(target, run.render(runs))

    def _screens(self, paths: list[str]) -> str:
        """Returns the reports of these logs as text for a terminal."""
        if self._options.brief:
            found = self._each(paths, terminal.told_in_brief)
            return "".join(f"{line}\n" for line in terminal.brief(found, self._options.lines))
        verbose = self._options.verbose
        screens = self._each(
            paths, lambda c: (c.log.path, list(terminal.lines(c, verbose)))
        )  # fmt: skip
        parts = []
        for path, screen in screens:
            title = [f"{visible(path)}:"] if len(paths) > 1 else []
            parts.append("\n".join([*title, *screen, ""]))
        return "\n".join(parts)

    def _several_name(self, stem: str) -> str:
        """Returns the default output for a report on several logs; "-" is stdout. stem: file name
        without extension."""
        return "-" if self._form == "text" else f"{stem}.{self._form}"

    def _several(self, target: str, report: Report) -> None:
        if self._form == "text":
            self._write(target, "\n".join(blocks_text.lines(report)) + "\n")
        else:
            self._render(target, [report])

    def _compare(self, target: str) -> None:
        path = self._options.logs[0]
        try:
            with open_log(path) as one:
                path = self._options.logs[1]
                with open_log(path) as two:
                    contexts = Context(one, self._limits), Context(two, self._limits)
                    self._compared(target, *contexts)
                    for context in contexts:
                        self._told(context)
        except LogError as error:
            complain(path, error)
            self._status = 1

    def _compared(self, target: str, one: Context, two: Context) -> None:
        if self._form == "html":
            from .html import compare as page  # noqa: PLC0415 - for this form only

            self._write(target, page.render(one, two))
        else:
            from .compare import compare  # noqa: PLC0415

            self._several(target, compare(one, two))

    def _campaign(self, target: str) -> None:
        """Writes the report on all logs of a campaign to `target`. Logs that cannot be read are
        named on stderr and left out."""
        from . import campaign, campaign_data  # noqa: PLC0415

        progress = Progress(PROGRAM, "logs")

        def wrong(path: str, error: LogError) -> None:
            progress.clear()
            complain(path, error)
            self._status = 1

        paths = []
        for named in self._options.logs:
            logs = campaign.logs_in([named])
            if not logs:
                say(f"{named} contains no log (a file whose name ends in .darshan)")
                self._status = 1
            paths += logs
        try:
            jobs = campaign.read(paths, self._limits, progress.at, wrong, *self._pages_of(target))
        except OSError as error:
            self._failed(error.filename or target, error)
            return
        finally:
            progress.clear()
        if not jobs:
            return
        if self._form == "html":
            from .html import campaign as page  # noqa: PLC0415 - for this form only

            self._write(target, page.render(jobs))
        elif self._form == "json":
            self._write(target, campaign_data.as_json(jobs))
        elif self._form == "csv":
            self._write(target, campaign_data.as_csv(jobs))
        else:
            self._several(target, campaign.campaign(jobs))

    def _pages_of(self, target: str) -> list[Any]:
        """Returns a list with one function, which writes the page of a log, if the report on many
        logs is an HTML file; otherwise an empty list."""
        if self._form != "html" or target == "-":
            return []
        from .html.campaign import Pages  # noqa: PLC0415 - for this form only

        return [Pages(target).make]

    def _render(self, target: str, reports: list[Report]) -> None:
        from .pdf.latex import NotKeptError, write_pdf  # noqa: PLC0415 - for this form only

        try:
            if is_terminal(target):
                say("cannot write a PDF to a terminal; name a file with -o, or use --text")
                self._status = 1
                return
            latex = not self._options.no_latex
            write_pdf(reports, target, keep=self._options.keep, use_latex=latex, say=say)
        except BrokenPipeError:
            raise
        except NotKeptError as error:
            self._failed(error.filename, error)
            return
        except OSError as error:
            self._failed(target, error)
            return
        self._made(target)

    def _write(self, target: str, text: str) -> None:
        try:
            write_text(text, target)
        except BrokenPipeError:
            raise
        except OSError as error:
            self._failed(target, error)
            return
        self._made(target)

    def _failed(self, target: str, error: OSError) -> None:
        say(f"cannot write {target}: {error.strerror or error}")
        self._status = 1

    def _made(self, target: str) -> None:
        if target == "-":
            return
        self._files.append(target)
        if sys.stdout is not None:
            # The name is written as bytes, because the user's encoding may lack its characters.
            sys.stdout.buffer.write(os.fsencode(target) + b"\n")
