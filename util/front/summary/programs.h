/* Declares sums over the PROCESS records of logs, by the program that the processes ran. */
#ifndef DARSHAN_FRONT_PROGRAMS_H
#define DARSHAN_FRONT_PROGRAMS_H

#include "../../parser/id-table.h"
#include "darshan-read.h"

struct program {
  char *name;            /* name of the last program that the processes ran */
  int64_t count;         /* number of processes */
  int64_t ranks;         /* number of ranks of MPI jobs, whose I/O is in logs of their own */
  double time;           /* seconds in I/O */
  int64_t read, written; /* bytes of processes that are not recorded, as the kernel counted them */
  int64_t unseen;        /* number of processes whose I/O is not, or not completely, recorded */
  int is_measured;       /* 1: read and written are known */
  int why;               /* the reason in the last such process: enum run_unwatched */
};

/* A signal or exit status with which processes of a program failed. */
struct bad_end {
  const char *name; /* of the program */
  int64_t count;    /* number of processes */
  int64_t signal;   /* 0: exited with a status */
  int64_t status;   /* -1: unknown, or several */
};

struct programs {
  struct id_table table;    /* hash of the name -> struct program */
  struct id_table bad_ends; /* hash of name, end and status -> struct bad_end */
};

void programs_init(struct programs *programs);
void programs_free(struct programs *programs);

/* Adds the programs of a log that has data of PROCESS. Adds the number of its processes, except
 * ranks of MPI jobs, to *processes. Returns 0, or -1 with an error if the log is corrupt; records
 * before the corrupt data are then added. */
int programs_add(struct programs *programs, darshan_log *log, int64_t *processes,
                 struct darshan_error *error);

/* Returns all *count programs, sorted by time, the longest first; NULL if there are none, or if out
 * of memory. The caller frees the array. */
const struct program **programs_by_time(const struct programs *programs, size_t *count);

/* Returns all *count failures, the most frequent first; NULL if there are none, or if out of
 * memory. The caller frees the array. */
const struct bad_end **programs_bad_ends(const struct programs *programs, size_t *count);

/* Returns the name of the last program from the name of a PROCESS record ("HOST: COMMAND -> COMMAND
 * ..."): an interpreter's script, otherwise the program's file, without folders; "(unknown)"
 * without a command. The caller frees the string; NULL if out of memory. */
char *program_of(const char *process);

/* Returns the command line as the user typed it, without the interpreter that the kernel inserts
 * before a script. The result points into command. */
const char *command_typed(const char *command);

#endif
