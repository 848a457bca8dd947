"""The resident memory that the runtime uses for many datasets is limited, and the sums of their
counters are exact."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .observe import bare, instrumented, read_rows

# Bytes of each dataset.
BYTES = 16
# Records of H5D, as in a rank of an MPI job.
LIMIT = 1024
# In KiB, the unit of the printed memory.
MIB = 1024
# Most additional memory in KiB with LIMIT. The runtime needed 12.3 MiB, and 9.0 KiB per dataset
# with a record, when each dataset had tables for 32 accesses and 96 ranges, and datasets past the
# limit kept their names.
MOST = 6.5 * MIB
# Most additional memory in KiB per dataset with a record. A record of H5D has 912 bytes, one of
# LAYERS 2,416.
MOST_OF_EACH = 4.5
LIMITED = f"MAX_RECORDS {LIMIT} H5D\n"


@pytest.mark.parametrize(
    "case",
    [(LIMITED, 10_000, LIMIT, MOST), ("", 4000, 4000, 4000 * MOST_OF_EACH)],
    ids=["limited", "default"],
)
def test_many_datasets(
    build: Path, programs: Path, tmp_path: Path, case: tuple[str, int, int, float]
) -> None:
    """A program with many datasets, each of which is created, written once and closed, uses limited
    memory for them. Datasets without a record add no name to the log. case: lines of the
    configuration, number of datasets, expected number of records, and the permitted additional
    memory in KiB."""
    configuration, number, records, most = case
    command: list[str | Path] = [programs / "many-datasets", "many.h5", str(number)]
    (tmp_path / "configuration").write_text(configuration)
    settings = {"DARSHAN_CONFIG_PATH": str(tmp_path / "configuration")}
    without = bare(command, tmp_path)
    with_us = instrumented(build, command, tmp_path, tmp_path / "logs", settings)
    assert (without.status, with_us.status, with_us.stderr) == (0, 0, "")
    added = int(with_us.stdout) - int(without.stdout)
    print(f"{added} KiB of resident memory")
    assert 0 < added < most

    rows = read_rows(build / "darshan-parser", with_us.logs)
    datasets = {name: row for (module, name), row in rows.items() if module == "H5D"}
    assert len([name for name in datasets if name.startswith(f"{tmp_path}/many.h5:")]) == records
    assert sum(row["H5D_WRITES"] for row in datasets.values()) == number
    assert sum(row["H5D_BYTES_WRITTEN"] for row in datasets.values()) == number * BYTES
    below = {name: row for (module, name), row in rows.items() if module == "LAYERS"}
    asked = sum(below[name]["LAYERS_BYTES_ASKED_WRITTEN"] for name in datasets)
    assert asked == number * BYTES
    plain = tmp_path / "plain.darshan"
    convert = [build / "darshan-convert", "--compression", "none", *with_us.logs, plain]
    subprocess.run(convert, check=True, timeout=60)
    assert plain.read_bytes().count(b"many.h5:/dataset-") == records
