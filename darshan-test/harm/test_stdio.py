"""Each byte of a stream is counted once, however it passes through stdio."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c

FRAME = """
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <sys/wait.h>
static FILE *in;
int main(int argc, char **argv) {
  in = argc > 1 && strcmp(argv[1], "-") ? fopen(argv[1], "r") : stdin;
  %s
  return 0;
}
"""


def numbers() -> str:
    """Returns integers of all lengths, one per line; the last line has no newline."""
    source = random.Random(8)
    return "\n".join(str(source.randrange(10 ** source.randrange(1, 9))) for _ in range(5000))


def words() -> str:
    """Returns words whose lengths are close to the sizes of buffers, and white space that is longer
    than a buffer."""
    source = random.Random(9)
    sizes = [1, 7, 4000, 4095, 4096, 4097, 8192, 20000]
    text = "".join(
        "w" * source.choice(sizes) + " " * source.choice([1, 2, 5000]) for _ in range(100)
    )
    return text + "w" * 5000


# Code that reads all of `in`.
READERS = {
    "integers": ('int n; while (fscanf(in, "%d", &n) == 1);', numbers),
    "unsigned after ungetc": (
        "unsigned n; int c; while ((c = getc(in)) != EOF) { ungetc(c, in);"
        ' if (fscanf(in, "%u", &n) != 1) break; }',
        numbers,
    ),
    "words": ('static char w[30000]; while (fscanf(in, "%s", w) == 1);', words),
    "words of their own memory": (
        'char *w; while (fscanf(in, "%ms", &w) == 1) free(w);',
        words,
    ),
    "characters": ('char w[3000]; while (fscanf(in, "%3000c", w) == 1);', words),
    "what is skipped": ('static char w[30000]; while (fscanf(in, "%[w]%*[ ]", w) == 1);', words),
    "%n": ('static char w[30000]; int n; while (fscanf(in, "%s%n", w, &n) == 1);', words),
    "after another character": (
        "static char w[30000]; do ungetc('\\n', in); while (fscanf(in, \"%s\", w) == 1);",
        words,
    ),
    "getline": ("char *l = NULL; size_t n = 0; while (getline(&l, &n, in) > 0);", words),
    "fgets": ("static char l[6000]; while (fgets(l, sizeof l, in));", words),
    "fread of items": ("static char l[7000]; while (fread(l, 700, 10, in) == 10);", words),
    "getc_unlocked and ungetc": (
        "int c; while ((c = getc_unlocked(in)) != EOF)"
        " if (c == ' ') { ungetc(c, in); getc_unlocked(in); }",
        words,
    ),
    "wide integers": ('int n; while (fwscanf(in, L"%d", &n) == 1);', numbers),
    "wide lines": ("static wchar_t l[6000]; while (fgetws(l, 6000, in));", words),
}


# Readers for which the call that reaches the end of a pipe may count fewer bytes than it read
# (scan.c has the reason).
NOT_TO_THE_END = ("what is skipped", "wide integers")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("from_pipe", [False, True])
def test_reads(build: Path, tmp_path: Path, reader: str, from_pipe: bool) -> None:
    """The bytes read that are recorded are those of the file or of the pipe, however often stdio
    refills the buffer."""
    code, content = READERS[reader]
    text = content()
    program = compile_c(tmp_path, FRAME % (code + ' printf("%ld\\n", ftell(in));'))

    def setup(work: Path) -> None:
        (work / "in").write_text(text)

    command = ["sh", "-c", f"cat in | {program} -"] if from_pipe else [program, "in"]
    bare, watched = both(build, tmp_path, command, setup)
    assert same_end(bare, watched) and bare.status == 0
    name = "<STDIN>" if from_pipe else "in"
    if from_pipe and reader in NOT_TO_THE_END:
        assert len(text) - 8192 <= watched.value(name, "STDIO_BYTES_READ") <= len(text)
    else:
        assert watched.value(name, "STDIO_BYTES_READ") == len(text)
    if not from_pipe:
        assert watched.value(name, "STDIO_MAX_BYTE_READ") == len(text) - 1
        # neither a call of the runtime nor a descriptor
        assert watched.value(name, "POSIX_READS") == 0


def test_small_pieces_of_a_pipe(build: Path, tmp_path: Path) -> None:
    """All bytes are counted if one scanf call refills the buffer many times with different sizes,
    and reaches the end of the pipe."""
    program = compile_c(
        tmp_path,
        FRAME
        % """
        int fds[2], a, b, n = 0;
        static char w[100];
        pipe(fds);
        if (fork() == 0) {
          for (int i = 0; i < 60; i++) {
            if (write(fds[1], "12 abc 3 de " + i % 12, 1) != 1) _exit(1);
            usleep(300);
          }
          _exit(0);
        }
        close(fds[1]);
        dup2(fds[0], 0);
        while ((b = scanf("%d%99s", &a, w)) > 0) n += b;
        wait(NULL);
        printf("%d\\n", n);
        """,
    )
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched)
    assert watched.value("<STDIN>", "STDIO_BYTES_READ") == 60


def test_scanf_left_by_a_signal(build: Path, tmp_path: Path) -> None:
    """A signal handler leaves a scanf several times by siglongjmp. The bytes that the program then
    reads, more than the buffer holds, are counted."""
    code = """
        static char w[100];
        int fds[2];
        pipe(fds);
        dup2(fds[0], 0);
        signal(SIGALRM, leave);
        for (int i = 0; i < 3; i++)
          if (sigsetjmp(out, 1) == 0) {
            ualarm(20000, 0);
            (void)!scanf("%99s", w);
          }
        write(fds[1], "abc 123 ", 8);
        (void)!scanf("%99s", w);
        printf("%s %ld\\n", w, ftell(stdin));
        for (int i = 0; i < 3000; i++) {
          write(fds[1], "text ", 5);
          (void)!scanf("%99s", w);
        }
        printf("%s\\n", w);
    """
    frame = FRAME.replace(
        "int main",
        "static sigjmp_buf out;\nstatic void leave(int n) { siglongjmp(out, n); }\nint main",
        1,
    )
    program = compile_c(tmp_path, frame % code)
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched) and bare.status == 0
    assert watched.value("<STDIN>", "STDIO_BYTES_READ") == len("abc 123 text") + 5 * 2998 + 1 - 1


WIDE = """
  setlocale(LC_ALL, "C.UTF-8");
  FILE *out = fopen("out", "%s");
  static wchar_t l[1000];
  for (int i = 0; i < 3000; i++) {
    fwprintf(out, L"%%ls %%d\\n", L"d\\u00e9j\\u00e0 vu \\u20ac \\U0001f600", i);
    fputws(L"\\u00fc", out);
    putwc(L'\\u00df', out);
  }
  fclose(out);
  in = fopen("out", "r");
  for (int i = 0; i < 1000; i++) fgetws(l, 1000, in);
  int n;
  while (fwscanf(in, L"%%l[^0-9]%%d", l, &n) > 0) {
    wint_t c = getwc(in);
    if (c != WEOF) ungetwc(c, in);
  }
