"""The table of the utilities of HDF5, netCDF and PnetCDF that are tested, each on files of its
format."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from .files import words
from .program import Program

# Lengths of the variable, long enough for several chunks, ranges and flushes.
STEPS, ROWS, COLUMNS = 24, 32, 48


def description(work: Path) -> None:
    """Writes "field.cdl", the text description of a netCDF file with a record variable, a fixed
    variable and attributes."""
    shape = f"time = UNLIMITED ; row = {ROWS} ; column = {COLUMNS} ;"
    heat = ", ".join(str(i % 997 / 8) for i in range(STEPS * ROWS * COLUMNS))
    times = ", ".join(str(3600 * i) for i in range(STEPS))
    mask = ", ".join(str(i % 3) for i in range(ROWS * COLUMNS))
    (work / "field.cdl").write_text(
        f"netcdf field {{\ndimensions: {shape}\nvariables:\n"
        'double time(time) ; time:units = "seconds" ;\n'
        'float heat(time, row, column) ; heat:title = "a field" ;\n'
        'int mask(row, column) ;\n:history = "made by a test" ;\n'
        f"data:\n time = {times} ;\n heat = {heat} ;\n mask = {mask} ;\n}}\n"
    )


def netcdf(*names: str, kind: str = "classic") -> Callable[[Path], None]:
    """Returns a function that writes field.cdl and makes netCDF files of it. names: of the files.
    kind: the format, as ncgen -k names it."""

    def setup(work: Path) -> None:
        description(work)
        for name in names:
            subprocess.run(["ncgen", "-k", kind, "-o", name, "field.cdl"], cwd=work, check=True)

    return setup


hdf5 = netcdf("field.nc", kind="nc4")
two_hdf5 = netcdf("field.nc", "other.nc", kind="nc4")


def text_of_numbers(work: Path) -> None:
    """Writes the input of h5import, the file `numbers`: 6,000 lines with a number each."""
    (work / "numbers").write_text("\n".join(str(i % 911) for i in range(200 * 30)))


def hdf5_and_words(work: Path) -> None:
    """Makes an HDF5 file, and a text that h5jam puts in front of it."""
    hdf5(work)
    words(work)


IMPORT = ["-d", "200,30", "-t", "TEXTIN", "-s", "32", "-o", "numbers.h5"]
PERF = "-e 200,400 -x 20,40 -c 20,40 -i 1"
# Pattern of names outside of the work folder. PnetCDF's utilities are MPI programs, and MPI names
# its own files after processes.
OF_MPI = r"^(?!.*/work/)"

FORMATS = [
    Program("ncgen", ["ncgen", "-o", "out.nc", "field.cdl"], description),
    Program("ncgen-nc4", ["ncgen", "-k", "nc4", "-o", "out.nc", "field.cdl"], description),
    Program("ncdump", ["ncdump", "field.nc"], netcdf("field.nc")),
    Program("ncdump-nc4", ["ncdump", "-h", "-s", "field.nc"], hdf5),
    Program("nccopy", ["nccopy", "-k", "cdf5", "field.nc", "out.nc"], netcdf("field.nc")),
    Program(
        "nccopy-deflate",
        ["nccopy", "-k", "nc4", "-d", "1", "-c", "time/4,row/8,column/48", "field.nc", "out.nc"],
        netcdf("field.nc"),
    ),
    Program("nccopy-from-nc4", ["nccopy", "-k", "classic", "field.nc", "out.nc"], hdf5),
    Program(
        "ncmpigen", ["ncmpigen", "-v", "5", "-o", "out.nc", "field.cdl"], description, inside=OF_MPI
    ),
    Program("ncmpidump", ["ncmpidump", "field.nc"], netcdf("field.nc"), inside=OF_MPI),
    Program(
        "ncmpidiff",
        ["ncmpidiff", "field.nc", "other.nc"],
        netcdf("field.nc", "other.nc"),
        inside=OF_MPI,
    ),
    Program("cdfdiff", ["cdfdiff", "field.nc", "other.nc"], netcdf("field.nc", "other.nc")),
    Program("ncvalidator", ["ncvalidator", "field.nc"], netcdf("field.nc")),
    Program("ncoffsets", ["ncoffsets", "field.nc"], netcdf("field.nc")),
    # HDF5 1.14 prints references as addresses in memory, 1.10 as addresses in the file.
    Program("h5dump", ["h5dump", "field.nc"], hdf5, printed=r"(?<=DATASET )\d{12,}"),
    Program("h5ls", ["h5ls", "-r", "-v", "field.nc"], hdf5),
    Program("h5stat", ["h5stat", "field.nc"], hdf5),
    Program("h5diff", ["h5diff", "-v", "field.nc", "other.nc"], two_hdf5),
    Program(
        "h5copy", ["h5copy", "-i", "field.nc", "-o", "out.h5", "-s", "heat", "-d", "heat"], hdf5
    ),
    Program(
        "h5repack", ["h5repack", "-f", "GZIP=1", "-l", "CHUNK=4x8x48", "field.nc", "out.h5"], hdf5
    ),
    Program("h5repack-plain", ["h5repack", "-l", "CONTI", "field.nc", "out.h5"], hdf5),
    # The file stores the second in which its dataset was made.
    Program(
        "h5import",
        ["h5import", "numbers", *IMPORT],
        text_of_numbers,
        changing=r"numbers\.h5",
    ),
    Program("h5mkgrp", ["h5mkgrp", "out.h5", "group"]),
    Program("h5jam", ["h5jam", "-i", "field.nc", "-u", "words", "-o", "out.h5"], hdf5_and_words),
    Program("h5repart", ["h5repart", "-m", "64k", "field.nc", "part-%03d"], hdf5),
    Program(
        "h5perf_serial",
        ["sh", "-c", f"h5perf_serial {PERF} > report"],
        changing="report",
    ),
]
