/* Determines whether the owner of a journal lives. A living process has its journal mapped. If
 * mappings are not visible, the answer follows from the owner's pid and start time in the journal,
 * as for processes of runs. */
#ifndef DARSHAN_FRONT_MAPPED_H
#define DARSHAN_FRONT_MAPPED_H

#include <sys/stat.h>
#include <sys/types.h>

#include "../../parser/id-table.h"
#include "../../runs/alive.h"

struct alive_hidden { /* a process of this user whose maps are unreadable */
  pid_t pid;
  struct alive_stat stat;
  char name[16];
};

struct alive {
  struct alive_here here;
  int looked, can_look;
  struct id_table mapped; /* mapped journals, by device and inode */
  struct alive_hidden *hidden;
  size_t num_hidden;
};

void alive_init(struct alive *alive);
void alive_free(struct alive *alive);

/* Returns 1 if a process has this journal mapped, otherwise 0. */
int alive_maps(struct alive *alive, const struct stat *journal);
/* Returns whether the owner of a journal lives. mapped: 0 if journals are not mapped on this file
 * system, so that the file is a copy. owner: the process that owns it, according to the journal.
 * program: that process's name. */
enum alive_answer alive_journal(struct alive *alive, const struct stat *journal, int mapped,
                                const struct alive_traces *owner, const char *program);

#endif
