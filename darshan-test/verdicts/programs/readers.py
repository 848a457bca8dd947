"""Programs that read with a slow library of Python: readers.py CASE [cured|prepare]."""

from __future__ import annotations

import codecs
import email
import gzip
import hashlib
import itertools
import json
import pickle
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from xml.dom import minidom
from xml.etree import ElementTree

import numpy as np

LINES = 600_000
BILLS = 12_000
GRID = (80, 70, 74)
if sys.argv[1].endswith(("-of-a-grid", "-of-records", "-prefilled")):
    import netCDF4
if sys.argv[1] in ("rows-in-pieces", "frames-appended"):
    import pandas
if sys.argv[1] == "attributes-again":
    import h5py


def prepare_codecs_lines() -> None:
    """Writes a text of 14 MB."""
    Path("words.txt").write_text("".join(f"töne {i * 7919} ärger\n" for i in range(LINES)))


def codecs_lines(cured: bool) -> None:
    """Counts the letters of lines that codecs.open takes; cured: those of open."""
    letters = 0
    with (
        open("words.txt", encoding="utf-8")
        if cured
        else codecs.open("words.txt", "r", "utf-8") as file
    ):
        for line in file:
            letters += len(line)
    assert letters > LINES


prepare_codecs_whole = prepare_codecs_lines


def codecs_whole(_: bool) -> None:
    """Decodes a text as a whole, which codecs.open does as fast as open."""
    with codecs.open("words.txt", "r", "utf-8") as file:
        words = file.read().split()
    assert len(words) == 3 * LINES


def prepare_dom() -> None:
    """Writes 0.7 MB of XML."""
    bills = "".join(
        f'<bill id="{i}"><name>C</name><cents>{i}</cents></bill>\n' for i in range(BILLS)
    )
    Path("bills.xml").write_text(f"<all>\n{bills}</all>\n")


def dom(cured: bool) -> None:
    """Adds up values of a document; cured: of the elements in turn."""
    total = 0
    if cured:
        for _, item in ElementTree.iterparse("bills.xml"):
            if item.tag == "bill":
                total += int(item.findtext("cents") or 0)
                item.clear()
    else:
        for node in minidom.parse("bills.xml").getElementsByTagName("cents"):
            total += int(node.firstChild.data)  # type: ignore[union-attr]
    assert total == BILLS * (BILLS - 1) // 2


def prepare_elements() -> None:
    """Writes 8 MB of XML."""
    prepare_dom()
    bills = Path("bills.xml").read_text().removeprefix("<all>").removesuffix("</all>\n")
    Path("bills.xml").write_text(f"<all>{bills * 12}</all>\n")


def elements(_: bool) -> None:
    """Counts elements with the parser in C."""
    assert len(ElementTree.parse("bills.xml").getroot()) == 12 * BILLS


def _values() -> dict[int, list[float]]:
    return {i: [float((i * 37 + j) % 1009) / 7 for j in range(40)] for i in range(20_000)}


def pickle_as_text(cured: bool) -> None:
    """Saves and loads values as a pickle of protocol 0; cured: of the highest protocol."""
    values = _values()
    for _ in range(3):
        with open("stage.pkl", "wb") as file:
            pickle.dump(values, file, pickle.HIGHEST_PROTOCOL if cured else 0)
        with open("stage.pkl", "rb") as file:
            assert len(pickle.load(file)) == len(values)


def pickle_in_python(cured: bool) -> None:
    """Saves and loads values with the pickler in Python, as dill does; cured: with that in C."""
    dump, load = (pickle.dump, pickle.load) if cured else (pickle._dump, pickle._load)  # type: ignore[attr-defined]
    values = _values()
    with open("stage.pkl", "wb") as file:
        dump(values, file)
    with open("stage.pkl", "rb") as file:
        assert len(load(file)) == len(values)


RECORDS = 40_000
HEAD = np.dtype([("time", "<u8"), ("values", "<i2", 24)])


def prepare_records() -> None:
    """Writes 2 MB of records."""
    np.zeros(RECORDS, HEAD).tofile("records.bin")


