"""Data of a site in a lake: batch jobs from the accounting of Slurm, PBS and Flux (--scheduler),
and time series of servers (--servers)."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from darshan_report.lake import columns
from darshan_report.lake.commands import arguments, site_data
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.compact import compact
from darshan_report.lake.commit.prune import Which, prune
from darshan_report.lake.commit.storage import LakeError
from darshan_report.lake.site import batch_jobs, series
from darshan_report.lake.site.host_lists import expanded
from darshan_report.lake.write.arrow import schema_of, shape
from darshan_report.lake.write.hide import Hide
from sample import seed

from .conftest import Run
from .rows import make_logs, rows

BEGUN = 1_700_000_000
SACCT = f"""JobID|JobIDRaw|Cluster|User|Account|Partition|State|NNodes|AllocCPUS|NodeList|Submit|Start|End|ConsumedEnergyRaw
812|812|big|jane|climate|batch|COMPLETED|3|192|n[009-010],gpu1|{BEGUN - 90}|{BEGUN}|{BEGUN + 60}|52000
812.batch|812.batch|big||climate||COMPLETED|1|64|n009|{BEGUN}|{BEGUN}|{BEGUN + 60}|17000
812.0|812.0|big||climate||COMPLETED|3|192|n[009-010],gpu1|{BEGUN}|{BEGUN}|{BEGUN + 60}|35000
813_7|820|big|otto|water|batch|CANCELLED by 1000|1|1|n001|2023-11-14T22:00:00|2023-11-14T22:13:20|Unknown|
814|814|big|otto|water|batch|PENDING|1|1|None assigned|{BEGUN}|Unknown|Unknown|
"""  # noqa: E501
PBS = f"""11/14/2023 22:13:20;Q;45.head.example.org;queue=short
11/14/2023 22:13:20;S;45.head.example.org;user=jane group=users account="deep sea" project=p1 jobname=x queue=short ctime={BEGUN - 30} qtime={BEGUN - 30} etime={BEGUN - 30} start={BEGUN} exec_host=a1/0*8+a2/0*8 Resource_List.nodect=2
11/14/2023 22:15:00;E;45.head.example.org;user=jane group=users account="deep sea" project=p1 jobname=x queue=short ctime={BEGUN - 30} qtime={BEGUN - 30} etime={BEGUN - 30} start={BEGUN} exec_host=a1/0*8+a2/0*8 Resource_List.ncpus=16 Resource_List.nodect=2 session=7 end={BEGUN + 100} Exit_status=0 resources_used.energy=0.5 user=root
11/14/2023 22:15:00;E;46[3].head.example.org;user=otto queue=short ctime={BEGUN} start={BEGUN} exec_host=a1/0-1+a1/2 end={BEGUN + 9} Exit_status=271 resources_used.energy_used=77
"""  # noqa: E501
FLUX = {
    "jobs": [
        {"id": 912_680_550_400, "userid": 1000, "username": "jane", "urgency": 16, "name": "x",
         "bank": "climate", "project": "p2", "queue": "pbatch", "nnodes": 2, "ntasks": 8,
         "ncores": 96, "nodelist": "tuo[1-2]", "ranks": "[3-4]", "t_submit": BEGUN - 5.25,
         "t_run": BEGUN + 0.5, "t_cleanup": BEGUN + 61.0, "t_inactive": BEGUN + 62.0,
         "state": "INACTIVE", "result": "COMPLETED", "returncode": 0},
        {"id": 912_680_550_401, "userid": 1001, "username": "otto", "state": "SCHED"},
    ]
}  # fmt: skip


def _utc(seconds: float) -> datetime:
    """Returns a time in UTC. seconds: since 1970."""
    return datetime.fromtimestamp(seconds, timezone.utc)


def _jobs(lake: Path) -> list[dict[str, Any]]:
    """Returns the batch jobs of the lake, in order."""
    return sorted(rows(lake, "batch_jobs"), key=lambda row: (row["day"], row["job"]))


Collect = Callable[..., list[str]]


@pytest.fixture
def collect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Collect]:
    """Returns a function that runs `darshan collect` in this process, in UTC, and returns the lines
    on stderr. words: its options; text: contents for the file that the second option names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "")
    time.tzset()

    def run(*words: str, text: str | None = None) -> list[str]:
        if text is not None:
            Path(words[1]).write_text(text)
        storage.make("lake", {"mode": "0640"})
        site_data.collect(str(tmp_path / "lake"), arguments.collect(["--into", "lake", *words]))
        return capsys.readouterr().err.splitlines()

    yield run
    monkeypatch.undo()
    time.tzset()


