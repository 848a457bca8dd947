/* The table of open handles and addresses (keys) of DAOS, with the record or container that each
 * one refers to. */
#include "daos.h"

struct daos_state daos_state;

int daos_prepare(void) {
  struct daos_state *daos = &daos_state;
  if (__atomic_load_n(&daos->memory, __ATOMIC_ACQUIRE)) return 1;
  struct daos_memory *memory = runtime_module_memory(sizeof(struct daos_memory));
  int begun;
  if (!memory || !spin_lock_alone(SPIN_RECORD, &daos->lock, &begun)) return 0;
  if (!daos->memory) {
    daos->containers = 1;
    daos->pending = 0;
    __atomic_store_n(&daos->memory, memory, __ATOMIC_RELEASE);
  }
  spin_unlock_alone(&daos->lock, begun);
  return 1;
}

/* Called in a forked child: forgets all handles. They are not valid there, because the library does
 * not support forks. */
void daos_forked(void) {
  struct daos_state *daos = &daos_state;
  daos->lock = 0;
  daos->memory = NULL;
  darshan_inside.daos[DAOS_LIBDFS] = darshan_inside.daos[DAOS_LIBDAOS] = NULL;
  segments_clear(&daos->files);
  segments_clear(&daos->objects);
}

int daos_is_inside(void) {
  return darshan_inside.daos[DAOS_LIBDFS] || darshan_inside.daos[DAOS_LIBDAOS];
}

void daos_left(int (*is_left)(const void *jump, const char *frame), const void *jump) {
  for (int family = 0; family < DAOS_FAMILIES; family++)
    if (darshan_inside.daos[family] && is_left(jump, darshan_inside.daos[family]))
      darshan_inside.daos[family] = NULL;
}

static uint32_t place_of(enum daos_kind kind, uint64_t key) {
  return (uint32_t)((key + (uint64_t)kind) * UINT64_C(0x9E3779B97F4A7C15) >> 40) % DAOS_KEYS;
}

/* Returns the slot of an open handle or address of this kind, or NULL if it is not in the table.
 * The caller holds the lock, and the table exists. */
static struct daos_key *find(enum daos_kind kind, uint64_t key) {
  struct daos_key *keys = daos_state.memory->keys;
  for (uint32_t i = place_of(kind, key), n = 0; n < DAOS_KEYS; i = (i + 1) % DAOS_KEYS, n++) {
    if (keys[i].kind == kind && keys[i].key == key && !keys[i].deleted) return &keys[i];
    if (keys[i].kind == DAOS_NOTHING) return NULL;
  }
  return NULL;
}

uint32_t daos_number_of(enum daos_kind kind, uint64_t key) {
  struct daos_state *daos = &daos_state;
  if (!daos->memory || !record_lock(&daos->lock)) return 0;
  const struct daos_key *found = find(kind, key);
  uint32_t number = found ? found->number : 0;
  record_unlock(&daos->lock);
  return number;
}

void daos_remember(enum daos_kind kind, uint64_t key, uint32_t number) {
  struct daos_state *daos = &daos_state;
  if (!daos_prepare() || !record_lock(&daos->lock)) return;
  struct daos_key *keys = daos->memory->keys, *place = find(kind, key);
  uint32_t i = place_of(kind, key);
  for (uint32_t n = 0; !place && n < DAOS_KEYS; n++, i = (i + 1) % DAOS_KEYS)
    if (keys[i].kind == DAOS_NOTHING || keys[i].deleted) place = &keys[i];
  if (!place) runtime_table_full();
  if (place) *place = (struct daos_key){key, (uint16_t)kind, 0, number};
  record_unlock(&daos->lock);
}

void daos_forget(const struct daos_call *call, enum daos_kind kind, uint64_t key) {
  struct daos_state *daos = &daos_state;
  if (call->result != 0 || !daos->memory || !record_lock(&daos->lock)) return;
  struct daos_key *keys = daos->memory->keys, *place = find(kind, key);
  if (place) {
    place->deleted = 1;
    /* Frees the deleted slots directly before a free slot. */
    uint32_t i = (uint32_t)(place - keys);
    while (keys[i].deleted && keys[(i + 1) % DAOS_KEYS].kind == DAOS_NOTHING) {
      keys[i] = (struct daos_key){0, DAOS_NOTHING, 0, 0};
      i = (i + DAOS_KEYS - 1) % DAOS_KEYS;
    }
  }
  record_unlock(&daos->lock);
}

void daos_expect(const struct daos_pending *pending) {
  struct daos_state *daos = &daos_state;
  if (!daos_prepare() || !record_lock(&daos->lock)) return;
  struct daos_pending *place = NULL;
  for (uint32_t i = 0; i < DAOS_PENDING && !place; i++)
    if (!daos->memory->pending[i].event) place = &daos->memory->pending[i];
  if (place) {
    *place = *pending;
    __atomic_store_n(&daos->pending, daos->pending + 1, __ATOMIC_RELAXED);
  } else {
    runtime_table_full();
  }
  record_unlock(&daos->lock);
}

struct daos_pending daos_expected(const void *event) {
  struct daos_state *daos = &daos_state;
  struct daos_pending pending = {.event = NULL};
  if (!__atomic_load_n(&daos->pending, __ATOMIC_RELAXED) || !record_lock(&daos->lock))
    return pending;
  for (uint32_t i = 0; daos->memory && i < DAOS_PENDING && !pending.event; i++) {
    if (daos->memory->pending[i].event != event) continue;
    pending = daos->memory->pending[i];
    daos->memory->pending[i].event = NULL;
    __atomic_store_n(&daos->pending, daos->pending - 1, __ATOMIC_RELAXED);
  }
  record_unlock(&daos->lock);
  return pending;
}
