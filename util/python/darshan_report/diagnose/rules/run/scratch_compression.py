"""Files are compressed slowly that the same run reads again and removes."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from ....call_sites.lines import Site
from ....call_sites.measured import WRITE
from ....call_sites.stack import IMPORT
from ....call_sites.told import library_call, name_of
from ....classes import dataclass
from ....measure.processes.processes import Processes
from ....units import amount, plural, seconds
from ...accesses.copies import Renamed, removed_of, renamed_of
from ...accesses.objects import with_files
from ...accesses.unpacked import UNPACKS
from ...facts import Facts
from ...finding import CAUSE, NOTICE, PROBLEM, Evidence, Finding, Remedy, Stake
from ...programs.responsible_programs import users
from ...reached import needs
from ...times import cpu_wait
from ...times.loops import loops_of, processor_time
from ...times.pipes import outside

NAME = "compressed-and-removed"
ROLE = CAUSE
_READ = 0.5  # least part of a file's bytes that is read again
_WROTE = 0.9  # least part of a file that the program which compressed it wrote
_RATIO = 8  # bytes that a library compresses for each byte that it writes, at most
_COMPRESSORS = re.compile(
    r"(?:p|un)?(?:gzip|bzip2|xz|zstd|lz4|zip)|pigz|lbzip2|lzma|lzip|compress|7z[ar]?"
)
_UNPACKS = re.compile(r"\s(?:-\w*[dtl]\w*|--(?:decompress|uncompress|test|list))(?:\s|$)|\s[xlt]\s")
# Programs that send files away: then fewer bytes may be worth the time.
_SENDERS = frozenset(
    ("scp", "sftp", "ssh", "rsync", "rclone", "curl", "wget", "aws", "s3cmd", "gsutil", "nc", "ftp",
     "lftp")
)  # fmt: skip
_STREAMS = re.compile(
    r"(?:gzip|bz2|lzma|zipfile|zstandard|pgzip|isal)\.|IO::Compress|Zlib|numpy\.savez_compressed"
    r"|(?:libz|libbz2|liblzma|libzstd)\.so"
)
_PICTURES = re.compile(r"(?:PIL|imageio|matplotlib|skimage|cv2|png)\.|libpng|libopencv_imgcodecs")
_PICTURE_NAMES = re.compile(r"\.(?:png|webp)$", re.IGNORECASE)
_HDF5 = re.compile(r"h5py\.|libhdf5|netCDF4\.|libnetcdf|tables\.")
_REMEDY = Remedy(
    "Files that live for seconds gain little from compression: write them without it, at the "
    "lowest level, or with a fast method (zstd -1, lz4). The highest levels take several times as "
    "long for a few percent of size. Where both programs run at the same time, a pipe needs no "
    "file.",
    "shell: tar -C from -cf - folder | tar -C to -xf -  # no package\n"
    "shell: gzip -1;  zstd -1;  lz4;  xz -0;  tar --zstd\n"
    "Python: gzip.open(path, 'wb', compresslevel=1);  lzma.open(path, 'wb', preset=0)\n"
    "Python: image.save(path, compress_level=1)  # of PNG; or .bmp, .tif; not optimize=True\n"
    "Python: numpy.save(path, array)  # not savez_compressed\n"
    "Python: file.create_dataset(name, data=array)  # of h5py, without compression=\n"
    "Perl: IO::Compress::Gzip->new($path, -Level => 1)\n"
    "R: saveRDS(data, path, compress = FALSE)\n"
    'C: gzopen(path, "wb1");  png_set_compression_level(png, 1)\n'
    "Java: new Deflater(1);  new GZIPOutputStream(out) {{ def.setLevel(1); }}\n"
    "Node: zlib.createGzip({level: 1})\n"
    "Ruby: Zlib::GzipWriter.open(path, 1)",
)


@dataclass(frozen=True)
class _Packed:
    """The compression of files that the run reads again and removes: their ids, the seconds of the
    compression, the program or library that did it, and whether all of these seconds are certainly
    compression."""

    files: frozenset[int]
    seconds: float  # in which it worked, or waited for a processor
    by: str  # the program or the library
    is_certain: bool  # all of the time is compression


@needs("POSIX", "POSIX_EXT")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if programs such as gzip, or a hint if libraries, took much of the run to
    compress files that were read again and removed; otherwise nothing."""
    scratch = _scratch(facts)
    extra = facts.table("POSIX_EXT")
    if not scratch or extra is None:
        return
    found = _by_programs(facts, scratch) or _by_libraries(facts, scratch)
    if found is None:
        return
    written = sum(scratch[number].sums.written for number in found.files)
    lost = found.seconds - written / facts.limits["scratch.rate"]
    stake = _stake(facts, lost, found)
    least = facts.limits["scratch.share"]
    if lost < facts.limits["stake.seconds"] or stake.run < least * stake.of_run:
        return
    first = max(found.files, key=lambda number: scratch[number].sums.written)
    name = facts.own_name(first)
    more = f" and {plural(len(found.files) - 1, 'more file')}" if len(found.files) > 1 else ""
    files = f"{name}{more}, {amount(written)}{' in total' if more else ''}"
    them = "them" if len(found.files) > 1 else "it"
    sentence = (
        f"{found.by} worked for {seconds(found.seconds)} to write {files}."
        if found.is_certain
        else f"{found.by} wrote {files}, and compresses. Before its writes lay "
        f"{seconds(found.seconds)}; this time may contain what the program computes for each piece."
    )
    yield Finding(
        NAME,
        "Files are compressed that live only in this run",
        f"{sentence} The run read {them} again and removed {them}. The log does not have the level "
        "of compression.",
        PROBLEM if found.is_certain else NOTICE,
        stake,
        _evidence(facts, first),
        _REMEDY,
        limits=("scratch.share", "scratch.rate"),
        covers=found.files,
        programs=found.by if facts.tree is not None else "",
        is_hint=not found.is_certain,
    )


