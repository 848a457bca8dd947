"""Other libraries and programs that define functions of the C library.

The runtime must call libc's own functions for its own purposes. A preloaded library or the program
defines one function incorrectly. If the program survives this without the runtime, it must survive
with the runtime, and the runtime must write its log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.environment import instrumented, preload
from lab.log import read_logs
from lab.watch import Outcome, run
from left import left_in
from sample import turning

RUNTIME = Path(__file__).parents[2] / "runtime"
ROW = re.compile(r"^STRAIGHT(?:_AS)?\((\w+)", re.M)
NAMES = ROW.findall((RUNTIME / "libc/glibc/libc-calls.def").read_text())
# Former versions of the runtime called these for patterns in settings.
NAMES += ["regcomp", "regexec", "regfree"]

# Makes recorded calls, in a process and its child; none of them is a function that is defined
# badly.
PROGRAM = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  struct stat st;
  char text[8];
  int status, fd = open("out", O_CREAT | O_RDWR, 0644);
  if (fd < 0 || write(fd, "abc", 3) != 3 || pread(fd, text, 3, 0) != 3 || fstat(fd, &st)) return 1;
  if (close(fd) || access("missing", F_OK) != -1 || rename("out", "moved")) return 2;
  FILE *file = fopen("stream", "w");
  if (!file || fputs("hello", file) < 0 || fseek(file, 0, SEEK_SET) || fclose(file)) return 3;
  if (stat("kept.skip", &st) != -1) return 4;
  fd = open("kept.skip", O_CREAT | O_WRONLY, 0644);
  if (fd < 0 || write(fd, "1234567", 7) != 7 || close(fd)) return 5;
  pid_t child = fork();
  if (child == 0) {
    fd = open("child", O_CREAT | O_WRONLY, 0644);
    _exit(fd < 0 || write(fd, "12345", 5) != 5);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status) return 6;
  if (write(1, "fine\n", 5) != 5) return 7;
  return 9;
}
"""

# Defines one function of libc in a library, for any arguments, because the jump preserves them.
STRANGER = r"""
#include <dlfcn.h>
#include <stdio.h>
#define TEXT(name) TEXT_OF(name)
#define TEXT_OF(name) #name
void *stranger_next;
#ifdef __x86_64__
#define MODE_ERROR "endbr64\n mov $-1, %rax\n ret\n"
#define MODE_NOTHING "endbr64\n xor %eax, %eax\n ret\n"
#define MODE_RECURSION "endbr64\n sub $8, %rsp\n call 1b\n add $8, %rsp\n ret\n"
#define MODE_NOT_READY "endbr64\n mov stranger_next@GOTPCREL(%rip), %r11\n" \
  "mov (%r11), %r11\n test %r11, %r11\n jne 2f\n ud2\n2: jmp *%r11\n"
#else
#define MODE_ERROR "hint 34\n mov x0, -1\n ret\n"
#define MODE_NOTHING "hint 34\n mov x0, 0\n ret\n"
#define MODE_RECURSION "hint 34\n stp x29, x30, [sp, -16]!\n bl 1b\n ldp x29, x30, [sp], 16\n ret\n"
#define MODE_NOT_READY "hint 34\n adrp x16, :got:stranger_next\n" \
  "ldr x16, [x16, :got_lo12:stranger_next]\n" \
  "ldr x16, [x16]\n cbnz x16, 2f\n udf 0\n2: br x16\n"
#endif
__asm__(".text\n.globl " TEXT(NAME) "\n.type " TEXT(NAME) ",%function\n"
        TEXT(NAME) ":\n1: " MODE ".size " TEXT(NAME) ",.-" TEXT(NAME));
#ifdef HAS_CONSTRUCTOR
extern void *dlsym(void *, const char *), *dlvsym(void *, const char *, const char *);
__attribute__((constructor)) static void begin(void) {
  void *next = FIND;
  stranger_next = next;
}
#endif
"""
MODES = ("ERROR", "NOTHING", "RECURSION", "NOT_READY")
PLACES = ("before", "after", "program")


def stranger(folder: Path, name: str, mode: str) -> tuple[Path, Path]:
    """Compiles a library that defines the function `name` incorrectly. mode: one of MODES: it
    returns -1, returns 0, calls itself without end, or crashes until its library is initialized.
    Returns the paths of its object file and of the library."""
    source = folder / "stranger.c"
    if not source.exists():
        source.write_text(STRANGER)
    find = f'dlsym(RTLD_NEXT, "{name}")'
    if name == "dlsym":
        versions = ("GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17")
        find = " ?: ".join(f'dlvsym(RTLD_NEXT, "dlsym", "{version}")' for version in versions)
    flags = [f"-DNAME={name}", f"-DMODE=MODE_{mode}", f"-DFIND={find}"]
    flags += ["-DHAS_CONSTRUCTOR"] if mode == "NOT_READY" else []
    first = ["gcc", "-O1", "-w", "-D_GNU_SOURCE", "-fPIC", "-fno-builtin", *flags, "-c"]
    made = compile_c(folder, source, name=f"{name}-{mode}.o", first=first)
    library = compile_c(folder, made, name=f"{name}-{mode}.so", first=["gcc", "-shared"])
    return made, library


