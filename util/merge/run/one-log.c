/* See one-log.h.  The steps are those of main's, at the end. */
#include "one-log.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../runtime/job/jobtext.h"
#include "../content.h"
#include "../journals.h"
#include "../player.h"
#include "alive.h"
#include "combine.h"
#include "events.h"
#include "folder.h"
#include "row.h"

struct one_log {
  const struct run_options *options;
  struct run_folder folder;
  struct run_tree tree;
  struct run_ranks ranks;
  struct combined combined;
  struct part part;
  int64_t start_ns, end_ns;
  struct heat_grid grid;          /* known when all ranks were asked for their times */
  int living;                     /* journals that stay */
  int left_out;                   /* parts that cannot be read */
  char damaged[256];              /* the first of them */
  const struct run_part *speaker; /* the part that speaks for the run: of the top, if it left one */
  int speaker_rank;
  struct darshan_job job;
  struct darshan_config config;
  char exe[256];
  char final[DARSHAN_PATH_ROOM];
};

/* --- journals ------------------------------------------------------------------------ */

static int program_at(const struct run_tree *tree, int64_t start_ns) {
  for (size_t i = 0; i < tree->num_programs; i++)
    if (tree->programs[i].start_ns == start_ns) return (int)i;
  return -1;
}

/* Whose it is, and whether that one is alive.  One that is no process's of the run (a
 * rank's of an MPI job has its own way) is left where it is, as one that lives. */
static enum alive ask_journal(struct one_log *run, struct run_part *journal) {
  char path[PATH_MAX];
  struct darshan_error error;
  folder_part_path(&run->folder, journal, path);
  darshan_log *log = darshan_log_open(path, &error);
  if (!log) return alive_by_age(path);
  struct darshan_job job = darshan_log_info(log)->job;
  darshan_log_close(log);
  if (job.nprocs > 1) return ALIVE_YES;
  journal->start_ns = part_start_ns(&job);
  int program = program_at(&run->tree, journal->start_ns);
  if (program < 0) {
    journal->pid = job.jobid > 0 && job.jobid <= INT32_MAX ? (int32_t)job.jobid : 1;
    return alive_by_age(path);
  }
  struct run_process *process = &run->tree.processes[run->tree.programs[program].process];
  journal->pid = process->pid;
  if (process->finished) return ALIVE_NO;
  enum alive alive =
      alive_process(&run->tree.places[process->place], process->pid, journal->start_ns);
  if (alive == ALIVE_UNKNOWN) alive = alive_by_age(path);
  if (alive == ALIVE_YES) process->how = PROCESS_STILL_RAN;
  return alive;
}

static int has_part(const struct run_tree *tree, const struct run_part *journal) {
  for (size_t i = 0; i < tree->num_parts; i++)
    if (!tree->parts[i].journal && tree->parts[i].pid == journal->pid &&
        tree->parts[i].start_ns == journal->start_ns)
      return 1;
  return 0;
}

/* Parts, then journals of the dead, which lack only what became a part. */
static int take_found(struct one_log *run) {
  struct run_folder *folder = &run->folder;
  for (size_t i = 0; i < folder->count; i++)
    if (!folder->found[i].journal && tree_take_part(&run->tree, &folder->found[i]) < 0) return -1;
  for (size_t i = 0; i < folder->count; i++) {
    struct run_part *journal = &folder->found[i];
    if (!journal->journal) continue;
    if (ask_journal(run, journal) != ALIVE_NO)
      run->living++;
    else if (has_part(&run->tree, journal))
      continue;
    else if (tree_take_part(&run->tree, journal) < 0)
      return -1;
    else
      journal->journal = NULL; /* the tree's now */
  }
  return 0;
}

static void find_living(struct run_tree *tree) {
  for (size_t i = 0; i < tree->num_processes; i++) {
    struct run_process *process = &tree->processes[i];
    if (process->finished || process->how != PROCESS_END_UNKNOWN) continue;
    int64_t start = process->last_program >= 0 ? tree->programs[process->last_program].start_ns
                                               : process->start_ns;
    if (alive_process(&tree->places[process->place], process->pid, start) == ALIVE_YES)
      process->how = PROCESS_STILL_RAN;
  }
}

/* --- what a part says ------------------------------------------------------------------- */

