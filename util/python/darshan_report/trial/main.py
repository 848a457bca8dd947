"""The command darshan try: makes the runs, and writes the result to standard output and beside the
log."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence

from ..exit_status import exit_status
from ..measure.processes.endings import Failure, failure
from ..measure.processes.processes import EXITED, KILLED, UNKNOWN
from ..report.tried import CHANGED, HELPED, content_of, identity, is_kept, path_of, rows_beside
from ..show import signal_exit
from ..show.output import asked, write_text
from ..show.text import visible
from . import arguments
from .arguments import PROGRAM, USAGE, Options
from .by_hand import Edit, by_hand
from .choose import Chosen, choose
from .comparing.effects import effects
from .keep import keep
from .measure import Candidate, Trial, together
from .planning.temporary import WORK
from .running.ground import Ground, TrialError
from .running.private import problem
from .running.runs import LIMIT, Runner, first_problem
from .running.side_effects import programs, side_effects
from .running.stopped import TooLongError
from .told import Result

NOTHING_HELPED, OUTPUT_CHANGED = 1, 3
_ALLOWED = (
    "In a run, it may write only to the folder of --copy and to TMPDIR, and has no network; "
    "--yes-repeat allows both"
)
_NO_LINES = (
    "LOG does not tell the line of each change; darshan try without LOG runs the program once and "
    "tells it"
)


def say(text: str) -> None:
    """Prints a message on stderr."""
    print(f"{PROGRAM}: {visible(text)}", file=sys.stderr, flush=True)


def _ground(options: Options, work: str) -> Ground:
    place = os.path.realpath(options.copy) if options.copy else ""
    if not place and options.setup:
        place = os.getcwd()
    closed = not options.yes_repeat
    return Ground(work, place, bool(options.copy), options.setup, closed)


def _enters(ground: Ground) -> bool:
    """Returns whether runs get a private view of the file system. Raises TrialError if that is
    impossible and the user did not allow runs without it."""
    why = problem(ground.shield)
    if ground.place and not (why and ground.closed):
        ground.prepare()
        why = problem(ground.view)
    if why and ground.closed:
        raise TrialError(
            f"cannot protect your files from the runs: {why}; --yes-repeat runs the program "
            "without this protection"
        )
    if why:
        say(f"your files are not protected from the runs ({why}); the runs work in {ground.data}")
    return not why


def _refuse(chosen: Chosen, place: str) -> None:
    """Raises TrialError, after printing a list, if a run has effects outside of the folder
    `place`."""
    found = side_effects(chosen.facts, place)
    if not found:
        return
    for line in found[:20]:
        say(f"each run {line}")
    if len(found) > 20:
        say(f"... and {len(found) - 20} more")
    raise TrialError(
        "the program is not run again because of these effects; use --copy DIR to run it in a copy "
        "of DIR, or --yes-repeat to repeat them"
    )


def _ends_as(chosen: Chosen | None, status: int) -> bool:
    """Returns whether a run ended as the log's run did; without a log, whether it succeeded.
    status: exit status, or a negative signal number."""
    said = failure(chosen.facts.log, chosen.facts.tree) if chosen else None
    if said is None:
        return status == 0
    if said.how == UNKNOWN:  # the number of the signal is unknown
        return status < 0
    return status == (-said.status if said.how == KILLED else said.status)


def _end(status: int) -> str:
    """Returns text on how a run ended. status: exit status, or a negative signal number."""
    if not status:
        return "succeeded, unlike in the log"
    return (Failure(KILLED, -status) if status < 0 else Failure(EXITED, status)).words


def _begin(trial: Trial, options: Options, chosen: Chosen | None) -> Chosen:
    """Makes the first run and, if there is a remedy to try, the second. Returns the findings of the
    log; without a log (chosen: None), those of the first run. Raises TrialError if the program does
    not end as in the log (without a log: if it fails), or if it needs --yes-repeat."""
    limit = LIMIT * chosen.facts.run_time + 10 if chosen else options.budget
    _cold(trial.runner, options, chosen)
    first = trial.first(limit)
    status = first.output.status
    if not _ends_as(chosen, status):
        raise TrialError(f"the program {_end(status)}: {first_problem(first)}. {_ALLOWED}")
    sites = Chosen.of(first.log, options)
    if chosen is None:
        if not options.yes_repeat:
            _refuse(sites, trial.runner.ground.place)
        chosen = sites
    chosen.sites = sites
    _cold(trial.runner, options, chosen)
    if any(one.plan for one in chosen.candidates):
        trial.second()
    return chosen


def _cold(runner: Runner, options: Options, chosen: Chosen | None) -> None:
    """Names the files that each run finds cold, if the user wants that: those of a log; before
    there is one, all files of the copied folder."""
    if not options.cold:
        return
    names = chosen.files if chosen else []
    if chosen is None and options.copy:
        place = runner.ground.place
        names = [os.path.join(at, name) for at, _, files in os.walk(place) for name in files]
    runner.cold = [name for name in names if os.path.isfile(name)]


def _asked(chosen: Chosen) -> None:
    """Asks the user on the terminal whether to begin. Raises TrialError if the answer is no."""
    names = ", ".join(one.name for one in chosen.candidates if one.plan)
    each = f"{chosen.facts.run_time:.1f} s"
    say(f"this tries {names} in at least 12 runs; the run of the log took {each}")
    print(f"{PROGRAM}: go on? [Y/n] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("", "y", "yes"):
        raise TrialError("nothing was run")


def _try(options: Options, work: str) -> int:
    """Tries the remedies; returns the exit status: 0 if one helped, 1 if none did, 3 if none did
    and one changed the output. work: folder of the trial. Raises TrialError if the trial cannot be
    made, for example because the user does not agree or a run without a remedy takes too long."""
    ground = _ground(options, work)
    chosen = Chosen.of(options.log, options) if options.log else None
    if chosen and not any(one.plan for one in chosen.candidates):
        edits = _edits(options, chosen)
        notes = [] if all(edit.place for edit in edits) else [_NO_LINES]
        _write(options, Result([], chosen.candidates, edits=edits, notes=notes))
        return NOTHING_HELPED
    if chosen and not options.yes_repeat:
        _refuse(chosen, ground.place)
    if chosen and not options.all and not options.only and sys.stdin and sys.stdin.isatty():
        _asked(chosen)
    runner = Runner(options.darshan, options.command, ground, _enters(ground))
    ends = time.monotonic() + (options.budget or float("inf"))
    quiet = say if not options.json else lambda _: None
    trial = Trial(runner, options.same, options.ignore, ends, quiet)
    try:
        chosen = _begin(trial, options, chosen)
    except TooLongError as error:
        raise TrialError(f"a run without a remedy {error}") from None
    if trial.log:
        check_candidates(trial, chosen.candidates)
    return _tell(options, trial, chosen)


def check_candidates(trial: Trial, candidates: list[Candidate]) -> None:
    """Measures all remedies in rounds of runs, then all that helped together. Adds the combination
    to `candidates`, if there is one, and stores the results in them."""
    trial.measure(candidates)
    both = together(candidates)
    if both is not None:
        trial.measure([both])
        candidates.append(both)


def _write(options: Options, result: Result) -> None:
    write_text(result.as_json(options.command) if options.json else result.text(), "-")


def _put_beside(options: Options, result: Result) -> None:
    """Writes the result to a file next to the log, where reports find it."""
    path = path_of(options.log)
    if not is_kept(path):
        say(f"cannot write the result to {path}: the file is not a result of darshan try; rename "
            "it and try again, so that reports show the result")  # fmt: skip
        return
    try:
        earlier = rows_beside(path, result.log, options.log)
        write_text(result.as_json(options.command, earlier), path)
    except OSError as error:
        say(f"cannot write {path}: {error.strerror}; reports will not show the result")


def _is_of_log(chosen: Chosen, log: str) -> bool:
    """Returns whether the runs are of the program in the log. Prints a message if they are not."""
    of_log, of_runs = programs(chosen.facts), programs(chosen.sites.facts)
    if not of_log or not of_runs or of_log & of_runs:
        return True
    names = ", ".join(sorted(of_log)), ", ".join(sorted(of_runs))
    say(f"{log} is a log of {names[0]}, but the program was {names[1]}; the result is not stored")
    return False


def _edits(options: Options, chosen: Chosen) -> list[Edit]:
    return [] if options.only else by_hand(chosen)


def _tell(options: Options, trial: Trial, chosen: Chosen) -> int:
    """Writes the result of a trial, and also puts it next to the log if the log is one of the tried
    program. Returns the exit status: 0 if a remedy helped, otherwise OUTPUT_CHANGED or
    NOTHING_HELPED."""
    result = Result(trial.baseline, chosen.candidates, notes=trial.mask.told())
    asks = {one.name: chosen.finding_of(one.name) for one in chosen.candidates}
    result.findings = {name: finding.name for name, finding in asks.items() if finding is not None}
    result.log = identity(chosen.facts.log)
    result.content = content_of(options.log) if options.log else ""
    result.edits = _edits(options, chosen)
    for one in chosen.candidates:
        if one.found is not None and one.plan is not None:
            # The log of a run with another TMPDIR cannot be compared: /dev/shm is not recorded.
            if "TMPDIR" not in one.plan.variables:
                result.effects[one.name] = effects(trial.log, one.log)
            finding = chosen.finding_of(one.name)
            if one.plan.keep or one.plan.instead:
                result.keep[one.name] = keep(chosen.sites.facts, finding, one.plan)
    _write(options, result)
    if options.log and _is_of_log(chosen, options.log):
        _put_beside(options, result)
    states = {one.state for one in chosen.candidates}
    if HELPED in states:
        return 0
    return OUTPUT_CHANGED if CHANGED in states else NOTHING_HELPED


def _run(options: Options) -> int:
    if options.list:
        write_text(choose(options), "-")
        return 0
    try:
        with _work(options.copy) as work:
            return _try(options, work)
    except TrialError as error:
        say(str(error))
        return NOTHING_HELPED


@contextlib.contextmanager
def _work(copied: str) -> Iterator[str]:
    """Creates the folder of a trial, and removes it at the end. It is next to the folder `copied`,
    so that both are on the same file system; if `copied` is empty, it is a temporary folder. Raises
    TrialError if `copied` is "/", or its parent folder is not writable."""
    parent = os.path.dirname(os.path.realpath(copied)) if copied else None
    if parent and os.path.samefile(parent, copied):
        raise TrialError(f"cannot copy {copied}: it has no parent folder to make the copy in")
    if parent and not os.access(parent, os.W_OK | os.X_OK):
        raise TrialError(
            f"cannot copy {copied}: the copy is made in {parent}, to which you may not write; "
            "name a folder inside of it"
        )
    with signal_exit.folder(parent, WORK) as work:
        yield work


def main(words: Sequence[str] | None = None) -> int:
    """Runs darshan try and returns its exit status (0, 1, 2 or 3: see --help). words: the path of
    `darshan`, then the arguments; by default those of the process."""
    given = sys.argv[1:] if words is None else list(words)
    options = asked(lambda: arguments.parse(given), say)
    if options is None:
        return USAGE
    return exit_status(lambda: _run(options), options.log, say, lambda: "cannot run the trial")
