"""Estimates an upper bound of the time that parsers take for the bytes that a loop reads.

A program that opens a small file again, such as its configuration, also parses it again. It does so
between its I/O calls, where it may also compute. The estimate is therefore the time that the bytes
take at the lowest rate of such parsers. The parser is known from its frames in the call sites. Some
parsers have no frames there: `json.loads` of a string, and `pickle.load` and `csv.reader`, which
are written in C. They are known from the extension of the file."""

from __future__ import annotations

import re

from ...call_sites.lines import Line, Site
from ...call_sites.measured import READ
from ...call_sites.told import name_of
from ..facts import Facts

# Functions of parsers that read the file themselves.
_FAST = re.compile(r"(?:json|simplejson|pickle|_pickle|marshal|xml|lxml|joblib)\.")
_SLOW = re.compile(r"(?:yaml|ruamel|tomllib|tomli|toml|tomlkit|configparser|plistlib)\.")
_MOSTLY = 0.9  # share of a site's calls
# Names of files of lines: tables and logs, then those of biology, chemistry, graphs and meshes.
TEXT = re.compile(
    r"\.(?:csv|tsv|tab|prn|txt|log|asc|xyz|json|jsonl|ndjson|xml|svg|md|html?"
    r"|fa|fasta|fq|fastq|sam|vcf|maf|paf|bed|bedgraph|wig|gff3?|gtf|phy|phylip|nex|nexus|nwk|newick"
    r"|aln|sto|pdb|cif|gro|xvg|mol2?|sdf|smi|mtx|edges|edgelist|graphml|gml|cnf|dimacs|ply|off"
    r"|inp|geojson|wkt)(?:\.\d+)?$|/(?:\w*[._-])?log$",
    re.IGNORECASE,
)
_TEXTS = re.compile(
    r"\.(?:(?:geo)?json|ya?ml|toml|ini|cfg|conf|xml|xsd|nml|plist|ipynb|csv|tsv|tab|pkl|pickle"
    r"|msgpack)$",
    re.IGNORECASE,
)


def is_parsed(name: str) -> bool:
    """Returns whether a file of this name has a format that programs parse."""
    return _TEXTS.search(name) is not None


def uses_texts(facts: Facts, site: Site) -> bool:
    """Returns whether at least 90 % of the calls of a site, as far as it lists their files, are on
    files of a format that programs parse."""
    calls = {facts.name(record): number for record, number in site.sums.files.calls.items()}
    texts = sum(number for name, number in calls.items() if _TEXTS.search(name))
    return texts > 0 and texts >= _MOSTLY * sum(calls.values())


def _rate(facts: Facts, site: Site) -> float:
    """Returns the lowest rate, in bytes per second, of the parser of what a call site reads; 0 if
    no parser is known."""
    inside = site.places[: max(0, site.user)] if site.user >= 0 else site.places
    names = [name_of(place) for place in inside]
    if any(map(_SLOW.match, names)):
        return facts.limits["parse.slow"]
    if any(map(_FAST.match, names)) or uses_texts(facts, site):
        return facts.limits["parse.rate"]
    return 0.0


def parsing_of(facts: Facts, loop: Line) -> float:
    """Returns an upper bound of the seconds that parsers take for the bytes that a loop reads; 0 if
    no parser is known. loop: the call sites of the loop."""
    reading = [site for site in loop.sites if site.sums.calls_of[READ] > 0]
    rates = [(site, _rate(facts, site)) for site in reading]
    return sum(site.sums.read / rate for site, rate in rates if rate > 0)
