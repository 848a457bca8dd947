"""Queries for a centre's staff on generated logs: their results equal sums over the records that
PyDarshan reads."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from darshan_report import lake as lakes
from darshan_report.lake.ask.ready.questions import BY_NAME, Filters, query
from darshan_report.lake.site import batch_jobs, series
from darshan_report.lake.write.hide import Hide
from logs.content import standard_log
from logs.encode import encode

from .test_commits import fill
from .witness import Read, read

JOBS = 24
BEGUN = 1_701_043_200  # 27 November 2023: the runs are of two months
HOUR, DAY = 3600, 86_400
OFTEN = {"POSIX": 4, "STDIO": 2, "LUSTRE": 1}
METADATA = "lib_ver=3.5.0\nmpi=MPICH {}\nhosts=n1,n{}\n"
SCRATCH, STEP = "/scratch", 600  # seconds of an interval of the servers
HEADER = ("JobID|JobIDRaw|Cluster|User|Account|Partition|State|NNodes|AllocCPUS|NodeList|Submit|"
          "Start|End|ConsumedEnergyRaw")  # fmt: skip
Row = dict[str, Any]


class Staff(NamedTuple):
    """A lake, and the same logs as PyDarshan reads them. ask: returns the rows of a predefined
    query."""

    ask: Callable[..., list[Row]]
    logs: list[Read]
    batch: dict[int, Row]  # batch jobs in the scheduler's accounting, by job id
    served: list[
        tuple[int, float]
    ]  # of the file server: begin of an interval (Unix time), bytes moved


def _logs(folder: Path) -> Iterator[Path]:
    """Writes logs of three programs and four users, two logs of each batch job, 9 hours apart.
    Yields their paths."""
    for number in range(JOBS):
        begun = BEGUN + number * 9 * HOUR
        seconds = 600 + 1900 * (number % 5)
        log = standard_log(
            OFTEN, seed=number, start=(begun, 0), end=(begun + seconds, 500_000_000),
            jobid=100 + number // 2, exe=f"/bin/program{number % 3} x".encode(),
            metadata=METADATA.format(number % 2, 2 + number % 4).encode(),
        )  # fmt: skip
        path = folder / f"user{number // 2 % 4}_program{number % 3}_id{100 + number // 2}-{number}"
        path = path.with_name(path.name + "_1-1-1-1_1.darshan")
        path.write_bytes(encode(log))
        yield path


def _accounting(folder: Path, logs: list[Read]) -> dict[int, Row]:
    """Writes output of sacct for the logs to sacct.txt. Each batch job begins five minutes before
    its first log and ends after its last one. Returns the batch jobs by their ids."""
    found: dict[int, Row] = {}
    lines = [HEADER]
    for number in sorted({log.job["jobid"] for log in logs}):
        mine = [log for log in logs if log.job["jobid"] == number]
        start, end = int(mine[0].begun) - 300, int(max(log.ended for log in mine)) + 60
        job = {"user": mine[0].user, "account": f"acct{number % 3}", "nodes": 2 + number % 5,
               "start": start, "end": end, "joules": 1000.0 * number}  # fmt: skip
        found[number] = job
        lines.append(
            f"{number}|{number}|big|{job['user']}|{job['account']}|batch|COMPLETED|{job['nodes']}|8|"
            f"h[1-{job['nodes']}]|{start - 60}|{start}|{end}|{number * 1000}"
        )
        lines.append(f"{number}.batch|{number}.batch|big||acct|||1|1|h1|0|{start}|{end}|7")
    (folder / "sacct.txt").write_text("\n".join(lines) + "\n")
    return found


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staff]:
    """Makes a lake of logs, of batch jobs, and of the bytes that a file server moved in each
    interval."""
    folder = tmp_path_factory.mktemp("staff")
    paths = list(_logs(folder))
    fill(folder / "lake", paths)
    logs = [read(path) for path in paths]
    batch = _accounting(folder, logs)
    batch_jobs.collect(str(folder / "lake"), str(folder / "sacct.txt"), Hide())
    served = []
    with (folder / "series.csv").open("w") as file:
        file.write("when,r,w\n")
        for number in range(JOBS * 9 * HOUR // STEP):
            at = BEGUN // STEP * STEP + number * STEP
            amount = 1e12 * (1 + number % 7) * (50 if 60 < number < 80 else 1)
            served.append((at, 2 * amount))
            file.write(f"{at},{amount:.0f},{amount:.0f}\n")
    form = series.Form({"time": "when", "read": "r", "write": "w"}, SCRATCH)
    series.collect(str(folder / "lake"), str(folder / "series.csv"), form, Hide())
    with lakes.open(folder / "lake") as opened:

        def ask(name: str, filters: Filters | None = None, **values: Any) -> list[Row]:
            question = BY_NAME[name]
            sql, used = query(question, filters or Filters(), {"top": 10_000, **values})
            return opened.sql(sql, used).rows()

        yield Staff(ask, logs, batch, served)


def _near(found: Any, want: Any) -> bool:
    """Returns whether two numbers differ only by rounding."""
    return bool(found == pytest.approx(want, rel=1e-9, nan_ok=False))


def test_metadata(staff: Staff) -> None:
    """The query "metadata" has opens, stats and renames of each user and program, those with the
    largest sum first."""
    want: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0, 0])
    for log in staff.logs:
        sums = want[log.user, log.program]
        sums[0] += log.total("POSIX", "POSIX_OPENS") + log.total("STDIO", "STDIO_OPENS")
        sums[1] += log.total("POSIX", "POSIX_STATS")
        sums[2] += log.total("POSIX", "POSIX_RENAME_SOURCES")
    found = staff.ask("metadata")
    got = {(r["user"], r["program"]): [r["opens"], r["stats"], r["others"]] for r in found}
    assert got.keys() == want.keys() and len(want) > 4
    # Records that do not know a counter have -1, which totals of several ranks add in part.
    assert all(got[key] == pytest.approx(sums, abs=JOBS) for key, sums in want.items())
    order = [r["operations"] for r in found]
    assert (
        order == sorted(order, reverse=True) == [sum(got[r["user"], r["program"]]) for r in found]
    )


def test_layers_and_sizes(staff: Staff) -> None:
    """The query "layers" has the bytes of each layer; the query "sizes" has reads and writes of
    each size class, with their fractions."""
    found = {row["layer"]: row for row in staff.ask("layers")}
    for layer in ("POSIX", "STDIO"):
        want = sum(log.total(layer, f"{layer}_BYTES_READ") for log in staff.logs)
        assert (found[layer]["jobs"], found[layer]["bytes_read"]) == (JOBS, want)
    sizes = {row["size"]: row for row in staff.ask("sizes") if row["layer"] == "POSIX"}
    ends = ("0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M",
            "100M_1G", "1G_PLUS")  # fmt: skip
    for kind in ("READ", "WRITE"):
        want = [sum(x.total("POSIX", f"POSIX_SIZE_{kind}_{e}") for x in staff.logs) for e in ends]
        assert [row[f"{kind.lower()}s"] for row in sizes.values()] == want
        shares = [row[f"share_of_{kind.lower()}s"] for row in sizes.values()]
        assert _near(shares, [part / sum(want) for part in want])


def test_randomness(staff: Staff) -> None:
    """The query "randomness" has, for each program, the fraction of reads that did not begin after
    the end of the previous one."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0])
    for log in staff.logs:
        reads = log.total("POSIX", "POSIX_READS")
        sums[log.program][0] += max(reads - log.total("POSIX", "POSIX_SEQ_READS"), 0)
        sums[log.program][1] += reads
    found = {row["program"]: row["share_random_reads"] for row in staff.ask("randomness")}
    assert found.keys() == sums.keys()
    assert all(_near(found[name], one / all_) for name, (one, all_) in sums.items())


