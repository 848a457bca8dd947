/* Finds the file and record of an MPI handle or of a name. */
#include <string.h>

#include "../../names/paths.h"
#include "../posix/posix.h"
#include "mpiio.h"

struct mpiio_state mpiio_state;

/* Allocates the tables of handles and requests at the first open, so that other processes do not
 * need the memory. If out of memory, leaves them unallocated. */
static void prepare(void) {
  struct mpiio_state *mpiio = &mpiio_state;
  if (mpiio->prepared) return;
  struct mpiio_handle *handles = runtime_module_memory(MPIIO_HANDLES * sizeof(*handles));
  struct mpiio_requests *requests = runtime_module_memory(sizeof(*requests));
  int begun;
  if (!spin_lock_alone(SPIN_RECORD, &mpiio->lock, &begun)) return;
  if (!mpiio->prepared && handles && requests) {
    segments_prepare(&requests->request, sizeof(struct mpiio_request), SEGMENTS_PAGE);
    mpiio->requests = requests;
    __atomic_store_n(&mpiio->handles, handles, __ATOMIC_RELEASE);
    mpiio->prepared = 1;
  }
  spin_unlock_alone(&mpiio->lock, begun);
}

/* Called in a forked child: forgets all files. No file is open there, because a child must not call
 * MPI. */
void mpiio_forked(void) {
  struct segments files = mpiio_state.files;
  segments_clear(&files);
  memset(&mpiio_state, 0, sizeof(mpiio_state));
  mpiio_state.files = files;
}

int mpiio_prepare(void) {
  struct mpiio_state *mpiio = &mpiio_state;
  segments_prepare(&mpiio->files, sizeof(struct mpiio_file), SEGMENTS_PAGE);
  store_beside(&darshan_store, STORE_MPIIO, &mpiio->files);
  store_guard(&darshan_store, &mpiio->lock, 0);
  return 0;
}

enum { FREE, WAS_USED }; /* values of `key` that are not handles */

static uint32_t place_of(mpi_handle fh) {
  return (uint32_t)((uint64_t)fh * UINT64_C(0x9E3779B97F4A7C15) >> 40) % MPIIO_HANDLES;
}

/* Returns the slot of an open handle, or NULL if it is unknown. Takes no lock: only the key may
 * change, and a handle that another thread opens or closes at the same time is a different
 * handle. */
struct mpiio_handle *mpiio_handle_of(mpi_handle fh) {
  struct mpiio_handle *handles = __atomic_load_n(&mpiio_state.handles, __ATOMIC_ACQUIRE);
  if (!handles) return NULL;
  for (uint32_t i = place_of(fh), n = 0; n < MPIIO_HANDLES; i = (i + 1) % MPIIO_HANDLES, n++) {
    mpi_handle key = __atomic_load_n(&handles[i].key, __ATOMIC_ACQUIRE);
    if (key == fh) return &handles[i];
    if (key == FREE) return NULL;
  }
  return NULL;
}

/* Stores the members of *value under the handle fh, the key last. Reuses the handle's slot if it
 * has one. Returns the slot, or NULL if the table is full. The caller holds the tables' lock. */
static struct mpiio_handle *put(mpi_handle fh, const struct mpiio_handle *value) {
  struct mpiio_handle *handles = mpiio_state.handles, *handle = mpiio_handle_of(fh);
  uint32_t i = place_of(fh);
  for (uint32_t n = 0; !handle && n < MPIIO_HANDLES; n++, i = (i + 1) % MPIIO_HANDLES)
    if (handles[i].key <= WAS_USED) handle = &handles[i];
  if (!handle) return NULL;
  mpi_handle old = handle->key;
  *handle = *value;
  handle->key = old;
  __atomic_store_n(&handle->key, fh, __ATOMIC_RELEASE);
  return handle;
}

struct mpiio_handle *mpiio_handle_add(mpi_handle fh, uint32_t file) {
  struct mpiio_state *mpiio = &mpiio_state;
  struct mpiio_handle fresh = {.file = file};
  mpiio_view_bytes(&fresh.view);
  if (fh <= WAS_USED || !record_lock(&mpiio->lock)) return NULL;
  struct mpiio_handle *handle = put(fh, &fresh);
  if (!handle) runtime_table_full();
  record_unlock(&mpiio->lock);
  return handle;
}