def _stake(facts: Facts, lost: float, found: _Packed) -> Stake:
    """Returns the potential saving. For programs of a script, which waits for them, it is a part of
    the run's time; for libraries, time between calls. lost: seconds of the compression beyond those
    of a low level."""
    basis = "time of the compression beyond what a low level takes"
    if not found.is_certain:
        return facts.stake(0.0, basis, between=lost)
    run = min(lost, facts.run_time)
    return Stake(run, facts.run_time, basis=basis, run=run, of_run=facts.run_time, between=run)


def _evidence(facts: Facts, number: int) -> tuple[Evidence, ...]:
    """Returns the bytes of a file as evidence; () if POSIX has no record of it. number: id of the
    file."""
    posix = facts.table("POSIX")
    place = None if posix is None else posix.place(number)
    if posix is None or place is None:
        return ()
    return facts.rows(posix, place, "BYTES_WRITTEN", "BYTES_READ")


def _scratch(facts: Facts) -> dict[int, Renamed]:
    """Returns the files that the run wrote, read again and removed, by the ids of their last names.
    The last name matters because zip writes under a temporary name."""
    extra = facts.table("POSIX_EXT")
    gone = {} if extra is None else removed_of(extra)
    files = renamed_of(facts, placed=False) if gone else {}
    return {
        number: one
        for number, one in files.items()
        if number in gone and one.sums.written > 0
        if one.sums.read >= _READ * one.sums.written
    }


def _packers(tree: Processes) -> list[int]:
    """Returns the indices of the processes in the tree that run a program that compresses."""
    return [
        place
        for place, program in enumerate(tree.programs)
        if _COMPRESSORS.fullmatch(program.name)
        and not program.name.startswith("un")
        and not _UNPACKS.search(tree.commands[place])
    ]


def _users(facts: Facts, records: list[int]) -> set[int]:
    """Returns the indices of the processes in the tree that used at least one of these files.
    records: ids of the files."""
    found = set[int]()
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        for number in records if table is not None else ():
            if table is not None and table.place(number) is not None:
                found.update(users(facts, table, number).tolist())
    return found