prepare_array_each = prepare_records_at_once = prepare_map_each = prepare_records


def array_each(cured: bool) -> None:
    """Takes each record with a call of numpy.fromfile; cured: from the bytes of the file."""
    found = 0
    with open("records.bin", "rb") as file:
        raw = file.read() if cured else b""
        for number in range(RECORDS):
            if cured:
                found += len(np.frombuffer(raw, HEAD, 1, number * HEAD.itemsize))
            else:
                found += len(np.fromfile(file, HEAD, 1))  # blame: array-each
    assert found == RECORDS


def records_at_once(_: bool) -> None:
    """Takes all records with a call, and copies each."""
    found = 0
    for one in np.fromfile("records.bin", HEAD):
        found += len(one["values"].copy())
    assert found == 24 * RECORDS


def array_written_each(cured: bool) -> None:
    """Writes each record with a call of tofile; cured: its bytes."""
    one = np.zeros(1, HEAD)
    with open("records.bin", "wb") as file:
        for _ in range(RECORDS):
            if cured:
                file.write(one.tobytes())
            else:
                one.tofile(file)  # blame: array-written-each
    assert Path("records.bin").stat().st_size == RECORDS * HEAD.itemsize


def map_each(cured: bool) -> None:
    """Maps the file for each record; cured: once."""
    found = 0
    whole = np.memmap("records.bin", HEAD, "r")
    for number in range(5_000):
        one = whole if cured else np.memmap("records.bin", HEAD, "r")  # blame: map-each
        found += len(one[number]["values"])
    assert found == 24 * 5_000