static void leave_out(struct one_log *run, struct run_part *part, const char *why) {
  char name[NAME_MAX + 1];
  folder_part_name(part, name);
  merge_say("%s/%s is left out: %s", run->folder.path, name, why);
  part->left_out = 1;
  size_t used = strlen(run->damaged);
  if (run->left_out++ == 0)
    snprintf(run->damaged, sizeof(run->damaged), "%s", name);
  else if (used + strlen(name) + 2 < sizeof(run->damaged))
    snprintf(run->damaged + used, sizeof(run->damaged) - used, ",%s", name);
}

/* NULL: it is left out. */
static darshan_log *open_part(struct one_log *run, struct run_part *part) {
  char path[PATH_MAX];
  struct darshan_error error = {""};
  if (part->left_out) return NULL;
  folder_part_path(&run->folder, part, path);
  darshan_log *log = darshan_log_open(path, &error);
  if (!log) leave_out(run, part, error.text);
  return log;
}

static void reach(struct one_log *run, struct run_process *process, int64_t start_ns,
                  int64_t end_ns) {
  if (start_ns > 0 && start_ns < process->start_ns) process->start_ns = start_ns;
  if (!process->finished && end_ns > process->end_ns) process->end_ns = end_ns;
  if (start_ns > 0 && start_ns < run->start_ns) run->start_ns = start_ns;
  if (end_ns > run->end_ns) run->end_ns = end_ns;
}

/* The first word of a command line, without its folders. */
static void set_exe(struct one_log *run, const char *command) {
  size_t length = strcspn(command, " "), begin = length;
  while (begin > 0 && command[begin - 1] != '/')
    begin--;
  if (length > begin)
    snprintf(run->exe, sizeof(run->exe), "%.*s", (int)(length - begin), command + begin);
}

struct each_name {
  struct combined *combined;
  int failed;
};

static void add_name(uint64_t id, const char *name, void *context) {
  struct each_name *each = context;
  if (combined_name(each->combined, id, name) < 0) each->failed = 1;
}

/* Times of a part, for the first time it is seen; a journal's end is its last event. */
static void ask_times(struct one_log *run, struct run_process *process, struct run_part *part,
                      darshan_log *log) {
  const struct darshan_job *job = &darshan_log_info(log)->job;
  struct darshan_error error = {""};
  int64_t start = part_start_ns(job), end = part_end_ns(job);
  if (end == 0 && part_read(&run->part, log, &error) == 0)
    end = start + (int64_t)(part_last(&run->part) * 1e9);
  reach(run, process, start, end);
  if (!run->speaker || process->rank < run->speaker_rank) {
    run->speaker = part;
    run->speaker_rank = process->rank;
    run->job = *job;
    if (process->rank == 0) set_exe(run, darshan_log_info(log)->exe);
  }
}

static int take_records(struct one_log *run, const struct run_process *process,
                        struct run_part *part, darshan_log *log) {
  struct darshan_error error = {""};
  int64_t start = part_start_ns(&darshan_log_info(log)->job);
  struct combine_clock clock = {.grid = run->grid,
                                .shift = (double)(start - run->start_ns) * 1e-9,
                                .end = (double)(process->end_ns - run->start_ns) * 1e-9};
  if (part_read(&run->part, log, &error) < 0) {
    leave_out(run, part, error.text);
    return 0;
  }
  return combined_add(&run->combined, &run->part, &clock);
}

static int take_part(struct one_log *run, struct run_process *process, struct run_part *part,
                     struct row_name *name, int again) {
  struct each_name each = {&run->combined, 0};
  darshan_log *log = open_part(run, part);
  if (!log) return 0;
  if (name) row_name_add(name, &run->tree, part->program, darshan_log_info(log)->exe);
  darshan_log_each_name(log, add_name, &each);
  if (!again)
    ask_times(run, process, part, log);
  else if (!each.failed && take_records(run, process, part, log) < 0)
    each.failed = 1;
  darshan_log_close(log);
  return each.failed ? -1 : 0;
}