def _by_programs(facts: Facts, scratch: dict[int, Renamed]) -> _Packed | None:
    """Returns the compression by programs such as gzip; None if no such program compressed a
    scratch file. scratch: files that are read again and removed, by id."""
    tree, known = facts.tree, outside(facts)
    packers = [] if tree is None else _packers(tree)
    if tree is None or known is None or not packers:
        return None
    if _SENDERS.intersection(program.name for program in tree.programs):
        return None
    found, files = set[int](), set[int]()
    for number, one in scratch.items():
        used = _users(facts, one.records)
        # Many processes may have used the file: then its bytes tell the one that wrote it.
        # The file that a compressor only read is larger than what it wrote.
        wrote = {p for p in packers if tree.written[p] >= _WROTE * one.sums.written}
        by = {p for p in wrote if p in used or tree.written[p] == one.sums.written}
        found |= by
        files.update([number] if by else [])
    if not found:
        return None
    places = sorted(found)
    names = Counter(tree.programs[place].name for place in places)
    ran = (known.user + known.system + known.runnable)[places]
    # Processes that ran side by side, or in several threads, cost the run no more than their time.
    part = min(1.0, float(ran.sum()) / max(1e-9, float(tree.lives[places].sum())))
    spent = _union(tree.start[places], tree.end[places]) * part
    by_name = " and ".join(
        name if number == 1 else f"{number:,} {name}" for name, number in names.items()
    )
    return _Packed(frozenset(files), spent, by_name, is_certain=True)


def _union(start: np.ndarray, end: np.ndarray) -> float:
    """Returns the seconds in which at least one of some spans of time ran; overlaps count once.
    start, end: seconds of each span."""
    spent, until = 0.0, 0.0
    for first, last in sorted(zip(start.tolist(), end.tolist())):
        spent += max(0.0, last - max(first, until))
        until = max(until, last)
    return spent


def _library(facts: Facts, site: Site, files: set[int], filtered: frozenset[int]) -> str:
    """Returns the name of the library function that compresses the files of a call site; `""` if
    there is none. files: ids of the site's files; filtered: ids of the HDF5 files with compressed
    datasets."""
    if site.stack.called == IMPORT or not site.sums.calls_of[WRITE] or site.user <= 0:
        return ""
    names = [name_of(place) for place in site.places[: site.user]]
    of_files = [facts.own_name(number) for number in files]
    if any(map(UNPACKS.match, names)):
        return ""
    if any(map(_STREAMS.match, names)):
        found = True
    elif any(map(_PICTURES.match, names)):
        found = all(map(_PICTURE_NAMES.search, of_files))
    else:
        found = any(map(_HDF5.match, names)) and files <= filtered
    return (library_call(site) or names[-1]).partition("+")[0] if found else ""


def _by_libraries(facts: Facts, scratch: dict[int, Renamed]) -> _Packed | None:
    """Returns the compression by libraries, whose time is the time before their writes; None if no
    library compressed a scratch file. scratch: files that are read again and removed, by id."""
    known = loops_of(facts)
    packed = [upper for upper in facts.datasets if upper.counters["FILTERS"] > 0]
    filtered = with_files(facts, packed)
    found, files, spent, written = Counter[str](), set[int](), 0.0, 0.0
    for group in known.groups if known is not None else ():
        for site in group.sites:
            # A site has the names of some of its files only.
            used = {facts.finals.get(int(n), int(n)) for n in site.sums.files.calls}
            function = used and used <= scratch.keys() and _library(facts, site, used, filtered)
            if not function:
                continue
            most = site.sums.written * _RATIO / facts.limits["conversion.rate"]
            time = min(sum(site.sums.gaps), most)
            found[function] += time  # type: ignore[assignment]
            files |= used
            spent, written = spent + time, written + site.sums.written
    if not files or known is None:
        return None
    endings = {os.path.splitext(facts.own_name(number))[1] for number in files}
    alike = {n for n in scratch if os.path.splitext(facts.own_name(n))[1] in endings}
    part = min(1.0, sum(scratch[number].sums.written for number in alike) / max(1.0, written))
    ran, waited = processor_time(facts), cpu_wait.runnable(facts)
    if waited > 0 and ran < float("inf"):  # the time between calls has waits for a processor
        part *= ran / (ran + waited)
    spent = min(spent * known.overlap * part, facts.process_time or spent)
    return _Packed(frozenset(alike), spent, found.most_common(1)[0][0], is_certain=False)
