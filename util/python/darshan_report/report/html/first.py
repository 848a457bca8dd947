"""The first screen of the page: run time, I/O share, and the most important remedy."""

from __future__ import annotations

from ...diagnose.finding import GOOD, NOTICE, PROBLEM, Finding, shown_first
from ...diagnose.rules.run import costly
from ...measure import io_share
from ...show.text import visible
from ...units import amount, plural, seconds, share
from ..context import Context
from ..sections import job, ledger, notes
from .shell import text

_PARTS = 3  # largest number of layers that are named


def _figure(value: str, words: str) -> str:
    return f'<div class="figure"><b>{text(value)}</b> <span>{text(words)}</span></div>'


def figures_of_io(context: Context) -> list[tuple[str, str]]:
    """Returns the I/O shares: for each its value ("37 %") and a label that says of which time it is
    a share, and names the layers."""
    shares = context.shares
    of = f"of the {io_share.of_what(shares)}"
    base = [(f.layer.title, f.time) for f in context.figures if f.layer.base]
    rest = shares.files - sum(time for _, time in base)
    if rest > 0 and any(f.layer.module == "GDS" for f in context.figures):
        base.append(("GPU direct", rest))  # without the POSIX calls below
    base_words = f"{of} {io_share.FILES}{_where(base, shares.work)}"
    if shares.overlapping:
        base_words += ", threads added up"
    found = [(io_share.files(shares), base_words)]
    if shares.above:
        # The time of each layer itself, without the layers that it calls.
        parts = [(o.title, o.time) for o in context.exclusive]
        where = _where(parts, shares.work)
        found.append((io_share.all_layers(shares), f"{of} {io_share.ALL}{where}"))
    return found


def _where(parts: list[tuple[str, float]], whole: float) -> str:
    parts = sorted((p for p in parts if p[1] > 0), key=lambda p: -p[1])
    if len(parts) < 2 or whole <= 0:
        return f": {parts[0][0]}" if parts else ""
    named = (f"{title} {share(time, whole)}" for title, time in parts[:_PARTS])
    return f": {', '.join(named)}"


def moved(context: Context) -> tuple[int, int]:
    """Returns the bytes read, and the bytes written, in the lowest layers; unknown ones count as
    0."""
    base = [f for f in context.figures if f.layer.base] or context.figures[-1:]
    return sum(f.read or 0 for f in base), sum(f.written or 0 for f in base)


def _change(context: Context, prefix: str, place: int, finding: Finding, heading: str) -> str:
    """Returns the box about one finding as HTML. place: index of the finding, for the link to its
    description."""
    at = context.at_stake(finding)
    gain = f' <span class="gain">At stake: {text(at)}</span>' if at else ""
    remedy = finding.remedy.text
    title = f'<a href="#{prefix}-finding-{place}">{text(finding.title)}</a>'
    return (
        f'<div class="change"><h2>{text(heading)}</h2><p class="strong">{title}.{gain}</p>'
        f"<p>{text(finding.sentence)}</p>"
        + (f"<p>{text(where)}</p>" if (where := context.where(finding)) else "")
        + (f"<p><b>Remedy:</b> {text(remedy)}</p>" if remedy else "")
        + "".join(f"<p><b>Tried:</b> {text(one)}</p>" for one in context.tried(finding))
        + "</div>"
    )


def _more_problems(context: Context, prefix: str, shown: Finding) -> str:
    """Returns a link to the problems other than the one that is shown; "" if there are none."""
    left = sum(f.kind == PROBLEM and f is not shown for f in context.findings)
    words = text(plural(left, "more problem" if shown.kind == PROBLEM else "problem"))
    return f'<p><a href="#{prefix}-findings">{words} below</a>.</p>' if left else ""


def _verdict(context: Context, prefix: str) -> str:
    """Returns the box with the finding to begin with as HTML: the one that first screens show, else
    a notice about what took most time, else that nothing is to be changed. Returns "" if there is
    none of them."""
    shown = shown_first(context.findings)[:1]
    for place, found in enumerate(context.findings):
        if shown and found is shown[0]:
            heading = "Change first" if found.kind == PROBLEM else "Worth a look"
            change = _change(context, prefix, place, found, heading)
            return change + _more_problems(context, prefix, found)
        if not shown and found.kind == NOTICE and found.name.startswith(costly.NAME):
            return _change(context, prefix, place, found, "No known problem; most time")
    fine = [f for f in context.findings if f.name == "fine"] or [
        f for f in context.findings if f.kind == GOOD
    ]
    if fine:
        words = f"{fine[0].title}. {fine[0].sentence}"
        heading = "Nothing to change" if fine[0].kind == GOOD else "Not known"
        return f'<div class="change fine"><h2>{heading}</h2><p>{text(words)}</p></div>'
    return ""


def _within(title: str) -> str:
    """Returns a title with a small first letter, for the middle of a sentence. Titles such as HDF5
    and MPI-IO stay unchanged."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def _spent(context: Context, prefix: str) -> str:
    """Returns a bar that shows how the processes spent their time (the ledger), with the names of
    the longest parts below it; "" without a ledger. prefix: start of the element's id."""
    found = ledger.parts(context)
    if not found:
        return ""
    bars, begin = [], 0.0
    for kind, title, part in found:
        bars.append(
            f'<rect class="{kind}" x="{100 * begin:.2f}%" width="{100 * part:.2f}%" height="100%">'
            f"<title>{text(f'{title}: {share(part, 1.0)}')}</title></rect>"
        )
        begin += part
    named = ", ".join(f"{_within(title)} {share(part, 1.0)}" for _, title, part in found[:_PARTS])
    return (
        f'<svg class="spent" role="img" aria-label="{text(named)}">{"".join(bars)}</svg>'
        f'<p class="row">Where the time went: {text(named)}. '
        f'<a href="#{prefix}-spent">All rows</a></p>'
    )


def screen(context: Context, prefix: str) -> str:
    """Returns the HTML of the first screen of a log, with an empty element in which a script draws
    the diagram. prefix: start of the elements' ids."""
    name = visible(context.program) or "The program"
    info = context.info
    # The command line is in the section about the job.
    number = plural(context.number, "process")
    run_time = "not finished" if info.live else seconds(context.run_time)
    read, written = moved(context)
    warnings = "".join(
        f'<p class="warning">Caution: {text(line)}</p>' for line in notes.warnings(context)
    )
    bad = job.run_sentence(context) if context.failure else job.bad_ends(context)
    return "\n".join(
        (
            f"<h1>{text(name[:80])}</h1>",
            f'<p class="log">{text(context.log.path)}</p>',
            '<div class="figures">',
            _figure(run_time, f"run time, {number}"),
            *(_figure(part, words) for part, words in figures_of_io(context)),
            _figure(amount(read), "read"),
            _figure(amount(written), "written"),
            "</div>",
            _spent(context, prefix),
            warnings,
            f'<p class="warning">{text(bad)}</p>' if bad else "",
            _verdict(context, prefix),
            f'<div class="picture" id="{prefix}-picture"></div>',
        )
    )