"""


@pytest.mark.parametrize("mode", ["w", "a", "w+"])
def test_wide(build: Path, tmp_path: Path, mode: str) -> None:
    """Wide characters are counted as the bytes that they have in the file."""
    program = compile_c(tmp_path, FRAME % (WIDE % mode))
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched) and bare.status == 0
    size = (watched.work / "out").stat().st_size
    assert size == (tmp_path / "bare/out").stat().st_size > 80000
    assert watched.value("out", "STDIO_BYTES_WRITTEN") == size
    assert watched.value("out", "STDIO_BYTES_READ") == size


GIVEN = {
    "dup2": 'int fd = open("out", O_CREAT | O_WRONLY, 0600); dup2(fd, 1); close(fd);',
    "dup3": 'int fd = open("out", O_CREAT | O_WRONLY, 0600); dup3(fd, 1, 0); close(fd);',
    "close and open": 'close(1); open("out", O_CREAT | O_WRONLY, 0600);',
    "freopen": 'freopen("out", "w", stdout);',
    "fclose and fopen": 'fclose(stdout); stdout = fopen("out", "w");',
    "fcntl": 'int fd = open("out", O_CREAT | O_WRONLY, 0600); close(1); fcntl(fd, F_DUPFD, 1);',
}


@pytest.mark.parametrize("way", GIVEN)
def test_stdout_given_a_file(build: Path, tmp_path: Path, way: str) -> None:
    """If stdout is redirected to a file, output is recorded for the file that the descriptor refers
    to."""
    code = (
        'printf("first\\n"); fflush(stdout); int saved = dup(1);'
        + GIVEN[way]
        + 'for (int i = 0; i < 1000; i++) printf("line %d\\n", i); fflush(stdout);'
        'dup2(saved, 1); printf("%s", "last"); fflush(stdout);'
    )
    program = compile_c(tmp_path, FRAME % code)
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched) and bare.stdout == b"first\nlast"
    size = (watched.work / "out").stat().st_size
    assert watched.value("out", "STDIO_BYTES_WRITTEN") == size == 8890
    assert watched.value("out", "STDIO_OPENS") == 1
    if way != "fclose and fopen":
        assert watched.value("<STDOUT>", "STDIO_BYTES_WRITTEN") == 10


def test_stream_given_another_file(build: Path, tmp_path: Path) -> None:
    """A program redirects the descriptor of a stream to one file after another by dup2: bytes are
    counted for the file that they are written to."""
    code = """
      FILE *out = fopen("first", "w");
      fprintf(out, "%s", "12345");
      fflush(out);
      for (int i = 0; i < 20; i++) {
        char name[9];
        snprintf(name, sizeof name, "f%d", i);
        int fd = open(name, O_CREAT | O_WRONLY, 0600);
        dup2(fd, fileno(out));
        close(fd);
        for (int j = 0; j <= i; j++) putc_unlocked('x', out);
        fprintf(out, "%s", "y");
        fflush(out);
      }
      fclose(out);
    """
    program = compile_c(tmp_path, FRAME % code)
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched) and bare.status == 0
    assert watched.value("first", "STDIO_BYTES_WRITTEN") == 5
    for i in range(20):
        size = (watched.work / f"f{i}").stat().st_size
        assert watched.value(f"f{i}", "STDIO_BYTES_WRITTEN") == size == i + 2


def some_lines(work: Path) -> None:
    """Creates the input of the programs below."""
    (work / "in").write_text("".join(f"{i * 7919 % 10007} line {i}\n" for i in range(20000)))


PROGRAMS = {
    "sort -o": ["sort", "-o", "out", "in"],
    "awk": ["awk", '{ print $2, $3, $1 > "out" }', "in"],
    "bash": ["bash", "-c", "for i in {1..200}; do echo line $i >> out; done; echo end"],
    "sed": ["sed", "-n", "w out", "in"],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(build: Path, tmp_path: Path, name: str) -> None:
    """The bytes written by third-party programs, according to the record, equal the file's size."""
    bare, watched = both(build, tmp_path, PROGRAMS[name], some_lines)
    assert same_end(bare, watched) and bare.status == 0
    size = (watched.work / "out").stat().st_size
    written = [watched.value("out", f"{module}_BYTES_WRITTEN") for module in ("STDIO", "POSIX")]
    assert max(written) == size > 0
    if name == "bash":
        assert watched.value("<STDOUT>", "STDIO_BYTES_WRITTEN") == 4


