/* The programs of runs, from PROCESS records of some logs. */
#ifndef DARSHAN_FRONT_PROGRAMS_H
#define DARSHAN_FRONT_PROGRAMS_H

#include "../../parser/id-table.h"
#include "darshan-read.h"

struct program {
  char *name;            /* the last program of its processes */
  int64_t count;         /* number of processes */
  int64_t ranks;         /* ranks of MPI jobs, whose I/O is in their own logs */
  double time;           /* seconds in I/O */
  int64_t read, written; /* bytes of the processes that are not recorded, from the kernel */
  int64_t unseen;        /* processes whose I/O is not, or not completely, recorded */
  int is_measured;       /* 1: read and written are known */
  int why;               /* the last reason for that: PROCESS_UNSEEN */
};

/* A signal or exit status with which processes of a program failed. */
struct bad_end {
  const char *name;
  int64_t count;
  int64_t signal; /* 0: exited with a status */
  int64_t status; /* -1: not known, or several */
};

struct programs {
  struct id_table table;    /* hash of the name -> struct program */
  struct id_table bad_ends; /* hash of name, end and status -> struct bad_end */
};

void programs_init(struct programs *programs);
void programs_free(struct programs *programs);

/* Adds the programs of a log with PROCESS. Adds its processes, without ranks of jobs, to
 * *processes. Returns 0, or -1 with an error if the log is corrupt; the records before that place
 * are added. */
int programs_add(struct programs *programs, darshan_log *log, int64_t *processes,
                 struct darshan_error *error);

/* Returns all *count programs, most time first; NULL if there are none. The caller frees the
 * array. */
const struct program **programs_by_time(const struct programs *programs, size_t *count);

/* Returns all *count failures, the most frequent first; NULL if there are none. The caller frees
 * the array. */
const struct bad_end **programs_bad_ends(const struct programs *programs, size_t *count);

/* Returns a program's name from the name of a PROCESS record: an interpreter's script, otherwise
 * the program's file. The caller frees it. */
char *program_of(const char *process);

/* Returns the command line as the user typed it: without the interpreter that the kernel puts
 * before a script. Points into command. */
const char *command_typed(const char *command);

#endif
