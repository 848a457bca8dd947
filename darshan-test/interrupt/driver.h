/* Runs a program of one call under ptrace, stops it at a chosen instruction inside
 * the runtime, lets something happen there, and compares what is left. */
#ifndef DARSHAN_INTERRUPT_DRIVER_H
#define DARSHAN_INTERRUPT_DRIVER_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { ACTIONS = 6, SECONDS_OF_A_HANG = 20 };
#define ACTION_LETTERS "abcdef"

/* What is run, and where. */
struct place {
  const char *program, *runtime; /* its path is as the loader maps it */
  char work[PATH_MAX], logs[PATH_MAX], journals[PATH_MAX];
};

/* --- process.c: a process that is traced ------------------------------------------ */
enum stop { STOP_MARK, STOP_POINT, STOP_STEP, STOP_ENDED, STOP_HUNG };
struct process {
  pid_t pid;    /* 0: there is none */
  pid_t thread; /* that stopped last */
  uint64_t instruction;
  int mark;            /* which one, at STOP_MARK */
  uint64_t breakpoint; /* 0: none is set */
  long original;       /* the word there */
  int status;          /* as waitpid says, at STOP_ENDED */
};
/* Starts it and lets it run to the mark before the call; 0, or -1. */
int process_start(struct process *process, const struct place *place, const char *kind, int action);
enum stop process_go(struct process *process, int signal);
enum stop process_step(struct process *process);
/* To the n-th time that this address is about to be executed. */
enum stop process_go_to(struct process *process, uint64_t address, uint32_t n);
/* However long it takes: it is not waited for, but led step by step. */
void process_take_your_time(void);
int process_blocks(const struct process *process, int signal);
uint64_t process_stack_pointer(const struct process *process);
/* The code of a file in the process: its first address, and the one behind. */
int process_code(const struct process *process, const char *file, uint64_t range[2]);
/* Until it and all its descendants are gone; -1 if they do not go. */
int process_finish(struct process *process);
void process_kill(struct process *process);

/* --- points.c: where to stop -------------------------------------------------------- */
struct point {
  uint32_t address; /* from the start of the code */
  uint32_t n;       /* its n-th time, after ... */
  uint32_t gate;    /* ... this address, 0: from the call on, ... */
  uint32_t gate_n;  /* ... its n-th time */
};
struct points {
  struct point *point;
  size_t count;
  size_t addresses; /* distinct ones */
};
/* What one call executed of the runtime, in order. */
struct trace {
  uint64_t code[2];
  uint32_t *address;
  char *blocked;  /* signals are */
  uint32_t *call; /* which one of a library it belongs to; 0: the program's own */
  uint32_t *n;    /* which time it is of this address */
  size_t length, room;
};
int trace_take(struct trace *trace, const struct place *place, const char *kind, int action);
void trace_free(struct trace *trace);
/* First, middle and last time of every instruction of the call; with_handlers: of
 * those where signals are let through. */
void points_choose(struct points *points, const struct trace *trace, int with_handlers);

/* --- result.c: what a process leaves ------------------------------------------------- */
struct row {
  int module;
  uint64_t id;
  int64_t *counter;
};
struct result {
  int status, killed;
  uint64_t dropped; /* in handlers, as the logs say */
  struct row *row;
  size_t rows;
  int64_t traced, heat; /* bytes in segments of traces, in bins of heat maps */
  int64_t talked;       /* calls of MPI, and bytes in them */
  int partial;          /* a trace says that it is not whole */
  char *data;           /* of the file that everything is about */
  size_t length;
  int said;          /* what is known of a library */
  char problem[400]; /* what must not be; empty: nothing */
};
/* The folders of one worker, made below parent. */
void place_make(struct place *place, const char *parent, const char *program, const char *runtime,
                unsigned worker);
void result_clean(const struct place *place);
/* known: what it may say on stderr; NULL: nothing. */
void result_read(struct result *result, const struct place *place, int status, int killed,
                 const char *known);
void result_free(struct result *result);

/* --- reference.c: what right is ------------------------------------------------------- */
/* The same program when the signal comes before the call, after it, and not at all,
 * and of the program that leaves at once by _exit before the call. */
enum reference { BEFORE_CALL, AFTER_CALL, NO_SIGNAL, EXIT_BEFORE, REFERENCES };
struct judge {
  int action;
  int have[REFERENCES];
  struct result reference[REFERENCES];
};
/* Lets it happen where the process stands, and waits for the end. */
int let_happen(struct process *process, int action);
int take_references(struct judge *judge, const struct place *place, const char *kind, int action);
/* For where a library is at work: 1 if the result is what it leaves by itself, when the
 * same thing happens right before or behind one of its calls. */
int is_of_the_library(const struct result *result, const struct place *place, const char *kind,
                      int action, const struct trace *trace);
/* What the library is known to say, by itself; NULL: nothing. */
const char *known_words(const char *kind, int action);

/* --- judge.c: is it right? ------------------------------------------------------------ */
/* 1, or 0 and a line that says why not. */
int judge_says(const struct judge *judge, const struct result *result, char *why, size_t room);

#endif
