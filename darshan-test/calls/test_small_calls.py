"""Small calls that a stream's buffer serves, of lines, texts and items, are counted exactly."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.compile import compile_c
from lab.watch import watch

# Each case counts its own calls and bytes on the file "data", and prints both, reads before
# writes. Inlined macros count as one call before the next call of a function.
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#define CASE(name) if (!strcmp(what, #name))
static long calls[2], bytes[2];
static FILE *f;
static void count(int writes, long n) { calls[writes]++; bytes[writes] += n; }
static void put(size_t n) {
  static char from[9000];
  memset(from, 'x', sizeof(from));
  count(1, (long)fwrite(from, 1, n, f));
}
static void get(size_t size, size_t n) {
  static char to[9000];
  long before = ftell(f);
  fread(to, size, n, f);
  if (ftell(f) > before) count(0, ftell(f) - before); /* with the bytes of an incomplete item */
}
static void fgets_all(int n) {
  char to[5000];
  while (fgets(to, n, f)) count(0, (long)strlen(to));
}
static void *puts_some(void *unused) {
  (void)unused;
  for (int i = 0; i < 1000; i++) fwrite("abc", 3, 1, f);
  return NULL;
}
int main(int argc, char **argv) {
  const char *what = argv[1];
  f = fopen("data", argc > 2 ? argv[2] : "r");
  CASE(items) for (int i = 0; i < 5000; i++) put(1 + i * 7 % 40);
  CASE(texts) for (int i = 0; i < 5000; i++) { fputs("one text\n", f); count(1, 9); }
  CASE(long_texts) {
    char text[3001];
    for (int i = 0; i < 3000; i++) {
      memset(text, 'y', sizeof(text));
      text[i] = 0;
      fputs(text, f);
      count(1, i);
    }
  }
  CASE(sizes) for (int i = 0; i < 6000; i++) put((size_t)(i % 1500 + 1));
  CASE(exact) for (int i = 0; i < 3000; i++) put(512); /* a buffer holds eight */
  CASE(by_line) {
    setvbuf(f, NULL, _IOLBF, 4096);
    for (int i = 0; i < 3000; i++) { fputs("a line\n", f); count(1, 7); }
  }
  CASE(bare) { setvbuf(f, NULL, _IONBF, 0); for (int i = 0; i < 3000; i++) put(5); }
  CASE(inlined) for (int i = 0; i < 5000; i++) {
    put(9);
    putc_unlocked('z', f);
    count(1, 1);
  }
  CASE(printed) for (int i = 0; i < 5000; i++) { put(3); count(1, fprintf(f, "%d\n", i)); }
  CASE(flushed) for (int i = 0; i < 5000; i++) { put(6); if (i % 100 == 0) fflush(f); }
  CASE(records) for (int i = 0; i < 3000; i++) get(4, 2);
  CASE(past_end) for (int i = 0; i < 100; i++) { get(7, 1000); clearerr(f); }
  CASE(fgets) fgets_all(5000);
  CASE(fgets_short) fgets_all(4);
  CASE(gets) { /* found by dlsym, because the linker warns about it */
    char line[5000], *(*next)(char *) = (char *(*)(char *))dlsym(RTLD_DEFAULT, "gets");
    f = freopen("data", "r", stdin);
    while (next(line)) count(0, (long)strlen(line) + !feof(f)); /* the last line has no newline */
  }
  CASE(getline) {
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, f)) >= 0) count(0, n);
  }
  CASE(getdelim) {
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getdelim(&line, &room, '7', f)) >= 0) count(0, n);
    if (getline(NULL, &room, f) != -1 || getline(&line, NULL, f) != -1) return 8;
  }
  CASE(wrong_getline) {
    size_t room = 0;
    for (int i = 0; i < 1000; i++) {
      get(5, 1);
      if (getline(NULL, &room, f) != -1) return 8;
    }
  }
  CASE(pushed_back) for (int i = 0; i < 3000; i++) {
    int c = getc(f);
    count(0, 0);
    ungetc(c, f);
    get(1, 3);
  }
  CASE(refused_wide) {
    fwide(f, 1);
    for (int i = 0; i < 1000; i++) if (fwrite("abc", 3, 1, f)) return 9;
  }
  CASE(updated) for (int i = 0; i < 500; i++) {
    fseek(f, i * 16, SEEK_SET);
    for (int k = 0; k < 4; k++) get(1, 2);
    fseek(f, i * 16, SEEK_SET);
    for (int k = 0; k < 4; k++) put(2);
  }
  CASE(threads) {
    pthread_t threads[2];
    puts_some(NULL);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, puts_some, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 3000; i++) count(1, 3);
  }
  fclose(f);
  printf("%ld %ld %ld %ld\n", calls[0], bytes[0], calls[1], bytes[1]);
  return 0;
}
"""
SIZES = ("0_100", "100_1K", "1K_10K")
CASES = {
    "r": ("records", "past_end", "fgets", "fgets_short", "gets", "getline", "getdelim",
          "wrong_getline", "pushed_back"),
    "w": ("items", "texts", "long_texts", "sizes", "exact", "by_line", "bare", "inlined", "printed",
          "flushed", "refused_wide", "threads"),
    "r+": ("updated",),
}  # fmt: skip


def with_data(work: Path) -> None:
    """Writes lines of 1 to 3,000 bytes, with a NUL byte in none of them."""
    lines = (str(n % 10) * (n * 37 % 3000 if n % 50 == 0 else n % 70) for n in range(2000))
    (work / "data").write_text("\n".join(lines))


@pytest.mark.parametrize("sites", ["0", "1"])
@pytest.mark.parametrize("mode, name", [(mode, name) for mode in CASES for name in CASES[mode]])
def test_small_calls(mode: str, name: str, sites: str, build: Path, tmp_path: Path) -> None:
    """The record of "data" has the calls and bytes that the program counts itself, with call sites
    and without; the call sites have as many calls. mode: of fopen."""
    program = compile_c(tmp_path, PROGRAM)
    outcome = watch(build, tmp_path, [program, name, mode], setup=with_data, DARSHAN_SITES=sites)
    assert outcome.status == 0, outcome.error
    told = [int(word) for word in outcome.out.split()]
    counters = ("READS", "BYTES_READ", "WRITES", "BYTES_WRITTEN")
    found = [int(outcome.value("data", f"STDIO_{counter}")) for counter in counters]
    assert found == told
    size = (outcome.work / "data").stat().st_size
    if "w" in mode:
        assert outcome.value("data", "STDIO_MAX_BYTE_WRITTEN") == max(size - 1, 0)
    if sites == "1" and name not in ("inlined", "refused_wide"):
        for kind, calls in (("READ", found[0]), ("WRITE", found[2])):
            classes = [outcome.total(f"SITES_SIZE_{kind}_{size}") for size in SIZES]
            assert calls <= outcome.total(f"SITES_{kind}S") <= calls + 1  # printf
            assert calls <= sum(classes) <= calls + 1