class Bench:
    """Runs the program with one hostile library after the other."""

    def __init__(self, build: Path, folder: Path) -> None:
        self.build, self.folder = build, folder
        self.runtime = build / "libdarshan.so"
        self.program = compile_c(folder, PROGRAM)
        self.settings = folder / "settings"
        self.settings.write_text("NAME_EXCLUDE \\.skip$,^/no[w-z]here/[[:alnum:]]+ *\n")
        self.count = 0

    def run(self, program: Path, *preloads: Path) -> Outcome:
        """Runs the program in a new folder, with these preloaded libraries. Returns its outcome,
        including its logs."""
        self.count += 1
        work = self.folder / f"work-{self.count}"
        for place in ("work", "logs", "journals"):
            (work / place).mkdir(parents=True)
        environment = instrumented(self.build, work / "logs", work / "journals")
        environment["DARSHAN_CONFIG_PATH"] = str(self.settings)
        outcome = run([program], work / "work", environment | preload(*preloads))
        left_in(work / "journals")  # waits until the log of the run is written
        outcome.logs = sorted((work / "logs").glob("*.darshan"))
        return outcome

    def pairs(self, name: str, mode: str, place: str) -> tuple[Outcome, Outcome]:
        """Runs the program without the runtime, then with it, and returns both outcomes. name,
        mode: the function that is defined incorrectly, and how. place: who defines it: the program,
        or a library that is preloaded before or after the runtime."""
        made, stranger_ = stranger(self.folder, name, mode)
        if place == "program":
            source, link = self.program.with_suffix(".c"), ["gcc", "-rdynamic"]
            name = f"program-{name}-{mode}"
            program = compile_c(self.folder, source, made, name=name, first=link)
            return self.run(program), self.run(program, self.runtime)
        order = [stranger_, self.runtime] if place == "before" else [self.runtime, stranger_]
        return self.run(self.program, stranger_), self.run(self.program, *order)

    def faults(self, name: str, mode: str, place: str) -> Iterator[str]:
        """Yields nothing if the program does not survive such a definition without the runtime.
        Otherwise yields "survives", and a text for each error: the runtime changes exit status or
        output, or the log lacks bytes. Parameters: as of pairs."""
        case = f"{name} {mode} {place}"
        bare, watched = self.pairs(name, mode, place)
        if bare.status != 9:
            return
        yield "survives"
        ends = [(item.status, item.stdout, item.stderr) for item in (bare, watched)]
        if ends[0] != ends[1]:
            yield f"{case}: {ends}"
            return
        watched.log = read_logs(self.build / "darshan-parser", *watched.logs)
        written = {
            file: watched.value(file, "POSIX_BYTES_WRITTEN")
            + watched.value(file, "STDIO_BYTES_WRITTEN")
            for file in ("out", "stream", "child", "kept.skip")
        }
        if written != {"out": 3, "stream": 5, "child": 5, "kept.skip": 0}:
            yield f"{case}: {written}"


# Seen in real libraries: always tested.
KNOWN = [
    ("clock_gettime", "NOT_READY"),
    ("dlsym", "NOT_READY"),
    ("regcomp", "ERROR"),
    ("malloc", "NOT_READY"),
]
CASES = [(name, mode, place) for name in NAMES for mode in MODES for place in PLACES]


def test_one_function_at_a_time(build: Path, tmp_path: Path) -> None:
    """A wrong definition of any function that the runtime needs does not affect the runtime."""
    bench = Bench(build, tmp_path)
    cases = [case for case in CASES if case[:2] in KNOWN]
    cases += turning([case for case in CASES if case[:2] not in KNOWN], 0.2, "strangers")
    said = [word for case in cases for word in bench.faults(*case)]
    faults = [word for word in said if word != "survives"]
    assert not faults, "\n".join(faults[:10])
    # Programs do not survive every definition of functions that libc calls by name (malloc).
    assert len(said) > len(cases) / 2


HOOK = r"""
#include <dlfcn.h>
#include <string.h>
typedef void *function(void *, const char *);
void *dlsym(void *handle, const char *name) {
  static function *real;
  if (!real) real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  if (!real) real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
  return strcmp(name, "frames") == 0 ? NULL : real(handle, name);
}
"""
ASKS = r"""
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  ssize_t (*put)(int, const void *, size_t) = dlsym(RTLD_DEFAULT, "write");
  int fd = open("out", O_CREAT | O_WRONLY, 0644);
  return !put || put(fd, "abc", 3) != 3 || dlsym(RTLD_DEFAULT, "frames");
}
"""


@pytest.mark.parametrize("first", ["hook", "runtime"])
def test_a_hook_of_dlsym(build: Path, first: str, tmp_path: Path) -> None:
    """If another library defines dlsym itself, as overlays of games and GPUs do, a program that
    looks up a function through it gets the runtime's wrapper."""
    (tmp_path / "made").mkdir()
    program = compile_c(tmp_path / "made", ASKS)
    hook = compile_c(tmp_path / "made", HOOK, "-shared", "-fPIC", name="hook.so")
    order = [hook, build / "libdarshan.so"]
    extra = preload(*(order if first == "hook" else reversed(order)))
    bare, watched = both(build, tmp_path, [program], extra=extra)
    assert bare.status == 0 and same_end(bare, watched), watched.stderr
    assert watched.value("out", "POSIX_BYTES_WRITTEN") == 3


@pytest.mark.needs("program:faketime")
def test_faketime(build: Path, tmp_path: Path) -> None:
    """faketime's library initializes itself at its first clock call, which must not be a call of
    the runtime."""
    command = ["faketime", "2008-12-24", "sh", "-c", "/bin/true; date +%Y-%m-%d >out"]
    bare, watched = both(build, tmp_path, command)
    assert bare.status == 0 and same_end(bare, watched), watched.stderr
    for work in (bare.work, watched.work):
        assert (work / "out").read_text() == "2008-12-24\n"
    assert watched.value("out", "POSIX_BYTES_WRITTEN") + watched.value(
        "out", "STDIO_BYTES_WRITTEN"
    ) == len("2008-12-24\n")
