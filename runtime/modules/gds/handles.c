/* The table that maps handles of cuFile and hipFile, of files and of batches, to GDS records. */
#include "gds.h"

struct gds_state gds_state;

/* Allocates the table at the first call, so that other processes do not need the memory. Returns 1,
 * or 0 if out of memory. */
static int prepare(void) {
  struct gds_state *gds = &gds_state;
  if (__atomic_load_n(&gds->handles, __ATOMIC_ACQUIRE)) return 1;
  struct gds_handle *handles = runtime_module_memory(GDS_HANDLES * sizeof(struct gds_handle));
  int begun;
  if (!handles || !spin_lock_alone(SPIN_RECORD, &gds->lock, &begun)) return 0;
  if (!gds->handles) __atomic_store_n(&gds->handles, handles, __ATOMIC_RELEASE);
  spin_unlock_alone(&gds->lock, begun);
  return 1;
}

/* Called in a forked child: forgets all handles, because neither library can be used there. */
void gds_forked(void) {
  struct gds_state *gds = &gds_state;
  gds->lock = 0;
  gds->handles = NULL;
  darshan_inside.gds = NULL;
  segments_clear(&gds->items);
}

int gds_is_inside(void) {
  return darshan_inside.gds != NULL;
}

void gds_left(int (*is_left)(const void *jump, const char *frame), const void *jump) {
  if (darshan_inside.gds && is_left(jump, darshan_inside.gds)) darshan_inside.gds = NULL;
}

static uint32_t place_of(enum gds_kind kind, const void *value) {
  uint64_t key = (uint64_t)(uintptr_t)value + (uint64_t)kind;
  return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 40) % GDS_HANDLES;
}

/* Returns the slot of a handle, or NULL if it is not in the table. The caller holds the lock. */
static struct gds_handle *find(enum gds_kind kind, const void *value) {
  struct gds_handle *all = gds_state.handles;
  for (uint32_t i = place_of(kind, value), n = 0; n < GDS_HANDLES; i = (i + 1) % GDS_HANDLES, n++) {
    if (all[i].kind == kind && all[i].value == value && !all[i].deleted) return &all[i];
    if (all[i].kind == GDS_NOTHING) return NULL;
  }
  return NULL;
}

struct gds_item *gds_item_of(enum gds_kind kind, const void *value) {
  struct gds_state *gds = &gds_state;
  if (!__atomic_load_n(&gds->handles, __ATOMIC_ACQUIRE) || !record_lock(&gds->lock)) return NULL;
  const struct gds_handle *found = gds->handles ? find(kind, value) : NULL;
  uint32_t number = found ? found->number : NO_RECORD;
  record_unlock(&gds->lock);
  return number ? gds_item_at(number) : NULL;
}

void gds_remember(enum gds_kind kind, const void *value, uint32_t number) {
  struct gds_state *gds = &gds_state;
  if (!prepare() || !record_lock(&gds->lock)) return;
  struct gds_handle *all = gds->handles, *place = find(kind, value);
  uint32_t i = place_of(kind, value);
  for (uint32_t n = 0; !place && n < GDS_HANDLES; n++, i = (i + 1) % GDS_HANDLES)
    if (all[i].kind == GDS_NOTHING || all[i].deleted) place = &all[i];
  if (!place) runtime_table_full();
  if (place) *place = (struct gds_handle){value, (uint16_t)kind, 0, number};
  record_unlock(&gds->lock);
}

void gds_forget(enum gds_kind kind, const void *value) {
  struct gds_state *gds = &gds_state;
  if (!__atomic_load_n(&gds->handles, __ATOMIC_ACQUIRE) || !record_lock(&gds->lock)) return;
  struct gds_handle *all = gds->handles, *place = all ? find(kind, value) : NULL;
  if (place) {
    place->deleted = 1;
    /* Frees the deleted slots directly before a free slot. */
    uint32_t i = (uint32_t)(place - all);
    while (all[i].deleted && all[(i + 1) % GDS_HANDLES].kind == GDS_NOTHING) {
      all[i] = (struct gds_handle){NULL, GDS_NOTHING, 0, NO_RECORD};
      i = (i + GDS_HANDLES - 1) % GDS_HANDLES;
    }
  }
  record_unlock(&gds->lock);
}
