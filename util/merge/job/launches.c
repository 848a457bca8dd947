/* Groups logs by the launch that started their processes (launches.h). */
#include "launches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../journals.h"
#include "../run/records/bytes.h"

int64_t job_world_rank(const struct job_world *world, const struct job_log *log, int64_t rank) {
  if (rank < 0 || rank >= log->num_units) return -1;
  const struct job_unit *unit = &log->units[rank];
  return unit->launch == world->launch ? unit->rank : -1;
}

int64_t job_world_size(const struct job_world *world) {
  int64_t most = world->num_ranks ? world->ranks[world->num_ranks - 1] + 1 : 1;
  return world->size > most ? world->size : most;
}

/* --- one log at a time -------------------------------------------------------------------- */

/* Returns the scheduler's job number of a log; 0 if the log has none: it is the log of a forked
 * child, no launcher gave its pid, or its job number is the pid of the launcher or of a rank. */
static int64_t scheduler_job(const struct job_log *log) {
  if (log->is_child || log->job.jobid == log->launch.pid || (log->is_whole && !log->launch.pid))
    return 0;
  for (int64_t i = 0; i < log->num_units; i++)
    if (log->units[i].is_there && log->units[i].pid == log->job.jobid) return 0;
  return log->job.jobid;
}

/* Returns the first log of the launch that contains a rank; NULL if none does. */
static const struct job_log *log_of(const struct job_world *world, int64_t rank) {
  for (size_t i = 0; i < world->num_logs; i++)
    for (int64_t at = 0; at < world->logs[i]->num_units; at++)
      if (job_world_rank(world, world->logs[i], at) == rank) return world->logs[i];
  return NULL;
}

/* Returns the log in `world` that already contains a rank of `log`, or NULL if none does. */
static const struct job_log *repeated(const struct job_world *world, const struct job_log *log) {
  const struct job_log *other = NULL;
  for (int64_t i = 0; !other && i < log->num_units; i++) {
    int64_t rank = job_world_rank(world, log, i);
    if (rank >= 0) other = log_of(world, rank);
  }
  return other;
}

/* Returns the log in `world` of which `log` is a copy: the same times, host, pid and ranks. Returns
 * NULL if there is none. */
static const struct job_log *copy_in(const struct job_world *world, const struct job_log *log) {
  for (size_t i = 0; i < world->num_logs; i++) {
    const struct job_log *other = world->logs[i];
    if (other->start_ns == log->start_ns && other->end_ns == log->end_ns &&
        other->launch.pid == log->launch.pid && other->num_units == log->num_units &&
        strcmp(other->launch.host, log->launch.host) == 0 &&
        memcmp(other->units, log->units, (size_t)log->num_units * sizeof(*log->units)) == 0)
      return other;
  }
  return NULL;
}

enum fit { FITS_NOT, FITS, IS_COPY, IS_UNCLEAR };

/* Decides whether a log belongs to a launch with the same id. jobid: the log's scheduler_job().
 * Returns FITS or FITS_NOT. After a message, returns IS_COPY if the log is a copy of a log of the
 * launch, or IS_UNCLEAR. To a launch without a unique name, a log with another jobid does not fit,
 * nor one that begins after the launch ended and whose rank the launch already has. A log of such a
 * rank that begins earlier fits if it has the same host and the launch has a name; otherwise it
 * IS_UNCLEAR. The log of a child fits anyway. */
static enum fit fit(const struct job_world *world, const struct job_log *log, int64_t jobid) {
  int is_unique = launch_is_unique(world->launcher, world->text);
  if (!is_unique && !log->is_child && world->jobid != jobid) return FITS_NOT;
  const struct job_log *copy = copy_in(world, log);
  if (copy) {
    merge_say("skipped %s: it is a copy of %s", log->path, copy->path);
    return IS_COPY;
  }
  if (is_unique || log->is_child) return FITS;
  const struct job_log *other = repeated(world, log);
  if (!other) return FITS;
  if (log->start_ns > world->end_ns) return FITS_NOT;
  /* A host uses a launch name for one launch at a time, so both logs are of the same rank. */
  if (world->text[0] && strcmp(other->launch.host, log->launch.host) == 0) return FITS;
  merge_say("cannot assign %s to a job: a log of the same rank overlaps it in time, and the "
            "launcher gave the jobs no unique names",
            log->path);
  return IS_UNCLEAR;
}

/* Adds a log to a launch. Returns 0, or -1 if out of memory. */
static int join(struct job_world *world, struct job_log *log) {
  struct job_log **place = list_more((void **)&world->logs, world->num_logs, &world->room_logs,
                                     sizeof(struct job_log *));
  if (!place) return -1;
  *place = log;
  world->num_logs++;
  if (log->start_ns < world->start_ns) world->start_ns = log->start_ns;
  if (log->end_ns > world->end_ns) world->end_ns = log->end_ns;
  return 0;
}

/* Adds a launch whose first log is `log`. unit: the rank of the log that belongs to it. Returns 0,
 * or -1 if out of memory. */