# Uses of a stream's descriptor without a call of fileno: the code, and the POSIX bytes of each file
# (other bytes came through the stream).
BY_NUMBER = {
    "freopen and write": ('freopen("a", "w", stdout); write(1, text, 5);', {"a": 5}),
    "freopen and dprintf": ('freopen("a", "w", stdout); dprintf(1, "%s", "hello");', {"a": 5}),
    "close and fopen": ('close(1); fopen("a", "w"); write(1, text, 5);', {"a": 5}),
    "fopen and write": ('FILE *f = fopen("a", "w"); write(3, text, 5);', {"a": 5}),
    "fopen and dup": ('fopen("a", "w"); write(dup(3), text, 5);', {"a": 5}),
    "fopen and dup2": ('fopen("a", "w"); dup2(3, 1); write(1, text, 5);', {"a": 5}),
    "fopen and fcntl": ('fopen("a", "w"); write(fcntl(3, F_DUPFD, 9), text, 5);', {"a": 5}),
    "by number of the call": ('fopen("a", "w"); syscall(SYS_write, 3, text, 5);', {"a": 5}),
    "dup by number of the call": (
        'fopen("a", "w"); write(syscall(SYS_dup, 3), text, 5);',
        {"a": 5},
    ),
    "fdopen of a stream's number": (
        'fopen("a", "w"); FILE *f = fdopen(3, "w"); fputs("123", f); fflush(f); write(3, text, 5);',
        {"a": 5},
    ),
    "sendfile": (
        'FILE *f = fopen("b", "w+"); fwrite(text, 1, 7, f); fflush(f); lseek(3, 0, SEEK_SET);'
        'fopen("a", "w"); sendfile(4, 3, NULL, 7);',
        {"a": 7, "b": 0},
    ),
    "vectors and places": (
        'fopen("a", "w"); struct iovec v[2] = {{text, 3}, {text, 2}}; writev(3, v, 2);'
        "pwrite(3, text, 4, 5);",
        {"a": 9},
    ),
    "child of fork": (
        'fopen("a", "w"); if (fork() == 0) { write(3, text, 5); _exit(0); } wait(NULL);'
        "write(3, text, 2);",
        {"a": 7},
    ),
    "another file at the number": (
        'fopen("a", "w"); close(3); open("b", O_CREAT | O_WRONLY, 0600); write(3, text, 5);',
        {"a": 0, "b": 5},
    ),
    "a socket at the number": (
        'fopen("a", "w"); int s[2]; close(3); socketpair(1, 1, 0, s); write(3, text, 5);',
        {"a": 0},
    ),
    "unseen at the number": (
        'fopen("a", "w"); close(3); FILE *p = popen("cat >/dev/null", "w"); write(3, text, 5);'
        "pclose(p);",
        {"a": 0},
    ),
    "after fclose": (
        'FILE *f = fopen("a", "w"); write(3, text, 5); fclose(f);'
        'fopen("b", "w"); write(3, text, 3);',
        {"a": 5, "b": 3},
    ),
}


