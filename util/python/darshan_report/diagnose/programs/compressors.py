"""Compares what compressors in the program, such as zipfile, read and write, and finds streams that
may get line by line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ...call_sites.lines import Site
from ...call_sites.measured import READ, WRITE
from ...call_sites.stack import IMPORT
from ...call_sites.told import library_call, name_of
from ...classes import dataclass
from ...units import amount
from ..facts import Facts
from ..finding import PROBLEM, Finding, Remedy
from ..times.loops import Loops, loops_of

_COPIES = re.compile(r"(?:zipfile|tarfile|shutil)\.")  # functions that read what they pack
_UNPACKS = re.compile(r"\w+\.(?:_GzipReader|ZipExtFile|\w*File\.(?:read|peek|__next__)|_Stream\.)")
# Names of files whose formats contain a compression.
_PACKED = re.compile(
    r"(?i)\.(?:jpe?g|jp2|jxl|png|gif|webp|avif|heic|mp[34]|m4[av]|mov|mkv|webm|avi|ogg|opus|flac"
    r"|zip|gz|tgz|bz2|xz|zst|lz4|7z|rar|jar|whl|docx|xlsx|pptx|odt|ods|pdf|parquet|npz|bam|cram)$"
)
_SHRUNK = 0.9  # bytes written per byte read, from which on the compression gains nothing
_GROWN = 1.1  # more bytes than this are not those that were read
_MOST = 0.9  # part of the bytes
_SMALL = 1 << 20  # bytes; fewer are no evidence
_STORED = 200 << 20  # bytes of each second: a faster library only sums the bytes up
# Streams that call the compressor for each write. gzip has a buffer since Python 3.12.
_STREAMS = re.compile(r"gzip\.GzipFile\.write$|bz2\.BZ2File\.write$|lzma\.LZMAFile\.write$")
_BUFFERED = re.compile(r"gzip\.GzipFile\._write_raw$")
_LINES = 128 << 10  # bytes of a read of Python's buffers, at most
_RATE = 64 << 20  # bytes of each second that a loop over lines takes in, with little other work

_KEPT = (
    "These data are compressed already: store them. Compress only what shrinks, such as text and "
    "raw numbers."
)
_STORES = (
    (
        r"zipfile\.",
        "zipfile.ZipFile(path, 'w', zipfile.ZIP_STORED)\n"
        "archive.write(name, compress_type=zipfile.ZIP_STORED)  # or for these files alone",
    ),
    (r"tarfile\.", "tarfile.open(path, 'w')  # not 'w:gz'; in shell: tar cf, without z"),
    (r"shutil\.", "shutil.make_archive(base, 'tar', folder)  # not 'gztar' or 'zip'"),
    (r"pandas\.", "table.to_pickle(path, compression=None)"),
    (r"numpy\.", "numpy.savez(path, array)  # not savez_compressed"),
    (r"(?:libz|libbz2|liblzma)\.so", 'gzopen(path, "wT")  // or fwrite, without a compressor'),
    (r"", "shutil.copyfile(source, target)  # no gzip.open, bz2.open or lzma.open"),
)
_BUFFER = (
    "If the program writes line by line in binary mode and has no buffer yet, put one in front of "
    "the compressor, or join lines: gzip (before Python 3.12), bz2 and lzma work in Python for "
    "each write, however short. Text mode ('wt') has such a buffer."
)
_HALF = 0.5  # of the time
ANOTHER = "another way to store the data saves most of it"
_DOUBT = (
    " This time may also contain what the program does with each line; the log does not separate "
    "the two."
)
_BUFFER_EXAMPLE = (
    "file = io.BufferedWriter(gzip.open(path, 'wb'), 1 << 18)  # then file.write(line)\n"
    "file.write(b''.join(lines))  # of some thousand lines"
)


@dataclass(frozen=True)
class Packed:
    """Bytes of the files that compressors got, and the bytes that they wrote of them. is_certain:
    nothing but these files was compressed, as the library read them itself, or as the names tell
    that their contents are compressed already."""

    read: int = 0
    written: int = 0
    is_certain: bool = False

    @property
    def sentence(self) -> str:
        """A sentence with a space before it; "" if the source is unknown."""
        if self.read < _SMALL:
            return ""
        if self.is_certain:
            return f" {amount(self.read)} of files became {amount(self.written)}."
        return (
            f" The same loops read {amount(self.read)} of files, and the compressor wrote "
            f"{amount(self.written)}."
        )

    def gains_nothing(self, spent: float) -> bool:
        """Returns whether the compression certainly saves less than a tenth. spent: its seconds. A
        library that only stores the bytes takes much less time for them."""
        if not self.is_certain or self.read < _SMALL or self.read > _STORED * spent:
            return False
        return _SHRUNK * self.read <= self.written <= _GROWN * self.read


def _inside(site: Site) -> list[str]:
    places = site.places[: max(0, site.user)] if site.user >= 0 else site.places
    return [name_of(place) for place in places]


def packed_of(facts: Facts, writing: Sequence[Site]) -> Packed:
    """Returns how many bytes compressors made of how many. writing: the call sites of their
    writes."""
    known = loops_of(facts)
    groups = known.groups if known is not None else ()
    ours = {id(site) for site in writing}
    written = sum(site.sums.written for site in writing)
    by_call: dict[tuple[object, str], list[int]] = defaultdict(lambda: [0, 0])
    reading = [
        site
        for loop in groups
        for site in loop.sites
        if site.sums.read > 0 and site.stack.called != IMPORT
    ]
    for site in writing:
        by_call[site.line, library_call(site)][1] += site.sums.written
    for site in reading:
        names = _inside(site)
        if any(map(_COPIES.match, names)) and not any(map(_UNPACKS.match, names)):
            by_call[site.line, library_call(site)][0] += site.sums.read
    copied = [pair for pair in by_call.values() if pair[0] > 0 and pair[1] > 0]
    if sum(pair[1] for pair in copied) >= _MOST * written:
        return Packed(sum(pair[0] for pair in copied), sum(p[1] for p in copied), is_certain=True)
    known_names = [site for site in reading if id(site) not in ours and _is_packed(facts, site)]
    whole = sum(site.sums.read for site in known_names)
    if _SHRUNK * whole <= written <= _GROWN * whole:
        return Packed(whole, written, is_certain=True)
    lines = {site.line for site in writing}
    loops = [loop for loop in groups if any(site.line in lines for site in loop.sites)]
    return Packed(sum(loop.sums.read for loop in loops), written)


def _is_packed(facts: Facts, site: Site) -> bool:
    """Returns whether the names of the files that a call site reads tell that their contents are
    compressed, and whether it reads them as they are."""
    names = [facts.name(number) for number in site.sums.files.calls]
    unpacks = any(map(_UNPACKS.match, _inside(site)))
    return bool(names) and not unpacks and all(map(_PACKED.search, names))


def _is_stream(site: Site) -> bool:
    """Returns whether a line of the program calls the write of a stream that has no buffer."""
    names = _inside(site)
    if any(map(_BUFFERED.match, names)):
        return False
    return _STREAMS.match(library_call(site)) is not None and site.sums.calls_of[WRITE] > 0


def line_by_line(known: Loops, writing: Sequence[Site], most: float) -> float:
    """Returns the seconds that calls of a compressor for each line may take: those before the reads
    of the same loops, beyond what a loop over so many bytes takes. The writes of most lines make no
    I/O call, so their time is before the next read. writing: the call sites of the compressor's
    writes. most: seconds between calls that nothing else explains."""
    streams = {site.line for site in writing if _is_stream(site)}
    spent, needed = 0.0, 0.0
    for loop in known.groups if streams else ():
        for site in loop.sites if any(one.line in streams for one in loop.sites) else ():
            sums, reads = site.sums, site.sums.calls_of[READ]
            if reads > 0 and site.user == 0 and sums.read <= _LINES * reads:
                spent += sum(sums.gaps) * known.overlap
                needed += sums.read / _RATE
    return max(0.0, min(spent, most) - needed)


def compressed(
    facts: Facts, finding: Finding, writing: Sequence[Site], function: str, lines: float
) -> Finding:
    """Returns the finding about compressing with the bytes before and after it, and with the remedy
    for data that do not shrink, or that may go to the compressor line by line. writing: the call
    sites of the compressor's writes. function: that has most of the time. lines: seconds that the
    calls for each line may take."""
    packed, spent = packed_of(facts, writing), finding.stake.between
    if packed.gains_nothing(spent - lines):
        example = next(code for pattern, code in _STORES if re.match(pattern, function))
        said = finding.sentence.replace(ANOTHER, "storing the data as they are saves it")
        return replace(
            finding,
            title="Data are compressed that are compressed already",
            kind=PROBLEM,
            sentence=f"{said}{packed.sentence[:-1]}: the compression gains little or nothing.",
            remedy=Remedy(_KEPT, example),
        )
    finding = replace(finding, sentence=finding.sentence + packed.sentence)
    if not any(map(_is_stream, writing)):
        return finding
    remedy = finding.remedy
    remedy = Remedy(f"{_BUFFER} {remedy.text}", f"{_BUFFER_EXAMPLE}\n{remedy.example}")
    if lines < _HALF * spent:
        return replace(finding, remedy=remedy)
    said = finding.sentence.replace(ANOTHER, "a buffer in front of it may save most of it")
    said = said.replace(" compressed for ", " may have worked for ")
    return replace(
        finding,
        title="Lines may go to the compressor one by one",
        sentence=said + _DOUBT,
        remedy=remedy,
        is_hint=True,
    )
