"""Programs in which one line causes an I/O problem: the line with the comment "here"."""

from __future__ import annotations

from typing import NamedTuple


class Blamed(NamedTuple):
    """A program. name: of its source file without the extension. diagnosis: the beginning of the
    name that its finding must have (in test_text.py, of the title), with | between alternatives."""

    name: str
    ending: str  # extension of its source, which determines the language
    diagnosis: str
    source: str


_C = """#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static char bytes[1 << 20];
static int make(const char *name, size_t size) {
  int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (write(file, bytes, size) < 0) exit(1);
  return file;
}
"""
_CXX = """#include <fstream>
#include <iostream>
#include <string>
#include <vector>
"""
_H5 = """import h5py, numpy
"""

PROGRAMS = (
    Blamed("records", "c", "small-accesses-write", _C + """
static void emit(int file, int i) {
  char text[40];
  int length = snprintf(text, sizeof(text), "%d\\n", i);
  if (write(file, text, length) < 0) exit(1); /* here */
}
int main(void) {
  int file = make("result", 1 << 20);
  for (int i = 0; i < 40000; i++)
    emit(file, i);
  return close(file);
}
"""),
    Blamed("two-readers", "c", "small-accesses-read", _C + """
static int pieces(int file) {
  int n = 0;
  for (int i = 0; i < 30000; i++)
    n += pread(file, bytes, 16, 16 * i) > 0; /* here */
  return n;
}
static int wholes(int file) {
  int n = 0;
  for (int i = 0; i < 50; i++)
    n += pread(file, bytes, 1 << 20, 0) > 0;
  return n;
}
int main(void) {
  int a = make("small", 1 << 20), b = make("large", 1 << 20);
  return pieces(a) + wholes(b) == 0;
}
"""),
    Blamed("opens", "c", "opened-again", _C + """
static int value(const char *name) {
  int file = open(name, O_RDONLY); /* here */
  if (pread(file, bytes, 100, 0) < 0) exit(1);
  close(file);
  return bytes[0];
}
int main(void) {
  int sum = 0;
  close(make("table", 1000));
  for (int i = 0; i < 8000; i++)
    sum += value("table");
  return sum != 0;
}
"""),
    Blamed("missing", "c", "failed-lookups", _C + """
int main(void) {
  char name[40];
  int found = 0, file = make("data", 1000);
  for (int i = 0; i < 20000; i++) {
    snprintf(name, sizeof(name), "part-%d", i);
    found += access(name, R_OK) == 0; /* here */
  }
  return found + close(file);
}
"""),
    Blamed("durable", "c", "syncs", _C + """
static void commit(int file) {
  if (fsync(file) < 0) exit(1); /* here */
  __asm__ volatile("");
}
int main(void) {
  int file = make("journal", 1000);
  for (int i = 0; i < 300; i++) {
    if (write(file, bytes, 200) < 0) return 1;
    commit(file);
  }
  return close(file);
}
"""),
    Blamed("where-am-i", "c", "seeks|costly-opens", _C + """
int main(void) {
  int file = make("data", 1 << 20);
  off_t sum = 0;
  for (int i = 0; i < 40000; i++)
    sum += lseek(file, 0, SEEK_CUR); /* here */
  for (int i = 0; i < 20; i++)
    sum += pread(file, bytes, 1 << 16, 0);
  return sum == 0;
}
"""),
    Blamed("jumps", "c", "random-access-read", _C + """
int main(void) {
  int file = make("data", 1 << 20);
  unsigned at = 7;
  long sum = 0;
  for (int i = 0; i < 300; i++)
    if (write(file, bytes, 1 << 20) < 0) return 1;
  for (int i = 0; i < 20000; i++) {
    at = at * 1103515245 + 12345;
    sum += pread(file, bytes, 512, (at >> 8) % (300 << 20)); /* here */
  }
  return sum == 0;
}
"""),
    Blamed("again", "c", "same-bytes-again-read", _C + """
static long parse(int file) {
  long sum = 0;
  lseek(file, 0, SEEK_SET);
  for (int i = 0; i < 16; i++)
    sum += read(file, bytes, 1 << 16); /* here */
  return sum;
}
int main(void) {
  int file = make("config", 1 << 20);
  long sum = 0;
  for (int i = 0; i < 300; i++)
    sum += parse(file);
  return sum == 0;
}
"""),
    Blamed("lines", "cc", "stream-flushes|small-accesses-write", _CXX + """
static void report(std::ofstream &out, int step) {
  out << "step " << step << " energy " << 1.5 * step << std::endl; // here
}
int main() {
  std::ofstream out("log");
  for (int i = 0; i < 40000; i++) report(out, i);
}
"""),
    Blamed("positions", "cc", "stream-seeks", _CXX + """
int main() {
  {
    std::ofstream out("table");
    for (int i = 0; i < 100000; i++) out << i % 10;
  }
  std::ifstream in("table");
  long sum = 0;
  char one;
  for (int i = 0; i < 20000; i++) {
    in.seekg(i * 5); // here
    in.get(one);
    sum += one;
  }
  return sum == 0;
}
"""),
    Blamed("rows", "f90", "stream-flushes|small-accesses-write", """program rows
  implicit none
  integer :: i
  open(unit=10, file='rows.txt', status='replace')
  do i = 1, 30000
    write(10, *) i, i * 2.0
    flush(10)       ! here
  end do
  close(10)
end program
"""),
    Blamed("reopen", "f90", "opened-again", """program reopen
  implicit none
  integer :: i
  do i = 1, 4000
    call step(i)
  end do
contains
  subroutine step(i)
    integer, intent(in) :: i
    open(unit=10, file='steps.txt', position='append')  ! here
    write(10, *) i
    close(10)
  end subroutine
end program
"""),
    Blamed("unbuffered", "py", "small-accesses-write", """import os


def save(file, number):
    file.write(b"%d\\n" % number)  # here


with open("out", "wb", buffering=0) as file:
    for number in range(40000):
        save(file, number)
"""),
    Blamed("reload", "py", "same-bytes-again-read", """import numpy


def weights():
    return numpy.load("weights.npy")  # here


numpy.save("weights.npy", numpy.arange(200000.0))
for _ in range(300):
    weights()
"""),
    Blamed("cells", "py", "element-wise", _H5 + """
def fill(data):
    for row in range(200):
        for column in range(50):
            data[row, column] = row * column  # here


with h5py.File("cells.h5", "w") as file:
    fill(file.create_dataset("x", (200, 50), "f8"))
"""),
    Blamed("per-item", "py", "hdf5-opened-again", _H5 + """
def item(number):
    with h5py.File("items.h5") as file:  # here
        return file["x"][number]


with h5py.File("items.h5", "w") as file:
    file["x"] = numpy.arange(100.0)
for number in range(300):
    item(number % 100)
"""),
    Blamed("column", "py", "chunk-", _H5 + """
with h5py.File("grid.h5", "w") as file:
    data = file.create_dataset("x", (1000, 1000), "f8", chunks=(1000, 200), compression="gzip")
    data[...] = numpy.random.rand(1000, 1000)
with h5py.File("grid.h5", rdcc_nbytes=100000) as file:
    for row in range(100):
        file["x"][row, :]  # here
"""),
    Blamed("probes", "py", "failed-lookups", """import os


def cached(name):
    return os.path.exists(name)  # here


open("index", "w").close()
for number in range(20000):
    cached(f"item-{number}")
"""),
    Blamed("listing", "py", "listed-again|costly-listings", """import os

os.mkdir("folder")
for number in range(300):
    open(f"folder/{number}", "w").close()


def newest():
    return max(os.listdir("folder"))  # here


for _ in range(2000):
    newest()
"""),
    Blamed("values", "rs", "small-accesses-write", """use std::fs::File;
use std::io::Write;

fn emit(out: &mut File, step: u32) -> std::io::Result<()> {
    writeln!(out, "{} {:.3}", step, f64::from(step) * 0.5) // here
}

fn main() -> std::io::Result<()> {
    let mut out = File::create("values.txt")?;
    for step in 0..40000 {
        emit(&mut out, step)?;
    }
    Ok(())
}
"""),
    Blamed("headers", "rs", "same-bytes-again-read", """use std::fs;

fn kind(path: &str) -> u8 {
    let all = fs::read(path).unwrap(); // here
    all[0]
}

fn main() {
    fs::write("image", vec![7u8; 2 << 20]).unwrap();
    let sum: u32 = (0..200).map(|_| u32::from(kind("image"))).sum();
    assert!(sum > 0);
}
"""),
    Blamed("append", "sh", "opened-again", """for i in $(seq 1 4000); do
  echo "$i" >> result  # here
done
"""),
)  # fmt: skip