def test_versions(staff: Staff) -> None:
    """The query "versions" has the library versions in the logs' metadata, with the number of jobs
    for each."""
    want = Counter(("mpi", log.job["metadata"]["mpi"]) for log in staff.logs)
    want.update(("lib_ver", log.job["metadata"]["lib_ver"]) for log in staff.logs)
    found = staff.ask("versions")
    assert {(r["library"], r["version"]): r["jobs"] for r in found} == want and len(want) == 3


def test_small_files_and_data_sets(staff: Staff) -> None:
    """The query "small-files" has for each user the number of files and of those below 1 MiB; the
    query "data-sets" has the files that at least three jobs read."""
    last: dict[tuple[str, str], float] = {}
    readers: dict[str, set[str]] = defaultdict(set)
    for log in staff.logs:
        for row in log.of_files():
            ends = [row[f"MAX_BYTE_{k}"] for k, n in (("READ", "READ"), ("WRITTEN", "WRITTEN"))
                    if row[f"BYTES_{n}"] > 0]  # fmt: skip
            if ends:
                key = (log.user, row["name"])
                last[key] = max(last.get(key, 0), *ends)
            if row["BYTES_READ"] > 0:
                readers[row["name"]].add(log.log)
    want = {user: [sum(u == user for u, _ in last),
                   sum(u == user and end < 1 << 20 for (u, _), end in last.items())]
            for user in {user for user, _ in last}}  # fmt: skip
    found = staff.ask("small-files")
    assert {r["user"]: [r["files"], r["small_files"]] for r in found} == want
    data = staff.ask("data-sets", least=3)
    many = {name: len(logs) for name, logs in readers.items() if len(logs) >= 3}
    assert {row["name"]: row["jobs"] for row in data} == many and many


