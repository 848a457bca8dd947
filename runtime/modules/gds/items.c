/* Finds and makes the GDS records of files, and the record <driver> for calls on no file. */
#include "../posix/posix.h"
#include "gds.h"
#include "modules/gds/records.h"
#include "modules/posix/records.h"
#include "record-id.h"

static_assert(POSIX_BYTES_WRITTEN == POSIX_BYTES_READ + 1, "gds_item.posix has both");

int gds_start(void) {
  struct gds_state *gds = &gds_state;
  segments_prepare(&gds->items, sizeof(struct gds_item), SEGMENTS_PAGE);
  store_beside(&darshan_store, STORE_GDS, &gds->items);
  return 0;
}

struct gds_item *gds_item_at(uint32_t number) {
  return segments_at(&gds_state.items, number);
}

/* Returns the item (state) of a name, and makes its record if necessary; NULL if there is no space.
 * posix: as in `meet`. The caller holds the store's lock. */
static struct gds_item *item_of(const struct posix_name *name, const int64_t *posix) {
  struct record_store *store = &darshan_store;
  struct store_entry *entry = NULL;
  uint32_t number = store_record_of(store, STORE_GDS, name->text, name->length, name->id, &entry);
  if (!number) return NULL;
  struct gds_item *item = gds_item_at(number);
  if (!item->record) {
    if (entry->id != name->id)
      posix = NULL; /* several files share this record, but not the POSIX record */
    struct darshan_gds_record *record = store_record(store, STORE_GDS, number);
    if (!posix)
      record->counters[GDS_COMPAT_BYTES_READ] = record->counters[GDS_COMPAT_BYTES_WRITTEN] = -1;
    item->number = number;
    item->posix = posix;
    item->record = record;
  }
  return item;
}

/* Returns the item (state) of a name, and makes its record if necessary; NULL if there is no space.
 * posix: the counters of bytes read and written in the file's POSIX record, which the item keeps
 * and reads at later calls; NULL: the bytes of compatibility mode are unknown (-1). Takes the
 * store's lock. Called between runtime_enter and runtime_leave. */
static struct gds_item *meet(const struct posix_name *name, const int64_t *posix) {
  if (!store_lock_for(&darshan_store, STORE_GDS)) return NULL;
  struct gds_item *item = item_of(name, posix);
  store_unlock(&darshan_store);
  if (item)
    layer_attach(&item->layer, item->record->base.id, name->text, name->length, DARSHAN_MOD_GDS);
  return item;
}

/* Makes the name of the file of a descriptor that has no POSIX record of its own, by querying the
 * kernel. Returns 1; the caller then calls posix_name_done. Returns 0 if the file is not recorded
 * or not a regular file. */
static int ask_for_name(struct posix_name *name, int fd) {
  struct fd_facts facts;
  return fd_look(fd, &facts) >= 0 && facts.is_regular &&
         posix_name_behind(name, DARSHAN_MOD_GDS, fd, &facts);
}

/* Returns the item (state) of a descriptor's file, and makes it if necessary; NULL if it is not
 * recorded. file: its POSIX file, or NULL if POSIX does not record it. Not inlined: its variables
 * would otherwise be on the stack while the caller runs posix_file_behind, which needs much stack.
 */
static __attribute__((noinline)) struct gds_item *item_of_file(int fd,
                                                               const struct posix_file *file) {
  struct gds_item *item = NULL;
  struct posix_name name;
  int own = file && file->record && !file->overflow;
  if (own) {
    if (name_is_excluded(DARSHAN_MOD_GDS, file->name, file->name_length)) return NULL;
    name = posix_named(file->name, file->name_length, file->id);
  } else if (!ask_for_name(&name, fd)) {
    return NULL;
  }
  if (runtime_enter()) {
    item = meet(&name, file && file->record ? &file->record->counters[POSIX_BYTES_READ] : NULL);
    runtime_leave();
  }
  posix_name_done(&name);
  return item;
}

struct gds_item *gds_file(const struct gds_source *source) {
  if (!source || source->type != GDS_DESCRIPTOR || !module_is_on(DARSHAN_MOD_GDS)) return NULL;
  return item_of_file(source->handle.fd, posix_file_behind(source->handle.fd));
}

struct gds_item *gds_driver(void) {
  static const char text[] = "<driver>";
  struct gds_item *item = NULL;
  if (!module_is_on(DARSHAN_MOD_GDS)) return NULL;
  struct posix_name name =
      posix_named(text, sizeof(text) - 1, darshan_hash(text, sizeof(text) - 1, 0));
  static const int64_t nothing[2];
  if (runtime_enter()) {
    item = meet(&name, nothing);
    runtime_leave();
  }
  return item;
}
