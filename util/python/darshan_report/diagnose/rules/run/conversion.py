"""A library spends much of the run on conversion or compression between its I/O calls."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ....call_sites.lines import Site
from ....call_sites.measured import CLOSE, LONG, READ, WRITE
from ....call_sites.stack import IMPORT
from ....call_sites.told import library_call, name_of
from ....classes import dataclass
from ....units import amount, plural, seconds, share
from ...accesses.unpacked import UNPACKS, unneeded
from ...facts import Facts
from ...finding import LAST, NOTICE, Finding, Remedy
from ...programs.compressors import ANOTHER, compressed, line_by_line
from ...programs.parsing import TEXT, parsing_of
from ...times.ledger import BETWEEN, COMPUTING, ledger, long_part
from ...times.loops import Loops, importing, loops_of, parsed_after

NAME = "conversion"
ROLE = LAST
_PACKED = "compressed"
_UNPACKED = "unpacked files"
_RATIO = 8  # bytes that a library packs into a byte, at most
_HALF = 0.5  # share of this time that other findings must explain so that this one is left out
_SLOWER = 4  # times the usual time: less is a busy machine
_MOSTLY = 0.8  # part of the reads


@dataclass(frozen=True)
class _Way:
    """A kind of work that a library does between its I/O calls, such as parsing text: the library
    functions that do it (as a pattern), and the texts and limits of a finding about it."""

    function: str  # pattern
    kind: int  # kind of the calls
    does: str
    title: str
    remedy: str
    example: str
    doubt: str = ""  # a sentence on what else the time may contain, with a space before it
    # The library reads everything and then converts, before its caller's next call.
    after: bool = False
    saves: str = ANOTHER
    is_inner: bool = False  # users know the function that they call, not this one
    file: str = ""  # pattern for the function's file, where its name does not tell the module
    named: str = ""  # what the user wrote, if the function says it less clearly
    ratio: int = 1  # largest number of bytes that it works on for each byte in the file
    rate: str = "conversion.rate"  # the limit of the bytes per second
    # The library's other calls, such as seeks and closes, follow this work, too.
    at_all: bool = False
    of: str = ""  # pattern for the names of the files that it works on, if the library has others
    stack: str = ""  # pattern for the names of the library's functions, the innermost first
    # Bytes of each second, of a library that is asked for large pieces. It must be much slower, and
    # only the time beyond is at stake.
    usual: int = 0
    most: int = 0  # bytes of a read at most: the library asks for more if its caller does
    paused: bool = False  # most reads follow a long gap: the library reads many pieces at once
    is_hint: bool = False  # the program may need this time
    closes: bool = False  # it works on the last piece before it closes the file


_TEXT_OUT, _TEXT_IN = (
    "Writing numbers as text takes much of the run",
    ("Reading numbers from text takes much of the run"),
)
_YAML = "Reading YAML takes much of the run"
_PACKS = "Compressing takes much of the run"
_BINARY = "Write a binary format: nothing is formatted, and the next program need not parse it."
_PARSED = "If the file is read more than once, convert it once to a binary format."
_LEVEL = (
    "Use a low level of compression, if it is not the lowest yet, a faster method (zstd, lz4), or "
    "several threads: the highest levels take several times as long for a few percent of size."
)
_KEPT = "a run that needs few members can leave the others in the archive"
_MEMBER = (
    "with zipfile.ZipFile(path) as archive: data = archive.read(name)  # no other member\n"
    "with tarfile.open(path) as archive: data = archive.extractfile(name).read()"
)
_ONE_MEMBER = Remedy(
    "Read from the archive only the members that the program needs, without files: zip gives each "
    "member by itself; a compressed tar must be decompressed up to the member.",
    _MEMBER,
)
# Streams of Java, the innermost first: a value goes to a compressor without a buffer between. The
# compressor's write of one byte calls its own write of a block.
_VALUE = "(?:Byte|Short|Char|Int|Long|Float|Double|Boolean)"
_EACH_PACKED = (
    rf"(?:Deflater|GZIP|Zip|Jar|Cipher)OutputStream\.write \S*DataOutputStream\.write{_VALUE}s?\b"
    r"|DeflaterOutputStream\.write (?:\S+OutputStream\.write )?\S*DeflaterOutputStream\.write\b"
)
_EACH_UNPACKED = (
    r"(?:Inflater|GZIP|Zip|Jar|Cipher)InputStream\.read (?:\S*DataInputStream\.readFully )?"
    rf"\S*DataInputStream\.read(?:Unsigned)?{_VALUE}\b"
    r"|InflaterInputStream\.read (?:\S+InputStream\.read )?\S*InflaterInputStream\.read\b"
)
_IMAGES = r"(?i).*\.(?:jpe?g|png|tiff?|bmp|webp|jp2|avif|exr)$"
_WAYS = (
    _Way(
        r"numpy\.savetxt", WRITE, "formatted text", _TEXT_OUT, _BINARY,
        "numpy.save(path, array);  numpy.load(path, mmap_mode='r')",
    ),
    _Way(
        r"numpy\.genfromtxt", READ, "parsed text", _TEXT_IN,
        "numpy.genfromtxt is written in Python; numpy.loadtxt (of NumPy 1.23 and later) and "
        f"pandas.read_csv parse several times as fast. {_PARSED}",
        "numpy.loadtxt(path, delimiter=',')\nnumpy.save(path, array)  # once;  numpy.load(path)",
    ),
    _Way(
        r"numpy\.(?:loadtxt|fromregex)", READ, "parsed text", _TEXT_IN, _PARSED,
        "numpy.save(path, array)  # once;  numpy.load(path)",
    ),
    _Way(
        r"(?:pandas|polars)\..*to_(?:csv|string|json|html|xml)|polars\..*write_csv", WRITE,
        "formatted text", _TEXT_OUT, _BINARY, "frame.to_parquet(path);  pandas.read_parquet(path)",
    ),
    _Way(
        r"pandas\.(?:read_fwf|FixedWidth)", READ, "parsed text", _TEXT_IN, _PARSED,
        "frame.to_parquet(path)  # once;  pandas.read_parquet(path, columns=[...])",
    ),
    _Way(
        r"pandas\.PythonParser\.", READ, "parsed text with the parser that is written in Python",
        "pandas reads text with its slow parser",
        "Let pandas use its parser in C: a separator of one character, with skipinitialspace=True "
        "for blanks after it, or sep=r'\\s+' for blanks alone; no regular expression, no sep=None, "
        "no skipfooter.",
        "pandas.read_csv(path, sep=',', skipinitialspace=True, engine='c')\n"
        "frame.to_parquet(path)  # once;  pandas.read_parquet(path, columns=[...])",
        saves="the parser in C is several times as fast",
        is_inner=True,
    ),
    _Way(
        r"pandas\.TextFileReader\.__next__", READ, "gave a table in small pieces",
        "pandas reads a table in small pieces",
        "Ask for more rows at once, or for the whole table if it fits into memory.",
        "for part in pandas.read_csv(path, chunksize=200_000): ...\n"
        "table = pandas.read_csv(path)",
        " pandas makes a table of each piece, which takes a millisecond even of a few rows. What "
        "the program does with each piece is in this time, too; the log does not separate the two.",
        saves="larger pieces save most of it", named="pandas.read_csv with chunksize",
        usual=48 << 20, paused=True, is_hint=True,
    ),
    _Way(
        r"zipfile\.ZipExtFile\.(?:read|readinto|readlines?|peek|__next__)$", READ,
        "gave a member of an archive in small pieces",
        "A member of a zip file is read in small pieces",
        "Read the member whole and take the pieces from memory, or put a buffer between.",
        "data = archive.read(name)  # then struct.iter_unpack, numpy.frombuffer\n"
        "file = io.BufferedReader(archive.open(name), 1 << 20)  # then file.read(16)",
        " The zipfile module is written in Python, and works for each call, however few bytes it "
        "returns. What the program does with each piece is in this time, too; the log does not "
        "separate the two.",
        saves="a buffer in memory saves most of it",
        rate="conversion.compiled", usual=64 << 20, most=4096, is_hint=True,
    ),
    _Way(
        r"email\.(?:message_from_(?:binary_)?file|(?:Bytes)?Parser\.parse)$", READ,
        "parsed whole mails", "Whole mails are parsed",
        "If only headers are needed, read each mail up to its first empty line, and parse these "
        "lines alone.",
        "lines = itertools.takewhile(bytes.strip, file)  # up to the first empty line\n"
        "mail = email.message_from_bytes(b''.join(lines))",
        " If the program uses the bodies, too, it needs this time.",
        saves="the headers alone take a small part of it",
        rate="conversion.compiled", stack=r"^(?!.*HeaderParser)", is_hint=True,
    ),
    _Way(
        r"pandas\.read_(?:csv|table|json|xml|html)", READ, "parsed text", _TEXT_IN, _PARSED,
        "pandas.read_csv(path, engine='pyarrow')  # several threads\n"
        "frame.to_parquet(path)  # once;  pandas.read_parquet(path, columns=[...])",
        closes=True,
    ),
    _Way(
        r"json\.dump", WRITE, "formatted JSON", "Writing JSON takes much of the run",
        "json.dump formats each piece in Python; json.dumps formats all of it in C and is several "
        "times as fast. Or write a binary format.",
        "file.write(json.dumps(data))",
    ),
    _Way(
        r"(?:yaml|ruamel)\.(?:\w+\.)*Reader\.", READ, "parsed YAML", _YAML,
        "This loader of PyYAML or ruamel.yaml is written in Python; the loader in C is several "
        "times as fast. If a program wrote the file, JSON is parsed a hundred times as fast.",
        "yaml.load(file, Loader=yaml.CSafeLoader)\n"
        "json.load(file)  # of a file that json.dump wrote",
        after=True,
    ),
    _Way(
        r"(?:yaml|ruamel)\.", READ, "parsed YAML", _YAML,
        "If a program wrote the file, JSON is parsed many times as fast.",
        "json.load(file)  # of a file that json.dump wrote", after=True,
    ),
    _Way(
        r"(?:tomllib|tomli|toml|tomlkit|configparser|plistlib)\.", READ, "parsed text",
        "Reading settings as text takes much of the run",
        "This parser is written in Python. If a program wrote the file, JSON is parsed many times "
        "as fast.",
        "json.load(file)  # of a file that json.dump wrote",
        after=True,
    ),
    _Way(
        r"(?:json|simplejson)\.", READ, "parsed JSON", "Reading JSON takes much of the run",
        "orjson parses JSON several times as fast as json. If the file is read more than once, "
        "convert it once to a binary format.",
        "orjson.loads(file.read())\nnumpy.save(path, array)  # once;  numpy.load(path)",
        after=True,
    ),
    _Way(
        r"csv\.", WRITE, "formatted text", _TEXT_OUT, _BINARY,
        "numpy.save(path, array);  frame.to_parquet(path)",
    ),
    _Way(
        UNPACKS.pattern, WRITE, _UNPACKED, "Unpacking an archive takes much of the run",
        "If the program needs only some members, take only these from the archive. If each run "
        "unpacks the same archive, unpack it once and keep the files.",
        _MEMBER, saves=_KEPT,
    ),
    _Way(
        r"(?:gzip|zlib|bz2|lzma|zipfile|tarfile)\.", WRITE, _PACKED, _PACKS, _LEVEL,
        "gzip.open(path, 'wb', compresslevel=1);  lzma.open(path, 'wb', preset=0)", ratio=_RATIO,
    ),
    _Way(
        r"(?:libz|libbz2|liblzma)\.so", WRITE, _PACKED, _PACKS, _LEVEL,
        'gzopen(path, "wb1");  ZSTD_c_nbWorkers of libzstd', ratio=_RATIO,
    ),
    *(
        _Way(
            r"pickle\._(?:Unp|P)ickler\.", kind, does, title,
            "This pickler is written in Python, as that of dill is; those of the modules pickle "
            "and cloudpickle are written in C and several times as fast.",
            "pickle.dump(data, file, pickle.HIGHEST_PROTOCOL);  pickle.load(file)",
            saves="the pickler in C saves most of it", is_inner=True,
        )
        for kind, does, title in (
            (READ, "read a pickle", "Reading a pickle takes much of the run"),
            (WRITE, "made a pickle", "Making a pickle takes much of the run"),
        )
    ),
    _Way(
        r"openpyxl\.|xlrd\.|odf\.", READ, "parsed a workbook",
        "Reading a workbook takes much of the run",
        "This parser is written in Python; calamine is written in Rust and several times as fast. "
        "If the workbook is read more than once, convert it once to a table.",
        "pandas.read_excel(path, engine='calamine')  # package python-calamine\n"
        "frame.to_parquet(path)  # once;  pandas.read_parquet(path)",
        is_inner=True, ratio=_RATIO,
    ),
    _Way(
        r"xml\.", READ, "built a document of Python objects",
        "A parser of XML in Python takes much of the run",
        "Take the few elements that are needed from xml.etree.ElementTree.iterparse, which is "
        "written in C, and clear each; it is several times as fast as xml.dom.",
        "for _, item in xml.etree.ElementTree.iterparse(path): ...; item.clear()\n"
        "root = xml.etree.ElementTree.parse(path).getroot()",
        saves="a parser in C saves most of it", named="xml.dom", file=r".*/xml/dom/\w+\.py$",
    ),
    *(
        _Way(
            function, READ, "decoded images", "Decoding images takes much of the run",
            f"If the program uses the images at a smaller size, let the decoder make them smaller: "
            f"{smaller} decodes a JPEG at a half, a quarter or an eighth of its size. If the "
            "program decodes the same images again, in each epoch or run, keep the decoded arrays "
            "in a file.",
            f"{example}\nnumpy.save(path, array)  # once;  numpy.load(path, mmap_mode='r')",
            saves="decoding at a smaller size, or only once, can save most of it",
            named=named, at_all=not named, of=_IMAGES if named else "", stack=stack,
        )
        for function, named, stack, smaller, example in (
            (  # thumbnail() decodes at a smaller size already
                r"PIL\.ImageFile\.(?:\w+\.)?load$", "",
                r"^(?!.*PIL\.Image\.(?:\w+\.)?thumbnail)",
                "draft() before load(), which thumbnail() calls,",
                "im.draft('RGB', (256, 256)); im.load()  # JPEG: no smaller than this size\n"
                "im.thumbnail((128, 128))  # without load() or convert() before it",
            ),
            (
                r"cv2$", "cv2.imread", "", "IMREAD_REDUCED_COLOR_2, 4 or 8",
                "cv2.imread(path, cv2.IMREAD_REDUCED_COLOR_4)",
            ),
        )
    ),
    *(
        _Way(
            rf"(?:java\.io\.)?Object{stream}\.(?:{verb}|default|{inner})", kind, does, title,
            "Java's serialization describes the class of the objects in the file, again after each "
            "reset(), and writes a header for each object. Move the bare fields through a "
            f"Data{stream} with a buffer, or at least do not call reset() for each object.",
            f"{stream} file = new Buffered{stream}(new File{stream}(path));\n"
            f"Data{stream} {name} = new Data{stream}(file);\n{example}",
            " This time may also contain what the program does with each object; the log does not "
            "separate the two.",
            saves="a stream of the bare fields saves most of it",
            named=f"Object{stream}.{verb}", rate="conversion.compiled", at_all=kind == READ,
        )
        for stream, verb, inner, kind, does, title, name, example in (
            (
                "InputStream", "readObject", "readOrdinaryObject|readUnshared", READ,
                "read objects", "Reading serialized objects takes much of the run",
                "in", "item.price = in.readDouble();",
            ),
            (
                "OutputStream", "writeObject", "writeOrdinaryObject|writeUnshared", WRITE,
                "serialized objects", "Serializing objects takes much of the run",
                "out", "out.writeDouble(item.price);",
            ),
        )
    ),
    *(
        _Way(
            rf"(?:java\.io\.)?Data{stream}\.{verb}|(?:java\.util\.zip\.)?\w+{stream}\.{verb}", kind,
            f"called {what} for each value alone",
            f"A stream of Java calls {what} for each value alone",
            f"Put a Buffered{stream} between the compressing stream and the program: a call of the "
            "compressor costs much more than the few bytes that it gets. A buffer on the other "
            "side of the compressor, next to the file, does not help.",
            example,
            " This time may also contain what the program computes for each value; the log does "
            "not separate the two.",
            saves=f"a Buffered{stream} saves most of it", is_inner=True, ratio=_RATIO,
            stack=stack, is_hint=True,
        )
        for stream, verb, kind, what, stack, example in (
            (
                "OutputStream", "write", WRITE, "the compressor", _EACH_PACKED,
                "OutputStream packed = new GZIPOutputStream(new FileOutputStream(path), 65536);\n"
                "DataOutputStream out =\n"
                "    new DataOutputStream(new BufferedOutputStream(packed, 65536));",
            ),
            (
                "InputStream", "read", READ, "the decompressor", _EACH_UNPACKED,
                "InputStream packed = new GZIPInputStream(new FileInputStream(path), 65536);\n"
                "DataInputStream in = new DataInputStream(new BufferedInputStream(packed, 65536));",
            ),
        )
    ),
    _Way(
        r"codecs\.Stream(?:Reader|Recoder)", READ, "decoded text and split it in Python",
        "Text is read through codecs.open",
        "open() with an encoding decodes and splits lines in C, several times as fast as "
        "codecs.open, which does both in Python.",
        "open(path, encoding='utf-8')  # in place of codecs.open(path, 'r', 'utf-8')",
        " This time may also contain what the program does with each line; the log does not "
        "separate the two.",
        saves="open() saves most of what codecs.open takes", named="codecs.open",
        rate="conversion.codecs",
    ),
)  # fmt: skip
_OF_COMPILED = (
    " This time may also contain what the program computes for each number; the log does not "
    "separate the two."
)
# Libraries of compiled languages that convert numbers between their own I/O calls: a pattern for
# the name of the shared object, and the name in a sentence.
_LIBRARIES = (("libstdc++.so", "the streams of C++"), ("libgfortran.so", "the I/O of Fortran"))
_COMPILED = {
    WRITE: _Way(
        "", WRITE, "formatted text", _TEXT_OUT, _BINARY,
        "C++: out.write(reinterpret_cast<const char *>(values.data()), bytes)\n"
        "C++: end = std::to_chars(at, end, value).ptr;  // several times as fast as <<\n"
        "Fortran: open(newunit=unit, file=path, form='unformatted', access='stream')",
        _OF_COMPILED,
    ),
    READ: _Way(
        "", READ, "parsed text", _TEXT_IN,
        "Formatted reads of C++ and Fortran take several times as long as other parsers, and a "
        "std::stringstream or a std::regex for each line takes more than the numbers in it. If the "
        "file is read more than once, convert it once to a binary format.",
        "C++: in.read(reinterpret_cast<char *>(values.data()), bytes)  // of a binary file\n"
        "C++: std::from_chars(at, end, value)  // several times as fast as >>\n"
        "Fortran: open(newunit=unit, file=path, form='unformatted', access='stream')",
        _OF_COMPILED,
    ),
}  # fmt: skip
_FORMATTED = 8192  # bytes of the buffer of formatted units in libgfortran
_NUMBER = 4  # bytes of the smallest usual number, and of the marks around a record


def _way(facts: Facts, site: Site) -> tuple[_Way, str] | None:
    """Returns the kind of work that the library of a call site does between its calls, and the name
    of the library function; None if no known function made the calls, or for imports."""
    if site.stack.called == IMPORT:
        return None
    # A library may call another one: shutil.copyfileobj writes through gzip.GzipFile.write.
    inside = site.places[: max(0, site.user)] if site.user >= 0 else site.places
    functions = [(name_of(place), place.file) for place in reversed(inside)]
    for way in _WAYS:
        works = _works(facts, way, site, " ".join(name for name, _ in functions[::-1]))
        for function, file in functions if works else ():
            if re.match(way.function, function) and re.match(way.file, file):
                called = library_call(site) if way.after or way.is_inner else ""
                return way, (way.named or called or function).partition("+")[0]
    return None


def _works(facts: Facts, way: _Way, site: Site, stack: str) -> bool:
    """Returns whether the calls of a site are such as this work makes. stack: names of the
    library's functions, the innermost first."""
    sums = site.sums
    reads = sums.calls_of[READ]
    closes = way.closes and sums.calls_of[CLOSE] > 0
    calls = way.at_all or closes or sums.calls_of[way.kind] > 0
    if not calls or not re.search(way.stack, stack):
        return False
    if way.of:
        names = [facts.name(number) for number in sums.files.calls]
        if not names or not all(re.match(way.of, name) for name in names):
            return False
    if way.paused and sums.pauses < _MOSTLY * reads:
        return False
    return way.most == 0 or sums.read <= way.most * reads