@pytest.mark.parametrize("way", BY_NUMBER)
def test_number_of_a_stream(build: Path, tmp_path: Path, way: str) -> None:
    """Bytes are counted for the stream's file even if the program writes to the stream's descriptor
    without having called fileno."""
    code, expected = BY_NUMBER[way]
    includes = "#include <sys/sendfile.h>\n#include <sys/socket.h>\n#include <sys/uio.h>\n"
    includes += "#include <sys/syscall.h>\n"
    source = includes + FRAME % ('static char text[] = "hello, world";' + code)
    program = compile_c(tmp_path, source, "-w")
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched) and bare.status == 0
    for name, size in expected.items():
        assert watched.value(name, "POSIX_BYTES_WRITTEN") == size, name
    streams = 8 - 5 if way.startswith("fdopen") else 0
    assert watched.value("a", "STDIO_BYTES_WRITTEN") == streams
    total = sum(expected.values())
    assert watched.total("POSIX_BYTES_WRITTEN") == total


def test_position_of_a_number(build: Path, tmp_path: Path) -> None:
    """A write to the descriptor of a stream is recorded at the offset after the bytes that the
    stream wrote."""
    code = 'FILE *f = fopen("a", "w"); fputs("1234567", f); fflush(f); write(3, "hello", 5);'
    program = compile_c(tmp_path, FRAME % code, "-w")
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched)
    assert watched.value("a", "POSIX_MAX_BYTE_WRITTEN") == 7 + 5 - 1
    assert watched.value("a", "POSIX_OPENS") == watched.value("a", "POSIX_FILENOS") == 0


