"""Replacements for starting many processes, for each started program and each starting program. The
rows of these tables are commands and calls as a user writes them."""

from __future__ import annotations

from .language import of_program

# For a shell: its own syntax for one item, or one call for all items.
_IN_SHELL = {
    "cut": "while IFS=' ' read -r first rest; do ...; done < file\n"
    "cut -d' ' -f1 file  # once for all lines",
    "basename": "name=${path##*/}; name=${name%.txt}",
    "dirname": "folder=${path%/*}",
    "expr": "sum=$((a + b))",
    "bc": "sum=$((a + b))  # or one awk that computes for all lines",
    "tr": "word=${word//[xy]/z}; word=${word^^}  # or tr a-z A-Z < file, once for all lines",
    "sed": "line=${line//old/new}  # or sed 's/old/new/' file, once for all lines",
    "grep": "[[ $line == *word* ]]  # or grep word file, once for all lines",
    "awk": "awk '{ print $1, $2 * 3 }' file  # one awk in place of the loop",
    "wc": "length=${#text}  # or wc -l folder/*.txt, once for all files",
    "cat": "text=$(< file)",
    "date": "printf -v now '%(%s)T' -1",
    "seq": "for i in {1..100}; do ...; done",
    "test": "[[ $a -lt $b ]]",
    "head": "read -r line < file",
    "sleep": "read -r -t 1 <> <(:)",
}
# For Python: a function that replaces the program.
_IN_PYTHON = {
    "basename": "os.path.basename(path)",
    "dirname": "os.path.dirname(path)",
    "cp": "shutil.copyfile(source, target)",
    "mv": "os.replace(source, target)",
    "rm": "os.remove(path)",
    "mkdir": "os.makedirs(path, exist_ok=True)",
    "ls": "os.listdir(folder)",
    "find": "os.walk(folder)",
    "du": "os.scandir(folder)  # entry.stat().st_size",
    "stat": "os.stat(path)",
    "cat": "open(path).read()",
    "head": "with open(path) as file: line = file.readline()",
    "wc": "sum(1 for line in open(path))",
    "grep": "[line for line in open(path) if 'word' in line]",
    "sed": "text.replace('old', 'new')",
    "cut": "line.split()[0]",
    "awk": "line.split()[0]",
    "sort": "sorted(lines)",
    "date": "datetime.datetime.now()",
    "gzip": "gzip.open(path)",
    "gunzip": "gzip.open(path)",
    "zcat": "gzip.open(path)",
    "tar": "tarfile.open(path)",
    "unzip": "zipfile.ZipFile(path)",
    "curl": "urllib.request.urlopen(address)  # one session for all: http.client",
    "hostname": "socket.gethostname()",
    "md5sum": "hashlib.md5(open(path, 'rb').read()).hexdigest()",
    "sha256sum": "hashlib.sha256(open(path, 'rb').read()).hexdigest()",
    "git": "git cat-file --batch  # one process that answers for all objects",
}
_PYTHON_LIKE = {
    "Python": "a function of Python's library",
    "Perl": "a function of Perl",
    "Ruby": "a function of Ruby",
    "R": "a function of R",
}


def for_items(starter: str, command: str, program: str, *, shell: bool) -> tuple[str, str]:
    """Returns advice for a program that starts a process for each item: text and an example.
    starter: name of the starting program; command: its command line; shell: whether it is a
    shell."""
    if shell:
        return (
            f"Let one call of {program} (or one awk) work on all lines or items, in place of the "
            "loop; for a single value use the shell's own syntax, which starts no process.",
            _IN_SHELL.get(program, f"{program} < file  # once for all lines, not in a loop"),
        )
    language = of_program(command.partition(" ")[0])
    one = f"subprocess.run(['{program}', *all_items])  # once, if the program takes many"
    if language == "Python":
        known = _IN_PYTHON.get(program, "")
        return (
            "Call a function of Python's library in place of the program, or give all items to "
            "one process.",
            f"{known}\n{one}" if known else one,
        )
    instead = _PYTHON_LIKE.get(language, "a function of a library")
    return (
        f"Call {instead} in place of {program}, or let {starter} start it once for all items.",
        f"{program} ITEM1 ITEM2 ...  # once, if the program takes many",
    )


def for_scripts(program: str) -> tuple[str, str]:
    """Returns advice for starting a Python script for each item or file: text and an example."""
    return (
        f"Let one process of {program} work on all items or files: it starts and imports once.",
        "Python: for item in sys.argv[1:]: work(item)  # all items in one process\n"
        f"shell: python {program} ITEM1 ITEM2 ...  # once, not in a loop",
    )


def for_files(starter: str, program: str, *, shell: bool) -> str:
    """Returns a command that lets one process of `program` read many files, as the user would write
    it for `starter` (find, xargs, parallel) or a shell."""
    if starter == "find":
        return f"find folder -name '*.txt' -exec {program} {{}} +  # not \\;"
    if starter == "xargs":
        return f"xargs {program}  # without -n 1, -L 1 and -I"
    if starter == "parallel":
        return f"parallel -X {program}  # many files for each process"
    if shell:
        return (
            f"{program} folder/*.txt  # once, not in a loop\n"
            f"find folder -name '*.txt' -print0 | xargs -0 {program}  # if there are too many"
        )
    return f"{program} FILE1 FILE2 ...  # once for all files"


def how(starter: str, *, shell: bool) -> str:
    """Returns the subject of a sentence that names what starts the processes: "find -exec", "A loop
    in bash", or the program `starter`. shell: whether the starter is a shell."""
    if starter == "find":
        return "find -exec"
    return f"A loop in {starter}" if shell else starter
