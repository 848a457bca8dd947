/* The PROCESS record of a rank, and its name. */
#ifndef DARSHAN_MERGE_ROW_H
#define DARSHAN_MERGE_ROW_H

#include "../../../runtime/format/records.h"
#include "combine.h"
#include "ranks.h"

enum { ROW_COMMAND = 200, ROW_NAME = 1000 }; /* bytes, of one command line and of the name */

/* A name is put together from command lines in the order of their programs. */
struct row_name {
  char text[ROW_NAME + 1];
  size_t used;
  int programs; /* in it */
  int left_out; /* after these, for want of room: all but the last, which is what did the work */
  char last[ROW_COMMAND + 1];
  int next; /* program whose turn it is; -1: no more */
};

void row_name_begin(struct row_name *name, const struct run_tree *tree,
                    const struct run_rank *rank);
/* What a part knows of its program. */
void row_name_add(struct row_name *name, const struct run_tree *tree, int program,
                  const char *command);
/* The same of the first program, of which there is no part, or nothing at all. */
void row_name_first(struct row_name *name, const struct run_tree *tree, const char *command);
/* What nobody knew more of gets its name from the rows.  Returns the record's id. */
uint64_t row_name_end(struct row_name *name, const struct run_tree *tree);

/* What PROCESS says of bytes, calls and seconds, from the records of files and those of
 * POSIX_EXT.  0, or -1: no memory. */
int row_sum(struct darshan_process_record *record, const struct bytes *posix,
            const struct bytes *stdio, const struct bytes *extensions);
/* Adds the record of the rank to what is combined of it.  run_start_ns: its times are
 * seconds after that.  0, or -1: no memory. */
int row_add(struct combined *combined, const struct run_tree *tree, const struct run_rank *rank,
            uint64_t id, int64_t run_start_ns);

#endif