def _by_way(facts: Facts, known: Loops) -> dict[_Way, Counter[str]]:
    """Returns, for each kind of work, the library functions that do it, each with its seconds
    between I/O calls. The seconds are limited to the time that converting the moved bytes can
    take."""
    spent: dict[_Way, Counter[str]] = defaultdict(Counter)
    part = long_part(facts)
    _add_compiled(facts, known, spent)
    for loop in known.groups:
        after: dict[_Way, str] = {}
        gaps: dict[tuple[_Way, str], float] = defaultdict(float)
        moved: dict[tuple[_Way, str], int] = defaultdict(int)
        for site in loop.sites:
            if found := _way(facts, site):
                way, function = found
                key = (way, "" if way.after else function)
                gaps[key] += sum(site.sums.gaps[:LONG]) + part * site.sums.gaps[LONG]
                moved[key] += site.sums.written if way.kind == WRITE else site.sums.read
                if way.after:
                    after[way] = function
        for (way, function), gap in gaps.items():
            time = gap
            if way.after:
                most = parsing_of(facts, loop)
                time += parsed_after(facts, loop)
            else:  # the library may have read a small image as it opened it
                read = loop.sums.read if way.at_all else moved[way, function]
                most = read * way.ratio / facts.limits[way.rate]
                if way.usual:
                    needed = moved[way, function] / way.usual
                    time = time - needed if time >= _SLOWER * needed else 0.0
            name = after.get(way, function)
            spent[way][name] += min(time, most) * known.overlap  # type: ignore[assignment]
    return spent


