/* Runs a program of one call under ptrace, stops it at a chosen instruction inside the runtime,
 * performs an action there, and compares the results. */
#ifndef DARSHAN_INTERRUPT_DRIVER_H
#define DARSHAN_INTERRUPT_DRIVER_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ACTION_LETTERS: the values of enum action (target.h), which are letters. SECONDS_OF_A_HANG: a
 * process that has not ended so long after its start counts as hanging. */
enum { ACTIONS = 6, SECONDS_OF_A_HANG = 20 };
#define ACTION_LETTERS "abcdef"

/* The program under test, the runtime, and the folders of one worker: the program's working
 * directory, its logs and its journals. */
struct place {
  const char *program, *runtime; /* runtime: the path as the loader maps it */
  char work[PATH_MAX], logs[PATH_MAX], journals[PATH_MAX];
};

/* --- process.c: a process that is traced ------------------------------------------ */

/* Why the process stopped: at the int3 of a mark, at the breakpoint, after a single step, or
 * because it ended or executed another program. STOP_HUNG: it still runs, but the alarm rang. */
enum stop { STOP_MARK, STOP_POINT, STOP_STEP, STOP_ENDED, STOP_HUNG };
struct process {
  pid_t pid;            /* 0: no process */
  pid_t thread;         /* the thread that stopped last */
  uint64_t instruction; /* the address of the next one, at STOP_POINT, STOP_STEP and STOP_MARK */
  int mark;             /* number of the mark, at STOP_MARK: 1 before the call, 2 after it */
  uint64_t breakpoint;  /* 0: none is set */
  long original;        /* the 64-bit word that the breakpoint replaces */
  int status;           /* from waitpid, at STOP_ENDED */
};
/* Starts the process and lets it run to the mark before the call. kind: a name in target_kinds;
 * action: a letter of enum action. Returns 0, or -1 if the process did not reach the mark; then it
 * is gone. */
int process_start(struct process *process, const struct place *place, const char *kind, int action);
/* process_go lets the process run, and delivers `signal` to the thread that stopped last; 0: none.
 * process_step executes one instruction of that thread. Both return why the process stopped
 * next. */
enum stop process_go(struct process *process, int signal);
enum stop process_step(struct process *process);
/* Lets the process run until it is about to execute this address for the n-th time. Returns
 * STOP_POINT in that case, otherwise why the process stopped before. */
enum stop process_go_to(struct process *process, uint64_t address, uint32_t n);
/* Turns off the alarm by which the harness notices that a process hangs, because executing a call
 * in single steps takes long. */
void process_take_your_time(void);
/* Returns 1 if the thread that stopped last blocks the signal, otherwise 0. */
int process_blocks(const struct process *process, int signal);
uint64_t process_stack_pointer(const struct process *process);
/* Finds the code of a file in the process: its first address, and the address after its end.
 * Returns 0, or -1 if the file is not mapped. */
int process_code(const struct process *process, const char *file, uint64_t range[2]);
/* Lets the process run, and waits until it and all its descendants have ended. Returns 0, or -1 if
 * the alarm of process_start rings before. */
int process_finish(struct process *process);
/* Kills the process and its group, and waits for all its children. */
void process_kill(struct process *process);

/* --- points.c: where to stop -------------------------------------------------------- */

struct point {
  uint32_t address; /* from the start of the runtime's code */
  uint32_t n;       /* the n-th execution, counted from ... */
  uint32_t gate;    /* ... this address (0: from the call) ... */
  uint32_t gate_n;  /* ... at its gate_n-th execution */
};
/* The points of one trace; addresses: the number of different instructions among them. */
struct points {
  struct point *point;
  size_t count;
  size_t addresses;
};
/* The instructions of the runtime that one call executes, in order. Each array has `length`
 * elements, one per executed instruction. */
