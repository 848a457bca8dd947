/* Determines the pool and container of files and objects. Record ids depend on both, so objects of
 * two containers with the same object id have two records. */
#include <string.h>

#include "daos.h"

static const struct daos_uuid no_uuid;

/* Returns the index of a pair of pool and container in daos_memory.containers, to which it is added
 * if necessary; 0 if both are unknown or the table is full. */
static uint32_t number_of_pair(const struct daos_container *pair) {
  struct daos_state *daos = &daos_state;
  uint32_t number = 0;
  if (!daos_prepare() || !record_lock(&daos->lock)) return 0;
  struct daos_container *all = daos->memory->containers;
  while (number < daos->containers && memcmp(&all[number], pair, sizeof(*pair)) != 0)
    number++;
  if (number == daos->containers && number < DAOS_CONTAINERS) {
    all[number] = *pair;
    daos->containers++;
  }
  if (number == DAOS_CONTAINERS) runtime_table_full();
  record_unlock(&daos->lock);
  return number < DAOS_CONTAINERS ? number : 0;
}

struct daos_container daos_container_at(uint32_t number) {
  struct daos_container none = {no_uuid, no_uuid};
  return daos_state.memory ? daos_state.memory->containers[number] : none;
}

void daos_mounted(const struct daos_call *call, daos_handle coh, void *const *dfs) {
  if (call->result != 0 || !dfs) return;
  daos_remember(DAOS_A_MOUNT, (uintptr_t)*dfs, daos_number_of(DAOS_A_CONTAINER, coh.cookie));
}

void daos_unmounted(const struct daos_call *call, const void *dfs) {
  daos_forget(call, DAOS_A_MOUNT, (uintptr_t)dfs);
}

void *daos_room_for_info(struct daos_call *call, void *info, const void *event) {
  if (info || event)
    return info; /* with an event, DAOS would fill the runtime's buffer after its release */
  call->told = path_buffer_take();
  if (!call->told) return NULL;
  memset(call->told->bytes, 0, DARSHAN_PATH_ROOM);
  return call->told->bytes;
}

static void remember_pool(daos_handle poh, struct daos_uuid uuid) {
  struct daos_container pair = {uuid, no_uuid};
  daos_remember(DAOS_A_POOL, poh.cookie, number_of_pair(&pair));
}

void daos_pool_opened(struct daos_call *call, const daos_handle *poh, const void *info,
                      const void *event) {
  struct daos_uuid uuid = no_uuid;
  int known = call->result == 0 && info && poh && !event;
  if (known) memcpy(&uuid, info, sizeof(uuid));
  path_buffer_give(call->told);
  if (known) remember_pool(*poh, uuid);
}

/* Returns the UUID of the pool of a handle that came from another process, by a query of the
 * library, and stores it for later calls. Returns a zeroed UUID if the query fails. */
__attribute__((noinline)) static struct daos_uuid ask_for_pool(const struct daos_call *call,
                                                               daos_handle poh) {
  struct daos_uuid uuid = no_uuid;
  struct path_buffer *room = call->lib->daos_pool_query ? path_buffer_take() : NULL;
  if (!room) return uuid;
  memset(room->bytes, 0, DARSHAN_PATH_ROOM);
  if (call->lib->daos_pool_query(poh, NULL, room->bytes, NULL, NULL) == 0)
    memcpy(&uuid, room->bytes, sizeof(uuid));
  path_buffer_give(room);
  remember_pool(poh, uuid);
  return uuid;
}

static void remember_container(const struct daos_call *call, daos_handle poh, daos_handle coh,
                               struct daos_uuid uuid) {
  uint32_t pool = daos_number_of(DAOS_A_POOL, poh.cookie);
  struct daos_container pair = {pool ? daos_container_at(pool).pool : ask_for_pool(call, poh),
                                uuid};
  daos_remember(DAOS_A_CONTAINER, coh.cookie, number_of_pair(&pair));
}

void daos_container_opened(struct daos_call *call, daos_handle poh, const daos_handle *coh,
                           const void *info, const void *event) {
  struct daos_uuid uuid = no_uuid;
  int known = call->result == 0 && info && coh && !event;
  if (known) memcpy(&uuid, info, sizeof(uuid));
  path_buffer_give(call->told);
  if (known) remember_container(call, poh, *coh, uuid);
}

/* Stores the pool and container of a handle that another process opened and passed to this one, if
 * the call that received it succeeded. Queries the library for the container's UUID, which stays
 * unknown (zeroed) if that fails. */
void daos_container_met(struct daos_call *call, daos_handle poh, const daos_handle *coh) {
  struct daos_uuid uuid = no_uuid;
  if (call->result != 0 || !coh) return;
  struct path_buffer *room = call->lib->daos_cont_query ? path_buffer_take() : NULL;
  if (!room) return;
  memset(room->bytes, 0, DARSHAN_PATH_ROOM);
  if (call->lib->daos_cont_query(*coh, room->bytes, NULL, NULL) == 0)
    memcpy(&uuid, room->bytes, sizeof(uuid));
  path_buffer_give(room);
  remember_container(call, poh, *coh, uuid);
}
