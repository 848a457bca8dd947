/* Whether the owner of a journal lives.  It is mapped as long as its process lives; where
 * that cannot be seen, what it says of its owner tells, as of all processes of runs. */
#ifndef DARSHAN_FRONT_MAPPED_H
#define DARSHAN_FRONT_MAPPED_H

#include <sys/stat.h>
#include <sys/types.h>

#include "../parser/id-table.h"
#include "../runs/alive.h"

struct alive_hidden { /* a process of ours whose mappings are not shown */
  pid_t pid;
  struct alive_stat stat;
  char name[16];
};

struct alive {
  struct alive_here here;
  int looked, can_look;
  struct id_table mapped; /* journals, by device and inode */
  struct alive_hidden *hidden;
  size_t num_hidden;
};

void alive_init(struct alive *alive);
void alive_free(struct alive *alive);

/* Whether somebody has this journal mapped. */
int alive_maps(struct alive *alive, const struct stat *journal);
/* Of the owner of a journal.  mapped 0: it lies where none is mapped, and is a copy.
 * owner: what it says of its process; program: the name of that. */
enum alive_answer alive_journal(struct alive *alive, const struct stat *journal, int mapped,
                                const struct alive_traces *owner, const char *program);

#endif