def test_sharing(staff: Staff) -> None:
    """The query "sharing" has for each program the number and bytes of files that several ranks
    use, and of files of a single rank."""
    want: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0, 0])
    for log in staff.logs:
        files: dict[int, list[Row]] = defaultdict(list)
        for row in log.of_files():
            files[row["id"]].append(row)
        for rows in files.values():
            ranks = {row["rank"] for row in rows}
            place = 0 if len(ranks) > 1 or -1 in ranks else 2
            want[log.program][place] += 1
            want[log.program][place + 1] += sum(r["BYTES_READ"] + r["BYTES_WRITTEN"] for r in rows)
    found = {row["program"]: row for row in staff.ask("sharing")}
    for name, sums in want.items():
        row = found[name]
        assert [row["common_files"], row["bytes_in_common_files"], row["files_of_one_rank"],
                row["bytes_in_files_of_one_rank"]] == sums  # fmt: skip
    assert found.keys() == want.keys() and all(min(sums) > 0 for sums in want.values())


def test_stripes_and_targets(staff: Staff) -> None:
    """The queries about Lustre have the number of files by stripe count, and the bytes by storage
    target."""
    stripes: dict[int, set[str]] = defaultdict(set)
    load: dict[tuple[str, str], float] = defaultdict(float)
    for log in staff.logs:
        moved: dict[int, float] = defaultdict(float)
        for row in log.of_files():
            moved[row["id"]] += row["BYTES_READ"] + row["BYTES_WRITTEN"]
        targets: dict[int, set[int]] = defaultdict(set)
        width: dict[int, int] = defaultdict(int)
        names, mounts = {}, {}
        for row in log.records["LUSTRE"]:
            targets[row["id"]] |= set(row["LUSTRE_OST_IDS"])
            width[row["id"]] = max(width[row["id"]], row["LUSTRE_COMP_STRIPE_COUNT"])
            names[row["id"]], mounts[row["id"]] = row["name"], row["mount"]
        for file, some in targets.items():
            stripes[width[file]].add(names[file])
            for target in some:
                load[mounts[file], str(target)] += moved[file] / len(some)
    assert {r["stripes"]: r["files"] for r in staff.ask("stripes")} == {
        count: len(names) for count, names in stripes.items()
    }
    found = {(r["mount"], r["target"]): r["bytes_read"] + r["bytes_written"]
             for r in staff.ask("targets")}  # fmt: skip
    assert found.keys() == load.keys()
    assert all(_near(found[key], value) for key, value in load.items())


