/* Makes one log of a job from the logs of its ranks (one-job.h). As for a run, the player opens
 * each rank twice: first for its names, then for its records. */
#include "one-job.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../../runtime/counting/clock.h"
#include "../../../runtime/job/text/jobtext.h"
#include "../content.h"
#include "../journals.h"
#include "../metadata.h"
#include "../player.h"

/* --- metadata of the job --------------------------------------------------------------------- */

/* Returns 1 for a metadata key that is not copied into the job's log; 0 for other keys. The value
 * of such a key describes only one log, or is computed again for the job. */
static int is_of_one(const char *key) {
  static const char *const keys[] = {
      "ranks_here", "processes", "still_running", "nodes",          "clocks_moved", "clock_error",
      "hosts",      "end",       "fork_parent",   "parts_left_out", "processors",   "exit_status"};
  for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
    if (strcmp(key, keys[i]) == 0) return 1;
  return launch_is_key(key) || dropped_is_key(key) || lookups_is_key(key);
}

/* Appends "key=number" to the metadata in `out`; nothing if it does not fit. Returns the new
 * length. */
static size_t add_number(char *out, size_t room, size_t used, const char *key, int64_t number) {
  char text[32];
  snprintf(text, sizeof(text), "%" PRId64, number);
  return darshan_metadata_add(out, room, used, key, text);
}

/* Stores the host of a rank's first process and the earliest start on that host. Hosts beyond
 * JOB_HOSTS_MOST are ignored. */
static void note_host(struct one_job *job) {
  const char *name = job->records.host;
  double start = job->records.start;
  for (int i = 0; i < job->num_hosts; i++)
    if (strcmp(job->hosts[i].name, name) == 0) {
      if (start < job->hosts[i].start) job->hosts[i].start = start;
      return;
    }
  if (!name[0] || job->num_hosts == JOB_HOSTS_MOST) return;
  struct job_host *host = &job->hosts[job->num_hosts++];
  snprintf(host->name, sizeof(host->name), "%s", name);
  host->start = start;
}

/* Adds to the metadata the number of hosts and their names. If there are several hosts, also adds
 * the time between the starts of their first processes: no rows order the events of the hosts, so
 * their clocks cannot be compared. Returns the new length. */
static size_t tell_hosts(const struct one_job *job, char *out, size_t room, size_t used) {
  enum { ROOM = 256 };
  char text[ROOM] = "";
  double earliest = INFINITY, latest = 0;
  size_t length = 0;
  int more = 0;
  for (int i = 0; i < job->num_hosts; i++) {
    const struct job_host *host = &job->hosts[i];
    earliest = fmin(earliest, host->start);
    latest = fmax(latest, host->start);
    more |= length + strlen(host->name) + sizeof(",,...") > ROOM;
    if (!more)
      length += (size_t)snprintf(text + length, ROOM - length, "%s%s", i ? "," : "", host->name);
  }
  if (more) snprintf(text + length, ROOM - length, ",...");
  if (job->num_hosts == 0) return used;
  used = add_number(out, room, used, "nodes", job->num_hosts);
  used = darshan_metadata_add(out, room, used, "hosts", text);
  if (job->num_hosts == 1) return used;
  snprintf(text, sizeof(text), "not known; the first processes of hosts began %.3f s apart",
           latest - earliest);
  return darshan_metadata_add(out, room, used, "clock_error", text);
}

/* Writes the metadata that the merger adds to the job's log. room: bytes at `out`. */
static void tell(const struct one_job *job, char *out, size_t room) {
  const struct job_world *world = job->world;
  char missing[200];
  size_t used = 0, journals = 0;
  struct dropped dropped = {.count = 0};
  out[0] = '\0';
  used = add_number(out, room, used, "ranks_merged", (int64_t)world->num_ranks);
  if (world->size) used = add_number(out, room, used, "world_size", world->size);
  if (world->launcher[0]) used = darshan_metadata_add(out, room, used, "launcher", world->launcher);
  if (world->text[0]) used = darshan_metadata_add(out, room, used, "launch", world->text);
  used = tell_hosts(job, out, room, used);
  if (ranks_missing(world->ranks, world->num_ranks, job_world_size(world), missing,
                    sizeof(missing)) > 0)
    used = darshan_metadata_add(out, room, used, "missing_ranks", missing);
  if (job->around) used = add_number(out, room, used, "processes_around", job->around);
  for (size_t i = 0; i < world->num_logs; i++) {
    journals += world->logs[i]->is_journal != 0;
    dropped_add_sums(&dropped, &world->logs[i]->dropped);
  }
  if (journals)
    used = darshan_metadata_add(out, room, used, "end", "not seen; log merged from journals");
  used = dropped_tell(&dropped, out, room, used);
  if (job->logs->unreadable)
    darshan_metadata_add(out, room, used, "parts_left_out", job->logs->damaged);
}

/* --- callbacks of the player -------------------------------------------------------------------
 */

static int content(void *context, const struct facts *agreed, struct log_content *content) {
  (void)agreed;
  *content = ((struct one_job *)context)->records.combined.content;
  return 0;
}

static int span(void *context, int module, uint64_t id, struct rank_span *out) {
  return rank_records_span(&((struct one_job *)context)->records, module, id, out);
}

/* Returns the job number of the log: the scheduler's, otherwise the number with which the
 * launcher's name for the launch begins, otherwise that of the first log. */
