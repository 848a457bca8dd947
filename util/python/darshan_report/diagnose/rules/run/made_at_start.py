"""A training writes a file before its first epoch and then reads it, such as a cache of decoded
samples. If each run makes the same file, it can be kept."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import amount, plural, seconds
from ...facts import Facts
from ...finding import NOTICE, REMARK, Evidence, Finding, Remedy
from ...reached import needs
from ...training.loading import verdicts
from ...training.made_before import made_before
from ...training.start import imports_by_line

NAME = "made-at-start"
ROLE = REMARK


@needs("TRAINING")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a hint if a training wrote a large file before its first epoch and then read it. At
    stake is the time until the file was complete, without the imports that the log shows. The log
    of one run does not tell whether the next run makes the file again."""
    found = verdicts(facts)
    made = made_before(facts, found[0].loader) if found else None
    if made is None:
        return
    spent = max(0.0, made.at - sum(imports_by_line(facts).values()))
    stake = facts.stake(0.0, "time until the file was complete, without imports", between=spent)
    if not facts.worth(stake):
        return
    others = f", like {plural(made.more, 'more file')}," if made.more else ""
    yield Finding(
        NAME,
        "A file is made before the training, perhaps in each run",
        f"The program wrote {made.name} ({amount(made.size)}){others} before the first epoch, and "
        f"then read it. It was complete {seconds(made.at)} after the start. The log does not tell "
        "whether the next run makes the same file again.",
        kind=NOTICE,
        stake=stake,
        evidence=tuple(
            Evidence(module, made.name, f"{module}_BYTES_WRITTEN", written, number)
            for module, number, written in made.records
        ),
        remedy=Remedy(
            "If each run makes the same file, keep it, and make it only if it is missing or older "
            "than what it is made from. Write it under another name and rename it when it is "
            "complete, so that an interrupted run leaves no incomplete file.",
            "Python: if not os.path.exists(cache): numpy.save(part, samples); "
            "os.rename(part, cache)",
        ),
        limits=("training.again",),
        is_hint=True,
    )
