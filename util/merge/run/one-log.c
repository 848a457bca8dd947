/* Makes one log from the parts of processes (one-log.h). The player opens each rank twice: first
 * for its names and times, then for its records. */
#include "one-log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../runtime/counting/clock.h"
#include "../../../runtime/job/text/jobtext.h"
#include "../../../runtime/job/text/text.h"
#include "../content.h"
#include "../journals.h"
#include "../player.h"
#include "processes/usage.h"
#include "records/combined-module.h"
#include "records/row.h"

/* --- reading parts ---------------------------------------------------------------------- */

/* Marks a part as skipped, prints why, and remembers its name for the metadata. */
static void leave_out(struct one_log *run, struct run_part *part, const char *why) {
  char name[NAME_MAX + 1];
  folder_part_name(part, name);
  merge_say("skipped %s/%s: %s", run->folder.path, name, why);
  part->left_out = 1;
  size_t used = strlen(run->damaged), length = strlen(name);
  run->left_out++;
  if (used + length + 2 > sizeof(run->damaged)) return;
  if (used) run->damaged[used++] = ',';
  memcpy(run->damaged + used, name, length + 1);
}

/* Opens a part. Returns its log, or NULL if the part is unreadable and therefore skipped. */
static darshan_log *open_part(struct one_log *run, struct run_part *part) {
  struct darshan_error error = {""};
  if (part->left_out) return NULL;
  darshan_log *log = folder_part_read(&run->folder, part, &error);
  if (!log) leave_out(run, part, error.text);
  return log;
}

/* Extends the times of the run and of the process to include these; 0: unknown. Does not change the
 * end of a process that a row gives. */
static void reach(struct one_log *run, struct run_process *process, int64_t start_ns,
                  int64_t end_ns) {
  if (start_ns > 0 && start_ns < process->start_ns) process->start_ns = start_ns;
  if (!process->finished && end_ns > process->end_ns) process->end_ns = end_ns;
  if (start_ns > 0 && start_ns < run->start_ns) run->start_ns = start_ns;
  if (end_ns > run->end_ns) run->end_ns = end_ns;
}

/* Returns the length of the program's name in a command line, without its folders. Sets *name to
 * its begin. */
static size_t program_of(const char *command, const char **name) {
  size_t length = strcspn(command, " "), begin = length;
  while (begin > 0 && command[begin - 1] != '/')
    begin--;
  *name = command + begin;
  return length - begin;
}

/* Sets the program's name of the run from a command line; keeps the old one if that is empty. */
static void set_exe(struct one_log *run, const char *command) {
  const char *name;
  size_t length = program_of(command, &name);
  if (length > 0) snprintf(run->exe, sizeof(run->exe), "%.*s", (int)length, name);
}

/* Copies the job record from a part's log. If the process belongs to rank 0, as the root process
 * does, also copies the command line and the program's name. */
static void hear(struct one_log *run, const struct run_process *process,
                 const struct darshan_info *info) {
  int64_t top = run->tree.processes[run->ranks.top].pid;
  run->job = info->job;
  if (run->job.jobid == process->pid) run->job.jobid = top; /* the job number is only a pid */
  if (process->rank != 0) return;
  snprintf(run->command, sizeof(run->command), "%s", info->exe);
  set_exe(run, info->exe);
}

struct each_name {
  struct combined *combined;
  int failed;
};

static void add_name(uint64_t id, const char *name, void *context) {
  struct each_name *each = context;
  if (combined_name(each->combined, id, name) < 0) each->failed = 1;
}

/* Returns 1 for a part that was written between fork and exec, otherwise 0. This part names the
 * program of the parent, not of the child. */
static int is_forked(const struct run_tree *tree, const struct run_part *part) {
  return part->program >= 0 && tree->programs[part->program].forked;
}

/* Extends the times of the run and of the process by the times of a part, when the part is read for
 * the first time. The end of a journal is its last timestamp. The first part of the lowest rank
 * also describes the run; a part that was written between fork and exec does so only if that rank
 * has no other. */
