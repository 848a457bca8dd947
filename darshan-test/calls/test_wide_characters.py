"""Calls for single wide characters that a stream's buffer serves are counted exactly."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import NamedTuple

import pytest
from lab.compile import compile_c
from lab.watch import watch

# Characters of one to four bytes in UTF-8; the length of the file is no multiple of a buffer.
TEXT = "aé€😀\n" * 3001

# Each case ends with 0. The functions in capitals are on the stacks of its sites.
PROGRAM = r"""
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#define OWN __attribute__((noinline, noclone))
#define CASE(name) if (!strcmp(what, #name))
static FILE *f;
OWN wint_t FIRST(void) { wint_t c = fgetwc(f); __asm__(""); return c; }
OWN wint_t SECOND(void) { wint_t c = fgetwc(f); __asm__(""); return c; }
OWN void OUT(wchar_t c) { if (fputwc(c, f) == WEOF) _exit(9); __asm__(""); }
int main(int argc, char **argv) {
  static const wchar_t text[] = L"a\u00e9\u20ac\U0001f600\n";
  const char *what = argv[1];
  if (!setlocale(LC_ALL, "C.UTF-8")) return 8;
  f = fopen("text", argc > 2 ? argv[2] : "r");
  CASE(all) while (FIRST() != WEOF) SECOND();
  CASE(killed) { for (int i = 0; i < 1000; i++) FIRST(); raise(SIGKILL); }
  CASE(back) for (int i = 0; i < 1000; i++) { ungetwc(FIRST(), f); FIRST(); }
  CASE(skips) for (int i = 0; i < 10; i++) {
    for (int k = 0; k < 100; k++) FIRST();
    fseek(f, 0, SEEK_SET);
  }
  CASE(lines) {
    wchar_t line[9];
    while (FIRST() != WEOF) if (!fgetws(line, 9, f)) return 7;
  }
  CASE(writes) for (int i = 0; i < 5000; i++) OUT(text[i % 5]);
  CASE(by_line) {
    setvbuf(f, NULL, _IOLBF, 4096);
    for (int i = 0; i < 5000; i++) OUT(text[i % 5]);
  }
  CASE(mixed) for (int i = 0; i < 1000; i++) { OUT(L'\u20ac'); fwprintf(f, L"%d", i % 10); }
  return 0;
}
"""


class Case(NamedTuple):
    """The expected STDIO counters of the file "text", and the number of calls of each call site of
    fgetwc and fputwc, ascending. mode: of fopen."""

    reads: int
    bytes_read: int
    writes: int = 0
    bytes_written: int = 0
    sites: tuple[int, ...] = ()
    mode: str = "r"


BYTES = len(TEXT.encode())
CASES = {
    "all": Case(len(TEXT), BYTES, sites=(len(TEXT) // 2, len(TEXT) // 2 + 1)),
    "killed": Case(1000, 200 * 11, sites=(1000,)),
    "back": Case(2000, 200 * 11, sites=(1000, 1000)),
    "skips": Case(1000, 200 * 11, sites=(1000,)),
    "lines": Case(2 * 3001, BYTES, sites=(3001,)),
    "writes": Case(0, 0, 5000, 11000, sites=(5000,), mode="w"),
    "by_line": Case(0, 0, 5000, 11000, sites=(5000,), mode="w"),
    "mixed": Case(0, 0, 2000, 4000, sites=(1000,), mode="w"),
}


def with_text(work: Path) -> None:
    """Writes the input file of all cases."""
    (work / "text").write_text(TEXT, "utf-8")


@pytest.mark.parametrize("sites", ["0", "1"])
@pytest.mark.parametrize("name", CASES)
def test_wide_characters(name: str, sites: str, build: Path, tmp_path: Path) -> None:
    """The record of "text" has the calls and the encoded bytes of the program, with DARSHAN_SITES=1
    and =0. With it, the calls of the call sites are right, too."""
    case = CASES[name]
    command = [compile_c(tmp_path, PROGRAM), name, case.mode]
    outcome = watch(build, tmp_path, command, setup=with_text, DARSHAN_SITES=sites)
    assert outcome.status == (-signal.SIGKILL if name == "killed" else 0), outcome.error
    counters = ("READS", "BYTES_READ", "WRITES", "BYTES_WRITTEN")
    found = [outcome.value("text", f"STDIO_{counter}") for counter in counters]
    assert found == [case.reads, case.bytes_read, case.writes, case.bytes_written]
    if sites == "0":
        return
    calls = sorted(
        int(values["SITES_READS"] + values["SITES_WRITES"])
        for (module, site), values in outcome.records.items()
        if module == "SITES" and site.split(";")[0] in ("fgetwc", "fputwc")
    )
    assert tuple(calls) == case.sites
