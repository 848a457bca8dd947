"""Recognizes compressed files, whose contents can be read only from the beginning, and has the
remedy for reading them repeatedly."""

from __future__ import annotations

import re

from ..facts import Facts
from ..finding import Remedy
from ..programs.used_through import used_through

# A zip archive is not such a stream: it has a directory, and each member is compressed separately.
_STREAM = re.compile(r"\.(?:gz|bz2|xz|lzma|zst|Z|tgz|tbz2?|txz)$", re.IGNORECASE)
_ARCHIVE = re.compile(r"\.(?:tar\.\w+|tgz|tbz2?|txz)$", re.IGNORECASE)
_LIBRARY = r"(?:gzip|bz2|lzma|_compression)\.|lib(?:z|bz2|lzma)\.so"
_MEMBERS = Remedy(
    "Read the members once each, in the order of the archive, or extract the archive once and "
    "read the files: a compressed archive can be read only from its beginning, so "
    "each step back decompresses everything before it again.",
    "Python: for member in archive: data = archive.extractfile(member).read()  # in its order\n"
    "Python: archive.extractall(folder)  # once;  then read the files of the folder\n"
    "shell: tar xf archive.tar.gz -C folder  # once",
)
_TEXT = Remedy(
    "Decompress the file once, and keep what the program needs in memory or in a file without "
    "compression: a compressed file can be read only from its beginning, so each new opening and "
    "each step back decompresses everything before it again.",
    "C: size = gzread(file, all, sizeof all);  // once, before the loop\n"
    "Python: lines = gzip.open(path).read().splitlines()  # once, before the loop\n"
    "shell: gzip -dk data.gz  # once, before the loop",
    alone=True,
)


def remedy(facts: Facts, record: int) -> Remedy | None:
    """Returns the remedy for a compressed file or archive that is read repeatedly; None if neither
    its name nor a library that read it shows that it is compressed. record: id of the file."""
    name = facts.name(record)
    if not _STREAM.search(name) and record not in used_through(facts, _LIBRARY):
        return None
    return _MEMBERS if _ARCHIVE.search(name) else _TEXT
