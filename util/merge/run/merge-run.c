/* Makes the log of a run from its folder (merge-run.h). */
#include "merge-run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../runs/events.h"
#include "../journals.h"
#include "commit.h"
#include "darshan-read.h"
#include "folder.h"
#include "log-format.h"

/* Returns 1 if a part has records, or cannot be read; otherwise 0. */
static int has_records(const struct run_folder *folder, const struct run_part *part) {
  struct darshan_error error = {""};
  darshan_log *log = folder_part_read(folder, part, &error);
  int has = !log;
  const struct darshan_info *info = log ? darshan_log_info(log) : NULL;
  for (int i = 0; info && i < info->num_modules;
       i++) /* ignores USAGE, because every process has a USAGE record */
    has |= info->modules[i].id != DARSHAN_MOD_USAGE;
  if (log) darshan_log_free(log);
  return has;
}

static int is_launcher(const struct run_tree *tree, int program) {
  return program >= 0 && tree->programs[program].launcher;
}

/* Returns 1 if the part has records that belong in a log, otherwise 0. The part of a launcher, or
 * of a child that is about to become one, needs no log. The part of a rank needs a log only if it
 * has records from before the program joined the job. */
static int part_is_worth_it(const struct run_folder *folder, const struct run_tree *tree,
                            const struct run_process *process, const struct run_part *part) {
  if (is_launcher(tree, process->last_program) || is_launcher(tree, part->program)) return 0;
  return !process->job_ranks || has_records(folder, part);
}

/* Returns 1 if this process, which left a part after the run's log was made, needs a log; otherwise
 * 0. */
static int process_is_worth_a_log(const struct run_folder *folder, const struct run_tree *tree,
                                  const struct run_process *process) {
  for (int at = process->first_part; at >= 0; at = tree->parts[at].next)
    if (part_is_worth_it(folder, tree, process, &tree->parts[at])) return 1;
  return 0;
}

/* Returns 1 if the run needs a log, 0 if only launchers and ranks of jobs left parts. A run without
 * parts and jobs needs a log if it has any process. */
