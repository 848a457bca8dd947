"""Samples of long lists of cases, which depend on the commit.

DARSHAN_SAMPLE determines the sample: a commit or any other word; if it is not set, the commit of
the tree. "all" means every case (`./dev full`). A run is repeated with the same sample by
DARSHAN_SAMPLE=<from the last lines of pytest's output> ./check"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections.abc import Container, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")
# The value of DARSHAN_SAMPLE for all cases.
ALL = "all"
# A property of a test: a line that is printed at the end of the run.
TOLD = "told"
# Factor of each share, so that all samples together fit into the time of ./check.
SCALE = 0.5


# Files whose tests take long together (three seconds of a processor and more).  A run of all tests
# has half of the tests in two fifths of these files; the others are not read, and their fixtures
# not made.  A test with the marker "always" is not left out.
LONG = (
    "apmpi/test_apmpi.py",
    "apmpi/test_languages.py",
    "apmpi/test_report.py",
    "bench/test_hdf5_instructions.py",
    "bench/test_many_files.py",
    "bench/test_trace_cost.py",
    "calls/test_functions.py",
    "calls/test_limits.py",
    "calls/test_mapped.py",
    "calls/test_mapped_libraries.py",
    "calls/test_page_faults.py",
    "calls/test_sensitivity.py",
    "calls/test_settings.py",
    "centre/test_corpus.py",
    "centre/test_stories.py",
    "docs/test_completion.py",
    "docs/test_configure.py",
    "docs/test_order.py",
    "docs/test_pictures.py",
    "docs/test_python.py",
    "docs/test_site.py",
    "dxt/test_heatmap.py",
    "dxt/test_traces.py",
    "e2e/test_jobs.py",
    "e2e/test_programs.py",
    "e2e/test_sanitizers.py",
    "faults/test_faults.py",
    "front/test_advice.py",
    "front/test_alike.py",
    "front/test_compare.py",
    "front/test_cost.py",
    "front/test_dropped.py",
    "front/test_endings.py",
    "front/test_failures.py",
    "front/test_help.py",
    "front/test_list.py",
    "front/test_newest.py",
    "front/test_not_found.py",
    "front/test_recover.py",
    "front/test_renamed.py",
    "front/test_screen.py",
    "front/test_stat.py",
    "front/test_stat_data.py",
    "front/test_tree.py",
    "gds/test_gds.py",
    "groups/test_groups.py",
    "harm/test_ends.py",
    "harm/test_full_tables.py",
    "harm/test_full_upper_tables.py",
    "harm/test_habits.py",
    "harm/test_journal.py",
    "harm/test_outputs.py",
    "harm/test_report_ends.py",
    "harm/test_seccomp.py",
    "harm/test_session.py",
    "harm/test_signals.py",
    "harm/test_stacks.py",
    "harm/test_stdio.py",
    "harm/test_strangers.py",
    "hdf5/test_cases.py",
    "hdf5/test_memory.py",
    "hdf5/test_modern.py",
    "hdf5/test_python.py",
    "hdf5/test_threads.py",
    "interrupt/test_interrupt.py",
    "lake/test_ask.py",
    "lake/test_attacks.py",
    "lake/test_cells.py",
    "lake/test_changes.py",
    "lake/test_cluster.py",
    "lake/test_commits.py",
    "lake/test_complete.py",
    "lake/test_crowd.py",
    "lake/test_dates.py",
    "lake/test_delta.py",
    "lake/test_digest.py",
    "lake/test_exact.py",
    "lake/test_half_copied.py",
    "lake/test_impossible.py",
    "lake/test_keyed.py",
    "lake/test_lacking.py",
    "lake/test_large.py",
    "lake/test_limits.py",
    "lake/test_lineage.py",
    "lake/test_lines.py",
    "lake/test_manners.py",
    "lake/test_many_commits.py",
    "lake/test_modes.py",
    "lake/test_owner.py",
    "lake/test_resolved_errors.py",
    "lake/test_serve.py",
    "lake/test_site_data.py",
    "lake/test_strangers.py",
    "lake/test_stream.py",
    "lake/test_sums.py",
    "lake/test_trainings.py",
    "lake/test_trials.py",
    "lake/test_upkeep.py",
    "lake/test_verify.py",
    "lake/test_views.py",
    "lake/test_webhook.py",
    "language/test_reading.py",
    "layers/test_shares.py",
    "library/test_damaged.py",
    "library/test_installed.py",
    "link/test_configure.py",
    "link/test_daos.py",
    "link/test_modulefile.py",
    "link/test_mpi.py",
    "link/test_serial.py",
    "logs/test_bad.py",
    "logs/test_good.py",
    "logs/test_pydarshan.py",
    "logs/test_traces.py",
    "modules/test_howtos.py",
    "modules/test_new_module.py",
    "mpi/test_communication.py",
    "mpi/test_dropped.py",
    "mpi/test_languages.py",
    "mpi/test_large_count.py",
    "mpi/test_life.py",
    "mpi/test_many_files.py",
    "mpi/test_many_handles.py",
    "mpi/test_spawn.py",
    "mpi/test_tools.py",
    "mpiio/test_counters.py",
    "mpiio/test_languages.py",
    "mpiio/test_parallel.py",
    "mpiio/test_traces.py",
    "mpiwait/test_report.py",
    "mpiwait/test_waits.py",
    "pnetcdf/test_cases.py",
    "pnetcdf/test_programs.py",
    "ranks/test_nodes.py",
    "ranks/test_ranks.py",
    "report/diagnose/test_cases.py",
    "report/diagnose/test_code_examples.py",
    "report/diagnose/test_damaged.py",
    "report/diagnose/test_reached.py",
    "report/diagnose/test_words.py",
    "report/test_binding.py",
    "report/test_browser.py",
    "report/test_checkpoints.py",
    "report/test_code_lines.py",
    "report/test_command.py",
    "report/test_data_formats.py",
    "report/test_datasets.py",
    "report/test_exclusive.py",
    "report/test_formats.py",
    "report/test_layout.py",
    "report/test_loaded_state.py",
    "report/test_loader_words.py",
    "report/test_manners.py",
    "report/test_numbers.py",
    "report/test_objects.py",
    "report/test_open.py",
    "report/test_pages.py",
    "report/test_processes.py",
    "report/test_reference.py",
    "report/test_repeated_datasets.py",
    "report/test_said.py",
    "report/test_samples.py",
    "report/test_stacks.py",
    "report/test_viewers.py",
    "report/test_warnings.py",
    "runs/test_deepbind.py",
    "runs/test_fold.py",
    "runs/test_launched.py",
    "runs/test_locks.py",
    "runs/test_merge.py",
    "runs/test_other_libc_started.py",
    "runs/test_process_rows.py",
    "runs/test_reapers.py",
    "runs/test_runs.py",
    "runs/test_under_valgrind.py",
    "runs/test_unwatched.py",
    "runs/test_usage.py",
    "sites/python/test_python.py",
    "sites/test_between.py",
    "sites/test_blamed.py",
    "sites/test_exports.py",
    "sites/test_in_libraries.py",
    "sites/test_java_sites.py",
    "sites/test_no_line.py",
    "sites/test_pprof.py",
    "sites/test_script_sites.py",
    "sites/test_site_files.py",
    "sites/test_text.py",
    "sites/test_where.py",
    "sites/test_where_hostile.py",
    "studies/chunk-cache/test_chunk_cache.py",
    "studies/edit-atomicity/test_interrupted.py",
    "studies/keyed-growth/test_keyed_growth.py",
    "studies/mesh-collective/test_mesh_collective.py",
    "studies/test_diagnoses.py",
    "toolbox/test_convert.py",
    "training/test_parts.py",
    "training/test_standin.py",
    "training/test_storage.py",
    "training/test_torch.py",
    "try/test_attacks.py",
    "try/test_by_hand.py",
    "try/test_compared.py",
    "try/test_durability.py",
    "try/test_hdf5.py",
    "try/test_hdf5_buffers.py",
    "try/test_mpi.py",
    "try/test_next_file.py",
    "try/test_options.py",
    "try/test_reading.py",
    "try/test_remedies.py",
    "try/test_safety.py",
    "try/test_shield.py",
    "try/test_sqlite.py",
    "try/test_streams.py",
    "try/test_tried.py",
    "try/test_writing.py",
    "verdicts/test_drishti.py",
    "verdicts/test_lines.py",
    "verdicts/test_rates.py",
    "verdicts/test_triggers.py",
    "wheel/test_wheel.py",
)
# Fraction of these files in a run, before SCALE.
FILES = 4 / 5
# Fraction of the tests in each of them, before SCALE.
PART = 1


def seed() -> str:
    """Returns the seed of all samples: DARSHAN_SAMPLE, otherwise the commit of the tree, otherwise
    "0" (in a tree without git)."""
    return os.environ.get("DARSHAN_SAMPLE") or commit()


@cache
def commit() -> str:
    """Returns the hash of the tree's commit; "0" if there is no git."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "0"
    return done.stdout.strip()


