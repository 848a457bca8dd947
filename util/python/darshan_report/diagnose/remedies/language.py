"""The language of a program, if the log shows it, and examples in each language. The name of an
interpreter identifies its language. A compiled program may be in one of several languages; the
examples of all of them are then printed.
"""

from __future__ import annotations

import os
import re

from ...measure.processes.programs import is_named
from ..facts import Facts
from ..programs.sqlite import databases

SQL = "SQL"  # the language of SQLite
# Languages by the name of the program; the first pattern that matches counts.
_PROGRAMS = (
    (r"python[0-9.]*|ipython[0-9]*|jupyter.*|snakemake|pytest", "Python"),
    (r"java[0-9]*|scala|kotlin|spark-submit|groovy", "Java"),
    (r"R|Rscript|rsession", "R"),
    (r"julia", "Julia"),
    (r"octave.*|matlab.*", "Octave"),
    (r"node|nodejs|deno|bun", "Node"),
    (r"perl[0-9.]*", "Perl"),
    (r"ruby[0-9.]*", "Ruby"),
    (r"bash|sh|dash|zsh|ksh|busybox", "shell"),
    (r"[mgn]?awk|original-awk", "awk"),
    (r"g?sed|ssed", "sed"),
    (r"sqlite3", SQL),
    (r"dd", "dd"),
    # Programs whose examples are those of the shell that calls them.
    (
        r"cat|tac|head|tail|wc|nl|od|xxd|hexdump|strings|sort|uniq|cut|paste|join|comm|tr|tee"
        r"|split|csplit|shuf|[ef]?grep|rg|look|column|seq|find|xargs|diff|cmp|patch"
        r"|(?:md5|sha[0-9]+|b2|ck)sum|sum|file|cp|mv|rm|ln|ls|touch|tar|gzip|bzip2|xz|zstd",
        "shell",
    ),
)
COMPILED = ("C", "C++", "Fortran", "Rust", "Go")
_PLACING = frozenset(("C", "C++", "Fortran", "Rust"))  # can align memory
_LABEL = re.compile(r"^(C|C\+\+|Fortran|Rust|Go|[A-Z][a-z]+|R|SQL|shell|awk|sed|dd): ")

# Examples that write records or lines through a buffer.
WRITE_BUFFER = """\
C: static char room[1 << 20];  setvbuf(stream, room, _IOFBF, sizeof room);
C++: std::ofstream out;  out.rdbuf()->pubsetbuf(room, sizeof room);  out.open(path);
Fortran: write(unit) whole_array, in one statement
Rust: let mut out = std::io::BufWriter::with_capacity(1 << 20, file);
Go: out := bufio.NewWriterSize(file, 1 << 20);  defer out.Flush()
Python: open(path, 'w', buffering=1 << 20)
Java: new BufferedOutputStream(new FileOutputStream(path), 1 << 20)
R: con <- file(path, "w") once;  writeLines(all_lines, con)
Julia: buffer = IOBuffer();  print(buffer, ...);  write(file, take!(buffer))
Octave: fprintf (file, format, whole_matrix), once
Node: const out = fs.createWriteStream(path, {highWaterMark: 1 << 20})
Perl: push @lines, $line;  print $file @lines
Ruby: file.write(lines.join)
shell: printf '%s\\n' "${lines[@]}" > file  # once for all lines; or one awk for the whole loop
dd: dd bs=1M iflag=skip_bytes,count_bytes"""
# Examples in which each rank of an MPI job reads, or writes, its own part of a file.
READ_PARTS = """\
C: MPI_File_read_at_all(file, rank * size, part, size, MPI_BYTE, &status)
Fortran: call MPI_File_read_at_all(file, offset, part, count, MPI_DOUBLE_PRECISION, status, ierror)
Python: file = MPI.File.Open(comm, path);  file.Read_at_all(rank * part.nbytes, part)
Python: h5py.File(path, driver='mpio', comm=comm)['data'][first:last]"""
WRITE_PARTS = """\
C: MPI_File_write_at_all(file, rank * size, part, size, MPI_BYTE, &status)
C: H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info) and collective H5Dwrite;  nc_create_par
Fortran: call MPI_File_write_at_all(file, offset, part, count, MPI_DOUBLE_PRECISION, status, ierror)
Python: file.Write_at_all(rank * part.nbytes, part), of MPI.File.Open
Python: h5py.File(path, 'w', driver='mpio', comm=comm)['data'][first:last] = part"""
# Examples that read records or lines through a buffer.
READ_BUFFER = """\
C: static char room[1 << 20];  setvbuf(stream, room, _IOFBF, sizeof room);
C++: std::ifstream in;  in.rdbuf()->pubsetbuf(room, sizeof room);  in.open(path);
Fortran: read(unit) whole_array, in one statement
Rust: let reader = std::io::BufReader::with_capacity(1 << 20, file);
Go: in := bufio.NewReaderSize(file, 1 << 20)
Python: open(path, 'rb', buffering=1 << 20)
Java: new BufferedInputStream(new FileInputStream(path), 1 << 20)
R: lines <- readLines(path);  data.table::fread(path)
Julia: lines = readlines(path);  data = read(path)
Octave: data = fread (file, Inf), once
Node: fs.readFileSync(path);  fs.createReadStream(path, {highWaterMark: 1 << 20})
Perl: local $/;  my $all = <$file>
Ruby: File.read(path);  File.readlines(path)
shell: one awk, sed or grep for the whole file;  mapfile -t lines < file
dd: dd bs=1M iflag=skip_bytes,count_bytes"""
# Calls that read a file once, for programs that read it again and again.
READ_ONCE = """\
C: fread(all, 1, size, stream);  // once, before the loop
C++: std::string all(size, '\\0');  in.read(all.data(), size);  // once, before the loop
Fortran: read(unit, *) whole_array  ! once, before the loop; read(unit) if unformatted
Rust: let all = std::fs::read(path)?;  // once, before the loop
Go: all, err := os.ReadFile(path)  // once, before the loop
Python: data = load(path)  # once, before the loop
Java: byte[] all = Files.readAllBytes(path);  // once, before the loop
R: table <- read.csv(path)  # once, before the loop
Julia: all = read(path)  # once, before the loop
Octave: data = load (path);  % once, before the loop
Node: const all = fs.readFileSync(path);  // once, before the loop
Perl: my @lines = <$file>;  # once, before the loop
Ruby: all = File.read(path)  # once, before the loop
awk: NR == FNR { known[$1] = $2; next }  # the first file is read once, then used
shell: mapfile -t lines < file  # once, before the loop"""
# Calls to avoid, because each causes a separate write for each line.
FLUSHES = """\
C: no fflush(stream) after each line
C++: out << '\\n', not std::endl
Fortran: no flush(unit) after each line
Rust: no flush() and no write_all to the file itself for each line
Python: no flush=True, no file.flush(), no buffering=1
Java: no flush() after each line, no autoflush of PrintWriter
R: no flush(con) after each line, no cat(..., append = TRUE) for each
Julia: no flush(io) after each line
Perl: no $| = 1
awk: no fflush() and no close(path) after each line
sed: no sed -u
shell: printf '%s\\n' "${lines[@]}" > file  # each echo is a write of its own"""
# Examples with larger pieces, for programs that have their own buffers.
BLOCKS = """\
C: read(fd, block, 1 << 20);  write(fd, block, 1 << 20)
Rust: let mut block = vec![0; 1 << 20];  file.read(&mut block)
Go: block := make([]byte, 1 << 20);  file.Read(block)
Python: while block := file.read(1 << 20):
Java: byte[] block = new byte[1 << 20];  in.read(block)
Node: fs.createReadStream(path, {highWaterMark: 1 << 20})
dd: dd bs=1M iflag=skip_bytes,count_bytes"""


