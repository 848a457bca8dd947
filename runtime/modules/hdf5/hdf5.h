/* The HDF5 modules: H5F, H5D and, in the annex, H5_META and LAYERS. Event functions, called after
 * the real call, receive the caller's library, the result, the frame that collected the calls of
 * lower layers, and the ticks before and after the call. After a failed call they call no function
 * of the library, because that would clear the error stack of the application. */
#ifndef DARSHAN_HDF5_H
#define DARSHAN_HDF5_H

#include "../../door/door.h"
#include "../layers/layers.h"
#include "../posix/posix-fds.h"
#include "hdf5-library.h"
#include "hdf5-state.h"

enum h5d_operation { H5D_NOTHING_YET, H5D_READ, H5D_WRITE };

/* Facts about an id that are known without a call of the library. */
struct h5_known {
  int64_t id;
  enum h5_kind kind;
  struct h5_dataset *dataset; /* set if kind is H5_DATASET */
  struct h5_file *file;       /* set for any kind but H5_UNKNOWN */
  struct h5_id *place;        /* slot of the id in the table; NULL: unknown */
  uint64_t means;             /* content of the slot */
};

/* Functions of ids.c. */

int h5_start(void);
/* Returns the version of the HDF5 library that was found last, for example "1.14.3"; "" for
 * none. */
const char *h5_version(void);
int h5_prepare(void); /* returns 0 if out of memory, else 1 */
void h5_forked(void);
struct h5_known h5_known(const struct h5_library *lib, int64_t id);
/* Returns the file that the object with this id belongs to; NULL if it is not recorded. If the id
 * is not in the table, queries the library for the file's name, so the id must be valid and the
 * last call must have succeeded. The caller holds no lock. */
struct h5_file *h5f_of(struct h5_library *lib, int64_t id);
/* Enters an id in the table. number: of the dataset if kind is H5_DATASET, otherwise of the file
 * that the object belongs to; 0: does nothing. */
void h5_remember(const struct h5_library *lib, int64_t id, enum h5_kind kind, uint32_t number);
void h5_forget(const struct h5_library *lib, int64_t id);
void h5_forget_known(const struct h5_library *lib, const struct h5_known *known);
void h5_forget_all(const struct h5_library *lib);

/* Functions of files.c. */