static int new_world(struct job_worlds *worlds, struct job_log *log, const struct job_unit *unit) {
  struct job_world *world =
      list_more((void **)&worlds->worlds, worlds->count, &worlds->room, sizeof(*world));
  if (!world) return -1;
  *world = (struct job_world){.launch = unit->launch,
                              .size = unit->size,
                              .jobid = scheduler_job(log),
                              .start_ns = INT64_MAX};
  if (log->launch.id == unit->launch) {
    memcpy(world->launcher, log->launch.launcher, sizeof(world->launcher));
    memcpy(world->text, log->launch.text, sizeof(world->text));
  }
  worlds->count++;
  return join(world, log);
}

/* Adds a log to the launch of its rank `unit`, or to a new launch; not to a launch that has it, or
 * a copy of it. Returns 0; -1 if out of memory or after a message. */
static int place(struct job_worlds *worlds, struct job_log *log, const struct job_unit *unit) {
  int64_t jobid = scheduler_job(log);
  for (size_t i = worlds->count; i-- > 0;) { /* starts with the latest launch */
    struct job_world *world = &worlds->worlds[i];
    if (world->launch != unit->launch) continue;
    if (world->num_logs && world->logs[world->num_logs - 1] == log) return 0;
    enum fit found = fit(world, log, jobid);
    if (found == IS_UNCLEAR) return -1;
    if (found == IS_COPY) return 0;
    if (found == FITS) return join(world, log);
  }
  return new_world(worlds, log, unit);
}

/* Adds the log of a run to each launch that has ranks in the log. Returns 0; -1 if out of memory or
 * after a message. */
static int place_all(struct job_worlds *worlds, struct job_log *log) {
  int64_t last = 0;
  for (int64_t i = 0; i < log->num_units; i++) {
    const struct job_unit *unit = &log->units[i];
    if (unit->launch == 0 || unit->launch == last) continue;
    last = unit->launch;
    if (place(worlds, log, unit) < 0) return -1;
  }
  return 0;
}

/* --- all logs ------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
  int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return left < right ? -1 : left > right;
}

/* Sets world->ranks. Returns 0, or -1 if out of memory. */
static int list_ranks(struct job_world *world) {
  size_t most = 0, n = 0;
  for (size_t i = 0; i < world->num_logs; i++)
    most += (size_t)world->logs[i]->num_units;
  world->ranks = malloc((most + 1) * sizeof(*world->ranks));
  if (!world->ranks) return -1;
  for (size_t i = 0; i < world->num_logs; i++)
    for (int64_t at = 0; at < world->logs[i]->num_units; at++) {
      int64_t rank = job_world_rank(world, world->logs[i], at);
      if (rank >= 0) world->ranks[n++] = rank;
    }
  qsort(world->ranks, n, sizeof(*world->ranks), by_number);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || world->ranks[i] != world->ranks[i - 1])
      world->ranks[world->num_ranks++] = world->ranks[i];
  return 0;
}

/* Sets the name of launch `number`: the launcher's name for it, otherwise the scheduler's job
 * number, otherwise the job number of its first log. Appends "-2", "-3", ... if an earlier launch
 * has this name. */
static void name_world(struct job_worlds *worlds, size_t number) {
  struct job_world *world = &worlds->worlds[number];
  char base[sizeof(world->text)];
  if (world->text[0])
    memcpy(base, world->text, sizeof(base));
  else if (world->jobid)
    snprintf(base, sizeof(base), "%" PRId64, world->jobid);
  else
    snprintf(base, sizeof(base), "%" PRId64, world->logs[0]->job.jobid);
  snprintf(world->name, sizeof(world->name), "%s", base);
  for (int more = 2, i = 0; i < (int)number; i++)
    if (strcmp(worlds->worlds[i].name, world->name) == 0) {
      snprintf(world->name, sizeof(world->name), "%s-%d", base, more++);
      i = -1;
    }
}

static int by_start(const void *a, const void *b) {
  const struct job_log *left = *(struct job_log *const *)a, *right = *(struct job_log *const *)b;
  if (left->start_ns != right->start_ns) return left->start_ns < right->start_ns ? -1 : 1;
  return strcmp(left->path, right->path);
}

int job_worlds_find(struct job_worlds *worlds, struct job_logs *logs) {
  struct job_log **order = malloc((logs->count + 1) * sizeof(struct job_log *));
  int result = order ? 0 : -1;
  for (size_t i = 0; order && i < logs->count; i++)
    order[i] = &logs->logs[i];
  if (order) qsort(order, logs->count, sizeof(struct job_log *), by_start);
  for (size_t i = 0; result == 0 && i < logs->count; i++)
    result = place_all(worlds, order[i]);
  for (size_t i = 0; result == 0 && i < worlds->count; i++) {
    result = list_ranks(&worlds->worlds[i]);
    name_world(worlds, i);
  }
  free(order);
  return result;
}

void job_worlds_free(struct job_worlds *worlds) {
  for (size_t i = 0; i < worlds->count; i++) {
    free(worlds->worlds[i].logs);
    free(worlds->worlds[i].ranks);
  }
  free(worlds->worlds);
  *worlds = (struct job_worlds){.worlds = NULL};
}
