/* See left.h. */
#include "left.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../reader/darshan-util.h"
#include "../journals.h"
#include "alive.h"
#include "events.h"
#include "part.h"

/* --- journals ---------------------------------------------------------------------------- */

struct journal_says {
  int64_t start_ns;
  int32_t pid; /* 0: it does not */
  int ranks;
};

static int ask(const char *path, struct journal_says *says) {
  struct darshan_error error;
  darshan_log *log = darshan_log_open(path, &error);
  if (!log) return -1;
  const struct darshan_info *info = darshan_log_info(log);
  *says =
      (struct journal_says){.start_ns = part_start_ns(&info->job), .ranks = info->job.nprocs > 1};
  for (int i = 0; i < info->num_metadata; i++)
    if (strcmp(info->metadata[i].key, "pid") == 0) says->pid = atoi(info->metadata[i].value);
  if (says->pid <= 0) says->pid = 0;
  darshan_log_close(log);
  return 0;
}

static int program_at(const struct run_tree *tree, const struct journal_says *says) {
  if (says->pid) return tree_program(tree, says->pid, says->start_ns);
  for (size_t i = 0; i < tree->num_programs; i++)
    if (tree->programs[i].start_ns == says->start_ns) return (int)i;
  return -1;
}

/* Whose it is, and whether that one is alive.  That of a rank of an MPI job, which has
 * its own way to a log, is left where it is, as one that lives. */
static enum alive ask_journal(const struct run_folder *folder, struct run_tree *tree,
                              struct run_part *journal) {
  char path[PATH_MAX];
  struct journal_says says;
  folder_part_path(folder, journal, path);
  if (ask(path, &says) < 0) return alive_by_age(path);
  if (says.ranks) return ALIVE_YES;
  int program = program_at(tree, &says);
  journal->start_ns = says.start_ns;
  journal->pid = says.pid ? says.pid : 1;
  if (program < 0) return alive_by_age(path);
  struct run_process *process = &tree->processes[tree->programs[program].process];
  journal->pid = process->pid;
  if (process->finished) return ALIVE_NO;
  enum alive alive = alive_process(&tree->places[process->place], process->pid, journal->start_ns);
  if (alive == ALIVE_UNKNOWN) alive = alive_by_age(path);
  if (alive == ALIVE_YES) process->how = PROCESS_STILL_RAN;
  return alive;
}

/* It ended between its part and the end of its journal. */
static int has_part(const struct run_tree *tree, const struct run_part *journal) {
  int program = tree_program(tree, journal->pid, journal->start_ns);
  if (program < 0) return 0;
  const struct run_process *process = &tree->processes[tree->programs[program].process];
  for (int i = process->first_part; i >= 0; i = tree->parts[i].next)
    if (!tree->parts[i].journal && tree->parts[i].program == program) return 1;
  return 0;
}

static int take_journal(struct run_folder *folder, struct run_tree *tree, struct run_part *journal,
                        int keep) {
  if (ask_journal(folder, tree, journal) != ALIVE_NO) return 0;
  if (has_part(tree, journal)) {
    if (!keep) folder_unlink(folder, journal->journal);
    return 0;
  }
  if (tree_take_part(tree, journal) < 0) return -1;
  journal->journal = NULL; /* the tree's now */
  return 0;
}

/* --- all of it --------------------------------------------------------------------------- */

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

int left_read(struct run_folder *folder, struct run_tree *tree, int keep) {
  int result = 0;
  if (events_read(folder->fd, tree_take_row, tree) < 0 && folder_has(folder, RUN_EVENTS))
    merge_say("%s/" RUN_EVENTS " cannot be read", folder->path);
  if (folder_list(folder) < 0) return -1;
  for (size_t i = 0; result == 0 && i < folder->count; i++)
    if (!folder->found[i].journal) result = tree_take_part(tree, &folder->found[i]);
  for (size_t i = 0; result == 0 && i < folder->count; i++)
    if (folder->found[i].journal) result = take_journal(folder, tree, &folder->found[i], keep);
  if (result < 0) merge_say("%s: out of memory", folder->path);
  find_living(tree);
  tree_set_clocks(tree);
  return result;
}
