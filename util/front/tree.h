/* What the processes of a run have left in its folder (runtime/format/run.h), as far
 * as the front asks: who is still there, and whether there is a log to be made. */
#ifndef DARSHAN_FRONT_TREE_H
#define DARSHAN_FRONT_TREE_H

#include <limits.h>

#include "../parser/id-table.h"
#include "../runs/alive.h"
#include "child.h"
#include "path-list.h"

struct tree_process {
  struct alive_traces traces;
  int64_t seen_ns;
  int starts; /* programs of ours that it was */
  int ended, is_rank;
  int is_launcher; /* as the last of its programs is */
};

struct tree {
  char path[PATH_MAX];
  struct id_table processes;
  size_t rows;
  struct alive_traces parent; /* who launched the tops of several trees and tells nothing */
  struct path_list parts;
  struct path_list journals; /* of what lives or was killed */
  int is_closed;
  int has_others; /* somebody forked, or started a program, whether or not that has told yet */
  int strange;    /* other files: of a merger that was killed, perhaps */
};

/* A link to the library, in the folder of a run: its own path has a blank in it. */
#define TREE_LIBRARY "libdarshan.so"

/* 0, or -1: it cannot be read.  To be freed either way. */
int tree_read(struct tree *folder, const char *path);
void tree_free(struct tree *folder);

/* Who comes from now on writes a log of its own.  0 or -1. */
int tree_close(const struct tree *folder);

/* There is nothing in it that a log could be made of. */
int tree_is_empty(const struct tree *folder);

/* How many of its processes may still live, by answer. */
size_t tree_alive(const struct tree *folder, const struct alive_here *here,
                  enum alive_answer answer);
/* How many that told of themselves still run, but for one. */
size_t tree_running(const struct tree *folder, const struct alive_here *here, pid_t but);

/* Says in the folder how the process that the front started ended, which it alone knows. */
void tree_reaped(const struct tree *folder, const struct child_end *end);
/* ... that it told nothing, or not all, and what it was; if that is so. */
void tree_unwatched(const struct tree *folder, const struct child_end *end, const char *command);

/* The front says by this lock that it lives and will make the log: a descriptor to be
 * closed, or -1. */
int tree_hold(const char *path);
/* Whether some front does. */
int tree_is_held(const char *path);

/* Removes a folder that nobody needs any more, unless there is anything of worth in it. */
void tree_discard(const char *path);

#endif