def test_slurm(collect: Collect, tmp_path: Path) -> None:
    """The jobs in output of sacct are collected, including running jobs and those of a job array;
    job steps are left out, and waiting jobs only counted."""
    [said] = collect("--scheduler", "sacct.txt", text=SACCT)
    assert said == "darshan collect: 2 batch jobs of sacct.txt; 1 have not begun"
    one, two = _jobs(tmp_path / "lake")
    assert one | {"log": None, "program": None, "project": None} == one
    assert [one[n] for n in ("user", "account", "queue", "cluster", "job", "job_id", "state")] == [
        "jane", "climate", "batch", "big", "812", 812, "COMPLETED",
    ]  # fmt: skip
    assert (one["nodes"], one["processors"], one["energy_joules"]) == (3, 192, 52000.0)
    assert (one["hosts"], one["scheduler"]) == ("n009,n010,gpu1", "slurm")
    times = [one[name] for name in ("submitted", "started", "ended")]
    assert times == [_utc(BEGUN - 90), _utc(BEGUN), _utc(BEGUN + 60)]
    assert (two["job"], two["job_id"], two["state"], two["ended"]) == (
        "813_7", 820, "CANCELLED", None,
    )  # fmt: skip
    assert two["started"] == _utc(BEGUN) and two["energy_joules"] is None


def test_pbs(collect: Collect, tmp_path: Path) -> None:
    """The jobs in an accounting file of PBS are collected. The row of a job's end replaces that of
    its begin; of two fields with one name the first counts; energy may be in kWh or joules."""
    collect("--scheduler", "20231114", text=PBS)
    one, two = _jobs(tmp_path / "lake")
    names = ("user", "account", "project", "queue", "cluster", "job_id", "state", "nodes", "hosts")
    assert [one[name] for name in names] == [
        "jane", "deep sea", "p1", "short", "head.example.org", 45, "exit 0", 2, "a1,a2",
    ]  # fmt: skip
    assert (one["energy_joules"], one["processors"]) == (1.8e6, 16)
    assert [two[name] for name in ("job", "job_id", "nodes", "hosts", "energy_joules")] == [
        "46[3].head.example.org", 46, 1, "a1", 77.0,
    ]  # fmt: skip


def test_flux(collect: Collect, tmp_path: Path) -> None:
    """The jobs in output of `flux jobs --json` are collected, whether it is a list of jobs or a
    single job."""
    [said] = collect("--scheduler", "flux.json", text=json.dumps(FLUX, indent=1))
    assert "1 batch jobs" in said and "1 have not begun" in said
    [one] = _jobs(tmp_path / "lake")
    names = ("user", "account", "project", "queue", "job_id", "nodes", "hosts", "state")
    assert [one[name] for name in names] == [
        "jane", "climate", "p2", "pbatch", 912_680_550_400, 2, "tuo1,tuo2", "COMPLETED",
    ]  # fmt: skip
    assert (one["started"], one["ended"]) == (_utc(BEGUN + 0.5), _utc(BEGUN + 61))
    [said] = collect("--scheduler", "one.json", text=json.dumps(FLUX["jobs"][0]))
    assert said.endswith("1 rows replaced") and len(_jobs(tmp_path / "lake")) == 1


