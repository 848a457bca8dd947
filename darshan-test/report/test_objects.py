"""The text forms (repr) and the error messages of the package's objects, for a log that the runtime
writes."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import darshan_report
import pytest
from darshan_report import Log, UnknownName, open_log
from tree import SOURCE

SECONDS = 60
HOSTILE = "a\u202eb"


@pytest.fixture(scope="module")
def path(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the log of a copy of 80 bytes. The name of the copy contains a character that
    reverses the direction of text."""
    folder = tmp_path_factory.mktemp("objects")
    subprocess.run(
        [build / "darshan", "run", "-o", "logs", "dd", "if=/dev/zero", f"of={HOSTILE}", "bs=8",
         "count=10", "status=none"],
        cwd=folder, capture_output=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    (log,) = (folder / "logs").glob("*.darshan")
    return log.rename(folder / "job.darshan")


@pytest.fixture
def log(path: Path) -> Log:
    """Opens a log."""
    return open_log(path)


def test_version_is_that_of_configure() -> None:
    """The package has configure.ac's version."""
    (version,) = re.findall(
        r"^AC_INIT\(\[darshan\], \[(.*?)\]\)", (SOURCE / "configure.ac").read_text(), re.M
    )
    assert darshan_report.__version__ == version


def test_version_of_an_installation(tmp_path: Path) -> None:
    """An installed package has the version that was written into it at the installation."""
    package = tmp_path / "darshan_report"
    package.mkdir()
    text = (SOURCE / "util/python/darshan_report/version.py").read_text()
    (package / "version.py").write_text(text)
    (package / "__init__.py").touch()
    command = ["python3", "-B", "-c", "from darshan_report.version import VERSION; print(VERSION)"]

    def said() -> str:
        return subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True, text=True, timeout=SECONDS, check=True,
        ).stdout  # fmt: skip

    assert said() == "unknown\n"
    (package / "_installed.py").write_text('VERSION = "9.8.7"\n')
    assert said() == "9.8.7\n"


def test_repr_of_a_log(log: Log, path: Path) -> None:
    """The repr has path, command line, processes, run time and modules, in one printable line."""
    said = repr(log)
    assert said.startswith(f"<Log '{path}': 'dd if=/dev/zero of=a\\u202eb bs=8 ")
    assert re.search(r", 1 process, [\d.e-]+ s; modules: .*\bPOSIX\b.*>$", said)
    assert said.isprintable()
    log.close()
    assert repr(log) == said.replace("': 'dd", "' (closed): 'dd")


def test_repr_of_records(log: Log) -> None:
    """The repr has the module and the numbers of records and counters."""
    records = log.records("POSIX")
    module = records.module
    number = len(module.counters) + len(module.fcounters)
    first, last = module.counters[0].name, module.fcounters[-1].name
    assert (
        repr(records) == f"<Records of POSIX: 1 record with {number} counters, {first} to {last}>"
    )
    assert repr(log.records("H5D")).startswith("<Records of H5D: 0 records with ")


@pytest.mark.parametrize("name", ["POSIX_BYTES_WRITEN", "posix_bytes_written", "BYTES_WRITTEN"])
def test_close_counters_are_named(name: str, log: Log) -> None:
    """A wrong counter name causes a KeyError that suggests the right one."""
    with pytest.raises(KeyError, match="POSIX_BYTES_WRITTEN") as raised:
        log.records("POSIX")[name]
    assert str(raised.value).startswith(f"POSIX has no counter '{name}'; did you mean ")
    assert isinstance(raised.value, UnknownName)


@pytest.mark.parametrize(("name", "meant"), [("MPIIO", "MPI-IO"), ("posix", "POSIX")])
def test_close_modules_are_named(name: str, meant: str, log: Log) -> None:
    """A wrong module name causes a KeyError that suggests the right one, in every method."""
    for method in (log.records, log.frame, lambda module: next(log.each(module))):
        with pytest.raises(KeyError, match=f"^there is no module '{name}'; did you mean .*{meant}"):
            method(name)


