/* Decides whether the owner of a journal lives. A live process has its journal mapped. If
 * mappings are not visible, the owner's pid and start time in the journal decide, as for
 * processes of runs. */
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
  struct id_table mapped; /* journals that are mapped, by device and inode */
  struct alive_hidden *hidden;
  size_t num_hidden;
};

void alive_init(struct alive *alive);
void alive_free(struct alive *alive);

/* Returns 1 if a process has this journal mapped. */
int alive_maps(struct alive *alive, const struct stat *journal);
/* Returns whether the owner of a journal lives. mapped 0: on this file system journals are not
 * mapped, so the file is a copy. owner: its process, according to the journal; program: that
 * process's name. */
enum alive_answer alive_journal(struct alive *alive, const struct stat *journal, int mapped,
                                const struct alive_traces *owner, const char *program);

#endif