def test_again(darshan: Run, collect: Collect, tmp_path: Path) -> None:
    """Accounting files that overlap in time add no job twice; the newest state of a job is kept.
    The lake stays consistent, also after compaction and pruning."""
    collect("--scheduler", "sacct.txt", text=SACCT)
    later = SACCT.replace("CANCELLED by 1000", "COMPLETED")
    later = later.replace("|Unknown|\n", f"|{BEGUN + 5}|\n", 1)
    (tmp_path / "sacct.txt").write_text(later)
    log = make_logs(tmp_path / "logs", 1)[0]
    done = darshan("collect", "--into", "lake", "--scheduler", "sacct.txt", log)
    said = done.stderr.splitlines()
    assert said[0].partition("; ")[2] == "2 rows replaced; 1 have not begun"
    assert said[1].startswith("darshan collect: 1 logs") and done.returncode == 0
    assert [row["state"] for row in _jobs(tmp_path / "lake")] == ["COMPLETED"] * 2
    assert _jobs(tmp_path / "lake")[1]["ended"] == _utc(BEGUN + 5)
    mode = {p.stat().st_mode & 0o777 for p in (tmp_path / "lake/batch_jobs").rglob("*.parquet")}
    assert mode == {0o640}
    assert darshan("lake", "check", "--deep", "lake").returncode == 0
    compact(str(tmp_path / "lake"), schema_of, shape)
    prune(str(tmp_path / "lake"), Which(user="otto"))
    assert [row["user"] for row in _jobs(tmp_path / "lake")] == ["jane"]


def test_hidden_names_fit(darshan: Run, tmp_path: Path) -> None:
    """In a lake with anonymized names, a user has the same replacement in the tables jobs and
    batch_jobs."""
    [log] = make_logs(tmp_path / "logs", 1)
    header, row = SACCT.splitlines()[:2]
    text = row.replace("812|812", "4242|4242").replace("|jane|", "|user0|")
    (tmp_path / "sacct.txt").write_text(f"{header}\n{text}\n")
    words = ("--scheduler", "sacct.txt", log, "--obfuscate")
    assert darshan("collect", "--into", "lake", *words).returncode == 0
    [job], [batch] = rows(tmp_path / "lake", "jobs"), _jobs(tmp_path / "lake")
    assert (job["user"], job["job_id"]) == (batch["user"], batch["job_id"])
    assert not {"user0", "climate", "4242"} & set(map(str, batch.values()))
    assert "gpu1" not in batch["hosts"] and batch["hosts"].count(",") == 2
    asked = darshan("ask", "lake", "accounts", "--json")
    assert json.loads(asked.stdout)[0]["logs"] == 1, asked.stderr


@pytest.mark.parametrize(
    "text, words",
    [
        ("nothing\n", "neither output of `sacct -P`"),
        ("", "neither output of `sacct -P`"),
        ("JobID|User|Start|End|JobName\n", "column jobname: users choose its text"),
        ("JobID|User\n", "lacks the column start"),
        ("{", "begins like JSON, but"),
        ("[" * 100_000, "begins like JSON, but"),
        ('{"jobs": 7}', "its jobs are not a list"),
        ('[{"id": 1, "t_run": NaN}]', "NaN is not a number of JSON"),
    ],
)
def test_not_an_accounting(text: str, words: str, collect: Collect, tmp_path: Path) -> None:
    """A file that is not accounting of a known scheduler causes a LakeError of one line, and adds
    nothing."""
    with pytest.raises(LakeError) as error:
        collect("--scheduler", "odd", text=text)
    assert words in str(error.value) and "\n" not in str(error.value)
    assert not rows(tmp_path / "lake", "batch_jobs")


def test_errors_of_the_command(darshan: Run, tmp_path: Path) -> None:
    """If a file of --scheduler is missing or invalid, the command prints one line with its name and
    exits with 1."""
    (tmp_path / "odd").write_text("nothing\n")
    for name in ("odd", "missing"):
        done = darshan("collect", "--into", "lake", "--scheduler", name)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1) and name in done.stderr, done
    with pytest.raises(SystemExit):
        arguments.collect(["--into", "lake"])


