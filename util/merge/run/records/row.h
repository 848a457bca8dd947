/* Declares the PROCESS record of a rank, and the name of that record. */
#ifndef DARSHAN_MERGE_ROW_H
#define DARSHAN_MERGE_ROW_H

#include "../../../../runtime/format/records.h"
#include "../processes/ranks.h"
#include "combine.h"

enum { ROW_COMMAND = 200, ROW_NAME = 1000 }; /* bytes of one command line; bytes of the name */

/* A name that consists of a host and the command lines of a rank's programs in their order. */
struct row_name {
  char text[ROW_NAME + 1];
  size_t used;
  int programs; /* number of programs in `text` */
  int left_out; /* number of commands that did not fit; the name includes the last of them */
  char last[ROW_COMMAND + 1];
  int next; /* index of the next program; -1: no more programs */
};

void row_name_begin(struct row_name *name, const struct run_tree *tree,
                    const struct run_rank *rank);
/* Adds the command line of a part's program after the command lines of earlier programs. Does not
 * add it if the program is no later program of the process. */
void row_name_add(struct row_name *name, const struct run_tree *tree, int program,
                  const char *command);
/* Adds a command line for the first program. Called if that program left no part or is unknown. */
void row_name_first(struct row_name *name, const struct run_tree *tree, const char *command);
/* Adds the names of the programs that row_name_add did not add; these names come from the event
 * file. Returns the id of the record. */
uint64_t row_name_end(struct row_name *name, const struct run_tree *tree);

/* The records of a process that count its file I/O. */
struct row_files {
  const struct bytes *posix, *stdio, *posix_ext, *stdio_ext;
};
/* Adds bytes, calls and seconds to a PROCESS record. Ignores the standard streams, and named pipes
 * at which the process waited for another process. Returns 0, or -1 if out of memory. */
int row_sum(struct darshan_process_record *record, const struct row_files *files);
/* Adds the PROCESS record of a rank under the id of its name. Its times are seconds after
 * run_start_ns. Returns 0, or -1 if out of memory. */
int row_add(struct combined *combined, const struct run_tree *tree, const struct run_rank *rank,
            uint64_t id, int64_t run_start_ns);

#endif