struct trace {
  uint64_t code[2];  /* the first address of the runtime's code, and that after its end */
  uint32_t *address; /* from the start of the code */
  char *blocked;     /* 1: SIGUSR1 is blocked; 0: it is not */
  uint32_t *call;    /* number of the library's call to the runtime, from 1; 0: the program's own */
  uint32_t *n;       /* number of this execution of the address, from 1 */
  size_t length, room;
};
/* Executes the call of this kind in single steps, in a process of its own, and fills *trace.
 * Returns 0, or -1 if the process did not reach the call or executed no instruction of the runtime.
 * trace_free frees the arrays in both cases. */
int trace_take(struct trace *trace, const struct place *place, const char *kind, int action);
void trace_free(struct trace *trace);
/* Chooses the first, middle and last execution of every instruction of the call. with_handlers:
 * counts only executions during which SIGUSR1 is not blocked. The caller frees points->point. */
void points_choose(struct points *points, const struct trace *trace, int with_handlers);

/* --- result.c: what a process leaves ------------------------------------------------- */

/* The sums of a record's integer counters over all logs of the process. counter: one element for
 * each of the module's counters; the result owns it. */
struct row {
  int module;
  uint64_t id; /* of the record */
  int64_t *counter;
};
struct result {
  int status, killed; /* as given to result_read */
  uint64_t dropped;   /* calls dropped in handlers, from the logs */
  struct row *row;
  size_t rows;
  int64_t traced, heat; /* bytes in segments of traces, in bins of heat maps */
  int64_t talked;       /* the sum of all counters of APMPI */
  int partial;          /* a trace is marked as incomplete */
  char *data;           /* contents of the data file; NULL: there is none */
  size_t length;        /* of data, in bytes */
  int said;             /* 1: stderr begins with the known message of a library */
  char problem[400];    /* a violation; empty: none */
};
/* Creates the folders of the worker `worker` below the folder parent, and fills *place. */
void place_make(struct place *place, const char *parent, const char *program, const char *runtime,
                unsigned worker);
/* Removes all files that the previous process left in the folders of the worker. */
void result_clean(const struct place *place);
/* Reads the result of a process that ended with this status, as of waitpid. killed: 1 if the
 * process may have ended without writing its log; then its journal counts if no log has records.
 * known: a message that is allowed on stderr; NULL: none. result_free frees the result. */
void result_read(struct result *result, const struct place *place, int status, int killed,
                 const char *known);
void result_free(struct result *result);

/* --- reference.c: what right is ------------------------------------------------------- */

/* The runs to compare with: the same program with the signal before the call, after the call and
 * without a signal; and a program that calls _exit before the call. The action, and whether the
 * call returns, determine which of these runs a judge has. */
enum reference { BEFORE_CALL, AFTER_CALL, NO_SIGNAL, EXIT_BEFORE, REFERENCES };
struct judge {
  int action;           /* of enum action */
  int have[REFERENCES]; /* 1: this reference was taken; 0: it was not, or its result has an error */
  struct result reference[REFERENCES];
};
/* Performs the action at the current instruction, and waits until the process ends. Returns 0, or
 * -1 if the process hangs. */
int let_happen(struct process *process, int action);
/* Runs the program once for each reference of this kind and action, and fills *judge. Returns 0, or
 * -1 if a program did not start or hung, or a result has an error. */
int take_references(struct judge *judge, const struct place *place, const char *kind, int action);
/* For calls during which another library calls the runtime: returns 1 if the same result occurs
 * when the action happens immediately before or after one of the library's calls to the runtime,
 * otherwise 0. */
int is_of_the_library(const struct result *result, const struct place *place, const char *kind,
                      int action, const struct trace *trace);
/* Returns the message that another library is known to print if its work is interrupted; NULL:
 * none. */
const char *known_words(const char *kind, int action);

/* --- judge.c: is it right? ------------------------------------------------------------ */

/* Returns 1 if the result is right; otherwise 0, with the reason in why. */
int judge_says(const struct judge *judge, const struct result *result, char *why, size_t room);

#endif