/* Everything of a rank: its names, and the second time its records. */
static int take_rank(struct one_log *run, int number, int again) {
  const struct run_rank *rank = &run->ranks.ranks[number];
  struct row_name name;
  combined_clear(&run->combined);
  row_name_begin(&name, &run->tree, rank);
  for (int i = rank->first; i >= 0; i = run->tree.processes[i].next_of_rank) {
    struct run_process *process = &run->tree.processes[i];
    for (int p = process->first_part; p >= 0; p = run->tree.parts[p].next)
      if (take_part(run, process, &run->tree.parts[p], i == rank->first ? &name : NULL, again) < 0)
        return -1;
  }
  uint64_t id = row_name_end(&name, &run->tree);
  if (combined_name(&run->combined, id, name.text) < 0) return -1;
  if (!again) return 0;
  if (row_add(&run->combined, &run->tree, rank, id, run->start_ns) < 0) return -1;
  return combined_finish(&run->combined, number);
}

/* --- the player's questions --------------------------------------------------------------- */

static int content(void *context, const struct facts *agreed, struct log_content *content) {
  (void)agreed;
  *content = ((struct one_log *)context)->combined.content;
  return 0;
}

static int count(const struct run_tree *tree, enum process_end how) {
  int found = 0;
  for (size_t i = 0; i < tree->num_processes; i++)
    found += tree->processes[i].how == how;
  return found;
}

/* Metadata on top of those of the top. */
static void tell(const struct one_log *run, char *out, size_t room) {
  const struct run_process *top = &run->tree.processes[run->ranks.top];
  int running = count(&run->tree, PROCESS_STILL_RAN);
  char number[32];
  size_t used = 0;
  out[0] = '\0';
  snprintf(number, sizeof(number), "%zu", run->tree.num_processes);
  used = darshan_metadata_add(out, room, used, "processes", number);
  if (running) {
    snprintf(number, sizeof(number), "%d", running);
    used = darshan_metadata_add(out, room, used, "still_running", number);
  }
  if (run->speaker && run->speaker_rank == 0 && run->speaker->journal)
    used = darshan_metadata_add(out, room, used, "end",
                                top->how == PROCESS_SIGNALLED
                                    ? "not seen, killed; log merged from journals"
                                    : "not seen; log merged from journals");
  if (run->left_out) darshan_metadata_add(out, room, used, "parts_left_out", run->damaged);
}

/* Of a run of which no part can be read: the name of a program, and the mounts of here. */
static size_t job_of_nothing(char *out, const struct darshan_job *job, const char *exe) {
  memcpy(out, job, sizeof(*job));
  return sizeof(*job) + 1 +
         darshan_job_text_from(out + sizeof(*job), DARSHAN_JOB_TEXT_ROOM, exe, strlen(exe), "", 0);
}

static size_t job(void *context, const struct facts *agreed, char *out) {
  struct one_log *run = context;
  char path[PATH_MAX], more[DARSHAN_JOB_METADATA_LEN];
  struct darshan_job job = run->job;
  (void)agreed;
  job.nprocs = run->ranks.count;
  job.start_time_sec = run->start_ns / 1000000000;
  job.start_time_nsec = run->start_ns % 1000000000;
  job.end_time_sec = run->end_ns / 1000000000;
  job.end_time_nsec = run->end_ns % 1000000000;
  tell(run, more, sizeof(more));
  if (run->speaker) {
    folder_part_path(&run->folder, run->speaker, path);
    return journal_job(out, path, job, more);
  }
  memset(job.metadata, 0, sizeof(job.metadata));
  memcpy(job.metadata, more, strlen(more));
  return job_of_nothing(out, &job, run->exe);
}

static int open_rank(void *context, int rank, struct reduce_source *source) {
  struct one_log *run = context;
  int again = source->context != NULL;
  const struct run_process *first = &run->tree.processes[run->ranks.ranks[rank].first];
  if (again && run->grid.bins == 0)
    run->grid = heat_grid_of((double)(run->end_ns - run->start_ns) * 1e-9);
  if (take_rank(run, rank, again) < 0) {
    merge_say("out of memory");
    return -1;
  }
  *source = (struct reduce_source){
      .context = run,
      .rank = rank,
      .nprocs = run->ranks.count,
      .keep_ranks = run->options->keep_ranks,
      .limits = reduce_default_limits,
      .host = run->tree.places[first->place].host,
      .names = run->combined.names.at,
      .names_length = run->combined.names.n,
      .bytes = 1,
      .content = content,
      .job = job,
      .config = &run->config,
      .identity = {.jobid = run->job.jobid,
                   .pid = first->pid,
                   .start_time = run->start_ns / 1000000000,
                   .naming = run->options->output ? run->options->numbered ? DARSHAN_NAME_NUMBERED
                                                                           : DARSHAN_NAME_GIVEN
                                                  : DARSHAN_NAME_MADE},
      .begun_ns = 0,
      .final_path = run->final};
  return 0;
}

