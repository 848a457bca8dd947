/* Finds the processes of a run that a launcher started in parallel, on this host and perhaps on
 * others. The launcher gives each process its rank (runtime/job/config/launchers.def). */
#ifndef DARSHAN_MERGE_LAUNCH_RANKS_H
#define DARSHAN_MERGE_LAUNCH_RANKS_H

#include "../../metadata.h"
#include "processes.h"

struct run_world {      /* the launch of a run's processes; zeroed: no launcher */
  struct launch launch; /* launch with the largest size */
  size_t ranks;         /* number of the launch's ranks in the run */
  int is_all;           /* 1: all processes of the run belong to the launch */
};

/* Copies the launcher's values from the metadata of a part into the process. Also copies them into
 * world->launch if that is empty, or if the number of ranks is larger than there. Ignores metadata
 * without a rank. Called in the order of the log's ranks. */
void world_hear(struct run_world *world, struct run_process *process,
                const struct darshan_info *info);
/* Returns the process, or its nearest ancestor, that has a rank from a launcher; NULL if none
 * has. */
const struct run_process *world_speaker(const struct run_tree *tree,
                                        const struct run_process *process);
/* Sets world->ranks and world->is_all. Called after all parts are read. Returns 0, or -1 if out of
 * memory. */
int world_settle(struct run_world *world, const struct run_tree *tree);
/* Returns 1 if the log must keep separate records for its processes, because darshan-merge will
 * combine it with logs of the launch's other ranks. This is so if ranks of the launch are missing
 * in the run and its processes do not all belong to one rank. Otherwise returns 0. Called after
 * world_settle. */
int world_is_elsewhere_too(const struct run_world *world);
/* Appends the launch to the metadata in `out`: rank or number of ranks, size, launcher and name.
 * used: length of the metadata; room: size of `out`, both in bytes. Returns the new length. */
size_t world_tell(const struct run_world *world, char *out, size_t room, size_t used);

#endif
