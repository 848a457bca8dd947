"""Numbers that a compiled program writes or reads as text: the finding names the conversion, not
the size of calls. Programs that use binary files, or compute between calls, have no such
finding."""

from __future__ import annotations

import pytest

from .blamed import Blamed
from .test_blamed import findings, start
from .where import Where, line_of

_PRINTED = """#include <stdio.h>
int main(void) {
  FILE *out = fopen("field.txt", "w");
  for (int i = 0; i < 300000; i++)
    fprintf(out, "%d %.9g %.9g\\n", i, i / 7.0, i * 1e-3); /* here */
  return fclose(out);
}
"""
_SCANNED = """#include <stdio.h>
int main(void) {
  double a, sum = 0;
  FILE *file = fopen("field.txt", "w+");
  for (int i = 0; i < 150000; i++) fputs("0.142857143\\n", file);
  rewind(file);
  while (fscanf(file, "%lf", &a) == 1) sum += a; /* here */
  return sum < 0;
}
"""
_INSERTED = """#include <fstream>
int main() {
  std::ofstream out("field.txt");
  for (int i = 0; i < 150000; i++)
    out << i / 7.0 << ' ' << i * 1e-3 << '\\n'; // here
}
"""
_FORMATTED = """program formatted
  implicit none
  integer :: i
  open(10, file='field.dat')
  do i = 1, 120000
    write(10, '(i8,2es16.8)') i, i / 7d0, i * 1d-3  ! here
  end do
  close(10)
end program
"""
# Binary files; the program computes between the calls.
_BYTES = """#include <cmath>
#include <fstream>
int main() {
  std::ofstream out("field.bin", std::ios::binary);
  for (int i = 0; i < 300000; i++) {
    double value = 0;
    for (int k = 0; k < 20; k++) value += std::sin(i + k);
    out.write(reinterpret_cast<const char *>(&value), sizeof value);
  }
}
"""
_UNFORMATTED = """program unformatted
  implicit none
  integer :: i, k
  real(8) :: a(100)
  a = 1
  open(10, file='field.dat', form='unformatted', access='stream')
  do i = 1, 4000
    do k = 1, 30
      a = sin(a + 0.5d0)
    end do
    write(10) a
  end do
end program
"""
CONVERTED = (
    Blamed("printed", "c", "Writing numbers as text", _PRINTED),
    Blamed("scanned", "c", "Reading numbers from text", _SCANNED),
    Blamed("inserted", "cc", "Writing numbers as text", _INSERTED),
    Blamed("formatted", "f90", "Writing numbers as text", _FORMATTED),
)
BINARY = (Blamed("bytes", "cc", "", _BYTES), Blamed("unformatted", "f90", "", _UNFORMATTED))


@pytest.mark.parametrize("blamed", CONVERTED, ids=lambda blamed: blamed.name)
def test_numbers_as_text(blamed: Blamed, where: Where) -> None:
    """The finding has the program's line, a potential saving, and an example that stores numbers in
    binary form."""
    source = start(where, blamed)
    told = [f for f in findings(where) if f["title"].startswith(blamed.diagnosis)]
    assert len(told) == 1, [f["title"] for f in findings(where)]
    (finding,) = told
    stake = finding["stake"]
    assert 0.05 < stake["run_seconds"] / stake["of_run_seconds"] <= 1
    assert "setvbuf" not in finding["remedy"]["example"]
    place = finding["line"]["place"]
    assert (place["file"], place["line"]) == (str(source), line_of(blamed.source, "here"))


@pytest.mark.parametrize("blamed", BINARY, ids=lambda blamed: blamed.name)
def test_binary_is_no_text(blamed: Blamed, where: Where) -> None:
    """A program that reads binary data has no finding about text."""
    start(where, blamed)
    assert not [f["title"] for f in findings(where) if "text" in f["title"]]