def _in_hours(log: Read) -> Iterator[tuple[int, float]]:
    """Yields each hour of a run, with the fraction of the run in this hour."""
    for hour in range(int(log.begun // HOUR), int(log.ended // HOUR) + 1):
        inside = min(log.ended, (hour + 1) * HOUR) - max(log.begun, hour * HOUR)
        if inside > 0:
            yield hour, inside / (log.ended - log.begun)


def test_load(staff: Staff) -> None:
    """The query "load" has for each hour the running jobs and their bytes, in total and by file
    system, and the bytes that the file server reported."""
    want: dict[int, float] = defaultdict(float)
    on: dict[tuple[int, str], float] = defaultdict(float)
    jobs: Counter[int] = Counter()
    for log in staff.logs:
        for hour, share in _in_hours(log):
            jobs[hour] += 1
            for row in log.of_files():
                want[hour] += row["BYTES_WRITTEN"] * share
                on[hour, row["mount"]] += row["BYTES_WRITTEN"] * share
    found = {row["hour"].timestamp() // HOUR: row for row in staff.ask("load")}
    assert found.keys() == want.keys() and len(want) > JOBS
    for hour, amount in want.items():
        served = sum(moved for at, moved in staff.served if at // HOUR == hour)
        row = found[hour]
        assert _near(row["bytes_written"], amount) and row["jobs"] == jobs[hour]
        assert row["server_bytes_read"] + row["server_bytes_written"] == served
    each = staff.ask("load-file-systems")
    got = {(r["hour"].timestamp() // HOUR, r["mount"]): r["bytes_written"] for r in each}
    assert got.keys() == on.keys() and all(_near(got[key], value) for key, value in on.items())
    with_server = {row["mount"] for row in each if row["server_bytes_read"] is not None}
    assert with_server == {SCRATCH}


def test_concurrency(staff: Staff) -> None:
    """The query "concurrency" has for each file system how many jobs that used it ran at the same
    time: the maximum, and the mean over time."""
    found = {row["mount"]: row for row in staff.ask("concurrency")}
    for mount in {row["mount"] for log in staff.logs for row in log.of_files()}:
        spans = [(log.begun, log.ended) for log in staff.logs
                 if any(row["mount"] == mount for row in log.of_files())]  # fmt: skip
        most = max(sum(a <= moment < b for a, b in spans) for moment, _ in spans)
        whole = max(b for _, b in spans) - min(a for a, _ in spans)
        assert (found[mount]["jobs"], found[mount]["most_at_a_time"]) == (len(spans), most)
        assert _near(found[mount]["mean_at_a_time"], sum(b - a for a, b in spans) / whole)


def _io(log: Read) -> float:
    """Returns the seconds of I/O in a log, summed over files and ranks."""
    names = ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")
    return sum(row[name] for row in log.of_files() for name in names)


def test_node_hours_and_energy(staff: Staff) -> None:
    """The query "node-hours" has for each program its node-hours, in total and in I/O, with the
    scheduler's number of nodes; the query "energy" has the energy of batch jobs."""
    hours: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for log in staff.logs:
        job = staff.batch[log.job["jobid"]]
        run = log.ended - log.begun
        share = min(_io(log) / (run * log.job["nprocs"]), 1)
        mine = [x for x in staff.logs if x.job["jobid"] == log.job["jobid"]]
        total = max(sum(x.ended - x.begun for x in mine), job["end"] - job["start"])
        sums = hours[log.program]
        sums[0] += run * job["nodes"] / HOUR
        sums[1] += run * job["nodes"] / HOUR * share
        sums[2] += job["joules"] * run / total
    found = {row["program"]: row for row in staff.ask("node-hours")}
    energy = {row["program"]: row["energy_joules"] for row in staff.ask("energy")}
    for name, (all_, io, joules) in hours.items():
        assert _near(found[name]["node_hours"], all_) and _near(found[name]["io_node_hours"], io)
        assert _near(energy[name], joules)
    assert len(found) == len(hours) == 3


def test_accounts(staff: Staff) -> None:
    """The query "accounts" has for each account its batch jobs, their logs and their node-hours."""
    found = {row["account"]: row for row in staff.ask("accounts")}
    for account in ("acct0", "acct1", "acct2"):
        jobs = {n: j for n, j in staff.batch.items() if j["account"] == account}
        row = found[account]
        logs = [log for log in staff.logs if log.job["jobid"] in jobs]
        assert (row["batch_jobs"], row["logs"], row["queue"]) == (len(jobs), len(logs), "batch")
        want = sum(job["nodes"] * (job["end"] - job["start"]) / HOUR for job in jobs.values())
        assert _near(row["node_hours"], want)
        assert _near(row["energy_joules"], sum(job["joules"] for job in jobs.values()))
        moved = sum(r["BYTES_READ"] + r["BYTES_WRITTEN"] for log in logs for r in log.of_files())
        assert _near(row["bytes"], moved)


def test_all_logs_of_a_batch_job(staff: Staff) -> None:
    """The query "job" has both logs of a batch job, with the account and the nodes from the
    scheduler."""
    number, job = next(iter(staff.batch.items()))
    found = staff.ask("job", job=str(number))
    assert [r["log"] for r in found] == [x.log for x in staff.logs if x.job["jobid"] == number]
    assert {(r["account"], r["nodes"], r["user"]) for r in found} == {
        (job["account"], job["nodes"], job["user"])
    }


def test_nodes(staff: Staff) -> None:
    """The query "nodes" counts the jobs of each host that a log or the scheduler names."""
    want: Counter[str] = Counter()
    for log in staff.logs:
        hosts = set(log.job["metadata"]["hosts"].split(","))
        want.update(hosts | {f"h{n + 1}" for n in range(staff.batch[log.job["jobid"]]["nodes"])})
    assert {row["host"]: row["jobs"] for row in staff.ask("nodes")} == want


def test_drift(staff: Staff) -> None:
    """The query "drift" has for each program and month the median of its seconds of I/O per GiB."""
    months: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for log in staff.logs:
        moved = sum(r["BYTES_READ"] + r["BYTES_WRITTEN"] for r in log.of_files())
        month = "2023-11" if log.begun < 1_701_388_800 else "2023-12"
        months[log.program][month].append(_io(log) * (1 << 30) / moved)
    found = staff.ask("drift", least=1)
    assert {row["program"] for row in found} == set(months) and len(months) == 3
    assert len(found) == 2 * len(months)
    for row in found:
        values = months[row["program"]][f"{row['month']:%Y-%m}"]
        assert row["jobs"] == len(values)
        assert _near(row["seconds_per_gib"], statistics.median(values))


def test_a_run_against_its_history(staff: Staff) -> None:
    """The query "run" compares a run of a program with the medians of the program's earlier
    runs."""
    last = staff.logs[-1]
    earlier = [log for log in staff.logs[:-1] if log.program == last.program]
    found = {row["measure"]: row for row in staff.ask("run", job=last.log)}
    row = found["io_seconds"]
    assert (row["log"], row["runs"]) == (last.log, len(earlier)) and len(earlier) > 5
    assert _near(row["this_run"], _io(last))
    assert _near(row["usual"], statistics.median(map(_io, earlier)))
    assert _near(found["run_seconds"]["most"], max(log.ended - log.begun for log in earlier))


def test_slow_because_of_others(staff: Staff) -> None:
    """The query "slow-with-others" has the runs that took 1.5 times their usual time per byte or
    more, with the load of the servers by others meanwhile. From 1.5 times the usual load on, this
    is called the reason."""
    pace = {log.log: _io(log) / sum(r["BYTES_READ"] + r["BYTES_WRITTEN"] for r in log.of_files())
            for log in staff.logs}  # fmt: skip
    usual = {
        name: math.exp(
            statistics.median(math.log(pace[x.log]) for x in staff.logs if x.program == name)
        )
        for name in {log.program for log in staff.logs}
    }
    typical = statistics.median(moved / STEP for _, moved in staff.served)
    want = {}
    for log in staff.logs:
        own = sum(r["BYTES_READ"] + r["BYTES_WRITTEN"] for r in log.of_files()
                  if r["mount"] == SCRATCH)  # fmt: skip
        if pace[log.log] < 1.5 * usual[log.program]:
            continue
        parts = [(max(min(at + STEP, log.ended) - max(at, log.begun), 0), moved)
                 for at, moved in staff.served]  # fmt: skip
        moved = sum(inside / STEP * amount for inside, amount in parts)
        rate = max(moved - own, 0) / sum(inside for inside, _ in parts)
        want[log.log] = (pace[log.log] / usual[log.program], moved, rate / typical)
    found = {row["log"]: row for row in staff.ask("slow-with-others", least=1)}
    assert found.keys() == want.keys() and want
    for log, (times, moved, ratio) in want.items():
        row = found[log]
        assert row["times_the_usual"] == pytest.approx(times, rel=1e-6)
        assert row["server_bytes"] == pytest.approx(moved, rel=1e-6)
        assert row["others_ratio_to_usual_load"] == pytest.approx(ratio, rel=1e-6)
        assert (row["because"] == "load of others") == (ratio >= 1.5)
    assert {row["because"] for row in found.values()} == {"load of others", "something else"}