static int run_is_worth_a_log(const struct run_folder *folder, const struct run_tree *tree) {
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

/* Prints the path of the log if an option requests it. Prints a relative path if the path in the
 * options was relative. */
static void print_log(const struct run_options *options, const char *log) {
  size_t length = strlen(options->from);
  int is_here = length && strncmp(log, options->from, length) == 0;
  if (options->print) printf("%s\n", log + (is_here ? length : 0));
}

/* Makes the log of all processes (process -1), or of one process that ended after that log was
 * made. Returns RUN_LOGGED or RUN_FAILED. */
static enum run_result make(struct one_log *run, int process) {
  struct closing closing;
  const struct run_process *only = process < 0 ? NULL : &run->tree.processes[process];
  ranks_free(&run->ranks);
  run->alone = only != NULL;
  if ((only ? ranks_alone(&run->ranks, &run->tree, process)
            : ranks_make(&run->ranks, &run->tree, run->folder.top)) < 0)
    return RUN_FAILED;
  if (!run->options->keep) closing_begin(&closing, &run->folder, &run->tree, only);
  int made = one_log_make(run) == 0;
  if (!run->options->keep) closing_end(&closing, made);
  if (made) print_log(run->options, run->final);
  return made ? RUN_LOGGED : RUN_FAILED;
}

/* Makes the log of a run that has none yet, if it needs one; with --ask, only decides whether it
 * does. If no log is needed, makes `closed`. */
static enum run_result merge_all(struct one_log *run) {
  if (left_read(&run->folder, &run->tree, run->options->keep) < 0) return RUN_FAILED;
  int is_worth_it = run_is_worth_a_log(&run->folder, &run->tree);
  if (run->options->ask) return is_worth_it ? RUN_LOGGED : RUN_NOTHING;
  if (is_worth_it) return make(run, -1);
  if (!run->options->keep) folder_put(&run->folder, RUN_CLOSED, "", 0);
  return RUN_NOTHING;
}

/* Removes the parts of a process that needs no log: a launcher, or a rank without records from
 * before it joined its job. Prints a message if a part cannot be removed. */
static void discard(struct one_log *run, const struct run_process *process) {
  struct bytes list = {NULL, 0, 0};
  char name[NAME_MAX + 1];
  for (int at = process->first_part; at >= 0; at = run->tree.parts[at].next) {
    folder_part_name(&run->tree.parts[at], name);
    bytes_add(&list, name, strlen(name) + 1);
  }
  if (folder_drop_parts(&run->folder, list.at, list.n) < 0)
    merge_say("cannot remove parts that need no log from the run directory %s: %s",
              run->folder.path, strerror(errno));
  bytes_free(&list);
}

/* Makes a log for each process that left a part after the run's log was made. If the run needed no
 * log, makes logs only for processes that need one, and removes the other parts. Removes the folder
 * if no part is left. Stops if parts that are in a log cannot be removed. result: result of the
 * run's log; RUN_NOTHING if the run needed none. Returns RUN_FAILED if the folder cannot be read or
 * one of the logs failed, otherwise the result of the last log; `result` if no log was tried. */
static enum run_result merge_rest(struct one_log *run, enum run_result result) {
  tree_free(&run->tree);
  int has_appending = folder_settle(&run->folder) < 0;
  if (folder_list(&run->folder) < 0) return RUN_FAILED;
  if (run->folder.count > 0 && left_read(&run->folder, &run->tree, run->options->keep) < 0)
    return RUN_FAILED;
  for (size_t i = 0; i < run->tree.num_processes && !run->folder.has_taken; i++)
    if (run->tree.processes[i].first_part >= 0) {
      const struct run_process *process = &run->tree.processes[i];
      if (result == RUN_NOTHING && !process_is_worth_a_log(&run->folder, &run->tree, process)) {
        discard(run, process);
        continue;
      }
      enum run_result one = make(run, (int)i);
      if (result != RUN_FAILED) result = one;
    }
  if (run->folder.has_taken) return result;
  if (run->folder.count > 0 && folder_list(&run->folder) < 0) return RUN_FAILED;
  /* A process that still appends its part calls the merger when it ends. */
  if (run->folder.count == 0 && !has_appending) folder_remove(&run->folder);
  return result;
}

/* Finishes the work of a killed merger, then makes the run's log, and logs of processes that ended
 * later. */
static enum run_result merge_folder(struct one_log *run) {
  enum run_result result = RUN_NOTHING;
  char log[PATH_MAX];
  int resumed = fold_resume(&run->folder) < 0 && !run->folder.folded ? -1 : 0;
  if (resumed == 0 && !run->options->keep) resumed = closing_resume(&run->folder, log);
  if (resumed < 0) {
    merge_say("cannot read the state of an earlier merger in the run directory %s: %s",
              run->folder.path, strerror(errno));
    return RUN_FAILED;
  }
  if (resumed) {
    print_log(run->options, log);
    result = RUN_LOGGED;
  }
  if (!folder_has(&run->folder, RUN_CLOSED)) result = merge_all(run);
  if (run->options->keep || run->folder.has_taken || !folder_has(&run->folder, RUN_CLOSED))
    return result;
  return merge_rest(run, result);
}

/* Makes *path absolute, because any process may read it in the run's folder. If it was relative,
 * sets options->from to the working folder. NULL stays NULL. room: buffer for the absolute path.
 * Returns 0, or -1 after a message. */
static int make_absolute(struct run_options *options, const char **path, char room[PATH_MAX]) {
  static char here[PATH_MAX];
  if (!*path || **path == '/') return 0;
  if (!getcwd(here, sizeof(here) - 1)) {
    merge_say("cannot write the log to %s: cannot determine the current folder: %s", *path,
              strerror(errno));
    return -1;
  }
  size_t length = strlen(here);
  if (length > 1) strcpy(here + length, "/");
  int n = snprintf(room, PATH_MAX, "%s%s", here, *path);
  *path = room;
  options->from = here;
  if (n < PATH_MAX) return 0;
  merge_say("cannot write the log to %.200s...: File name too long", *path);
  return -1;
}

/* Folds the parts of a run that has no log yet. */
static void fold_folder(struct one_log *run) {
  enum { MOST_NAMES = 4096 };
  if (fold_resume(&run->folder) < 0) return;
  events_remove_names(run->folder.path, MOST_NAMES);
  if (folder_has(&run->folder, RUN_CLOSED) || left_read(&run->folder, &run->tree, 0) < 0) return;
  if (ranks_make(&run->ranks, &run->tree, run->folder.top) == 0)
    fold_ranks(&run->folder, &run->tree, &run->ranks);
}

enum run_result merge_run(const struct run_options *given) {
  static struct one_log run; /* static, because it is large and must be zeroed */
  static char output[PATH_MAX], logs[PATH_MAX];
  struct run_options absolute = *given, *options = &absolute;
  run.options = options;
  options->from = "";
  if (make_absolute(options, &options->output, output) < 0 ||
      make_absolute(options, &options->logs, logs) < 0)
    return RUN_FAILED;
  enum folder_state state = folder_open(&run.folder, options->folder, options->fold);
  if (state != FOLDER_OPEN) return state == FOLDER_BUSY ? RUN_NOTHING : RUN_FAILED;
  enum run_result result = RUN_NOTHING;
  if (options->fold)
    fold_folder(&run);
  else
    result = merge_folder(&run);
  folder_close(&run.folder);
  one_log_free(&run);
  return result;
}
