/* Declares the PROCESS record of a rank, and the name of that record. */
#ifndef DARSHAN_MERGE_ROW_H
#define DARSHAN_MERGE_ROW_H

#include "../../../../runtime/format/records.h"
#include "../processes/ranks.h"
#include "combine.h"

enum { ROW_COMMAND = 200, ROW_NAME = 1000 }; /* bytes of one command line; bytes of the name */

/* The name "HOST: COMMAND -> COMMAND -> ...", with the command lines of the programs of a rank's
 * first process in their order. */
struct row_name {
  char text[ROW_NAME + 1];
  size_t used;  /* length of `text` in bytes */
  int programs; /* number of programs in `text` */
  int left_out; /* number of commands that did not fit; the name includes the last of them */
  char last[ROW_COMMAND + 1]; /* the last command that did not fit */
  int next;                   /* index of the next program; -1: no more programs */
};

/* Begins the name of a rank with the host. If later processes share the rank, adds only the name of
 * their program. */
void row_name_begin(struct row_name *name, const struct run_tree *tree,
                    const struct run_rank *rank);
/* Adds the command line of a part's program, and before it the names of programs that left no part.
 * program: its index. Does nothing if the name already has this program, or if the program is not
 * one of the rank's first process. */
void row_name_add(struct row_name *name, const struct run_tree *tree, int program,
                  const char *command);
/* Adds a command line for the first program, instead of its name. Called before row_name_add, if
 * that program left no part or is unknown. */
void row_name_first(struct row_name *name, const struct run_tree *tree, const char *command);
/* Completes the name with the names of the programs that row_name_add did not add; these names come
 * from the event file. Returns the record id, the hash of the name. */
uint64_t row_name_end(struct row_name *name, const struct run_tree *tree);

/* The records of a process that count its file I/O. */
struct row_files {
  const struct bytes *posix, *stdio, *posix_ext, *stdio_ext;
};
/* Adds the bytes, calls and seconds of these records to a PROCESS record. Ignores the standard
 * streams, and named pipes at which the process waited in open for another process. Returns 0, or
 * -1 if out of memory. */
int row_sum(struct darshan_process_record *record, const struct row_files *files);
/* Makes the PROCESS record of a rank from its processes and from the records in `combined`, and
 * adds it there. id: result of row_name_end. run_start_ns: start of the run, since the epoch; the
 * record's times are seconds after it. Returns 0, or -1 if out of memory. */
int row_add(struct combined *combined, const struct run_tree *tree, const struct run_rank *rank,
            uint64_t id, int64_t run_start_ns);

#endif
