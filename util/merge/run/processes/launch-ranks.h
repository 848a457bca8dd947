/* Finds the processes of a run that a launcher started side by side, on this host and perhaps on
 * others. The launcher gives each of them its rank (runtime/job/config/launchers.def). */
#ifndef DARSHAN_MERGE_LAUNCH_RANKS_H
#define DARSHAN_MERGE_LAUNCH_RANKS_H

#include "../../metadata.h"
#include "processes.h"

struct run_world {      /* zeroed: no launcher */
  struct launch launch; /* the largest launch, according to its size */
  size_t ranks;         /* number of its ranks in the run */
  int is_all;           /* all processes of the run belong to it */
};

/* Reads the launcher's values from the metadata of a part, into the process and the launch. Called
 * in the order of ranks. */
void world_hear(struct run_world *world, struct run_process *process,
                const struct darshan_info *info);
/* Returns the process or its nearest ancestor that has a rank from a launcher, or NULL. */
const struct run_process *world_speaker(const struct run_tree *tree,
                                        const struct run_process *process);
/* Counts the ranks, when all parts were taken. Returns 0, or -1 if out of memory. */
int world_settle(struct run_world *world, const struct run_tree *tree);
/* Returns 1 if other logs have some of its ranks. darshan-merge adds these later, so the log must
 * distinguish the processes. */
int world_is_elsewhere_too(const struct run_world *world);
/* Appends the launch to the metadata, which have `used` bytes. Returns their new length. */
size_t world_tell(const struct run_world *world, char *out, size_t room, size_t used);

#endif
