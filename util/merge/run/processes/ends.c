/* Decides which processes of a run failed (ends.h). */
#include "ends.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../runtime/job/text/jobtext.h"

/* Returns the name of the last program of a process; "" if none is known. */
static const char *name_of(const struct run_tree *tree, const struct run_process *process) {
  return process->last_program < 0 ? "" : tree->programs[process->last_program].name;
}

static int is_bad(const struct run_process *process) {
  return process->how == PROCESS_SIGNALLED ||
         (process->how == PROCESS_EXITED && process->status > 0);
}

static int is_good(const struct run_process *process) {
  return process->how == PROCESS_EXITED && process->status == 0;
}

/* Returns 1 if a signal of its list (SIGSEGV, SIGKILL, ...) ended the process, otherwise 0. This
 * process has failed, regardless of its parent. Other signals are sent deliberately to stop a
 * program that is no longer needed. */
static int is_fault(const struct run_process *process) {
  static const int faults[] = {SIGSEGV, SIGABRT, SIGBUS,  SIGFPE,  SIGILL, SIGSYS,
                               SIGTRAP, SIGKILL, SIGXCPU, SIGXFSZ, SIGQUIT};
  for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
    if (process->how == PROCESS_SIGNALLED && process->status == faults[i]) return 1;
  return 0;
}

/* Returns 1 if a nonzero end of this program is a normal result: a status up to the one in the
 * table of such programs (grep, test, diff, ...), or SIGPIPE. Otherwise returns 0. */
static int is_answer(const struct run_tree *tree, const struct run_process *process) {
  static const struct {
    const char *program;
    int most;
  } answers[] = {
#define ANSWER(program, most) {program, most},
#include "answers.def"
  };
  const char *name = name_of(tree, process);
  if (process->how == PROCESS_SIGNALLED)
    return process->status == SIGPIPE; /* the process that read from its pipe ended */
  for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
    if (strcmp(name, answers[i].program) == 0) return process->status <= answers[i].most;
  return 0;
}

/* --- handled failures ------------------------------------------------------------------- */

/* Whether a successful ancestor handled the failure of a process: not determined yet; being
 * determined; yes; no. */
enum { NOT_ASKED, ON_THE_WAY, COPED, NOBODY };

/* Returns 1 if an ancestor exited with status 0 and so handled the failure, otherwise 0. asked: the
 * answers so far, one per process; the caller zeroes it before the first call. Each process is
 * visited at most twice, even if parents form a cycle. */
static int is_coped_with(const struct run_tree *tree, uint8_t *asked, int process) {
  int at = process, answer = NOBODY;
  while (at >= 0 && asked[at] == NOT_ASKED) {
    asked[at] = ON_THE_WAY;
    at = tree->processes[at].parent;
    if (at >= 0 && is_good(&tree->processes[at])) answer = COPED;
    if (answer == COPED) break;
  }
  if (answer != COPED && at >= 0 && asked[at] == COPED) answer = COPED;
  for (int back = process; back >= 0 && asked[back] == ON_THE_WAY;
       back = tree->processes[back].parent)
    asked[back] = (uint8_t)answer;
  return answer == COPED;
}

/* --- what ended the run --------------------------------------------------------------- */

/* Returns 1 for a program that only passes on the failure of a program that it started; otherwise
 * 0. */