static void ask_times(struct one_log *run, struct run_process *process, struct run_part *part,
                      darshan_log *log) {
  const struct darshan_job *job = &darshan_log_info(log)->job;
  struct darshan_error error = {""};
  int64_t start = part->start_ns, end = part_end_ns(job);
  traces_note(log);
  if (end == 0 && part_read(&run->part, log, &error) == 0)
    end = start + (int64_t)(part_last(&run->part) * 1e9);
  int64_t behind = tree_behind(&run->tree, process);
  reach(run, process, start + behind, end ? end + behind : 0);
  int is_better = run->speaker && process->rank == run->speaker_rank &&
                  is_forked(&run->tree, run->speaker) && !is_forked(&run->tree, part);
  if (!run->speaker || process->rank < run->speaker_rank || is_better) {
    run->speaker = part;
    run->speaker_rank = process->rank;
    hear(run, process, darshan_log_info(log));
  }
}

/* Adds the records of a part to run->combined. Returns 0, also for an unreadable part, which is
 * skipped with a message; -1 if out of memory. */
static int take_records(struct one_log *run, const struct run_process *process,
                        struct run_part *part, darshan_log *log) {
  struct darshan_error error = {""};
  int64_t start = part->start_ns + tree_behind(&run->tree, process);
  struct combine_clock clock = {.grid = run->grid,
                                .shift = (double)(start - run->start_ns) * 1e-9,
                                .end = (double)(process->end_ns - run->start_ns) * 1e-9};
  if (part_read(&run->part, log, &error) < 0) {
    leave_out(run, part, error.text);
    return 0;
  }
  return combined_add(&run->combined, &run->part, &clock);
}

/* Adds the names of a part, and in the first pass (again 0) its metadata and times, in the second
 * (again 1) its records. name: name of the rank's PROCESS record, which gets the part's command
 * line; NULL for a process that is not the rank's first. Returns 0, also if the part is unreadable
 * and skipped with a message; -1 if out of memory. */
static int take_part(struct one_log *run, struct run_process *process, struct run_part *part,
                     struct row_name *name, int again) {
  struct each_name each = {&run->combined, 0};
  darshan_log *log = open_part(run, part);
  if (!log) return 0;
  if (name) row_name_add(name, &run->tree, part->program, darshan_log_info(log)->exe);
  darshan_log_each_name(log, add_name, &each);
  if (!again) {
    ask_times(run, process, part, log);
    world_hear(&run->world, process, darshan_log_info(log));
    dropped_add(&run->dropped, darshan_log_info(log));
    ends_hear(&run->missed, &run->tree, process, log);
    usage_hear(&run->tree, process, log);
  }
  if (again && !each.failed && take_records(run, process, part, log) < 0) each.failed = 1;
  darshan_log_free(log);
  return each.failed ? -1 : 0;
}

/* Puts the command line that a darshan-merge option gives for the root process at the start of the
 * name of its rank. Does nothing if a part of the first program contains the command line, or if
 * the first program has another name. */
static void name_top(const struct one_log *run, struct row_name *name) {
  const struct run_process *top = &run->tree.processes[run->ranks.top];
  const char *asked = run->options->command, *program;
  int first = top->first_part < 0 ? -1 : run->tree.parts[top->first_part].program;
  if (!asked || run->alone || (first >= 0 && first == top->first_program)) return;
  size_t length = program_of(asked, &program);
  const char *told = top->first_program < 0 ? "" : run->tree.programs[top->first_program].name;
  if (!told[0] || (strlen(told) == length && strncmp(told, program, length) == 0))
    row_name_first(name, &run->tree, asked);
}

/* Combines the parts of rank `number`. again 0: combines only their names. again 1: combines also
 * their records, in the second pass. Returns 0, or -1 if out of memory. */