def of_libc(example: str) -> str:
    """Returns an example for calls of libc's streams (fopen). Streams of C++ make none: a C++
    program that makes them needs the row of C."""
    return "\n".join(line for line in example.split("\n") if not line.startswith("C++: "))


def of_program(name: str) -> str:
    """Returns the language of an interpreter, by the program's name; empty for a compiled
    program."""
    base = os.path.basename(name)
    for pattern, language in _PROGRAMS:
        if re.fullmatch(pattern, base):
            return language
    return ""


def languages(facts: Facts, programs: str) -> frozenset[str]:
    """Returns the languages in which the finding's programs may be written. programs: as the
    finding names them; empty if it names none: then all programs of the run count."""
    commands = [facts.info.exe]
    if facts.tree is not None:
        pairs = zip(facts.tree.programs, facts.tree.commands)
        # The name decides here: a shell script that is also called R starts R.
        commands = [
            program.name if of_program(program.name) else command
            for program, command in pairs
            if not programs or is_named(program.name, programs)
        ]
    known = {of_program(command.partition(" ")[0]) for command in commands} - {""}
    if known:
        return frozenset(known)
    said = dict(facts.info.metadata).get("language", "")
    return frozenset(word for word in said.split(",") if word in COMPILED) or frozenset(COMPILED)


def places_memory(facts: Facts) -> bool:
    """Returns whether the programs may be in a language that can choose the address of a buffer. An
    interpreter, Java and Go choose it themselves."""
    commands = facts.tree.commands if facts.tree is not None else [facts.info.exe]
    if all(of_program(command.partition(" ")[0]) for command in commands):
        return False
    said = dict(facts.info.metadata).get("language", "")
    return not said or bool(_PLACING & frozenset(said.split(",")))


def spoken(facts: Facts, programs: str, example: str) -> str:
    """Returns an example without the lines of other languages. Labels stay if several languages
    remain, and lines without a label stay. The result is empty if all lines are of other
    languages."""
    lines = example.split("\n")
    labels = [match[1] if (match := _LABEL.match(line)) else "" for line in lines]
    if not any(labels):
        return example
    wanted = languages(facts, programs) | ({SQL} if databases(facts) else set())
    if "C++" in wanted and "C++" not in labels:
        wanted |= {"C"}
    kept = [(label, line) for label, line in zip(labels, lines) if not label or label in wanted]
    if len({label for label, _ in kept if label}) == 1:
        kept = [(label, line.removeprefix(f"{label}: ")) for label, line in kept]
    return "\n".join(line for _, line in kept)
