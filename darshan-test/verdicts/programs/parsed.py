"""Files that are opened and parsed again and again, and healthy programs that look alike:
parsed.py CASE [cured|prepare]."""

from __future__ import annotations

import contextlib
import csv
import functools
import http.server
import json
import math
import pickle
import sqlite3
import sys
import threading
import time
import urllib.request
import zipfile
from pathlib import Path

STATIONS, ITEMS, PAGES = 400, 600, 20


def prepare_config_each() -> None:
    """Writes a configuration of 30 KiB."""
    stations = {f"S{i:04d}": {"lat": i * 0.01, "lon": i * 0.02, "gain": i} for i in range(STATIONS)}
    Path("config.json").write_text(json.dumps({"stations": stations}, indent=1))


def prepare_yaml_once() -> None:
    """Writes an inventory of 300 KiB."""
    hosts = "".join(
        f"- {{name: node{i}, role: r{i % 9}, slots: [1, 2, {i}]}}\n" for i in range(6000)
    )
    Path("hosts.yaml").write_text(hosts)


def yaml_once(_: bool) -> None:
    """Parses a file of YAML with the loader in Python."""
    import yaml  # noqa: PLC0415  # the other cases import no library

    with open("hosts.yaml") as file:
        hosts = yaml.load(file, Loader=yaml.SafeLoader)
    assert len(hosts) == 6000


def prepare_fields_by_expression() -> None:
    """Writes a table with blanks before its numbers."""
    import pandas as pd  # noqa: F401,PLC0415  # so that its files are in memory

    lines = "".join(f"{i}, {i * 0.5}, {i % 97}, {i * 0.25}\n" for i in range(200_000))
    Path("stations.csv").write_text(f"a, b, c, d\n{lines}")


def fields_by_expression(cured: bool) -> None:
    """Reads a table with a regular expression between its fields."""
    import pandas as pd  # noqa: PLC0415  # the other cases import no library

    if cured:
        table = pd.read_csv("stations.csv", skipinitialspace=True)
    else:
        table = pd.read_csv("stations.csv", sep=r"\s*,\s*", engine="python")
    assert len(table) == 200_000


def gains() -> list[float]:
    """Parses the configuration."""
    with open("config.json") as file:  # blame: config-each
        config = json.load(file)  # blame: config-each
    return [station["gain"] for station in config["stations"].values()]


def config_each(cured: bool) -> None:
    """Parses the configuration for each item."""
    known = functools.lru_cache(maxsize=None)(gains) if cured else gains
    assert sum(math.sin(i) * known()[i % STATIONS] for i in range(ITEMS))


def text_each(cured: bool) -> None:
    """Reads the text of the configuration and parses it, for each item."""
    config = json.loads(Path("config.json").read_text())
    for _ in range(0 if cured else ITEMS):
        config = json.loads(Path("config.json").read_text())  # blame: text-each
    assert len(config["stations"]) == STATIONS


prepare_text_each = prepare_config_each


def prepare_zip_member_each() -> None:
    """Writes an archive of 4,000 members."""
    with zipfile.ZipFile("images.zip", "w") as archive:
        for i in range(4000):
            archive.writestr(f"img/{i:05d}.raw", bytes(500))


def zip_member_each(cured: bool) -> None:
    """Opens the archive for each of its members."""
    names = [f"img/{i:05d}.raw" for i in range(0, 4000, 100)]
    if cured:
        with zipfile.ZipFile("images.zip") as archive:
            assert all(len(archive.read(name)) == 500 for name in names)
        return
    for name in names:
        with zipfile.ZipFile("images.zip") as archive:  # blame: zip-member-each
            assert len(archive.read(name)) == 500  # blame: zip-member-each


def prepare_row_each() -> None:
    """Writes a table of 4,000 rows."""
    with open("stations.csv", "w", newline="") as file:
        csv.writer(file).writerows([f"S{i:05}", i * 0.01, i * 0.02, i] for i in range(4000))


def gain_of(name: str) -> float:
    """Returns the last number in the row of this name; 0 if the table has no such row."""
    with open("stations.csv", newline="") as file:  # blame: row-each
        for row in csv.reader(file):  # blame: row-each
            if row[0] == name:
                return float(row[3])
    return 0.0


def row_each(cured: bool) -> None:
    """Reads the table up to a row for each item; cured: once."""
    names = [f"S{i * 7 % 4000:05}" for i in range(700)]
    if cured:
        with open("stations.csv", newline="") as file:
            gains = {row[0]: float(row[3]) for row in csv.reader(file)}
        assert sum(gains[name] for name in names)
    else:
        assert sum(gain_of(name) for name in names)


def prepare_pickle_each() -> None:
    """Writes a pickled table."""
    Path("table.pkl").write_bytes(pickle.dumps({i: list(range(20)) for i in range(8000)}))


