/* The programs of runs that are trees of processes: PROCESS of some logs. */
#ifndef DARSHAN_FRONT_PROGRAMS_H
#define DARSHAN_FRONT_PROGRAMS_H

#include "../parser/id-table.h"
#include "darshan-read.h"

struct program {
  char *name;     /* of the last program that its processes were */
  int64_t count;  /* of processes */
  int64_t ranks;  /* of MPI jobs, whose I/O is in logs of their own */
  double time;    /* seconds in I/O */
  int64_t unseen; /* of them: whose I/O was not seen, or not all */
  int why;        /* ... the last of them: PROCESS_UNSEEN */
};

/* One way in which processes of a program ended that was neither exit(0) nor life. */
struct bad_end {
  const char *name;
  int64_t count;
  int64_t signal; /* 0: by its status */
  int64_t status; /* -1: not known, or in several ways */
};

struct programs {
  struct id_table table;    /* hash of the name -> struct program */
  struct id_table bad_ends; /* hash of all but the count -> struct bad_end */
};

void programs_init(struct programs *programs);
void programs_free(struct programs *programs);

/* Adds those of a log that has PROCESS, and its processes to *processes, without ranks of
 * jobs; -1: error filled, what came before the damage is added. */
int programs_add(struct programs *programs, darshan_log *log, int64_t *processes,
                 struct darshan_error *error);

/* All of them, those with most time first; to be freed, NULL: none.  How many: *count. */
const struct program **programs_by_time(const struct programs *programs, size_t *count);

/* The same of bad ends, those of most processes first. */
const struct bad_end **programs_bad_ends(const struct programs *programs, size_t *count);

/* A program's name, from the name of a PROCESS record: the script of an interpreter, else
 * the file.  To be freed. */
char *program_of(const char *process);

/* A command line as it was typed: of a command that is a script the kernel has put the interpreter
 * before it.  The rest of the line. */
const char *command_typed(const char *command);

#endif
