/* Determines the results of `darshan run` and reports them: the log of the run, the logs of its MPI
 * jobs, and processes that still run (run-log.h). */
#define _GNU_SOURCE
#include "run-log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../logs.h"
#include "../message.h"
#include "../process/directory.h"
#include "../recover/recover.h"
#include "darshan-read.h"

/* Returns the process of a run that consists of one process with one program, else NULL. Its part
 * can become the log unchanged. */
static const struct tree_process *only_process(const struct tree *run) {
  struct stat st;
  if (run->parts.count != 1 || run->has_pack || run->journals.count || run->processes.count != 1)
    return NULL;
  if (lstat(run->parts.paths[0], &st) < 0 || !S_ISREG(st.st_mode))
    return NULL;                       /* a link to a part that is elsewhere */
  if (run->has_others) return NULL;    /* a child may not have written its row yet */
  if (run->has_unwatched) return NULL; /* only a merged log has a row about that program */
  const struct tree_process *process = id_table_value(&run->processes, 0);
  return process->starts == 1 && !process->is_rank ? process : NULL;
}

/* Writes the path of a new log in `folder`, with a name made from the part's job record. pid: of
 * its process. Returns 0, or -1 if the part cannot be read or the path is too long. */
static int made_name(char out[PATH_MAX], const char *folder, const char *part, pid_t pid) {
  struct darshan_error error = {""};
  struct timespec now;
  char start[NAME_MAX];
  darshan_log *log = darshan_log_read(part, &error);
  if (!log) return -1;
  const struct darshan_info *info = darshan_log_info(log);
  log_name_start(start, info->exe, info->job.jobid);
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t salt[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)pid};
  struct log_name name = {start, (int)strlen(start), pid, info->job.start_time_sec,
                          darshan_id_of_name((const char *)salt, sizeof(salt))};
  darshan_log_free(log);
  return log_name_path(out, folder, &name);
}

/* Makes the only part of a run its log, and stores its path in `log`: closes the run and renames
 * the part. */
static enum merger_end take_part(char log[PATH_MAX], const struct tree *run,
                                 const struct tree_process *process, const struct places *places) {
  const char *part = run->parts.paths[0];
  if (tree_close(run) < 0) return MERGER_FAILED;
  int named = places->named[0] != '\0';
  if (named)
    memcpy(log, places->named, PATH_MAX);
  else if (made_name(log, places->folder, part, process->traces.pid) < 0)
    return MERGER_FAILED;
  return log_name_give(part, log, named) == 0 ? MERGER_MADE : MERGER_FAILED;
}

/* Joins the words of a command line with blanks. The merger uses the result if the part of the root
 * process has no command line, as for a static program. */
static void join_words(char *out, size_t room, char *const *words) {
  size_t used = 0;
  out[0] = '\0';
  for (; *words && used < room; words++)
    used += (size_t)snprintf(out + used, room - used, "%s%s", used ? " " : "", *words);
}

/* Runs darshan-merge for the run, and stores the path of its log in `log`. */
static enum merger_end merge(char log[PATH_MAX], const struct places *places,
                             char *const *command) {
  char run[PATH_MAX], to[PATH_MAX], words[PATH_MAX];
  char option[] = "--run", print[] = "--print", output[] = "-o", numbered[] = "--numbered";
  char folder[] = "--logs", asked[] = "--command";
  int named = places->named[0] != '\0';
  memcpy(run, places->journals, sizeof(run));
  memcpy(to, named ? places->named : places->folder, sizeof(to));
  join_words(words, sizeof(words), command);
  char *argv[] = {
      NULL, option, run, print, named ? output : folder, to, asked, words, named ? numbered : NULL,
      NULL};
  return merger_run(argv, log, PATH_MAX, 0);
}

/* Returns 1 if the process with pid `top` is a launcher of ranks, otherwise 0. */
static int is_launched(const struct tree *run, pid_t top) {
  for (size_t i = 0; i < run->processes.count; i++) {
    const struct tree_process *process = id_table_value(&run->processes, i);
    if (process->traces.pid == top) return process->is_launcher;
  }
  return 0;
}

/* Reads the run directory into *run. Waits briefly for processes that end shortly after the root
 * process `top`, like servers of Python's multiprocessing, so that the log has their records. After
 * at most 250 ms, stores in *running how many of them still run. Returns 0, or -1 if the folder is
 * unreadable. */
