/* Finds and makes the records of DAOS files and objects. */
#include <string.h>

#include "daos.h"
#include "modules/daos/records.h"
#include "record-id.h"

int daos_start(void) {
  struct daos_state *daos = &daos_state;
  segments_prepare(&daos->files, sizeof(struct daos_item), SEGMENTS_PAGE);
  segments_prepare(&daos->objects, sizeof(struct daos_item), SEGMENTS_PAGE);
  store_beside(&darshan_store, STORE_DFS, &daos->files);
  store_beside(&darshan_store, STORE_DAOS, &daos->objects);
  return 0;
}

struct daos_item *daos_item_at(enum daos_kind kind, uint32_t number) {
  return segments_at(kind == DAOS_A_FILE ? &daos_state.files : &daos_state.objects, number);
}

struct daos_item *daos_file_of(const void *file) {
  uint32_t number = daos_number_of(DAOS_A_FILE, (uintptr_t)file);
  return number ? daos_item_at(DAOS_A_FILE, number) : NULL;
}

struct daos_item *daos_object_of(enum daos_kind kind, daos_handle handle) {
  uint32_t number = daos_number_of(kind, handle.cookie);
  return number ? daos_item_at(kind, number) : NULL;
}

/* A file or object in its container; the record id is a hash of this struct. */
struct identity {
  struct daos_container in;
  daos_oid oid;
};
static_assert(sizeof(struct identity) == 48, "the bytes that are hashed");

/* Stores the UUIDs, and of an object also its id and type, in the item's new record. */
static void describe(struct daos_item *item, const struct identity *about) {
  if (item->is_file) {
    struct darshan_dfs_record *record = store_record(&darshan_store, STORE_DFS, item->number);
    memcpy(record->pool_uuid, &about->in.pool, sizeof(record->pool_uuid));
    memcpy(record->cont_uuid, &about->in.container, sizeof(record->cont_uuid));
    return;
  }
  struct darshan_daos_record *record = store_record(&darshan_store, STORE_DAOS, item->number);
  memcpy(record->pool_uuid, &about->in.pool, sizeof(record->pool_uuid));
  memcpy(record->cont_uuid, &about->in.container, sizeof(record->cont_uuid));
  record->oid_hi = about->oid.hi;
  record->oid_lo = about->oid.lo;
  record->counters[DAOS_OBJ_OTYPE] = (int64_t)(about->oid.hi >> DAOS_OID_TYPE_SHIFT);
}

static void begin(struct daos_item *item, enum store_module module, uint32_t number) {
  struct darshan_base_record *record = store_record(&darshan_store, module, number);
  int64_t *counters = (int64_t *)(void *)(record + 1);
  int is_file = module == STORE_DFS;
  item->number = number;
  item->is_file = is_file;
  item->transfers = counters + (is_file ? (int)DFS_BYTES_READ : (int)DAOS_BYTES_READ);
  item->fcounters =
      (double *)(void *)(counters + (is_file ? (int)DFS_NUM_COUNTERS : (int)DAOS_NUM_COUNTERS));
  item->name = "";
  item->counters = counters;
}

/* Returns the item (state) of a file or object, and makes its record if necessary; NULL if there is
 * no space. All files or objects beyond the limit of records share the item of the overflow record.
 * path: of `length` bytes; NULL or length 0: unknown. The caller holds the store's lock. */
static struct daos_item *item_of(enum store_module module, uint32_t container,
                                 const struct identity *about, const char *path, size_t length) {
  struct record_store *store = &darshan_store;
  uint64_t id = darshan_hash(about, sizeof(*about), 0);
  struct store_entry *entry = store_enter(store, id, path, length);
  uint32_t number = store_record_number(store, module, entry);
  if (!number) return NULL;
  struct daos_item *item = daos_item_at(module == STORE_DFS ? DAOS_A_FILE : DAOS_AN_OBJECT, number);
  int own = entry && entry->record[module] == number, is_new = !item->counters;
  if (is_new) begin(item, module, number);
  if (is_new && own) {
    item->container = container;
    describe(item, about);
  }
  if (own && !item->name_length && entry->name_length) {
    item->name = entry->name;
    __atomic_store_n(&item->name_length, entry->name_length, __ATOMIC_RELEASE);
  }
  return item;
}

static struct daos_item *meet(enum store_module module, uint32_t container, daos_oid oid,
                              const char *path, size_t length) {
  struct daos_item *item = NULL;
  struct identity about = {daos_container_at(container), oid};
  if (!daos_prepare() || !runtime_enter()) return NULL;
  if (store_lock_for(&darshan_store, module)) {
    item = item_of(module, container, &about, path, length);
    store_unlock(&darshan_store);
  }
  runtime_leave();
  return item;
}

struct daos_item *daos_file(uint32_t container, daos_oid oid, const char *path) {
  size_t length = path ? strlen(path) : 0;
  if (!module_is_on(DARSHAN_MOD_DFS)) return NULL;
  if (length && name_is_excluded(DARSHAN_MOD_DFS, path, length)) return NULL;
  return meet(STORE_DFS, container, oid, path, length);
}

struct daos_item *daos_object(uint32_t container, daos_oid oid) {
  /* An object has no name of its own; it gets the name of its file when libdfs has opened the
   * file. */
  if (!module_is_on(DARSHAN_MOD_DAOS)) return NULL;
  return meet(STORE_DAOS, container, oid, darshan_inside.daos[DAOS_LIBDFS] ? NULL : "", 0);
}