def prepare_manifest_of_zip() -> None:
    """Writes an archive of 24 files of 2 MiB and a manifest."""
    numbers = np.random.default_rng(5).integers(0, 40, (24, 2 << 20), "u1")
    with zipfile.ZipFile("scans.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("manifest", "scan 24\n")
        for number, data in enumerate(numbers):
            archive.writestr(f"scan{number}", data.tobytes())


def manifest_of_zip(cured: bool) -> None:
    """Unpacks an archive to read one member; cured: reads the member."""
    with zipfile.ZipFile("scans.zip") as archive, tempfile.TemporaryDirectory(dir=".") as folder:
        if cured:
            text = archive.read("manifest").decode()
        else:
            archive.extractall(folder)
            text = (Path(folder) / "manifest").read_text()
    assert text == "scan 24\n"


prepare_scans_of_zip = prepare_manifest_of_zip


def scans_of_zip(_: bool) -> None:
    """Unpacks an archive and reads all of its files."""
    with zipfile.ZipFile("scans.zip") as archive, tempfile.TemporaryDirectory(dir=".") as folder:
        archive.extractall(folder)
        assert sum(max(path.read_bytes()) > 38 for path in Path(folder).iterdir()) > 23


def prepare_values_of_a_grid() -> None:
    """Writes a classic netCDF file of 1.6 MB."""
    with netCDF4.Dataset("grid.nc", "w", format="NETCDF3_CLASSIC") as file:
        for name, size in zip("tyx", GRID):
            file.createDimension(name, size)
        file.createVariable("heat", "f4", tuple("tyx"))[:] = np.ones(GRID)


prepare_planes_of_a_grid = prepare_values_of_a_grid


def values_of_a_grid(cured: bool) -> None:
    """Takes values along a track from a variable; cured: from the array of all its values."""
    with netCDF4.Dataset("grid.nc") as file:
        heat = file["heat"][:] if cured else file["heat"]
        total = 0.0
        for at in range(4000):
            place = (at * 7 % GRID[0], at * 11 % GRID[1], at % GRID[2])
            total += heat[place]  # blame: values-of-a-grid
    assert total == 4000


def planes_of_a_grid(_: bool) -> None:
    """Takes each plane of a variable once."""
    with netCDF4.Dataset("grid.nc") as file:
        assert all(file["heat"][at].mean() == 1 for at in range(GRID[0]))


TIMES = 60_000


def variables_of_records(cured: bool) -> None:
    """Writes and reads 24 variables of one unlimited dimension; cured: of one with a size."""
    values = np.arange(TIMES, dtype="f4")
    names = [f"heat{number:02d}" for number in range(24)]
    with netCDF4.Dataset("stations.nc", "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("time", TIMES if cured else None)
        for name in names:
            file.createVariable(name, "f4", ("time",))
        for name in names:
            file[name][0:TIMES] = values
    for _ in range(4):
        with netCDF4.Dataset("stations.nc") as file:
            for name in names:
                assert file[name][:].max() == TIMES - 1  # blame: variables-of-records


def fields_prefilled(cured: bool) -> None:
    """Writes each value of 6 fields once; cured: without the fill values before."""
    values = np.arange(24 << 20, dtype="f4")
    with netCDF4.Dataset("fields.nc", "w", format="NETCDF3_64BIT_OFFSET") as file:
        if cured:
            file.set_fill_off()
        file.createDimension("field", 6)
        file.createDimension("cell", len(values))
        heat = file.createVariable("heat", "f4", ("field", "cell"))  # blame: fields-prefilled
        for number in range(6):
            heat[number] = values  # blame: fields-prefilled


def _photos(copies: int) -> None:
    Path("photos").mkdir()
    for number in range(40):
        raw = bytes([number, number + 1, 7]) * (500_000 + 1001 * number)
        (Path("photos") / f"{number}.raw").write_bytes(raw)
        if number < copies:
            (Path("photos") / f"copy{number}.raw").write_bytes(raw)
    for number in range(copies):  # one more photo of a size of its own for each copied one
        (Path("photos") / f"more{number}.raw").write_bytes(bytes(2_000_000 + 77 * number))


def prepare_digests_of_all() -> None:
    """Writes 40 files of different sizes, copies of 8 of them, and 8 more files."""
    _photos(8)


def prepare_digests_of_each() -> None:
    """Writes 40 files of different sizes."""
    _photos(0)


def digests_of_all(cured: bool) -> None:
    """Looks for equal files by digests of all files; cured: only of files of the same size."""
    found: dict[bytes, int] = {}
    paths = sorted(Path("photos").iterdir())
    sizes = Counter(path.stat().st_size for path in paths) if cured else {}
    for path in paths:
        if not cured or sizes[path.stat().st_size] > 1:
            digest = hashlib.sha3_512(path.read_bytes()).digest()
            found[digest] = found.get(digest, 0) + 1
    assert max(found.values()) < 3


digests_of_each = digests_of_all


def prepare_rows_in_pieces() -> None:
    """Writes a table of 5 MB."""
    rows = "".join(f"{i},s{i % 41},{i % 977},{i * 7919 % 100_000}\n" for i in range(220_000))
    Path("ticks.csv").write_text(f"time,name,amount,cents\n{rows}")


def rows_in_pieces(cured: bool) -> None:
    """Adds up a column of a table in pieces of 100 rows; cured: of 100,000 rows."""
    total = 0
    for piece in pandas.read_csv("ticks.csv", chunksize=100_000 if cured else 100):
        total += int(piece["amount"].sum())
    assert total > 0


def prepare_records_of_member() -> None:
    """Writes an archive with a member of 12 MB that hardly packs."""
    with zipfile.ZipFile("run.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        values = np.random.default_rng(5).random(1_500_000)
        archive.writestr("run.dat", values.tobytes())


def records_of_member(cured: bool) -> None:
    """Takes records of 8 bytes from a member; cured: from the bytes of the whole member."""
    one, total = struct.Struct("<d"), 0.0
    with zipfile.ZipFile("run.zip") as archive:
        if cured:
            total = sum(value for (value,) in one.iter_unpack(archive.read("run.dat")))
        else:
            with archive.open("run.dat") as file:
                while record := file.read(one.size):
                    total += one.unpack(record)[0]
    assert total > 0


def prepare_whole_mails() -> None:
    """Writes 40 mails with bodies of 1.2 MB."""
    Path("mails").mkdir()
    body = "".join(
        f"line {i} of a mail that nobody reads, and a few words\n" for i in range(20_000)
    )
    for number in range(40):
        head = f"From: a{number}@example.com\nSubject: number {number}\nDate: today\n\n"
        (Path("mails") / f"{number}.eml").write_text(head + body)


def whole_mails(cured: bool) -> None:
    """Lists the subjects of mails; cured: parses their headers alone."""
    subjects = []
    for path in sorted(Path("mails").iterdir()):
        with path.open("rb") as file:
            if cured:
                head = b"".join(itertools.takewhile(bytes.strip, file))
                mail = email.message_from_bytes(head)
            else:
                mail = email.message_from_binary_file(file)
        subjects.append(mail["Subject"])
    assert "number 7" in subjects


def _in_words(record: dict[str, int], cured: bool) -> str:
    if not cured:
        try:
            import a_faster_json as chosen  # noqa: PLC0415  # blame: import-each
        except ImportError:
            chosen = json
        return str(chosen.dumps(record))
    return json.dumps(record)


def import_each(cured: bool) -> None:
    """Looks for a faster library for each of 15,000 records; cured: knows that there is none."""
    with Path("records.jsonl").open("w") as file:
        for number in range(15_000):
            file.write(_in_words({"number": number}, cured) + "\n")


def prepare_tar_each() -> None:
    """Writes 300 files."""
    Path("parts").mkdir()
    for number in range(300):
        (Path("parts") / f"{number}.dat").write_bytes(bytes([number % 251]) * 16_000)


def tar_each(cured: bool) -> None:
    """Appends files to an archive that is opened for each; cured: opened once."""
    paths = sorted(Path("parts").iterdir())
    if cured:
        with tarfile.open("day.tar", "w") as archive:
            for path in paths:
                archive.add(path)
        return
    for path in paths:
        with tarfile.open("day.tar", "a") as archive:  # blame: tar-each
            archive.add(path)


def prepare_attributes_again() -> None:
    """Writes an array with two attributes."""
    with h5py.File("scan.h5", "w") as file:
        data = file.create_dataset("adc", data=np.arange(15_000.0))
        data.attrs["gain"], data.attrs["offset"] = 1.5, 0.25


def attributes_again(cured: bool) -> None:
    """Scales values by two attributes, which it reads for each value; cured: once."""
    total = 0.0
    with h5py.File("scan.h5") as file:
        data = file["adc"]
        values, of = data[:], dict(data.attrs) if cured else data.attrs
        for value in values:
            total += value * of["gain"] + of["offset"]  # blame: attributes-again
    assert total > 0


def prepare_lines_of_a_pipe() -> None:
    """Writes a packed text of 1.6 MB."""
    text = "".join(f"host{i % 99} /a/{i} {200 if i % 7 else 404}\n" for i in range(80_000))
    Path("log.gz").write_bytes(gzip.compress(text.encode()))


def lines_of_a_pipe(cured: bool) -> None:
    """Reads lines from a pipe without a buffer; cured: with one."""
    unpack = ("gzip", "-cd", "log.gz")
    with subprocess.Popen(unpack, stdout=subprocess.PIPE, bufsize=-1 if cured else 0) as process:
        assert process.stdout is not None
        assert sum(1 for _ in iter(process.stdout.readline, b"")) == 80_000


def frames_appended(cured: bool) -> None:
    """Appends 400 tables of 24 rows to a store; cured: one table."""
    rows = np.random.default_rng(1).random((400 * 24, 4))
    size = len(rows) if cured else 24
    with pandas.HDFStore("met.h5", "w") as store:
        for start in range(0, len(rows), size):
            frame = pandas.DataFrame(rows[start : start + size], columns=list("abcd"))
            store.append("met", frame)  # blame: frames-appended


if __name__ == "__main__":
    name = sys.argv[1].replace("-", "_")
    if sys.argv[2:] == ["prepare"]:
        globals().get(f"prepare_{name}", lambda: None)()
    else:
        globals()[name](sys.argv[2:] == ["cured"])