static int read_settled(struct tree *run, size_t *running, const struct places *places, pid_t top) {
  enum { STEP_MS = 5, MOST_MS = 250 };
  const struct timespec step = {0, STEP_MS * 1000000L};
  for (int waited = 0;; waited += STEP_MS) {
    struct alive_here here;
    if (tree_read(run, places->journals) < 0) return -1;
    int ended = tree_has_ended(run, top);
    if (!ended) alive_look_here(&here);
    *running = ended ? 0 : tree_running(run, &here, top);
    if (*running == 0 || waited >= MOST_MS) return 0;
    tree_free(run);
    nanosleep(&step, NULL);
  }
}

/* Reads the run directory. If it holds nothing, closes the run and reads it again: a process that
 * has joined the run in between gets its log now, and any later one writes a log of its own.
 * Returns 0, or -1 if the folder is unreadable. */
static int read_closed(struct tree *run, size_t *running, const struct places *places, pid_t top) {
  if (read_settled(run, running, places, top) < 0) return -1;
  if (run->rows || !tree_is_empty(run) || tree_close(run) < 0) return 0;
  tree_free(run);
  return read_settled(run, running, places, top);
}

/* Makes the log of the run; `log` stays empty if there is none. Returns 1, or 0 if its processes
 * wrote no rows, so that each leaves its own log, or if the run directory is unreadable. */
static int make_log(struct run_outcome *outcome, struct places *places, const struct child_end *end,
                    char *const *command, char log[PATH_MAX]) {
  struct tree run;
  int failed = read_closed(&run, &outcome->running, places, end->pid) < 0;
  if (!failed && run.rows) {
    tree_unwatched(&run, end, command[0]);
    const struct tree_process *only = only_process(&run);
    tree_reaped(&run, end);
    outcome->jobs_first = is_launched(&run, end->pid);
    enum merger_end made = MERGER_NOTHING;
    /* Only a merged log has the exit status of its processes, so the log of a failed process is
     * merged. */
    if (only && !outcome->running && end->status == 0)
      made = take_part(log, &run, only, places);
    else
      made = merge(log, places, command);
    if (made == MERGER_FAILED) memcpy(outcome->kept, places->journals, sizeof(outcome->kept));
    if (made != MERGER_MADE) log[0] = '\0';
  }
  int told = !failed && run.rows > 0;
  tree_free(&run);
  return told;
}

/* Returns 1 for the log of an MPI job, 0 for any other log and for an unreadable one. */
static int is_of_job(const char *path) {
  struct darshan_error error = {""};
  darshan_log *log = darshan_log_read(path, &error);
  if (!log) return 0;
  const struct darshan_info *info = darshan_log_info(log);
  int of_job = info->job.nprocs > 1;
  for (int i = 0; i < info->num_metadata; i++)
    of_job |= strcmp(info->metadata[i].key, "mpi") == 0;
  darshan_log_free(log);
  return of_job;
}

/* Sorts the logs of the outcome: the run's log first, then those of MPI jobs, then others. If the
 * user started only a job, the logs of jobs come before that of the run. */
static void put_in_order(struct run_outcome *outcome, const struct path_list *others,
                         const char *log) {
  enum { JOBS, OTHERS };
  if (log[0] && !outcome->jobs_first) path_list_add(&outcome->logs, log);
  for (int kind = JOBS; kind <= OTHERS; kind++) {
    for (size_t i = 0; i < others->count; i++) {
      if (strcmp(others->paths[i], log) == 0 || is_of_job(others->paths[i]) != (kind == JOBS))
        continue;
      path_list_add(&outcome->logs, others->paths[i]);
      outcome->jobs += kind == JOBS;
    }
    if (kind == JOBS && log[0] && outcome->jobs_first) path_list_add(&outcome->logs, log);
  }
  outcome->has_own = log[0] != '\0';
}

/* Makes logs of journals that remain in the run directory, for example those of a killed job's
 * ranks, because no other process will, and adds these logs to `others`. Then discards the run
 * directory, and keeps in outcome->journals only the journals that still exist. */
static void take_rest(struct run_outcome *outcome, const struct places *places,
                      struct path_list *others) {
  struct recovery recovery;
  struct path_list after = {NULL, 0};
  memset(&recovery, 0, sizeof(recovery));
  recovery.output = places->folder;
  recovery.quiet = 1;
  alive_init(&recovery.alive);
  recover_rest(&recovery, places->journals);
  alive_free(&recovery.alive);
  for (size_t i = 0; i < recovery.logs.count; i++)
    path_list_add(others, recovery.logs.paths[i]);
  for (size_t i = 0; i < outcome->journals.count; i++)
    if (access(outcome->journals.paths[i], F_OK) == 0)
      path_list_add(&after, outcome->journals.paths[i]);
  path_list_free(&recovery.logs);
  path_list_free(&outcome->journals);
  outcome->journals = after;
}