int mpiio_handle_take(mpi_handle fh, struct mpiio_handle *last) {
  struct mpiio_state *mpiio = &mpiio_state;
  struct mpiio_handle *handles = mpiio->handles, *handle = mpiio_handle_of(fh);
  if (!handle || !record_lock(&mpiio->lock)) return 0;
  *last = *handle;
  __atomic_store_n(&handle->key, WAS_USED, __ATOMIC_RELEASE);
  /* Frees the deleted slots directly before a free slot. */
  uint32_t i = (uint32_t)(handle - handles);
  while (handles[i].key == WAS_USED && handles[(i + 1) % MPIIO_HANDLES].key == FREE) {
    __atomic_store_n(&handles[i].key, FREE, __ATOMIC_RELEASE);
    i = (i + MPIIO_HANDLES - 1) % MPIIO_HANDLES;
  }
  record_unlock(&mpiio->lock);
  return 1;
}

void mpiio_handle_return(const struct mpiio_handle *last) {
  struct mpiio_state *mpiio = &mpiio_state;
  if (!record_lock(&mpiio->lock)) return;
  put(last->key, last);
  record_unlock(&mpiio->lock);
}

uint32_t mpiio_file_number(const struct mpiio_file *file) {
  return file->number;
}

/* Returns the file of a name with its records, which are made if necessary; NULL if there is no
 * space. The caller holds the store's lock. */
static struct mpiio_file *file_of(const struct posix_name *name) {
  struct record_store *store = &darshan_store;
  struct store_entry *entry = NULL;
  uint32_t number = store_record_of(store, STORE_MPIIO, name->text, name->length, name->id, &entry);
  if (!number) return NULL;
  struct mpiio_file *file = mpiio_file_at(number);
  if (file->record) return file;
  file->record = store_record(store, STORE_MPIIO, number);
  file->number = number;
  file->id = file->record->base.id;
  file->name = entry->name;
  file->name_length = entry->name_length;
  uint32_t ext = store_record_number(store, STORE_MPIIO_EXT, entry);
  if (ext) file->ext = store_record(store, STORE_MPIIO_EXT, ext);
  return file;
}

struct mpiio_file *mpiio_file_get(const char *path) {
  struct posix_name name;
  prepare();
  if (!mpiio_state.prepared) return NULL;
  if (!posix_name_of(&name, DARSHAN_MOD_MPIIO, AT_FDCWD, darshan_without_driver(path))) return NULL;
  struct mpiio_file *file = NULL;
  if (runtime_enter()) {
    store_make_room(&darshan_store, STORE_MPIIO_EXT);
    if (store_lock_for(&darshan_store, STORE_MPIIO)) {
      file = file_of(&name);
      store_unlock(&darshan_store);
    }
    runtime_leave();
  }
  posix_name_done(&name);
  return file;
}

void mpiio_file_find(const char *path, struct mpiio_file **file,
                     struct darshan_mpiio_ext_record **ext) {
  struct posix_name name;
  *file = NULL;
  *ext = NULL;
  prepare();
  if (!mpiio_state.prepared) return;
  if (!posix_name_of(&name, DARSHAN_MOD_MPIIO, AT_FDCWD, darshan_without_driver(path))) return;
  if (runtime_enter()) {
    if (store_lock_for(&darshan_store, STORE_MPIIO_EXT)) {
      struct store_entry *entry =
          name.length ? store_enter(&darshan_store, name.id, name.text, name.length) : NULL;
      uint32_t number = store_record_number(&darshan_store, STORE_MPIIO_EXT, entry);
      if (number) *ext = store_record(&darshan_store, STORE_MPIIO_EXT, number);
      if (entry && entry->record[STORE_MPIIO]) *file = mpiio_file_at(entry->record[STORE_MPIIO]);
      store_unlock(&darshan_store);
    }
    runtime_leave();
  }
  posix_name_done(&name);
}
