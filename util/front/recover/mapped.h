/* Determines whether the owner of a journal (the process that writes it) lives. A living process
 * has its journal mapped (/proc/PID/maps). If mappings are not visible, the answer follows from the
 * owner's pid and start time in the journal, as for processes of runs. */
#ifndef DARSHAN_FRONT_MAPPED_H
#define DARSHAN_FRONT_MAPPED_H

#include <sys/stat.h>
#include <sys/types.h>

#include "../../parser/id-table.h"
#include "../../runs/alive.h"

struct alive_hidden { /* a process of this user whose maps are unreadable */
  pid_t pid;
  struct alive_stat stat;
  char name[16]; /* of its program, at most 15 bytes */
};

struct alive { /* what is known about the processes of this host */
  struct alive_here here;
  int looked, can_look;   /* 1: /proc was read; 1: /proc is readable, so the lists are complete */
  struct id_table mapped; /* mapped journals, by device and inode */
  struct alive_hidden *hidden;
  size_t num_hidden;
};

/* Prepares the struct; /proc is read at the first question. */
void alive_init(struct alive *alive);
void alive_free(struct alive *alive);

/* Returns 1 if a process had this journal mapped when /proc was read, otherwise 0; also 0 if the
 * process's maps are not readable. journal: status of the file. */
int alive_maps(struct alive *alive, const struct stat *journal);
/* Decides whether the owner of a journal lives. journal: status of the file. mapped: 0 if journals
 * are not mapped on this file system, so that the file is a copy. owner: the owner according to the
 * journal; pid 0: unknown. program: the owner's program, from the file's name. */
enum alive_answer alive_journal(struct alive *alive, const struct stat *journal, int mapped,
                                const struct alive_traces *owner, const char *program);

#endif