HOSTILE = [
    "5|5|big|eve|a|q|R|1|1|n1|0|2099-01-01T00:00:00|Unknown|1",  # begins in the future
    f"6|6|big|eve|a|q|R|1|1|n1|0|{BEGUN}|{BEGUN - 1}|1",  # ended before
    f"7|7|big||a|q|R|1|1|n1|0|{BEGUN}|{BEGUN}|1",  # of nobody
    f"8|8|big|eve|a|q|R|{1 << 62}|1|n1|0|{BEGUN}|{BEGUN}|1",
    f"9|{'9' * 30}|big|eve|a|q|R|1|1|n1|0|{BEGUN}|{BEGUN}|1",
    f"10|10|big|eve|a|b|c|q|R|1|1|n1|0|{BEGUN}|{BEGUN}|1",  # another field
    f"11|11|big|eve\x1b[2J|a|q|R|1|1|n1|0|{BEGUN}|{BEGUN}|1",
    f"12|12|big|eve|{'a' * 5000}|q|R|1|1|n1|0|{BEGUN}|{BEGUN}|1",
    "x" * (3 << 20),
    f"13|13|big|eve|a|q|R|-1|1|n1|0|nan|{BEGUN}|1",
]


def test_hostile_lines(collect: Collect, tmp_path: Path) -> None:
    """Lines with impossible values are refused: the summary has their number, and a message the
    first one. All other lines are collected."""
    lines = SACCT.splitlines()
    text = "\n".join([*lines[:3], *HOSTILE, *lines[3:]]) + "\n"
    (tmp_path / "sacct.txt").write_bytes(text.encode() + b"14|\xff|x\n")
    said, first = collect("--scheduler", "sacct.txt")
    assert said.endswith(f"1 have not begun; {len(HOSTILE) + 1} lines refused")
    assert "line 4: start '2099-01-01T00:00:00' is not between" in first
    assert [row["user"] for row in _jobs(tmp_path / "lake")] == ["jane", "otto"]


def test_mutated_accountings(tmp_path: Path) -> None:
    """An accounting of sacct, PBS or Flux with one to five changed bytes is read, or refused with a
    LakeError of one line, and the values of every row that was read can be added up."""
    rng = random.Random(seed())
    lake = tmp_path / "lake"
    storage.make(str(lake), {})
    for text in (SACCT, PBS, json.dumps(FLUX)):
        for _ in range(20):
            data = bytearray(text.encode())
            for _ in range(rng.randrange(1, 6)):
                data[rng.randrange(len(data))] = rng.choice(b'0129|;=[]-"\n\xff.e{}')
            (tmp_path / "odd").write_bytes(data)
            try:
                batch_jobs.collect(str(lake), str(tmp_path / "odd"), Hide())
            except LakeError as error:
                assert "\n" not in str(error), seed()
    for row in rows(lake, "batch_jobs"):
        for column in columns.BATCH_JOBS.columns:
            value = row[column.name]
            if column.rule == "sum" and value is not None:
                assert 0 <= value <= 1e18, (column.name, value, seed())


def test_lists_of_hosts() -> None:
    """Lists of node names in the form of Slurm are expanded; for an invalid list, or one of more
    than 4,096 names, the result is None."""
    assert expanded("n[08-11,20],login") == ["n08", "n09", "n10", "n11", "n20", "login"]
    assert expanded("r[1-2]n[3-4]") == ["r1n3", "r1n4", "r2n3", "r2n4"]
    for odd in ("n[1-", "n[4-2]", "n[1-999999999]", "n[0-4096]", "a[0-99]b[0-99]", "n]1[", "a b",
                "n[1-x]", "\n"):  # fmt: skip
        assert expanded(odd) is None, odd
    assert len(expanded("n[1-4096]") or []) == 4096


def _served(lake: Path) -> list[tuple[Any, ...]]:
    """Returns the rows about the load of servers, in order."""
    found = rows(lake, "server_load")
    return sorted((row["target"] or "", row["began"], row["seconds"], row["bytes_read"],
                   row["bytes_written"], row["operations"]) for row in found)  # fmt: skip