def _library(site: Site) -> str:
    """Returns words for the library of a compiled language (C++ or Fortran) that made the calls of
    a site; `""` if another library or the program itself made them."""
    inside = site.places[: max(0, site.user)]
    name = name_of(inside[-1]) if inside else ""
    return next((called for start, called in _LIBRARIES if name.startswith(start)), "")


def _add_compiled(facts: Facts, known: Loops, spent: dict[_Way, Counter[str]]) -> None:
    """Adds to `spent` the seconds between the calls of libraries of compiled languages (C++,
    Fortran) on text files, by the library in words (_library). They are at most those in which the
    library would work at the rate conversion.compiled. libstdc++ calls fileno before each I/O call,
    so the time is in the gap before fileno. Sites with the same callers are therefore combined."""
    groups: dict[tuple[str, tuple[object, ...]], list[Site]] = defaultdict(list)
    part = long_part(facts)
    for loop in known.groups:
        for site in loop.sites:
            if name := _library(site):
                groups[name, site.stack.frames[1:]].append(site)
    for (name, _), sites in groups.items():
        for kind, way in _COMPILED.items():
            calls = sum(site.sums.calls_of[kind] for site in sites)
            moved = sum(s.sums.written if kind == WRITE else s.sums.read for s in sites)
            long = part * sum(site.sums.gaps[LONG] for site in sites)
            gaps = long + sum(sum(site.sums.gaps[:LONG]) for site in sites)
            if calls and _is_text(facts, name, sites, moved / calls):
                most = moved / facts.limits["conversion.compiled"]
                spent[way][name] += min(gaps, most) * known.overlap  # type: ignore[assignment]


