/* Reads the files of a run directory: rows, parts, and journals of killed processes (folder.h). */
#include "folder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../reader/darshan-read.h"
#include "../../runs/alive.h"
#include "../../runs/events.h"
#include "../journals.h"
#include "records/part.h"

/* --- journals ---------------------------------------------------------------------------- */

/* Data that a journal gives about its process. */
struct journal_says {
  struct alive_traces owner; /* pid 0: the journal names no owner */
  int ranks;                 /* 1: the process is a rank of an MPI job */
};

/* Reads the owner of the journal at `path`. Returns 0, or -1 if the journal is unreadable. */
static int ask(const char *path, struct journal_says *says) {
  struct darshan_error error;
  *says = (struct journal_says){.ranks = 0};
  darshan_log *log = darshan_log_read(path, &error);
  if (!log) return -1;
  const struct darshan_info *info = darshan_log_info(log);
  says->ranks = info->job.nprocs > 1;
  for (int i = 0; i < info->num_metadata; i++)
    if (strcmp(info->metadata[i].key, OWNER_KEY) == 0)
      alive_read_owner(&says->owner, info->metadata[i].value);
  says->owner.start_ns = part_start_ns(&info->job);
  darshan_log_free(log);
  return 0;
}

/* Returns the index of the program that owns a journal; -1 if none is known. */
static int program_at(const struct run_tree *tree, const struct alive_traces *owner) {
  if (owner->pid) return tree_program(tree, owner->pid, owner->start_ns);
  for (size_t i = 0; i < tree->num_programs; i++)
    if (tree->programs[i].start_ns == owner->start_ns) return (int)i;
  return -1;
}

/* Decides whether a process of the run is alive. start_ns: start of its last program; seen_ns: its
 * last sign of life; both since the epoch. */
static enum alive_answer ask_process(const struct run_tree *tree, const struct run_process *process,
                                     int64_t start_ns, int64_t seen_ns) {
  const struct run_place *place = &tree->places[process->place];
  struct alive_traces traces = {
      .pid = process->pid, .pid_namespace = place->pid_namespace, .start_ns = start_ns};
  struct alive_here here;
  if (place->ended) return ALIVE_NOT;
  memcpy(traces.host, place->host, sizeof(traces.host));
  alive_look_here(&here);
  return alive_process(&here, &traces, seen_ns);
}

/* Decides whether the owner of a journal is alive, and sets the journal's pid and start. A process
 * of the run that may be alive is marked as running. A journal of an MPI rank counts as alive,
 * because the job makes its own log from it. */
static enum alive_answer ask_journal(const struct run_folder *folder, struct run_tree *tree,
                                     struct run_part *journal) {
  char path[PATH_MAX];
  struct journal_says says;
  struct alive_here here;
  struct stat st;
  folder_part_path(folder, journal, path);
  int64_t seen_ns = lstat(path, &st) < 0 ? 0 : alive_time(st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
  alive_look_here(&here);
  if (ask(path, &says) < 0) return alive_by_age(&here, seen_ns);
  if (says.ranks) return ALIVE_YES;
  int program = program_at(tree, &says.owner);
  journal->start_ns = says.owner.start_ns;
  journal->pid = says.owner.pid ? says.owner.pid : 1;
  if (program < 0) return alive_process(&here, &says.owner, seen_ns);
  struct run_process *process = &tree->processes[tree->programs[program].process];
  journal->pid = process->pid;
  if (process->finished) return ALIVE_NOT;
  enum alive_answer alive = ask_process(tree, process, journal->start_ns, seen_ns);
  if (alive != ALIVE_NOT) process->how = PROCESS_STILL_RAN;
  return alive;
}

/* Returns 1 if the program wrote its part and ended before it removed its journal; otherwise 0. */
static int has_part(const struct run_tree *tree, const struct run_part *journal) {
  int program = tree_program(tree, journal->pid, journal->start_ns);
  if (program < 0) return 0;
  const struct run_process *process = &tree->processes[tree->programs[program].process];
  for (int i = process->first_part; i >= 0; i = tree->parts[i].next)
    if (!tree->parts[i].journal && tree->parts[i].program == program) return 1;
  return 0;
}

/* Adds a journal to the tree unless its process may be alive, is an MPI rank or wrote a part.
 * Returns 0, or -1 if out of memory. */
static int take_journal(struct run_folder *folder, struct run_tree *tree, struct run_part *journal,
                        int keep) {
  if (ask_journal(folder, tree, journal) != ALIVE_NOT) return 0;
  if (has_part(tree, journal)) {
    if (!keep) folder_unlink(folder, journal->journal);
    return 0;
  }
  if (tree_take_part(tree, journal) < 0) return -1;
  journal->journal = NULL; /* the tree owns it now */
  return 0;
}

/* --- rows, parts and journals --------------------------------------------------------------- */

/* Marks processes without END row as running if they are certainly alive. */
static void find_living(struct run_tree *tree) {
  for (size_t i = 0; i < tree->num_processes; i++) {
    struct run_process *process = &tree->processes[i];
    if (process->finished || process->how != PROCESS_END_UNKNOWN) continue;
    int64_t start = process->last_program >= 0 ? tree->programs[process->last_program].start_ns
                                               : process->start_ns;
    if (ask_process(tree, process, start, start) == ALIVE_YES) process->how = PROCESS_STILL_RAN;
  }
}

int left_read(struct run_folder *folder, struct run_tree *tree, int keep) {
  int result = 0;
  if (events_read(folder->fd, tree_take_row, tree) < 0 && folder_has(folder, RUN_EVENTS))
    merge_say("cannot read all rows of %s/" RUN_EVENTS
              ": the log may lack processes, or their command lines",
              folder->path);
  if (folder_list(folder) < 0) return -1;
  for (size_t i = 0; result == 0 && i < folder->count; i++)
    if (!folder->found[i].journal) result = tree_take_part(tree, &folder->found[i]);
  for (size_t i = 0; result == 0 && i < folder->count; i++)
    if (folder->found[i].journal) result = take_journal(folder, tree, &folder->found[i], keep);
  if (result < 0) merge_say("cannot read the run directory %s: out of memory", folder->path);
  find_living(tree);
  tree_set_clocks(tree);
  return result;
}