static int take_rank(struct one_log *run, int number, int again) {
  const struct run_rank *rank = &run->ranks.ranks[number];
  struct row_name name;
  combined_clear(&run->combined);
  row_name_begin(&name, &run->tree, rank);
  if (number == 0 && !rank->folded) name_top(run, &name);
  for (int i = rank->first; i >= 0; i = run->tree.processes[i].next_of_rank) {
    struct run_process *process = &run->tree.processes[i];
    for (int p = process->first_part; p >= 0; p = run->tree.parts[p].next)
      if (take_part(run, process, &run->tree.parts[p], i == rank->first ? &name : NULL, again) < 0)
        return -1;
  }
  uint64_t id = row_name_end(&name, &run->tree);
  if (combined_name(&run->combined, id, name.text) < 0) return -1;
  if (usage_name(&run->combined, &run->tree, rank, number) < 0) return -1;
  if (!again) return 0;
  if (usage_settle(&run->combined, &run->tree, rank, number) < 0) return -1;
  if (row_add(&run->combined, &run->tree, rank, id, run->start_ns) < 0) return -1;
  return combined_finish(&run->combined, number);
}

/* --- callbacks of the player -------------------------------------------------------------- */

static int content(void *context, const struct facts *agreed, struct log_content *content) {
  (void)agreed;
  *content = ((struct one_log *)context)->combined.content;
  return 0;
}

/* Returns the number of processes that still run. */
static int still_running(const struct run_tree *tree) {
  int found = 0;
  for (size_t i = 0; i < tree->num_processes; i++)
    found += tree->processes[i].how == PROCESS_STILL_RAN;
  return found;
}

/* Returns 1 for a process that has ended, could have no journal, and left no part of its last
 * program: it was killed, or its END row did not fit. Otherwise returns 0. */
static int was_killed_unkept(const struct run_tree *tree, const struct run_process *process) {
  if (!process->unkept || process->how == PROCESS_STILL_RAN) return 0;
  for (int at = process->first_part; at >= 0; at = tree->parts[at].next)
    if (tree->parts[at].program == process->last_program) return 0;
  return 1;
}

/* Returns the number of processes whose records are lost. */
static size_t lost(const struct run_tree *tree) {
  size_t found = 0;
  for (size_t i = 0; i < tree->num_processes; i++)
    found += tree->processes[i].lost || was_killed_unkept(tree, &tree->processes[i]);
  return found;
}

static size_t add_number(char *out, size_t room, size_t used, const char *key, size_t number) {
  char text[32];
  snprintf(text, sizeof(text), "%zu", number);
  return darshan_metadata_add(out, room, used, key, text);
}

/* Adds to the metadata of a run on several hosts: the number of hosts, the clock corrections and
 * the remaining error. Returns the new length in bytes. */
static size_t tell_hosts(const struct clocks *clocks, char *out, size_t room, size_t used) {
  char text[256] = "";
  int64_t error = clocks->more ? -1 : 0;
  size_t length = 0;
  if (clocks->count < 2) return used;
  for (int i = 0; i < clocks->count; i++) {
    int64_t behind = clocks_behind(clocks, i), wrong = clocks_error(clocks, i);
    if (wrong < 0 || error < 0 || wrong > error) error = wrong < 0 || error < 0 ? -1 : wrong;
    if (behind && length < sizeof(text) - 1)
      length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s %+.3f s",
                                 length ? ", " : "", clocks->host[i].host, (double)behind * 1e-9);
  }
  used = add_number(out, room, used, "nodes", (size_t)clocks->count);
  if (length) used = darshan_metadata_add(out, room, used, "clocks_moved", text);
  snprintf(text, sizeof(text), "%.3f s", (double)error * 1e-9);
  return darshan_metadata_add(out, room, used, "clock_error", error < 0 ? "not known" : text);
}

/* Writes the metadata of the run. They are added to the metadata of the part that describes the
 * run. */
