/* The PROCESS record of a rank, and the name of that record. */
#ifndef DARSHAN_MERGE_ROW_H
#define DARSHAN_MERGE_ROW_H

#include "../../../../runtime/format/records.h"
#include "../processes/ranks.h"
#include "combine.h"

enum { ROW_COMMAND = 200, ROW_NAME = 1000 }; /* bytes of one command line, bytes of the name */

/* A name consists of a host and the command lines of a rank's programs in their order. */
struct row_name {
  char text[ROW_NAME + 1];
  size_t used;
  int programs; /* number in text */
  int left_out; /* commands that did not fit; the last is kept, because it did the work */
  char last[ROW_COMMAND + 1];
  int next; /* index of the next program; -1: no more */
};

void row_name_begin(struct row_name *name, const struct run_tree *tree,
                    const struct run_rank *rank);
/* Adds the command line of a part's program, after those of earlier programs. */
void row_name_add(struct row_name *name, const struct run_tree *tree, int program,
                  const char *command);
/* Adds a command line for the first program, if that program left no part or is unknown. */
void row_name_first(struct row_name *name, const struct run_tree *tree, const char *command);
/* Adds the names that the event file has of the programs that row_name_add did not add. Returns the
 * record's id. */
uint64_t row_name_end(struct row_name *name, const struct run_tree *tree);

/* The records of a process that count its I/O on files. */
struct row_files {
  const struct bytes *posix, *stdio, *posix_ext, *stdio_ext;
};
/* Sums bytes, calls and seconds of a PROCESS record. Named pipes, at which it waited for another
 * process, are left out. Returns 0, or -1 if out of memory. */
int row_sum(struct darshan_process_record *record, const struct row_files *files);
/* Adds the PROCESS record of a rank under the id of its name. Its times are seconds after
 * run_start_ns. Returns 0, or -1 if out of memory. */
int row_add(struct combined *combined, const struct run_tree *tree, const struct run_rank *rank,
            uint64_t id, int64_t run_start_ns);

#endif