void run_log_make(struct run_outcome *outcome, struct places *places, const struct child_end *end,
                  char *const *command) {
  struct path_list others;
  char log[PATH_MAX];
  log[0] = outcome->later[0] = outcome->kept[0] =
      '\0'; /* sets only the first bytes, so that the other pages are not touched */
  outcome->logs = outcome->journals = (struct path_list){NULL, 0};
  outcome->has_own = outcome->jobs_first = 0;
  outcome->jobs = outcome->running = 0;
  int told = places->is_tree && make_log(outcome, places, end, command, log);
  places_collect(places, &others, &outcome->journals);
  if (told && outcome->journals.count && !outcome->kept[0]) take_rest(outcome, places, &others);
  put_in_order(outcome, &others, log);
  path_list_free(&others);
  if (outcome->running) memcpy(outcome->later, places->logs, sizeof(outcome->later));
  places_leave(places, outcome->running || outcome->journals.count);
}

void run_outcome_free(struct run_outcome *outcome) {
  path_list_free(&outcome->logs);
  path_list_free(&outcome->journals);
}

/* --- the message ------------------------------------------------------------------- */

struct line { /* a line of text that grows; used may exceed room, then it is cut */
  char *out;
  size_t room, used;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct line *line, const char *format, ...) {
  va_list list;
  if (line->used >= line->room) return;
  va_start(list, format);
  line->used += (size_t)vsnprintf(line->out + line->used, line->room - line->used, format, list);
  va_end(list);
}

/* Adds "log<what>: PATH", or the number of logs and the first path; nothing if count is 0. */
static void add_logs(struct line *line, size_t count, const char *what, const char *first) {
  if (count == 0) return;
  if (line->used) add(line, "; ");
  if (count == 1)
    add(line, "log%s: %s", what, say_path(first));
  else
    add(line, "%zu logs%s, the first: %s", count, what, say_path(first));
}

/* Adds the paths of all logs to the line. The first group of logs is called "log": the log of the
 * run; or the logs of its jobs, if the run has no log or the user started only a job. */
static void add_all_logs(struct line *line, const struct run_outcome *outcome) {
  char *const *paths = outcome->logs.paths;
  size_t own = (size_t)outcome->has_own, jobs = outcome->jobs;
  size_t others = outcome->logs.count - own - jobs;
  if (!own) {
    if (outcome->logs.count) add_logs(line, outcome->logs.count, "", paths[0]);
    return;
  }
  const char *of_jobs = jobs == 1 ? " of an MPI job" : " of MPI jobs";
  if (outcome->jobs_first && jobs) {
    add_logs(line, jobs, jobs == 1 ? "" : of_jobs, paths[0]);
    add_logs(line, 1, " of what is around it", paths[jobs]);
  } else {
    add_logs(line, 1, "", paths[0]);
    if (jobs) add_logs(line, jobs, of_jobs, paths[1]);
  }
  if (others) add_logs(line, others, " of other processes", paths[own + jobs]);
}

static void add_journals(struct line *line, const struct path_list *journals) {
  size_t count = journals->count;
  if (line->used) add(line, "; ");
  add(line, "%zu process%s, killed, ended unseen or still running, left %s journal%s: %s", count,
      count == 1 ? "" : "es", count == 1 ? "this" : "their", count == 1 ? "" : "s",
      say_path(journals->paths[0]));
}

int run_outcome_text(const struct run_outcome *outcome, char *out, size_t room) {
  struct line line = {out, room, 0};
  out[0] = '\0';
  add_all_logs(&line, outcome);
  if (outcome->kept[0])
    add(&line, "%scannot make the log of the run in %s now; darshan recover makes it later",
        line.used ? "; " : "", say_path(outcome->kept));
  if (outcome->running)
    add(&line, "%s%zu process%s still running: logs of them will be in %s", line.used ? "; " : "",
        outcome->running, outcome->running == 1 ? "" : "es", say_path(outcome->later));
  if (outcome->journals.count > outcome->running) add_journals(&line, &outcome->journals);
  return line.used > 0;
}
