"""Files that are opened and parsed again and again, and healthy programs that look alike:
parsed.py CASE [cured|prepare]."""

from __future__ import annotations

import csv
import functools
import http.server
import json
import math
import pickle
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
        hosts = yaml.load(file, Loader=yaml.SafeLoader)  # blame: yaml-once
    assert len(hosts) == 6000


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
    """Looks for a row of the table."""
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
    """Reads its small settings anew before each step, so that a user can change them."""
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