def test_old_stream_at_the_number(build: Path, tmp_path: Path) -> None:
    """The bytes of stdout are recorded for the file that its descriptor refers to, even if another
    stream opened that file."""
    code = (
        'close(1); FILE *f = fopen("a", "w"); printf("%s\\n", "hello"); fflush(stdout);'
        'fputs("123", f);'
    )
    program = compile_c(tmp_path, FRAME % code, "-w")
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched)
    assert (watched.work / "a").stat().st_size == 9
    assert watched.value("a", "STDIO_BYTES_WRITTEN") == 9


# Messages of libc on a standard error that is a file; each case exits with status 0.
SAID = {
    "perror": 'perror("text");',
    "perror of a stream in use": 'fputs("1234", stderr); perror("text");',
    "perror at the end": 'int fd = open("a", O_WRONLY | O_APPEND); dup2(fd, 2); perror("text");',
    "psignal": 'psignal(5, "text");',
    "warn": 'warn("%d", 7); fputs("123", stderr); warnx("%g", 1.5);',
    "warn, buffered": 'setvbuf(stderr, NULL, _IOFBF, 4096); warn("%d", 7); fputs("123", stderr);',
    "err": 'atexit(later); err(0, "%d", 7);',
    "errx, appending": 'freopen("a", "a", stderr); errx(0, "%d %g", 7, 1.5);',
    "error": 'printf("%s", "more"); error(0, 5, "%d", 7); error(0, 0, "%s", "");',
    "error ends": 'atexit(later); errno = 5; error_at_line(0, 5, "f", 1, "%m"); exit(0);',
    "error, two streams of a file": 'dup2(2, 1); printf("%s", "more"); error(0, 0, "%d", 7);',
    "error, wide": 'fwide(stderr, 1); error(0, 0, "%d", 7); fputws(L"wide", stderr);',
    "getopt": 'getopt(2, (char *[]){"p", "-q", NULL}, "a");',
    "another thread": "pthread_t t; pthread_create(&t, NULL, talks, NULL);"
    'for (int i = 0; i < 50; i++) warnx("%d", i); pthread_join(t, NULL);',
    "psiginfo": 'siginfo_t s = {.si_signo = 7}; psiginfo(&s, "text"); perror("text");',
    "backtrace": "void *b[9]; backtrace_symbols_fd(b, backtrace(b, 9), 2);",
}
TALK = """
#include <err.h>
#include <errno.h>
#include <error.h>
#include <execinfo.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
static void later(void) { fputs("later", stderr); }
static void *talks(void *nothing) {
  for (int i = 0; i < 50; i++) fputs("other\\n", stderr);
  return NULL;
}
"""


@pytest.mark.parametrize("what", SAID)
def test_what_libc_says(build: Path, tmp_path: Path, what: str) -> None:
    """Each byte of the messages that libc prints itself is counted, even if it is the program's
    last output."""
    source = FRAME.replace("static FILE *in;", "static FILE *in;" + TALK)
    source %= 'freopen("a", "w", stderr);' + SAID[what]
    program = compile_c(tmp_path, source, "-w")
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched) and bare.status == 0
    said = (watched.work / "a").read_bytes()
    assert len(said) > 0
    if what not in ("another thread", "backtrace"):
        assert said == (tmp_path / "bare" / "a").read_bytes()
    counted = sum(watched.value("a", f"{module}_BYTES_WRITTEN") for module in ("STDIO", "POSIX"))
    if what == "another thread":
        # Each of 50 messages may miss, or count twice, one concurrent "other" of the thread.
        assert abs(len(said) - counted) <= 50 * len("other\n")
    else:
        assert counted == len(said)