def values_of(number: int) -> list[int]:
    """Loads the table for one of its rows."""
    with open("table.pkl", "rb") as file:  # blame: pickle-each
        return pickle.load(file)[number]  # blame: pickle-each


def pickle_each(cured: bool) -> None:
    """Loads the table for each item; cured: once."""
    if cured:
        with open("table.pkl", "rb") as file:
            known = pickle.load(file)
    assert sum(known[i][1] if cured else values_of(i)[1] for i in range(150))


def prepare_look_ups() -> None:
    """Fills a database with an index."""
    with contextlib.closing(sqlite3.connect("stock.db")) as base, base:
        base.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, amount INTEGER)")
        base.executemany("INSERT INTO item VALUES (?, ?, 1)", ((i, f"N{i}") for i in range(40000)))
        base.execute("CREATE INDEX name ON item (name)")


def look_ups(cured: bool) -> None:
    """Looks up items one by one, each in a transaction of its own; cured: in one."""
    with contextlib.closing(sqlite3.connect("stock.db")) as base:
        if cured:
            base.execute("BEGIN")
        for i in range(60000):
            name = f"N{i * 7919 % 40000}"
            ask = base.execute("SELECT amount FROM item WHERE name = ?", (name,))  # blame: look-ups
            assert ask.fetchone() == (1,)
        base.commit()


def prepare_pages_by_offset() -> None:
    """Fills a database of 8 MB, more than SQLite keeps in memory."""
    with contextlib.closing(sqlite3.connect("articles.db")) as base, base:
        base.execute("CREATE TABLE article (id INTEGER PRIMARY KEY, body TEXT)")
        rows = ((i, "word " * 200) for i in range(8000))
        base.executemany("INSERT INTO article VALUES (?, ?)", rows)


def pages_by_offset(cured: bool) -> None:
    """Reads all articles page by page, by their number; cured: after the last key."""
    where = "WHERE id > ? ORDER BY id LIMIT 40" if cured else "ORDER BY id LIMIT 40 OFFSET ?"
    found = 0
    with contextlib.closing(sqlite3.connect("articles.db")) as base:
        base.execute("BEGIN")
        while found < 8000:
            at = found - 1 if cured else found
            # blame: pages-by-offset
            rows = base.execute(f"SELECT id, body FROM article {where}", (at,))
            found += len(rows.fetchall())  # blame: pages-by-offset


def prepare_table_in_pieces() -> None:
    """Writes a table of 3 MB."""
    Path("sales.csv").write_text("".join(f"{i % 365},{i % 40},{i}.25\n" for i in range(200_000)))


def table_in_pieces(cured: bool) -> None:
    """Reads a table in pieces, each from the beginning of the file; cured: by chunksize."""
    import pandas  # noqa: PLC0415  # the other cases import no library

    step, names = 8000, ["day", "shop", "amount"]
    if cured:
        pieces = pandas.read_csv("sales.csv", names=names, chunksize=step)
        assert sum(len(piece) for piece in pieces) == 200_000
        return
    for start in range(0, 200_000, step):
        # blame: table-in-pieces
        piece = pandas.read_csv("sales.csv", names=names, skiprows=start, nrows=step)
        assert len(piece) == step


# --- healthy ---------------------------------------------------------------------


def passes_of_models(_: bool) -> None:
    """Each of eight models reads the table again, and computes for each row."""
    prepare_row_each()
    for model in range(8):
        fitted = 0.0
        with open("stations.csv", newline="") as file:
            for row in csv.reader(file):
                fitted += sum(math.sin(float(row[1]) * k + model) for k in range(200))


def settings_each_step(_: bool) -> None:
    """Reads its small settings again before each step, so that a user can change them."""
    Path("settings.json").write_text(json.dumps({f"x{i}": i for i in range(50)}))
    total = 0.0
    for step in range(30):
        with open("settings.json") as file:
            settings = json.load(file)
            until = time.process_time() + 0.02
            while time.process_time() < until:
                total += math.sqrt(step + settings["x7"])
    assert total > 0


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that prints nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Ignores a message."""


def pages(_: bool) -> None:
    """Serves the same pages again and again: each request opens its file."""
    Path("www").mkdir()
    for i in range(PAGES):
        Path(f"www/page{i}.html").write_bytes(b"<p>hello</p>" * 4000)
    handler = functools.partial(Quiet, directory="www")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for i in range(20 * PAGES):
        address = f"http://127.0.0.1:{server.server_port}/page{i % PAGES}.html"
        with urllib.request.urlopen(address) as answer:
            assert len(answer.read()) == 48000
    server.shutdown()


if __name__ == "__main__":
    name, mode = sys.argv[1].replace("-", "_"), sys.argv[2:]
    if mode == ["prepare"]:
        globals().get(f"prepare_{name}", Path)()  # some need nothing
    else:
        globals()[name](mode == ["cured"])