static int is_starter(const char *name) {
  static const char *const names[] = {"xargs", "make",   "gmake",   "ninja",     "parallel",
                                      "env",   "time",   "timeout", "nice",      "nohup",
                                      "srun",  "mpirun", "mpiexec", "snakemake", "mpiexec.hydra",
                                      "sudo",  "setsid", "stdbuf",  "chrt",      "taskset"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (strcmp(name, names[i]) == 0) return 1;
  return 0;
}

/* Returns 1 if a process ended with its status because this child failed, otherwise 0. A starter is
 * always assumed to pass on the failure; any other process has the status of the child. */
static int is_handed_on(const struct run_tree *tree, const struct run_process *process,
                        const struct run_process *child) {
  enum { SIGNALS = 128 /* shells add this to a signal's number */ };
  int as_signal = child->how == PROCESS_SIGNALLED;
  if (!is_bad(child)) return 0;
  if (is_starter(name_of(tree, process))) return 1;
  if (process->how == PROCESS_SIGNALLED) return as_signal && process->status == child->status;
  return process->status == (as_signal ? SIGNALS + child->status : child->status);
}

/* Returns the end of a process in nanoseconds since the epoch; 0 if it is unknown. */
static int64_t end_of(const struct run_process *process) {
  return process->end_ns ? process->end_ns : process->reaped_ns;
}

/* Numbers in `cause`, from 1 on, the chain of processes through which the run failed. The chain
 * starts at the root process. Its next process is the child that ended last, if that child's
 * failure explains the failure of the parent. last: the result of find_last. */
static void find_cause(struct run_tree *tree, const int *last, int top) {
  int depth = 0;
  for (int at = top; at >= 0 && !tree->processes[at].cause; at = last[at]) {
    struct run_process *process = &tree->processes[at];
    if (depth > 0 && !is_handed_on(tree, &tree->processes[process->parent], process)) return;
    if (!is_bad(process)) return;
    process->cause = ++depth;
  }
}

/* Stores for each process the index of the child that ended last; -1 if it has no child. */
static void find_last(const struct run_tree *tree, int *last) {
  for (size_t i = 0; i < tree->num_processes; i++)
    last[i] = -1;
  for (size_t i = 0; i < tree->num_processes; i++) {
    int parent = tree->processes[i].parent;
    if (parent < 0) continue;
    if (last[parent] < 0 || end_of(&tree->processes[i]) >= end_of(&tree->processes[last[parent]]))
      last[parent] = (int)i;
  }
}

int ends_judge(struct run_tree *tree, int top) {
  uint8_t *asked = calloc(tree->num_processes + 1, sizeof(*asked));
  int *last = calloc(tree->num_processes + 1, sizeof(*last));
  if (asked && last) {
    find_last(tree, last);
    find_cause(tree, last, top);
    for (size_t i = 0; i < tree->num_processes; i++) {
      struct run_process *process = &tree->processes[i];
      process->failed =
          is_bad(process) && (process->cause || is_fault(process) ||
                              (!is_answer(tree, process) && !is_coped_with(tree, asked, (int)i)));
    }
  }
  for (size_t i = 0; i < tree->num_processes; i++)
    tree->processes[i].ended_unseen =
        tree->processes[i].how == PROCESS_END_UNKNOWN && !is_good(&tree->processes[top]);
  int result = asked && last ? 0 : -1;
  free(asked);
  free(last);
  return result;
}

/* --- failed lookups ------------------------------------------------------------------- */

static int is_shell(const char *name) {
  static const char *const names[] = {"sh", "bash", "dash", "zsh", "ksh", "busybox"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (strcmp(name, names[i]) == 0) return 1;
  return 0;
}

/* Returns 1 for the root process if it failed or was killed with the whole run, otherwise 0. */
static int is_top(const struct run_process *process) {
  return process->cause == 1 || (process->ended_unseen && process->parent < 0);
}

/* Returns how well the failed lookups of a process explain the failure of the run; 0: not at all.
 * The deepest process that caused the failure has the highest value. A shell has the lowest value
 * if it is the root process, if a signal ended it or if its end is in no row, because most of its
 * lookups search for commands. */
static int weight(const struct run_tree *tree, const struct run_process *process) {
  enum { SHELL = 1, OTHER, UNSEEN, TOP };
  int is_caught = process->how == PROCESS_SIGNALLED || process->ended_unseen;
  if (!process->cause && !process->ended_unseen && !process->failed) return 0;
  if ((is_top(process) || is_caught) && is_shell(name_of(tree, process))) return SHELL;
  if (is_top(process)) return TOP;
  if (process->cause) return TOP + process->cause;
  return process->ended_unseen ? UNSEEN : OTHER;
}

void ends_hear(struct ends_missed *missed, const struct run_tree *tree,
               const struct run_process *process, const darshan_log *log) {
  struct lookups found = {.count = 0};
  int own = weight(tree, process);
  if (own <= missed->weight) return;
  lookups_add(&found, log);
  if (found.count == 0) return;
  missed->lookups = found;
  missed->weight = own;
  missed->is_top = is_top(process);
  snprintf(missed->program, sizeof(missed->program), "%s", name_of(tree, process));
}

size_t ends_tell(const struct ends_missed *missed, char *out, size_t room, size_t used) {
  if (!missed->weight) return used;
  used = lookups_tell(&missed->lookups, out, room, used);
  if (!missed->is_top)
    used = darshan_metadata_add(out, room, used, "not_found_by", missed->program);
  return used;
}