def test_a_name_without_close_ones(log: Log) -> None:
    """The error for a name that resembles no other one suggests none."""
    with pytest.raises(KeyError) as raised:
        log.records("xyzzy")
    assert str(raised.value) == "there is no module 'xyzzy'"


@pytest.fixture(scope="module")
def long_path(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the log of a program that writes 300 times 8 bytes for half a second, and reads."""
    folder = tmp_path_factory.mktemp("plots")
    code = (
        "import os, time\n"
        "for _ in range(300):\n  os.write(1, b'12345678'); time.sleep(0.002)\n"
        "open('/etc/passwd', 'rb', buffering=0).read(100)\n"
    )
    with open(folder / "out", "wb") as out:
        subprocess.run(
            [build / "darshan", "run", "-o", "logs", "python3", "-S", "-c", code],
            cwd=folder, stdout=out, stderr=subprocess.PIPE, timeout=SECONDS, check=True,
        )  # fmt: skip
    (log,) = (folder / "logs").glob("*.darshan")
    return log


def test_heatmap_has_the_bytes_of_the_frame(long_path: Path) -> None:
    """The plot of the heat map shows the bytes that the frame of HEATMAP has."""
    log = open_log(long_path)
    frame = log.frame("HEATMAP")
    rows = frame[frame.layer == "POSIX"]
    (axes,) = log.plot_heatmap("POSIX").axes[:1]
    (image,) = axes.get_images()
    assert image.get_array().sum() == rows["read"].sum() + rows["write"].sum() >= 2400
    assert log.plot_heatmap().axes[0].get_images()[0].get_array().sum() > 0


def test_rates_have_the_bytes_of_the_frame(long_path: Path) -> None:
    """The steps of the diagram of rates are proportional to the bytes written in each bin."""
    log = open_log(long_path)
    frame = log.frame("HEATMAP")
    written = frame[frame.layer == "POSIX"].groupby("start")["write"].sum().to_numpy()
    (axes,) = log.plot_rates("POSIX").axes
    stairs = {str(patch.get_label()): patch.get_data() for patch in axes.patches}
    # The unit of the axis is chosen for the peak: the shares of the bins do not depend on it.
    shown = stairs["write"].values
    assert shown.sum() > 0
    assert (abs(shown / shown.sum() - written / written.sum()) < 1e-9).all()


@pytest.mark.parametrize("method", ["plot_access_sizes", "plot_operations", "plot_times"])
def test_other_plots(method: str, long_path: Path, tmp_path: Path) -> None:
    """Each plot has bars, and can be shown in a notebook and stored in a file."""
    figure = getattr(open_log(long_path), method)()
    assert any(patch.get_width() > 0 and patch.get_height() > 0 for patch in figure.axes[0].patches)
    assert figure._repr_png_().startswith(b"\x89PNG")
    figure.savefig(tmp_path / "plot.pdf")
    assert (tmp_path / "plot.pdf").read_bytes().startswith(b"%PDF")


def test_plots_keep_the_settings_of_the_user(long_path: Path) -> None:
    """A plot does not change matplotlib's settings."""
    import matplotlib as mpl  # noqa: PLC0415 - the other tests do not need it

    before = dict(mpl.rcParams)
    open_log(long_path).plot_times()
    assert dict(mpl.rcParams) == before


def test_a_plot_without_data(long_path: Path) -> None:
    """The message about a layer that the log does not have names it, and one that the log has."""
    log = open_log(long_path)
    with pytest.raises(KeyError, match=r"has no heat map of layer 'MPI-IO'"):
        log.plot_heatmap("MPI-IO")
    with pytest.raises(KeyError, match=r"has no access sizes of layer 'PSIX'; did you mean POSIX"):
        log.plot_access_sizes("PSIX")