static void close_rank(void *context, int rank, struct reduce_source *source) {
  (void)context;
  (void)rank;
  (void)source;
}

/* --- before and after ------------------------------------------------------------------- */

/* What rows say of times; parts may know of more. */
static void begin_times(struct one_log *run) {
  run->start_ns = INT64_MAX;
  for (size_t i = 0; i < run->tree.num_processes; i++) {
    struct run_process *process = &run->tree.processes[i];
    int64_t end = process->end_ns ? process->end_ns : process->reaped_ns;
    if (process->start_ns < run->start_ns) run->start_ns = process->start_ns;
    if (process->finished) process->end_ns = end;
    if (end > run->end_ns) run->end_ns = end;
    if (process->start_ns > run->end_ns) run->end_ns = process->start_ns;
  }
}

/* Of the top: the name of its log, and who asked for it. */
static void describe(struct one_log *run) {
  const struct run_process *top = &run->tree.processes[run->ranks.top];
  const struct run_options *options = run->options;
  run->job = (struct darshan_job){.uid = (int64_t)getuid(), .jobid = top->pid};
  const char *name = top->first_program >= 0 ? run->tree.programs[top->first_program].name : "";
  snprintf(run->exe, sizeof(run->exe), "%s", name[0] ? name : "unknown");
  run->config.logfile = options->output;
  run->config.logpath = options->logs ? options->logs : ".";
  run->config.logpath_dated = options->dated;
  run->config.exe = run->exe;
  run->config.user = getenv("LOGNAME");
  run->config.timezone = getenv("TZ");
}

static void remove_merged(struct one_log *run) {
  char name[NAME_MAX + 1];
  if (folder_put(&run->folder, RUN_CLOSED, run->final, strlen(run->final)) < 0) return;
  for (size_t i = 0; i < run->tree.num_parts; i++) {
    folder_part_name(&run->tree.parts[i], name);
    unlinkat(run->folder.fd, name, 0);
  }
  if (run->living == 0) folder_remove(&run->folder);
}

static enum run_result make_log(struct one_log *run) {
  if (ranks_make(&run->ranks, &run->tree, run->folder.top) < 0) return RUN_FAILED;
  describe(run);
  find_living(&run->tree);
  begin_times(run);
  struct player player = {
      .size = run->ranks.count, .context = run, .open = open_rank, .close = close_rank};
  if (player_run(&player, NULL) < 0) {
    merge_say("%s: no log can be written of it", run->folder.path);
    return RUN_FAILED;
  }
  if (!run->options->keep) remove_merged(run);
  if (run->options->print) printf("%s\n", run->final);
  return RUN_LOGGED;
}

static enum run_result merge_folder(struct one_log *run) {
  if (folder_has(&run->folder, RUN_CLOSED)) {
    folder_remove(&run->folder);
    return RUN_NOTHING;
  }
  if (events_read(run->folder.fd, tree_take_row, &run->tree) < 0 &&
      folder_has(&run->folder, RUN_EVENTS))
    merge_say("%s/" RUN_EVENTS " cannot be read", run->folder.path);
  if (folder_list(&run->folder) < 0 || take_found(run) < 0) return RUN_FAILED;
  return run->tree.num_processes ? make_log(run) : RUN_NOTHING;
}

enum run_result run_to_log(const struct run_options *options) {
  static struct one_log run; /* large, and zeroed */
  run.options = options;
  enum folder_state state = folder_open(&run.folder, options->folder);
  if (state != FOLDER_OPEN) return state == FOLDER_BUSY ? RUN_NOTHING : RUN_FAILED;
  enum run_result result = merge_folder(&run);
  folder_close(&run.folder);
  ranks_free(&run.ranks);
  tree_free(&run.tree);
  combined_free(&run.combined);
  part_free(&run.part);
  return result;
}
