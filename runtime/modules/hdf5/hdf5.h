/* The HDF5 modules: H5F, H5D and, in the annex, H5_META and LAYERS.  Events get
 * the library that the caller uses, the result of the real call, the frame that
 * collected what happened below, and the ticks around the call.  No question is
 * put to the library after a call that failed: that would wipe the error stack
 * which the application wants to see. */
#ifndef DARSHAN_HDF5_H
#define DARSHAN_HDF5_H

#include "../../door/door.h"
#include "../layers/layers.h"
#include "../posix/posix-fds.h"
#include "hdf5-library.h"
#include "hdf5-state.h"

enum h5d_operation { H5D_NOTHING_YET, H5D_READ, H5D_WRITE };

/* What is known of an id without asking the library. */
struct h5_known {
  int64_t id;
  enum h5_kind kind;
  struct h5_dataset *dataset; /* H5_DATASET */
  struct h5_file *file;       /* any kind but H5_UNKNOWN */
  struct h5_id *place;        /* NULL: it is not known */
  uint64_t means;             /* what stood there */
};

/* ids.c */
int h5_start(void);
int h5_prepare(void); /* 1, or 0: no memory */
void h5_forked(void);
struct h5_known h5_known(const struct h5_library *lib, int64_t id);
/* The file that an object belongs to; asks the library if need be.  NULL: not
 * recorded. */
struct h5_file *h5f_of(struct h5_library *lib, int64_t id);
void h5_remember(const struct h5_library *lib, int64_t id, enum h5_kind kind, uint32_t number);
void h5_forget(const struct h5_library *lib, int64_t id);
void h5_forget_known(const struct h5_library *lib, const struct h5_known *known);
void h5_forget_all(const struct h5_library *lib);

/* files.c */
void h5f_opened(struct h5_library *lib, int64_t id, const char *path, int64_t fapl,
                struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5f_reopened(struct h5_library *lib, int64_t id, int64_t from, struct layer_frame *frame,
                  uint64_t t1, uint64_t t2);
void h5f_flushed(struct h5_library *lib, int result, int64_t id, struct layer_frame *frame,
                 uint64_t t1, uint64_t t2);
void h5f_closed(struct h5_file *file, struct layer_frame *frame, uint64_t t1, uint64_t t2);
/* That of an id that nobody has seen; NULL: not recorded. */
struct h5_file *h5f_of_unknown(struct h5_library *lib, int64_t id);
uint32_t h5f_number(const struct h5_file *file);
static inline struct h5_file *h5_file_at(uint32_t number) {
  return segments_at(&hdf5_state.files, number);
}
static inline struct h5_dataset *h5_dataset_at(uint32_t number) {
  return segments_at(&hdf5_state.datasets, number);
}

/* datasets.c */
/* How a dataset was opened: referred, by a reference or an address. */
enum { H5D_OPENED = 0, H5D_CREATED = 1, H5D_DEPRECATED = 2, H5D_ANONYMOUS = 4, H5D_REFERRED = 8 };
void h5d_opened(struct h5_library *lib, int64_t id, int how, struct layer_frame *frame, uint64_t t1,
                uint64_t t2);
/* The arguments of a call that creates a dataset.  They tell what the dataset is like in a
 * quarter of the time that the library needs to make copies of its properties. */
struct h5_made {
  int64_t location, type, space, plist;
  const char *name; /* NULL: it has none yet */
};
void h5d_created(struct h5_library *lib, int64_t id, int how, struct h5_made *made,
                 struct layer_frame *frame, uint64_t t1, uint64_t t2);
/* H5Olink succeeded: if it is a dataset that had no name, it has one now. */
void h5d_linked(struct h5_library *lib, int64_t id);
void h5d_closed(struct h5_dataset *dataset, struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5d_flushed(struct h5_library *lib, const struct h5_known *known, int result,
                 struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5d_extended(struct h5_library *lib, const struct h5_known *known, int result, int counter,
                  struct layer_frame *frame, uint64_t t1, uint64_t t2);
/* The dataset of an id; one that was opened unseen is met now. */
struct h5_dataset *h5d_of(struct h5_library *lib, const struct h5_known *known);

/* storage.c: of a dataset about to be closed, if the user asked for it */
void h5d_before_close(struct h5_library *lib, const struct h5_known *known);
void h5d_after_close(struct h5_dataset *dataset);

/* transfers.c */
void h5d_transferred(struct h5_library *lib, const struct h5_known *known, int result,
                     enum h5d_operation operation, int64_t memory_space, int64_t file_space,
                     int64_t dxpl, struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5d_multi(struct h5_library *lib, int result, enum h5d_operation operation, size_t n,
               const int64_t *datasets, const int64_t *memory_spaces, const int64_t *file_spaces,
               int64_t dxpl, struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5d_chunk(struct h5_library *lib, const struct h5_known *known, int result,
               enum h5d_operation operation, const uint64_t *offset, uint64_t bytes,
               struct layer_frame *frame, uint64_t t1, uint64_t t2);

/* objects.c: everything else; closes by whatever name */
void h5_closed(struct h5_library *lib, int result, const struct h5_known *known,
               struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5_released(struct h5_library *lib, int references, const struct h5_known *known,
                 struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5o_opened(struct h5_library *lib, int64_t id, int64_t location, int how,
                struct layer_frame *frame, uint64_t t1, uint64_t t2);
void h5o_flushed(struct h5_library *lib, int result, int64_t id, struct layer_frame *frame,
                 uint64_t t1, uint64_t t2);
/* A metadata call about a file; fcounter -1: no time. */
void h5_meta(struct h5_file *file, int counter, int fcounter, struct layer_frame *frame,
             uint64_t t1, uint64_t t2);

/* Pieces. */
static inline int h5_counts(const struct h5_library *lib) {
  return lib && darshan_hot.fd_limit && !(darshan_guard & GUARD_VFORK);
}

#endif
