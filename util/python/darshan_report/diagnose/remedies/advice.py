"""Tables of advice: for each kind of time in I/O, the possible changes, and the counters that show
that a change is possible. A row of a table is one piece of advice with its condition. If no row
applies, the finding states a fact and proposes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...classes import dataclass
from ..finding import Remedy
from .language import BLOCKS, FLUSHES, READ_BUFFER, WRITE_BUFFER

FEW = 100  # calls; fewer of them are not a pattern
_SOME = 10  # fewest opens, or waits for storage, that are worth merging
_AGAIN = 1.5  # bytes moved per byte of a file
_SMALL_FILE = 1 << 20  # bytes
_LARGE_FOLDER = 10_000  # entries
_SEARCH = 20  # queries per file, from which on a program searches for a name
_CHECKPOINT = 16 << 20  # bytes that justify a wait for storage
_ITEM = 16  # bytes of a number or a few characters
_BLOCK = 4096  # bytes per call of a library; larger calls have little left to save


@dataclass(frozen=True)
class Seen:
    """Facts in the log about one kind of calls, on which advice depends."""

    calls: float = 0.0
    moved: float = 0.0  # bytes
    large: bool = False  # transfers are large, or the page cache served them
    again: float = 0.0  # bytes moved per byte of the files
    text: bool = False  # the files are text
    files: float = 0.0
    opens: float = 0.0
    stats: float = 0.0
    seeks: float = 0.0
    lookups: float = 0.0  # look-ups of folders and links, and failed calls on names
    resizes: float = 0.0  # truncations and preallocations of files
    names: float = 0.0  # renames, removals and the like
    renames: float = 0.0  # of these, renames
    together: bool = False  # several processes work on one job
    repeated: float = 0.0  # repeated listings of a folder
    entries: float = 0.0  # entries of listed folders
    items: bool = True  # the program itself decides how many bytes a call moves
    runs: float = 1.0  # processes of the program
    converts: bool = False  # HDF5 converts each value

    @property
    def mean(self) -> float:
        """Mean bytes of a call."""
        return self.moved / max(self.calls, 1.0)


@dataclass(frozen=True)
class Advice:
    """A piece of advice: a clause without a period, and calls that show it."""

    applies: Callable[[Seen], bool]
    words: str
    example: str = ""
    alone: bool = False  # as in Remedy


def remedy(rows: Sequence[Advice], seen: Seen) -> Remedy:
    """Returns the advice that applies; an empty remedy if no advice applies."""
    found = [row for row in rows if row.applies(seen)]
    words = "; ".join(row.words for row in found)
    examples = dict.fromkeys(row.example for row in found if row.example)
    text = f"{words[0].upper()}{words[1:]}." if words else ""
    return Remedy(text, "\n".join(examples), alone=any(row.alone for row in found))


READS = (
    Advice(
        lambda s: not s.large and s.calls >= FEW,
        "read more with each call, and read each byte once",
        f"{READ_BUFFER}\n{BLOCKS}",
    ),
    Advice(
        lambda s: s.large and s.again >= _AGAIN,
        "keep in memory what is read again",
        "Python: data = load(path)  # once, before the loop\n"
        "Python: numpy.load(path, mmap_mode='r')  # reads only the parts that are used",
        alone=True,
    ),
)
WRITES = (
    Advice(
        lambda s: not s.large and s.calls >= FEW,
        "collect data in memory and write them together",
        f"{FLUSHES}\n{WRITE_BUFFER}\n{BLOCKS}",
        alone=True,
    ),
    Advice(
        lambda s: s.large and s.again >= _AGAIN,
        "write less often what is written again",
        alone=True,
    ),
    Advice(
        lambda s: s.text,
        "store numbers as binary, not as text",
        "C: fwrite(values, sizeof *values, count, stream)\n"
        "C++: out.write(reinterpret_cast<const char *>(values), size)\n"
        "Fortran: open(newunit=unit, file=path, form='unformatted', access='stream')\n"
        "Python: numpy.save(path, array);  table.to_parquet(path)",
    ),
)


def _replaces(seen: Seen) -> bool:
    """Returns whether most opens write a new file that then replaces the old one by a rename."""
    return seen.renames >= max(_SOME, seen.opens / 2)


OPENS = (
    Advice(
        lambda s: _replaces(s) and s.moved >= _SMALL_FILE * s.opens,
        "save the state less often: each save writes a new file, and the rename removes the old "
        "one, whose blocks the file system then frees. Keep the new file and the rename, which "
        "leave a whole file after a crash",
    ),
    Advice(
        lambda s: s.opens >= max(2 * s.files, _SOME) and not _replaces(s),
        "open each file once and keep it open",
        "C: one open() before the loop, one close() behind it\n"
        "Python: file = open(path)  # once, before the loop",
        alone=True,
    ),
    Advice(
        lambda s: s.files >= FEW and s.moved < _SMALL_FILE * s.files,
        "store the data of many small files in one file",
        "one archive, HDF5 or SQLite file instead of many small files",
    ),
    Advice(
        lambda s: s.stats >= max(2 * s.files, FEW),
        "query attributes once, not before each use",
        "Python: os.scandir(folder)  # gives types and sizes without a stat for each name",
    ),
    Advice(
        lambda s: s.seeks >= max(2 * s.files, FEW),
        "seek less: no seek is needed to where the file already is, nor within a block that the "
        "program has read into memory, nor for a read or write that takes an offset",
        "C: pread(fd, buffer, size, offset);  pwrite(fd, buffer, size, offset)\n"
        "Python: os.pread(file.fileno(), size, offset)",
    ),
    Advice(
        lambda s: s.names >= FEW and not _replaces(s),
        "create, rename and remove fewer files",
    ),
)


def _searches(seen: Seen) -> bool:
    """Returns whether a program queries many more names than it has files."""
    return seen.stats >= _SEARCH * max(seen.files, FEW)


# The advice for a program that looks up many names. The rule opens-again uses it as well.
SEARCH_ONCE = (
    "look each name up once and remember the result, for example in a set of names from one "
    "listing of the folder; begin a search for the next free number at the last number"
)
SEARCH_EXAMPLE = (
    "C: static int next = 0;  while (access(name(next), F_OK) == 0) next++;\n"
    "C++: std::set<std::string> known;  // filled once by std::filesystem::directory_iterator\n"
    "Python: known = set(os.listdir(folder))  # once;  name in known\n"
    "Perl: my %known = map { $_ => 1 } glob('out/*');  # once;  exists $known{$name}\n"
    "Rust: let known: HashSet<_> = fs::read_dir(folder)?.flatten().collect();  // once\n"
    "Java: Set<Path> known = Files.list(folder).collect(Collectors.toSet());  // once\n"
    "shell: n=$((n + 1))  # a counter, not a search from 1"
)
# For a program that asks files which are there for their times or sizes.
TIMES_EXAMPLE = (
    "C: while ((entry = readdir(dir))) fstatat(dirfd(dir), entry->d_name, &known[n++], 0);  once\n"
    "C++: for (auto &entry : fs::directory_iterator(folder)) known[entry.path()] = "
    "entry.last_write_time();  once\n"
    "Python: times = {e.name: e.stat().st_mtime for e in os.scandir(folder)}  # once\n"
    'Perl: my %times = map { $_ => (stat)[9] } glob("$folder/*");  # once;  $times{$name}\n'
    "Rust: times.insert(entry.file_name(), entry.metadata()?.modified()?);  // once per entry\n"
    "Go: info, err := entry.Info()  // once for each entry of os.ReadDir(folder)\n"
    "Java: for (File f : folder.listFiles()) times.put(f.getName(), f.lastModified());  // once\n"
    "R: known <- file.info(list.files(folder, full.names = TRUE))  # once;  known[name, 'mtime']\n"
    "Julia: times = Dict(name => mtime(joinpath(folder, name)) for name in readdir(folder))\n"
    "Ruby: times = Dir.children(folder).to_h { |n| [n, File.mtime(File.join(folder, n))] }\n"
    "Node: times.set(name, fs.statSync(path.join(folder, name)).mtimeMs)  // once for each name\n"
    "shell: find folder -printf '%T@ %p\\n' > times  # once"
)
METADATA = (
    Advice(
        _searches,
        SEARCH_ONCE,
        f"{SEARCH_EXAMPLE}\n{TIMES_EXAMPLE}",
        alone=True,
    ),
    Advice(
        lambda s: s.opens >= max(2 * s.files, FEW),
        "open files once and keep them open",
        "C: one open() before the loop, one close() behind it\n"
        "Python: file = open(path)  # once, before the loop\n"
        "Perl: open(my $file, '>>', $path);  before the loop, close($file);  after it\n"
        "awk: no close(path) after each line: awk keeps a file open until then\n"
        "shell: done >> out.txt  # after the loop, not >> out.txt after each command in it",
        alone=True,
    ),
    Advice(
        lambda s: s.files >= FEW and s.moved < _SMALL_FILE * s.files and not _searches(s),
        "pack many small objects into one file",
        "one HDF5 file or an archive instead of many files",
    ),
    Advice(
        lambda s: s.stats >= FEW and s.entries >= s.stats / 2,
        "take the type of an entry from the listing (d_type), not by a stat",
        "C: entry->d_type of readdir()\nPython: os.scandir(folder)\nshell: find -printf",
    ),
    Advice(
        lambda s: s.stats >= FEW and s.entries < s.stats / 2 and not _searches(s),
        "query a file once and remember the result",
        "Python: known = os.stat(path)  # before the loop\n"
        "C: struct stat known;  stat(path, &known);  before the loop",
        alone=True,
    ),
    Advice(
        lambda s: s.lookups >= FEW,
        "make each folder once, and remember which folders exist and what names resolve to",
        "C: int folder = open(path, O_DIRECTORY);  before the loop, openat(folder, name, ...)\n"
        "Python: os.makedirs(folder, exist_ok=True)  # before the loop, for each folder once\n"
        "Rust: let root = fs::canonicalize(root)?;  before the loop, root.join(name)\n"
        "shell: mkdir -p one two three  # before the loop",
    ),
    Advice(
        lambda s: s.resizes >= FEW,
        "grow a file in large steps, for example to twice its size, and cut it to its length at "
        "the end",
        "C: if (length > size) ftruncate(fd, size *= 2);  at the end ftruncate(fd, length)\n"
        "C, a mapping: mremap(start, size, 2 * size, MREMAP_MAYMOVE) after that ftruncate()\n"
        "Python: if length > size: size *= 2; file.truncate(size)",
    ),
    Advice(
        lambda s: s.names >= FEW,
        "create, rename, change and remove files once, or keep the data in one file",
        "shell: rm one two three  # all names in one call\n"
        "one archive, HDF5 or SQLite file instead of many files",
    ),
    Advice(
        lambda s: s.together,
        "let one process query and send the result to the others",
        "MPI_Bcast of what rank 0 read",
    ),
    Advice(
        lambda s: (
            max(s.opens, s.stats, s.names, s.lookups, s.resizes) < max(2 * s.files, FEW)
            and s.files < FEW
        ),
        "make fewer calls on names: keep files open, and remember the results of queries",
        "one archive, HDF5 or SQLite file instead of many files",
    ),
)
_LIST = "Python: names = os.listdir(folder)  # once; look names up in the list"
LOOKUPS = (
    Advice(
        lambda s: s.calls >= FEW,
        "look each name up once and remember the result; list a folder once",
        _LIST,
    ),
)
LISTINGS = (
    Advice(
        lambda s: s.repeated > 0 and s.repeated >= 0.1 * s.calls,
        "list each folder once and keep the names",
        _LIST,
    ),
    Advice(lambda s: s.entries >= _LARGE_FOLDER * s.calls, "use more, smaller folders"),
)
SYNCS = (
    Advice(
        lambda s: s.calls >= _SOME and s.mean < _CHECKPOINT,
        "make data durable once for many changes: fewer, larger commits or checkpoints",
        "C: fsync(fd) once for each checkpoint, not for each record\n"
        "Python: os.fsync(file.fileno()) once for each checkpoint, not for each record\n"
        "Java: channel.force(false) once for each checkpoint, not for each record\n"
        "SQL: BEGIN; many INSERTs; COMMIT;",
    ),
)
BUFFERS = (
    Advice(
        lambda s: s.items and s.mean <= _BLOCK,
        "move more with each call: a line, a block or a whole array",
        "C: fread(block, 1, 1 << 20, stream);  fwrite(block, 1, size, stream)\n"
        "Fortran: read(unit) whole_array, in one statement\n"
        "Python: file.read();  file.writelines(lines);  numpy.fromfile(path)",
    ),
    Advice(
        lambda s: not s.items and s.runs > 1,
        "do the work of several calls of the program in one, because it reads its input once "
        "per call",
        "sed: sed -i -e 's/a/b/' -e 's/c/d/' file  # all changes in one call\n"
        "awk: awk 'FNR == 1 { ... } { ... }' one two three  # all files in one call",
    ),
)
HDF5 = (
    Advice(
        lambda s: not s.large,
        "read and write larger selections with each call",
        "Python: values = dataset[...]  # once; then index the array in memory\n"
        "C: H5Dread / H5Dwrite of a hyperslab, not of a point",
    ),
    Advice(
        lambda s: s.opens >= max(2 * s.files, _SOME),
        "keep datasets open",
        "Python: data = file['x']  # once, before the loop\n"
        "C: H5Dopen2 before the loop, H5Dclose behind it",
        alone=True,
    ),
    Advice(
        lambda s: s.converts,
        "use the same datatype in memory as in the file, so that HDF5 converts nothing; if "
        "necessary, convert in your own loop",
        "C: H5Dread(dataset, H5Dget_type(dataset), ...)\n"
        "Python: values = dataset[...]  # without astype(); numpy then has the type of the file",
    ),
)
MPI = (
    Advice(
        lambda s: not s.large,
        "write whole blocks of a shared array with one collective call, at the same time in all "
        "processes",
        "MPI_Type_create_subarray(...);  MPI_File_set_view(...);  MPI_File_write_all(...)",
    ),
)
