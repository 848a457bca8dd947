/* What the processes of a run have left in its folder (runtime/format/run.h), as far
 * as the front asks: who is still there, and whether there is a log to be made. */
#ifndef DARSHAN_FRONT_RUN_FOLDER_H
#define DARSHAN_FRONT_RUN_FOLDER_H

#include "../../runtime/format/run.h"
#include "alive.h"
#include "places.h"

struct folder_process {
  struct alive_traces traces;
  int64_t seen_ns;
  char host[RUN_HOST + 1];
  int starts; /* programs of ours that it was */
  int ended, is_rank, is_launcher;
};

struct run_folder {
  char path[PATH_MAX];
  struct id_table processes;
  size_t others; /* processes that are neither ranks nor launchers, and were ours */
  size_t rows, parts;
  char part[PATH_MAX];       /* one of them */
  struct path_list journals; /* of what lives or was killed */
  int is_closed;
};

/* 0, or -1: it cannot be read.  To be freed either way. */
int run_folder_read(struct run_folder *folder, const char *path);
void run_folder_free(struct run_folder *folder);

/* How many of its processes may still live, by answer. */
size_t run_folder_alive(const struct run_folder *folder, const struct alive *alive,
                        enum alive_answer answer);

/* Of the process one of whose programs began then; NULL: nobody says so. */
const struct alive_traces *run_folder_traces(const struct run_folder *folder, int64_t start_ns);

/* Says in the folder how the process that the front started ended, which it alone knows. */
void run_folder_reaped(const struct run_folder *folder, pid_t pid, int status);

/* The front says by this lock that it lives and will make the log: a descriptor to be
 * closed, or -1. */
int run_folder_hold(const char *path);
/* Whether some front does. */
int run_folder_is_held(const char *path);

/* Removes a folder that nobody needs any more, unless there is a part or a journal in it. */
void run_folder_discard(const char *path);

#endif
