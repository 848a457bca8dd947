/* Which processes of a run a launcher started side by side, on this host and perhaps others:
 * it told each of them its number (runtime/job/launchers.def). */
#ifndef DARSHAN_MERGE_WORLD_H
#define DARSHAN_MERGE_WORLD_H

#include "../launch.h"
#include "processes.h"

struct run_world {      /* zeroed: no launcher said anything */
  struct launch launch; /* that of the most processes, as it says */
  size_t ranks;         /* of that launch that are in the run */
  int is_all;           /* nobody else is in it */
};

/* What a part of a process says, in the order of ranks. */
void world_hear(struct run_world *world, struct run_process *process,
                const struct darshan_info *info);
/* Who says it for a process: itself, or who started it; NULL: nobody. */
const struct run_process *world_speaker(const struct run_tree *tree,
                                        const struct run_process *process);
/* All have been heard: counts.  0, or -1: no memory. */
int world_settle(struct run_world *world, const struct run_tree *tree);
/* Some of its ranks are in other logs, which darshan-merge adds: it needs to know which
 * process did what. */
int world_is_elsewhere_too(const struct run_world *world);
/* Adds to the metadata; returns the new length. */
size_t world_tell(const struct run_world *world, char *out, size_t room, size_t used);

#endif
