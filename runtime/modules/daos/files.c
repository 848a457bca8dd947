/* DFS: counts calls of libdfs on files. */
#include <string.h>

#include "../../names/paths.h"
#include "daos.h"
#include "modules/daos/records.h"
#include "record-id.h"

/* Writes the path, within its container, of `name` in an open folder (NULL: the root), or of the
 * folder itself if name is NULL. out: DARSHAN_PATH_ROOM bytes. Returns 1, or 0 if the path is
 * unknown or too long. */
static int path_of(char *out, const void *folder, const char *name) {
  const struct daos_item *parent = folder ? daos_file_of(folder) : NULL;
  uint32_t length = parent ? __atomic_load_n(&parent->name_length, __ATOMIC_ACQUIRE) : 0;
  if (folder && !length) return 0;
  return darshan_clean_path(out, DARSHAN_PATH_ROOM, folder ? parent->name : "/",
                            folder ? length : 1,
                            name     ? name
                            : folder ? parent->name
                                     : "/") > 0;
}

/* Returns the key, in the table of handles, of a file whose name is used without opening the
 * file. */
static uint64_t name_key(uint32_t container, const char *path) {
  return darshan_hash(path, strlen(path), container);
}

static void remember(const struct daos_item *item, uint32_t container, const char *path,
                     const void *file) {
  if (file) daos_remember(DAOS_A_FILE, (uintptr_t)file, item->number);
  if (path && item->name_length)
    daos_remember(DAOS_A_NAME, name_key(container, path), item->number);
}

static void note_chunks(const struct daos_library *lib, struct daos_item *item, void *file) {
  uint64_t bytes = 0;
  if (!lib->dfs_get_chunk_size || lib->dfs_get_chunk_size(file, &bytes) != 0) return;
  if (!record_lock(&item->lock)) return;
  item->counters[DFS_CHUNK_SIZE] = (int64_t)bytes;
  record_unlock(&item->lock);
}

/* Returns the item (the state) of a file that was just opened, and enters the file's address and
 * path in the table of handles; NULL if it is not recorded. file: the address that libdfs returned.
 * path: NULL: unknown. */
static struct daos_item *file_opened(const struct daos_call *call, uint32_t container,
                                     const char *path, void *file) {
  daos_oid oid = {0, 0};
  if (!call->lib->dfs_obj2id || call->lib->dfs_obj2id(file, &oid) != 0) return NULL;
  struct daos_item *item = daos_file(container, oid, path);
  if (!item) return NULL;
  remember(item, container, path, file);
  note_chunks(call->lib, item, file);
  return item;
}

void dfs_opened(const struct daos_call *call, int counter, const void *dfs, const void *parent,
                const char *name, void *const *file) {
  if (call->result != 0 || !file || !*file) return;
  uint32_t container = daos_number_of(DAOS_A_MOUNT, (uintptr_t)dfs);
  int named = name || parent; /* an object of another process has neither */
  struct path_buffer *path = path_buffer_take();
  if (path && named && !path_of(path->bytes, parent, name)) named = 0;
  struct daos_item *item = file_opened(call, container, path && named ? path->bytes : NULL, *file);
  path_buffer_give(path);
  if (item)
    daos_count_open(call, item, counter, NULL);
  else
    daos_forget(call, DAOS_A_FILE, (uintptr_t)*file); /* a closed file may have had this address */
}

void dfs_released(const struct daos_call *call, struct daos_item *item, const void *file) {
  if (call->result != 0 || !item) return;
  daos_count_close(call, item);
  daos_forget(call, DAOS_A_FILE, (uintptr_t)file);
}

void dfs_transferred(const struct daos_call *call, struct daos_item *item, int counter, int writes,
                     int64_t bytes, const void *event) {
  if (call->result == 0 && item) daos_count_transfer(call, item, counter, writes, bytes, event);
}

/* Returns the item (the state) of a file that was used by its path only, and makes its record if
 * necessary; NULL if it is not recorded. oid: NULL or zero: unknown. */
static struct daos_item *file_named(uint32_t container, const char *path, const daos_oid *oid) {
  uint64_t key = name_key(container, path);
  uint32_t number = daos_number_of(DAOS_A_NAME, key);
  if (number) return daos_item_at(DAOS_A_FILE, number);
  /* If the object is unknown, makes an object id from the name. */
  daos_oid made = {key, 0};
  struct daos_item *item = daos_file(container, oid && (oid->lo | oid->hi) ? *oid : made, path);
  if (item) remember(item, container, path, NULL);
  return item;
}

void dfs_named(const struct daos_call *call, int counter, const void *dfs, const void *parent,
               const char *name, const daos_oid *oid) {
  if (call->result != 0) return;
  uint32_t container = daos_number_of(DAOS_A_MOUNT, (uintptr_t)dfs);
  struct path_buffer *path = path_buffer_take();
  struct daos_item *item = NULL;
  if (path && path_of(path->bytes, parent, name)) item = file_named(container, path->bytes, oid);
  path_buffer_give(path);
  daos_counted(call, item, counter, NULL);
}