static void tell(const struct one_log *run, char *out, size_t room) {
  const struct run_process *top = &run->tree.processes[run->ranks.top];
  int running = still_running(&run->tree);
  size_t used = 0;
  out[0] = '\0';
  if (run->alone)
    used = darshan_metadata_add(out, room, used, "outlived", "its run, whose log is without it");
  else
    used = add_number(out, room, used, "processes", run->tree.num_processes);
  if (lost(&run->tree) && !run->alone)
    used = add_number(out, room, used, "processes_without_records", lost(&run->tree));
  if (running && !run->alone) used = add_number(out, room, used, "still_running", (size_t)running);
  used = world_tell(&run->world, out, room, used);
  if (run->world.launch.id && run->tree.clocks.count < 2)
    used = darshan_metadata_add(out, room, used, "host", run->tree.places[top->place].host);
  if (!run->alone) used = tell_hosts(&run->tree.clocks, out, room, used);
  if (run->speaker && run->speaker_rank == 0 && run->speaker->journal)
    used = darshan_metadata_add(out, room, used, "end",
                                top->how == PROCESS_SIGNALLED
                                    ? "not seen, killed; log merged from journals"
                                    : "not seen; log merged from journals");
  used = dropped_tell(&run->dropped, out, room, used);
  used = ends_tell(&run->missed, out, room, used);
  if (run->left_out) darshan_metadata_add(out, room, used, "parts_left_out", run->damaged);
}

/* Writes a job region for a run without readable parts: the given command line and the mounts of
 * this host. Returns its length in bytes. */
static size_t job_of_nothing(char *out, const struct darshan_job *job, const char *command) {
  enum { MOUNTS_MOST = 1 << 20 };
  struct darshan_file mounts = {.bytes = ""};
  darshan_read_file(&mounts, "/proc/self/mounts", MOUNTS_MOST);
  memcpy(out, job, sizeof(*job));
  size_t length = darshan_job_text_from(out + sizeof(*job), DARSHAN_JOB_TEXT_ROOM, command,
                                        strlen(command), mounts.bytes, mounts.length);
  if (mounts.mapped) darshan_release_file(&mounts);
  return sizeof(*job) + length + 1;
}

/* Returns 1 for a metadata key that describes one process or is computed again for the run,
 * otherwise 0. */
static int is_of_one(const char *key) {
  return launch_is_key(key) || dropped_is_key(key) || lookups_is_key(key);
}

/* Callback of the reduction: writes the job region of the log. Returns its length in bytes. */
static size_t job(void *context, const struct facts *agreed, char *out) {
  struct one_log *run = context;
  char more[DARSHAN_JOB_METADATA_LEN];
  struct darshan_error error = {""};
  struct darshan_job job = run->job;
  (void)agreed;
  job.nprocs = run->ranks.count;
  job.start_time_sec = run->start_ns / (int64_t)NS_PER_SECOND;
  job.start_time_nsec = run->start_ns % (int64_t)NS_PER_SECOND;
  job.end_time_sec = run->end_ns / (int64_t)NS_PER_SECOND;
  job.end_time_nsec = run->end_ns % (int64_t)NS_PER_SECOND;
  tell(run, more, sizeof(more));
  if (run->speaker) {
    darshan_log *log = folder_part_read(&run->folder, run->speaker, &error);
    size_t length = journal_job(out, log, job, more, run->command, is_of_one);
    darshan_log_free(log);
    return length;
  }
  memset(job.metadata, 0, sizeof(job.metadata));
  memcpy(job.metadata, more, strlen(more));
  return job_of_nothing(out, &job, run->command);
}

/* Returns the values from which the log's name is made. The log of a process that ended after the
 * run's log never gets the name that the user requested. */
static struct darshan_log_identity identity_of(const struct one_log *run) {
  const struct run_options *options = run->options;
  enum darshan_log_naming naming = options->numbered ? DARSHAN_NAME_NUMBERED : DARSHAN_NAME_GIVEN;
  return (struct darshan_log_identity){
      .jobid = run->job.jobid,
      .pid = run->tree.processes[run->ranks.top].pid,
      .start_time = run->start_ns / (int64_t)NS_PER_SECOND,
      .naming = options->output && !run->alone ? naming : DARSHAN_NAME_MADE};
}