static int64_t job_number(const struct one_job *job) {
  const struct job_world *world = job->world;
  int64_t number;
  if (world->jobid) return world->jobid;
  if (sscanf(world->text, "%" SCNd64, &number) == 1 && number > 0) return number;
  return job->first->job.jobid;
}

static size_t job_region(void *context, const struct facts *agreed, char *out) {
  struct one_job *one = context;
  const struct job_world *world = one->world;
  char more[DARSHAN_JOB_METADATA_LEN];
  struct darshan_job job = one->first->job;
  (void)agreed;
  job.nprocs = job_world_size(world);
  job.jobid = job_number(one);
  job.start_time_sec = world->start_ns / (int64_t)NS_PER_SECOND;
  job.start_time_nsec = world->start_ns % (int64_t)NS_PER_SECOND;
  job.end_time_sec = one->end ? one->end : world->end_ns / (int64_t)NS_PER_SECOND;
  job.end_time_nsec = one->end ? 0 : world->end_ns % (int64_t)NS_PER_SECOND;
  tell(one, more, sizeof(more));
  const char *command = one->command[0] ? one->command : NULL;
  return journal_job_at(out, one->first->path, job, more, command, is_of_one);
}

/* Sets the job's program name from the records of the lowest rank. If rank 0 of the first log is
 * another process, for example the launcher, also sets the job's command line from these records,
 * because the command line in the log is that of the other process. */
static void take_command(struct one_job *job) {
  const char *command = job->records.command;
  size_t length = strcspn(command, " "), begin = length;
  while (begin > 0 && command[begin - 1] != '/')
    begin--;
  snprintf(job->exe, sizeof(job->exe), "%.*s", (int)(length - begin), command + begin);
  if (job->exe[0]) job->config.exe = job->exe;
  if (job_world_rank(job->world, job->first, 0) != job->world->ranks[0])
    snprintf(job->command, sizeof(job->command), "%s", command);
}

static int open_rank(void *context, int rank, struct reduce_source *source) {
  struct one_job *job = context;
  const struct job_world *world = job->world;
  if (rank_records_take(&job->records, world->ranks[rank]) < 0) {
    merge_say("cannot merge the logs of rank %d: out of memory", (int)world->ranks[rank]);
    return -1;
  }
  struct rank_records *records = &job->records;
  if (!source->context) { /* the first call for this rank */
    note_host(job);
    if (rank == 0) take_command(job);
  }
  *source = (struct reduce_source){
      .context = job,
      .rank = records->rank,
      .nprocs = job_world_size(world),
      .keep_ranks = job->keep_ranks,
      .limits = reduce_default_limits,
      .host = records->host,
      .names = records->combined.names.at,
      .names_length = records->combined.names.n,
      .bytes = 1,
      .content = content,
      .span = span,
      .job = job_region,
      .config = &job->config,
      .identity = {.jobid = job_number(job), /* a name that the user gave contains no pid */
                   .pid =
                       job->output || !job->first->launch.pid ? getpid() : job->first->launch.pid,
                   .start_time = world->start_ns / (int64_t)NS_PER_SECOND,
                   .naming = job->output ? DARSHAN_NAME_GIVEN : DARSHAN_NAME_MADE},
      .begun_ns = job->begun_ns,
      .final_path = job->final};
  return 0;
}

static void close_rank(void *context, int rank, struct reduce_source *source) {
  (void)context;
  (void)rank;
  (void)source;
}

/* --- before the ranks are read -------------------------------------------------------------------
 */

/* Returns the log of the lowest rank, or the earliest one if that rank has several logs. */
static struct job_log *first_log(const struct job_world *world) {
  for (size_t i = 0; i < world->num_logs; i++)
    for (int64_t at = 0; at < world->logs[i]->num_units; at++)
      if (job_world_rank(world, world->logs[i], at) == world->ranks[0]) return world->logs[i];
  return world->logs[0];
}

/* Counts in job->around the processes in the logs that are not ranks of this job, for example
 * launchers. */
static void count_around(struct one_job *job) {
  const struct job_world *world = job->world;
  job->around = 0;
  for (size_t i = 0; i < world->num_logs; i++)
    for (int64_t at = 0; at < world->logs[i]->num_units; at++)
      job->around +=
          world->logs[i]->units[at].is_there && job_world_rank(world, world->logs[i], at) < 0;
}

/* Sets the values from which the log's path is made, and the start of the merge. */
static void describe(struct one_job *job) {
  job->config.logfile = job->output;
  job->config.logpath = job->folder ? job->folder : "";
  job->config.exe = "unknown";
  job->config.user = getenv("LOGNAME");
  job->config.timezone = getenv("TZ");
  job->begun_ns = clock_ns(CLOCK_MONOTONIC);
}

static void prepare(struct one_job *job) {
  const struct job_world *world = job->world;
  job->first = first_log(world);
  describe(job);
  job->records.world = job->world;
  job->records.logs = job->logs;
  job->records.grid = heat_grid_of((double)(world->end_ns - world->start_ns) * 1e-9);
  count_around(job);
  job->num_hosts = 0;
}

int one_job_make(struct one_job *job) {
  struct player player = {
      .size = (int)job->world->num_ranks, .context = job, .open = open_rank, .close = close_rank};
  prepare(job);
  return player_run(&player, NULL);
}

void one_job_free(struct one_job *job) {
  rank_records_free(&job->records);
}