def _is_text(facts: Facts, library: str, sites: Sequence[Site], mean: float) -> bool:
    """Returns whether the files of some call sites of C++ or Fortran are text. This is known from
    their names, or because calls of Fortran move no more than the buffer of a formatted unit, or
    write pieces that no numbers have. library: words for the library, as _library() returns them;
    mean: bytes per call."""
    if library == _LIBRARIES[1][1]:
        files = {one for site in sites for one in site.sums.files.calls}
        if mean <= _FORMATTED or (files and all(_is_formatted(facts, one) for one in files)):
            return True
    names = [facts.name(one) for site in sites for one in site.sums.files.calls]
    return bool(names) and all(map(TEXT.search, names))


def _is_formatted(facts: Facts, record: int) -> bool:
    """Returns whether Fortran wrote a file as text: it gives the text of a long statement to one
    write, whose size is that of its characters. The size of unformatted data is a multiple of the
    size of a number. record: id of the file."""
    posix = facts.table("POSIX")
    place = posix.place(record) if posix is not None else None
    if posix is None or place is None:
        return False
    sizes = [
        (int(posix[f"ACCESS{n}_ACCESS"][place]), int(posix[f"ACCESS{n}_COUNT"][place]))
        for n in (1, 2, 3, 4)
    ]
    large = sum(number for size, number in sizes if size > _FORMATTED)
    odd = sum(number for size, number in sizes if size > _FORMATTED and size % _NUMBER)
    return odd > large / 2


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields a notice for each kind of conversion that takes much of the run and that no finding in
    `others` explains; nothing if there is none. others: findings of the other rules, which must
    therefore run first."""
    known = loops_of(facts)
    if known is None:
        return
    claimed = sum(finding.stake.between for finding in others)
    outside = ledger(facts)[BETWEEN] + ledger(facts)[COMPUTING]
    # Imports are computing, too, but not between these calls.
    outside = max(0.0, outside - importing(facts))
    outside = outside if facts.needed_time < facts.process_time else math.inf
    ways = _by_way(facts, known)
    whole = float(sum(sum(functions.values()) for functions in ways.values()))
    for way, functions in ways.items():
        # The work is processor time outside of calls; the gaps also contain waits for a processor.
        spent = float(sum(functions.values())) * min(1.0, outside / whole if whole > 0 else 1.0)
        packs = _sites_of(facts, known, _PACKED) if way.does == _PACKED else []
        lines = line_by_line(known, packs, outside - spent)
        spent += lines
        stake = facts.stake(0.0, "time between the library's calls", between=spent)
        if claimed >= _HALF * spent or not facts.worth(stake):
            continue
        limits = facts.limits
        least = limits["conversion.share"] if way.kind == WRITE else limits["conversion.reading"]
        if stake.share < least:
            continue
        first, *more = (name for name, _ in functions.most_common())
        finding = Finding(
            f"{NAME}-{'writing' if way.kind == WRITE else 'reading'}",
            way.title,
            f"Between its calls on files, {first}"
            + (f" (and {plural(len(more), 'more function')})" if more else "")
            + f" {way.does} for {seconds(stake.run)} of {seconds(stake.of_run)} "
            f"{stake.without}({share(stake.run, stake.of_run)}). This is processor time, not "
            f"I/O, but {way.saves}."
            f"{way.doubt}",
            NOTICE,
            stake=stake,
            remedy=Remedy(way.remedy, way.example),
            limits=(
                "conversion.share", "conversion.reading", "conversion.rate",
                "conversion.codecs", "conversion.compiled", "stake.seconds",
            ),
            is_hint=way.is_hint,
        )  # fmt: skip
        if way.does == _UNPACKED:
            finding = _of_members(facts, known, finding, spent)
        elif way.does == _PACKED:
            finding = compressed(facts, finding, packs, first, lines)
        yield finding


def _sites_of(facts: Facts, known: Loops, does: str) -> list[Site]:
    """Returns the call sites of a kind of work. does: as in _Way."""
    sites = (site for loop in known.groups for site in loop.sites)
    return [s for s in sites if (found := _way(facts, s)) is not None and found[0].does == does]


def _of_members(facts: Facts, known: Loops, finding: Finding, spent: float) -> Finding:
    """Returns the finding about unpacking with the time that went into files that nobody needed,
    because they were removed without being read. Without many such files, returns it with a
    potential saving of 0: the run may need all files. spent: seconds of unpacking."""
    found = unneeded(facts)
    ours = _sites_of(facts, known, _UNPACKED)
    written = sum(site.sums.written for site in ours)
    named = {number for site in ours for number in site.sums.files.calls}
    if found.bytes < _HALF * written or not named & found.files:
        return replace(finding, stake=facts.stake(0.0, ""))
    part = min(1.0, found.bytes / max(1, written))
    return replace(
        finding,
        title="Files are unpacked that the run removes without reading them",
        sentence=f"{finding.sentence} The run wrote {plural(len(found.files), 'file')} "
        f"({amount(found.bytes)}) that it removed again and never read.",
        stake=facts.stake(0.0, "time of unpacking these files", between=part * spent),
        remedy=_ONE_MEMBER,
        covers=found.files,
        is_hint=True,
    )