OWN = """
#include <stdio.h>
#include <stdarg.h>
double error(double a, double b, const char *c) { return a + b + c[0]; }
int warn(int a, int b, int c, int d, int e, int f, int g, double h) {
  return a + b + c + d + e + f + g + (int)h;
}
double work(void) { return error(1.5, 2.5, "0") + warn(1, 2, 3, 4, 5, 6, 7, 8.0); }
"""


@pytest.mark.parametrize("place", ["library", "program"])
def test_functions_of_these_names(build: Path, tmp_path: Path, place: str) -> None:
    """If a program or a library defines its own functions error() and warn(), with other
    parameters, the runtime passes their calls on unchanged."""
    (tmp_path / "own.c").write_text(OWN)
    if place == "library":
        own = compile_c(tmp_path, OWN, "-shared", "-fPIC", "-w", name="libown.so")
    else:
        own = tmp_path / "own.c"
    source = "double work(void);" + FRAME % (
        'freopen("a", "w", stderr); printf("%g\\n", work()); perror("text");'
    )
    program = compile_c(tmp_path, source, "-w", str(own), f"-Wl,-rpath,{tmp_path}")
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched) and bare.stdout == b"88\n"


PARSER = r"""
#include <argp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
static error_t parse(int key, char *value, struct argp_state *state) {
  if (key != 'k') return ARGP_ERR_UNKNOWN;
  FILE *in = fopen("in", "r"), *out = fopen("b", "w");
  for (int i = 0; i < 100000; i++) putc_unlocked('x', out);
  while (fgetpwent(in));
  fprintf(stderr, "%d", 12345);
  return 0;
}
static void later(void) { fputs("later", stderr); }
int main(void) {
  struct argp_option options[] = {{"known", 'k', 0, 0, "known", 0}, {0}};
  struct argp argp = {options, parse, "WORD", "text", NULL, NULL, NULL};
  char *words[] = {"program", "-k", "-u", NULL};
  atexit(later);
  freopen("a", "w", stderr);
  argp_parse(&argp, 3, words, 0, NULL, NULL);
  return 1;
}
"""


def test_program_called_by_libc(build: Path, tmp_path: Path) -> None:
    """argp_parse calls functions of the program, which do all kinds of I/O, print and exit: all
    bytes are counted."""
    program = compile_c(tmp_path, PARSER, "-O2", "-w")
    text = "u:x:7:8:name:/home:/bin/sh\n" * 500
    bare, watched = both(
        build, tmp_path, [program], lambda work: (work / "in").write_text(text) and None
    )
    assert same_end(bare, watched) and bare.status == 64
    assert watched.value("in", "STDIO_BYTES_READ") == len(text)
    assert watched.value("b", "STDIO_BYTES_WRITTEN") == 100000
    assert watched.value("a", "STDIO_BYTES_WRITTEN") == (watched.work / "a").stat().st_size


ALL_FLUSHED = r"""
#include <stdio.h>
#include <unistd.h>
int main(void) {
  FILE *one = fopen("one", "w"), *two = fopen("two", "w");
  for (int i = 0; i < 10000; i++) putc_unlocked('x', one);
  fputs("text", two);
  for (int i = 0; i < 77; i++) putc_unlocked('x', two);
  fflush(NULL);
  for (int i = 0; i < 5; i++) putc_unlocked('x', two);
  fflush(NULL);
  _exit(0);
}
"""


def test_all_streams_are_flushed(build: Path, tmp_path: Path) -> None:
    """Bytes that macros of stdio put into a buffer are counted before a flush moves the buffer's
    pointers."""
    program = compile_c(tmp_path, ALL_FLUSHED, "-O2")
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched)
    assert watched.value("one", "STDIO_BYTES_WRITTEN") == 10000
    assert watched.value("two", "STDIO_BYTES_WRITTEN") == 4 + 77 + 5