void h5f_opened(struct h5_library *lib, int64_t id, const char *path, int64_t fapl,
                struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5f_reopened(struct h5_library *lib, int64_t id, int64_t from, struct layer_frame *frame,
                  uint64_t t1, uint64_t t2);
void h5f_flushed(struct h5_library *lib, int result, int64_t id, struct layer_frame *frame,
                 uint64_t t1, uint64_t t2);
void h5f_closed(struct h5_file *file, struct layer_frame *frame, uint64_t t1, uint64_t t2);
/* Returns the file of an id that is not in the table, by the name that the library reports; NULL if
 * it is not recorded or the library reports none. The id does not get into the table. */
struct h5_file *h5f_of_unknown(struct h5_library *lib, int64_t id);
uint32_t h5f_number(const struct h5_file *file);
static inline struct h5_file *h5_file_at(uint32_t number) {
  return segments_at(&hdf5_state.files, number);
}
static inline struct h5_dataset *h5_dataset_at(uint32_t number) {
  return segments_at(&hdf5_state.datasets, number);
}

/* Functions of datasets.c. */
/* Flags that say how a dataset was opened: by H5Dopen, by H5Dcreate, by a deprecated function
 * (H5Dopen1), without a name (H5Dcreate_anon), by a reference or an address. */
enum { H5D_OPENED = 0, H5D_CREATED = 1, H5D_DEPRECATED = 2, H5D_ANONYMOUS = 4, H5D_REFERRED = 8 };
void h5d_opened(struct h5_library *lib, int64_t id, int how, struct layer_frame *frame, uint64_t t1,
                uint64_t t2);
/* The arguments of a call that creates a dataset. They describe the dataset in a quarter of the
 * time that the library needs to copy its properties. */
struct h5_made {
  int64_t location, type, space, plist; /* ids; plist: of creation properties, 0: the default */
  const char *name;                     /* NULL: it has no name yet */
};
/* Counts the creation of a dataset that returned `id` (negative: it failed), and ends its LAYERS
 * frame. how: H5D_ flags. */
void h5d_created(struct h5_library *lib, int64_t id, int how, struct h5_made *made,
                 struct layer_frame *frame, uint64_t t1, uint64_t t2);
/* Called after a successful H5Olink: if the object is a dataset that was created without a name,
 * gives its records the name that it has now. */
void h5d_linked(struct h5_library *lib, int64_t id);
void h5d_closed(struct h5_dataset *dataset, struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5d_flushed(struct h5_library *lib, const struct h5_known *known, int result,
                 struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5d_extended(struct h5_library *lib, const struct h5_known *known, int result, int counter,
                  struct layer_frame *frame, uint64_t t1, uint64_t t2);
/* Returns the dataset of an id (known: from h5_known), or NULL if it is not recorded. If the open
 * was not seen or was by a reference, queries the library and makes the record now. */
struct h5_dataset *h5d_of(struct h5_library *lib, const struct h5_known *known);

/* Count how many of the dataset's bytes in files were raw data, not HDF5's metadata (storage.c).
 * h5d_before_close is called before the close of an id, if DARSHAN_HDF5_STORAGE is set, and does
 * nothing unless the id is of a dataset. h5d_after_close is called after each close of a dataset,
 * and does nothing unless h5d_before_close has left something to do. */
void h5d_before_close(struct h5_library *lib, const struct h5_known *known);
void h5d_after_close(struct h5_dataset *dataset);

/* Functions of transfers.c. */
/* The arguments of a transfer that select the elements that it moves: ids of two dataspaces, which
 * may be constants such as H5S_ALL, and of a transfer property list. */
struct h5d_selection {
  int64_t memory_space, file_space, dxpl;
};
void h5d_transferred(struct h5_library *lib, const struct h5_known *known, int result,
                     enum h5d_operation operation, const struct h5d_selection *selection,
                     struct layer_frame *frame, uint64_t t1, uint64_t t2);
/* The arguments that select the elements that a call on n datasets (H5Dread_multi) moves; the
 * pointers are arrays of n ids. */
struct h5d_selections {
  size_t n;
  const int64_t *datasets, *memory_spaces, *file_spaces;
  int64_t dxpl;
};
void h5d_multi(struct h5_library *lib, int result, enum h5d_operation operation,
               const struct h5d_selections *selections, struct layer_frame *frame, uint64_t t1,
               uint64_t t2);
void h5d_chunk(struct h5_library *lib, const struct h5_known *known, int result,
               enum h5d_operation operation, const uint64_t *offset, uint64_t bytes,
               struct layer_frame *frame, uint64_t t1, uint64_t t2);

/* The next functions, and all others for calls except those of files and raw data, are in
 * objects.c. h5_closed counts the close of an id by a function that returned `result` (negative: it
 * failed), forgets the id unless the call failed, and ends the LAYERS frame. known: of the id
 * before the close. */
void h5_closed(struct h5_library *lib, int result, const struct h5_known *known,
               struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5_released(struct h5_library *lib, int references, const struct h5_known *known,
                 struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5o_opened(struct h5_library *lib, int64_t id, int64_t location, int how,
                struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5o_flushed(struct h5_library *lib, int result, int64_t id, struct layer_frame *frame,
                 uint64_t t1, uint64_t t2);
/* Counts a metadata call in the file's H5_META record, unless file is NULL, and ends its LAYERS
 * frame. counter: index in H5_META. fcounter: index of the time; -1 if its time is not counted.
 * frame: NULL: none. t1, t2: ticks before and after the call. */
void h5_meta(struct h5_file *file, int counter, int fcounter, struct layer_frame *frame,
             uint64_t t1, uint64_t t2);

/* Returns 1 if calls are recorded: the library is known, the runtime is active, and the process is
 * not a vfork child. Otherwise returns 0. */
static inline int h5_counts(const struct h5_library *lib) {
  return lib && darshan_hot.fd_limit && !(darshan_guard & GUARD_VFORK);
}

#endif