static int open_rank(void *context, int rank, struct reduce_source *source) {
  struct one_log *run = context;
  int again = source->context != NULL;
  const struct run_process *first = &run->tree.processes[run->ranks.ranks[rank].first];
  int failed = 0;
  if (again && run->grid.bins == 0) {
    run->grid = heat_grid_of((double)(run->end_ns - run->start_ns) * 1e-9);
    failed = world_settle(&run->world, &run->tree);
  }
  if (failed || take_rank(run, rank, again) < 0) {
    merge_say("cannot merge the run directory %s: out of memory", run->folder.path);
    return -1;
  }
  *source =
      (struct reduce_source){.context = run,
                             .rank = rank,
                             .nprocs = run->ranks.count,
                             .keep_ranks = run->options->keep_ranks || run->ranks.count == 1 ||
                                           world_is_elsewhere_too(&run->world),
                             .limits = reduce_default_limits,
                             .host = run->tree.places[first->place].host,
                             .names = run->combined.names.at,
                             .names_length = run->combined.names.n,
                             .bytes = 1,
                             .content = content,
                             .job = job,
                             .config = &run->config,
                             .identity = identity_of(run),
                             .begun_ns = run->begun_ns,
                             .final_path = run->final};
  return 0;
}

static void close_rank(void *context, int rank, struct reduce_source *source) {
  (void)context;
  (void)rank;
  (void)source;
}

/* --- before the ranks are read ------------------------------------------------------------ */

/* Sets the start and end of the run from the rows. Parts may extend these times later. */
static void begin_times(struct one_log *run) {
  run->start_ns = INT64_MAX;
  run->end_ns = 0;
  for (size_t i = 0; i < run->tree.num_processes; i++) {
    struct run_process *process = &run->tree.processes[i];
    if (process->rank < 0) continue;
    if (process->finished && process->end_ns == 0) process->end_ns = process->reaped_ns;
    if (process->start_ns < run->start_ns) run->start_ns = process->start_ns;
    if (process->end_ns > run->end_ns) run->end_ns = process->end_ns;
    if (process->start_ns > run->end_ns) run->end_ns = process->start_ns;
  }
}

/* Returns the folder for logs whose name is generated. */
static const char *log_folder(struct one_log *run) {
  const char *slash = run->options->output ? strrchr(run->options->output, '/') : NULL;
  if (run->options->logs) return run->options->logs;
  if (!slash) return ".";
  snprintf(run->beside, sizeof(run->beside), "%.*s",
           (int)(slash > run->options->output ? slash - run->options->output : 1),
           run->options->output);
  return run->beside;
}

/* Describes the run by its rows and the options. A part of the root process may replace this
 * description later. */
static void describe(struct one_log *run) {
  const struct run_process *top = &run->tree.processes[run->ranks.top];
  const struct run_options *options = run->options;
  const char *name = top->first_program >= 0 ? run->tree.programs[top->first_program].name : "";
  run->job = (struct darshan_job){.uid = (int64_t)getuid(), .jobid = top->pid};
  snprintf(run->exe, sizeof(run->exe), "%s", name[0] ? name : "unknown");
  if (!name[0] && options->command && !run->alone) set_exe(run, options->command);
  snprintf(run->command, sizeof(run->command), "%s",
           options->command && !run->alone ? options->command : run->exe);
  run->config.logfile = options->output;
  run->config.logpath = log_folder(run);
  run->config.logpath_dated = options->dated;
  run->config.exe = run->exe;
  run->config.user = getenv("LOGNAME");
  run->config.timezone = getenv("TZ");
  run->begun_ns = clock_ns(CLOCK_MONOTONIC);
}

int one_log_make(struct one_log *run) {
  struct player player = {
      .size = run->ranks.count, .context = run, .open = open_rank, .close = close_rank};
  run->speaker = NULL;
  run->left_out = 0;
  run->grid = (struct heat_grid){0, 0};
  run->world = (struct run_world){.ranks = 0};
  run->dropped = (struct dropped){.count = 0};
  run->missed = (struct ends_missed){.weight = 0};
  describe(run);
  begin_times(run);
  if (ends_judge(&run->tree, run->ranks.top) == 0 && player_run(&player, NULL) == 0) return 0;
  merge_say_unwritten(run->config.logfile ? run->config.logfile : run->config.logpath);
  return -1;
}

void one_log_free(struct one_log *run) {
  ranks_free(&run->ranks);
  tree_free(&run->tree);
  combined_free(&run->combined);
  part_free(&run->part);
}
