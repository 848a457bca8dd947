"""Changes findings about installed programs, above all tools such as tar and rm. Opening or
removing each file of a folder is a tool's purpose. A user cannot change how a tool works, but can
give it fewer files, or call it less often."""

from __future__ import annotations

from dataclasses import replace

from ...call_sites.interpreters import is_interpreter
from ...call_sites.without import program_of
from ...measure.processes.programs import is_named
from ...measure.processes.started import asked_for
from ..facts import Facts, once
from ..finding import NOTICE, PROBLEM, Finding, Remedy
from ..times.loops import loops_of
from .served import is_served

# Tools that keep files of their own. Their caller can choose neither the number nor the place of
# these files.
_KEEPERS = frozenset(
    ("git", "hg", "svn", "pip", "pip3", "conda", "mamba", "npm", "apt", "apt-get", "dpkg")
)
TOOLS = _KEEPERS.union(
    (
        *("tar", "cpio", "zip", "unzip", "gzip", "gunzip", "bzip2", "xz", "zstd", "7z"),
        *("cp", "mv", "rm", "rmdir", "ln", "touch", "chmod", "chown", "chgrp", "mkdir", "install"),
        *("rsync", "scp", "sftp", "rclone", "find", "ls", "du", "tree", "diff", "stat"),
        *("md5sum", "sha1sum", "sha256sum", "sha512sum", "cmp", "ldconfig"),
        *("ar", "ranlib", "nm", "strip", "objcopy", "objdump", "size"),
    )
)
# Diagnoses about several processes that do the same, or about files that a script makes and then
# removes. The caller of a tool can change that.
_OF_CALLERS = frozenset(
    (
        *("read-by-each", "process-each", "repeated-by-processes", "rewritten-by-processes"),
        *("compressed-and-removed", "copied-and-removed"),
    )
)

# Tools with an option that leaves the holes of sparse files out.
_SKIP_HOLES = frozenset(("tar", "cp", "rsync"))
# The start of the names of diagnoses with the remedy to open or look up files less often.
_OF_OPENS = ("metadata", "opened-again", "failed-lookups")
_DD = "dd"
# The start of the names of diagnoses about small transfers.
_PIECES = ("small-accesses", "costly-reads", "costly-writes")
_LARGER_BLOCKS = Remedy(
    "Call dd with bs=1M. skip= and count= then count blocks of 1 MiB; with "
    "iflag=skip_bytes,count_bytes they count bytes. oflag=seek_bytes does the same for seek=.",
    "dd if=IN of=OUT bs=1M iflag=skip_bytes,count_bytes skip=BYTES count=BYTES",
)


def tool_of(facts: Facts) -> str:
    """Returns the name of the tool (see TOOLS) if the run is a single process of one; ""
    otherwise."""
    if facts.tree is not None or facts.nprocs > 1:
        return ""
    name = asked_for(facts.info.exe)
    return name if name in TOOLS else ""


def _did(facts: Facts, finding: Finding) -> list[str]:
    """Returns the tools of a process tree that caused a finding, the tool that did most first if
    known. Empty if other programs took part."""
    tree = facts.tree
    if tree is None:
        return []
    if finding.doers:
        # A script itself writes little, such as `echo >> file`, compared with the work of its
        # tools.
        scripts = {program.name for program in tree.programs if program.shell}
        left_out = () if finding.doers[0] in scripts else scripts
        doers = [name for name in finding.doers if name not in left_out]
        return doers if TOOLS.issuperset(doers) else []
    told = finding.programs
    # If a finding names two programs and "other programs", the others may have caused half of it.
    if "other programs" in told and "," in told:
        return []
    names = {p.name for p in tree.programs if not p.shell and (not told or is_named(p.name, told))}
    return sorted(names) if names and names <= TOOLS else []