def test_rates_of_a_csv(collect: Collect, tmp_path: Path) -> None:
    """Rates of two storage targets in KiB/s become bytes for each interval; collecting the file
    again replaces the same rows."""
    lines = [f"{name},{BEGUN + 30 * n},{n},{2 * n},{n}" for n in range(3) for name in "ab"]
    (tmp_path / "io.csv").write_text("\n".join(["dev,t,rk,wk,ops", *lines]) + "\n")
    command = ["--servers", "io.csv", "--servers-mount", "/scratch", "--servers-columns",
               "time=t,target=dev,read=rk,write=wk,operations=ops",
               "--servers-values", "rates", "--servers-unit", "1KiB"]  # fmt: skip
    for more in ("", "; 6 rows replaced"):
        assert collect(*command) == [f"darshan collect: 6 intervals of io.csv{more}"]
    assert _served(tmp_path / "lake") == [
        (name, _utc(BEGUN + 30 * n), 30.0, 30 * n << 10, 60 * n << 10, 30 * n)
        for name in "ab" for n in range(3)
    ]  # fmt: skip


def test_totals_of_parquet(tmp_path: Path) -> None:
    """Totals since the start of a server become differences; in the interval in which a server was
    restarted, the value is null."""
    storage.make(str(tmp_path / "lake"), {})
    times = [_utc(BEGUN + 60 * n) for n in range(5)]
    table = pa.table({"at": pa.array(times), "fs": ["/work"] * 5, "r": [10, 15, 40, 3, 8]})
    pq.write_table(table, tmp_path / "lmt.parquet")
    form = series.Form({"time": "at", "mount": "fs", "read": "r"}, values="totals")
    series.collect(str(tmp_path / "lake"), str(tmp_path / "lmt.parquet"), form, Hide())
    found = _served(tmp_path / "lake")
    assert [row[3] for row in found] == [5, 25, None, 5] and {row[2] for row in found} == {60.0}
    assert [row[1] for row in found] == times[:4]


def test_odd_series(collect: Collect, tmp_path: Path) -> None:
    """Impossible values in a time series are null; rows without a time or with a wrong number of
    fields are refused and counted; a file that is not a time series causes an error of one line."""
    cells = [f"{BEGUN},1e300", f"{BEGUN + 10},-5", f"{BEGUN + 20},nan", f"{BEGUN + 30},7"]
    cells += ["x,1", "9e99,1", ",", f"{BEGUN},1,2", "7", "2023-11-14T22:14:00,9"]
    (tmp_path / "odd.csv").write_text("\n".join(["time,read", *cells]) + "\n")
    base = ("--servers-mount", "/s", "--servers")
    [said] = collect(*base, "odd.csv", "--servers-columns", "time,read")
    assert "5 intervals" in said and "5 rows refused" in said
    assert [row[3] for row in _served(tmp_path / "lake")] == [None, None, None, 7, 9]
    (tmp_path / "far.csv").write_text(f"time,read\n{BEGUN},1\n{BEGUN + 4 * 86400},2\n")
    [said] = collect(*base, "far.csv", "--servers-columns", "time,read")
    assert said.endswith("0 intervals of far.csv; 2 rows refused: no interval of a day at most")
    (tmp_path / "no.csv").write_text("a,b\n1\n")
    (tmp_path / "no.parquet").write_bytes(b"PAR1" + bytes(99))
    for name in ("odd.csv", "no.csv", "no.parquet", "missing.csv"):
        with pytest.raises((LakeError, FileNotFoundError)) as error:
            collect(*base, name)
        assert "\n" not in str(error.value)
    for odd in ("read", "time", "time=a,what=b", "time=,read"):
        with pytest.raises(SystemExit):
            collect(*base, "odd.csv", "--servers-columns", odd)
    with pytest.raises(SystemExit):
        collect("--servers", "odd.csv")