def everything() -> bool:
    """Returns whether all cases must run, that is whether DARSHAN_SAMPLE is "all"."""
    return seed() == ALL


def turning(items: Iterable[Item], share: float, name: str = "") -> list[Item]:
    """Returns a sample of the items in their order; all of them if DARSHAN_SAMPLE is "all". The
    sample has the fraction `share` times SCALE of the items, and at least one. The name of the list
    is part of the seed, so that lists of equal length have different samples."""
    every = list(items)
    if everything() or not every:
        return every
    count = max(1, math.ceil(SCALE * share * len(every)))
    chosen = random.Random(f"{seed()} {name}").sample(range(len(every)), count)
    return [every[index] for index in sorted(chosen)]


@cache
def run_of_long(word: str) -> frozenset[str]:
    """Returns the files of LONG (long files of tests) of which tests are in the run with this seed.
    word: the seed."""
    assert word == seed()  # the key of the cache
    return frozenset(turning(LONG, FILES, "long files"))


def name_in_tests(path: str) -> str:
    """Returns the name of a file in the form that LONG has: relative to the folder of all tests."""
    return path.rpartition("/darshan-test/")[2]


def without_tests(file: Path) -> bool:
    """Returns whether a run of all tests has no test of this file, which is then not even read."""
    name = name_in_tests(str(file))
    if name not in LONG or name in run_of_long(seed()):
        return False
    return "pytest.mark.always" not in file.read_text("utf-8")


def left_out(files: Sequence[str], always: Container[int] = ()) -> set[int]:
    """Returns the indices of the tests that a run of the whole folder skips. files: the path of
    each test's file; always: indices of tests that are never skipped."""
    places: dict[str, list[int]] = {name: [] for name in LONG}
    for place, file in enumerate(files):
        name = name_in_tests(file)
        if name in places and place not in always:
            places[name].append(place)
    found: set[int] = set()
    for name, here in places.items():
        kept = turning(here, PART, name) if name in run_of_long(seed()) else []
        found |= set(here) - set(kept)
    return found


if __name__ == "__main__":  # sample.py SHARE NAME ITEM...: a sample of them, for shell scripts
    print(*turning(sys.argv[3:], float(sys.argv[1]), sys.argv[2]), sep="\n")
