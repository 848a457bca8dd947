/* Decides whether a run needs a log besides those of its MPI jobs. See needs-log.h. */
#include "needs-log.h"

#include "darshan-read.h"
#include "log-format.h"

/* Returns 1 if a part has records, or cannot be read. */
static int has_records(const struct run_folder *folder, const struct run_part *part) {
  struct darshan_error error = {""};
  darshan_log *log = folder_part_read(folder, part, &error);
  int has = !log;
  const struct darshan_info *info = log ? darshan_log_info(log) : NULL;
  for (int i = 0; info && i < info->num_modules; i++) /* every process has a USAGE record */
    has |= info->modules[i].id != DARSHAN_MOD_USAGE;
  if (log) darshan_log_free(log);
  return has;
}

static int is_launcher(const struct run_tree *tree, int program) {
  return program >= 0 && tree->programs[program].launcher;
}

/* Returns 1 if the part has records that belong in a log. The part of a launcher, or of a child
 * that is about to become one, needs no log. The part of a rank counts only if it has records from
 * before the program joined the job. */
static int part_is_worth_it(const struct run_folder *folder, const struct run_tree *tree,
                            const struct run_process *process, const struct run_part *part) {
  if (is_launcher(tree, process->last_program) || is_launcher(tree, part->program)) return 0;
  return !process->job_ranks || has_records(folder, part);
}

int process_is_worth_a_log(const struct run_folder *folder, const struct run_tree *tree,
                           const struct run_process *process) {
  for (int at = process->first_part; at >= 0; at = tree->parts[at].next)
    if (part_is_worth_it(folder, tree, process, &tree->parts[at])) return 1;
  return 0;
}

int run_is_worth_a_log(const struct run_folder *folder, const struct run_tree *tree) {
  int parts = 0, silent = 0, jobs = 0;
  for (size_t i = 0; i < tree->num_processes; i++) {
    const struct run_process *process = &tree->processes[i];
    jobs += process->job_ranks != 0;
    silent += process->first_part < 0;
    parts += process->first_part >= 0;
    if (process_is_worth_a_log(folder, tree, process)) return 1;
  }
  return parts == 0 && jobs == 0 && silent > 0;
}
