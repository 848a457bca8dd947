/* Finds the processes of a run that a launcher started in parallel, on this host and perhaps on
 * others (launch-ranks.h). */
#include "launch-ranks.h"

#include <inttypes.h>
#include <stdio.h>

#include "../../../../runtime/job/text/jobtext.h"

void world_hear(struct run_world *world, struct run_process *process,
                const struct darshan_info *info) {
  struct launch launch;
  if (!launch_read(&launch, info) || launch.rank < 0) return;
  process->launch = launch.id;
  process->world_rank = launch.rank;
  process->world_size = launch.size;
  if (!world->launch.id || launch.size > world->launch.size) world->launch = launch;
}

/* Returns the process, or its nearest ancestor, that has a rank from a launcher; NULL if none has.
 * Searches at most DEEPEST ancestors, because the parents in a damaged run may form a cycle. */
const struct run_process *world_speaker(const struct run_tree *tree,
                                        const struct run_process *process) {
  enum { DEEPEST = 256 };
  for (int depth = 0; depth < DEEPEST; depth++) {
    if (process->launch) return process;
    if (process->parent < 0) break;
    process = &tree->processes[process->parent];
  }
  return NULL;
}

int world_settle(struct run_world *world, const struct run_tree *tree) {
  struct map ranks = {NULL, 0, 0};
  int failed = 0;
  world->ranks = 0;
  world->is_all = 1;
  for (size_t i = 0; world->launch.id && !failed && i < tree->num_processes; i++) {
    const struct run_process *speaker = world_speaker(tree, &tree->processes[i]);
    if (!speaker || speaker->launch != world->launch.id) {
      world->is_all = 0;
      continue;
    }
    int64_t *known = map_at(&ranks, (uint64_t)speaker->world_rank);
    failed = !known;
    if (failed || *known >= 0) continue;
    *known = 0;
    world->ranks++;
  }
  map_free(&ranks);
  return failed ? -1 : 0;
}

int world_is_elsewhere_too(const struct run_world *world) {
  int64_t size = world->launch.size;
  return world->launch.id && size > (int64_t)world->ranks && (world->ranks > 1 || !world->is_all);
}

size_t world_tell(const struct run_world *world, char *out, size_t room, size_t used) {
  const struct launch *launch = &world->launch;
  char number[24];
  if (!launch->id) return used;
  int is_one = world->ranks == 1;
  snprintf(number, sizeof(number), "%" PRIu64,
           is_one ? (uint64_t)launch->rank : (uint64_t)world->ranks);
  used = darshan_metadata_add(out, room, used, is_one ? "rank" : "ranks_here", number);
  snprintf(number, sizeof(number), "%" PRId64, launch->size);
  if (launch->size) used = darshan_metadata_add(out, room, used, "world_size", number);
  used = darshan_metadata_add(out, room, used, "launcher", launch->launcher);
  if (launch->text[0]) used = darshan_metadata_add(out, room, used, "launch", launch->text);
  return used;
}