def _is_dd(facts: Facts, finding: Finding) -> bool:
    """Returns whether dd made nearly all of a finding's transfers."""
    if facts.tree is None:
        return facts.nprocs == 1 and asked_for(facts.info.exe) == _DD
    return finding.doers == (_DD,)


def _of_dd(finding: Finding) -> Finding:
    """Returns the finding with the remedy for dd, an option for larger blocks, if the finding is
    about small transfers. Only this option changes the size of dd's transfers."""
    return replace(finding, remedy=_LARGER_BLOCKS) if finding.name.startswith(_PIECES) else finding


@once
def _installed(facts: Facts) -> frozenset[str]:
    """Returns the names of compiled programs that are wholly installed software: none of their call
    sites has a line of the user's own code."""
    found: dict[str, bool] = {}
    known = loops_of(facts)
    for group in known.groups if known is not None else ():
        for site in group.sites:
            if program := program_of(site):
                found[program] = found.get(program, True) and not site.is_users
    return frozenset(name for name, whole in found.items() if whole and not is_interpreter(name))


def _are_installed(facts: Facts, finding: Finding) -> list[str]:
    """Returns the programs that caused a finding, if all of them are installed, compiled programs;
    otherwise []. A program's name may be that of a link: Debian's `ar` is a link to
    `x86_64-linux-gnu-ar`, which is the name in call sites."""
    doers = finding.doers or ((asked_for(facts.info.exe),) if facts.tree is None else ())
    known = _installed(facts)
    some = [d for d in doers if d in known or any(name.endswith(f"-{d}") for name in known)]
    return some if len(some) == len(doers) else []


def _of_installed(facts: Facts, finding: Finding) -> Finding:
    """Returns a finding about opens as a notice if installed programs caused it, because their user
    cannot change their code. Returns other findings unchanged."""
    is_of_opens = finding.name.startswith(_OF_OPENS)
    programs = _are_installed(facts, finding) if is_of_opens else []
    if not programs:
        return finding
    names = " and ".join(programs)
    verb, them = ("is an installed program", "it") if len(programs) == 1 else (
        "are installed programs", "them",
    )  # fmt: skip
    remedy = Remedy(
        f"{names} {verb}: its user can choose its files and options, but cannot change its calls. "
        f"Start {them} once for many files where that is possible, or give {them} fewer files."
    )
    return replace(finding, kind=NOTICE, is_hint=True, remedy=remedy)


def addressed(facts: Facts, finding: Finding) -> Finding | None:
    """Returns a finding as the person who can act on it needs it. About a tool: a notice to the
    tool's caller. About dd or an installed program: with a remedy for it. Returns None if the whole
    run is a tool, if the files belong to the tool itself (as those of git), or if a server sends
    them. Returns all other findings unchanged, also those that are no problems."""
    if finding.kind != PROBLEM or finding.name in _OF_CALLERS:
        return finding
    if finding.name == "holes-read" and not _SKIP_HOLES.isdisjoint(
        (tool_of(facts), *_did(facts, finding))
    ):
        return finding
    if _is_dd(facts, finding):
        return _of_dd(finding)
    if tool_of(facts) or is_served(facts, finding):
        return None
    tools = _did(facts, finding)
    if not tools:
        return _of_installed(facts, finding)
    return None if tools[0] in _KEEPERS else _to_caller(finding, sorted(tools))


def _to_caller(finding: Finding, tools: list[str]) -> Finding:
    """Returns a finding that tools caused as a notice to their caller, with a remedy for the
    caller. tools: their names, at least one."""
    names = " and ".join(tools) if len(tools) < 3 else f"{len(tools)} tools"
    verb, them = ("is", "it") if len(tools) == 1 else ("are", "them")
    remedy = Remedy(
        f"This is what {names} {verb} for. A script that calls {them} can pass all files to one "
        "call instead of one each, or keep small files in one archive.",
        f"{tools[0]} FILE1 FILE2 ...  # once for all, not in a loop",
    )
    return replace(finding, kind=NOTICE, remedy=remedy)
