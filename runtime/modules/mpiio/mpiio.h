/* The MPI-IO module. Event functions receive the result of the call, and count only successful
 * calls. They call MPI functions only before they take locks. */
#ifndef DARSHAN_MPIIO_H
#define DARSHAN_MPIIO_H

#include "../../door/door.h"
#include "../../mpi/mpi.h"
#include "../layers/layers.h"
#include "modules/mpiio/records.h"
#include "mpiio-state.h"

/* A call under way. */
struct mpiio_call {
  struct mpiio_handle *handle; /* NULL: the call has no open file */
  struct mpiio_file *file;
  struct layer_between layer;
};

/* handles.c: from handles and names to files and their records */

struct mpiio_handle *mpiio_handle_of(mpi_handle fh);
struct mpiio_handle *mpiio_handle_add(mpi_handle fh, uint32_t file);
/* mpiio_handle_take removes the entry of a handle that is about to be closed and copies it to
 * *last; returns 1, or 0 if the handle has none. mpiio_handle_return restores it if the close
 * fails. */
int mpiio_handle_take(mpi_handle fh, struct mpiio_handle *last);
void mpiio_handle_return(const struct mpiio_handle *last);
/* Returns the file of this name, created if necessary; NULL if it is not recorded. */
struct mpiio_file *mpiio_file_get(const char *path);
/* Sets *ext to the annex record of this name, created if necessary, and *file to the file, if it
 * exists. Sets them to NULL if there is none. */
void mpiio_file_find(const char *path, struct mpiio_file **file,
                     struct darshan_mpiio_ext_record **ext);
uint32_t mpiio_file_number(const struct mpiio_file *file);
static inline struct mpiio_file *mpiio_file_at(uint32_t number) {
  return segments_at(&mpiio_state.files, number);
}
int mpiio_prepare(void);
void mpiio_forked(void);
void mpiio_ended(void);

/* calls.c: start and end of every call */

int mpiio_begin(struct mpiio_call *call, mpi_handle fh, enum layer_operation operation);
int mpiio_begin_named(struct mpiio_call *call, enum layer_operation operation);
/* Returns the file's state for LAYERS, to which the time of MPI-IO calls is attributed that no
 * upper layer made. Gives the file a LAYERS record if it has none. */
struct layer_state *mpiio_layer(struct mpiio_file *file);
/* Ends a call: adds its time to the layers. bytes: requested by the call; -1 if the call is not
 * a transfer. */
void mpiio_end(const struct mpiio_call *call, enum mpiio_operation operation, int64_t bytes,
               uint64_t t1, uint64_t t2);

/* view.c */

void mpiio_view_bytes(struct mpiio_view *view);
void mpiio_view_set(struct mpiio_call *call, int result, int64_t displacement, mpi_handle etype,
                    mpi_handle filetype, const char *representation, mpi_handle info, uint64_t t1,
                    uint64_t t2);
/* Returns the byte offset in the file of an offset in a view; -1 if unknown. */
int64_t mpiio_view_place(const struct mpiio_view *view, int64_t etypes);
/* Returns the position of the individual file pointer, in etypes, by querying MPI; -1 if that
 * fails. */
int64_t mpiio_position(mpi_handle fh);

/* files.c */

int mpiio_begin_close(struct mpiio_call *call, mpi_handle fh, struct mpiio_handle *last);
void mpiio_opened(struct mpiio_call *call, int result, mpi_handle comm, const char *path, int mode,
                  mpi_handle info, const mpi_handle *fh, uint64_t t1, uint64_t t2);
void mpiio_closed(struct mpiio_call *call, const struct mpiio_handle *last, int result, uint64_t t1,
                  uint64_t t2);
void mpiio_deleted(struct mpiio_call *call, int result, const char *path, uint64_t t1, uint64_t t2);
void mpiio_synced(struct mpiio_call *call, int result, uint64_t t1, uint64_t t2);
/* Counts a call that has a counter only in the annex. */
void mpiio_ext(struct mpiio_call *call, int result, int counter, uint64_t t1, uint64_t t2);
void mpiio_seeked(struct mpiio_call *call, int result, mpi_handle fh, uint64_t t1, uint64_t t2);
void mpiio_info_set(struct mpiio_call *call, int result, mpi_handle info, uint64_t t1, uint64_t t2);
void mpiio_atomicity_set(struct mpiio_call *call, int result, int on, uint64_t t1, uint64_t t2);

/* transfer.c */

enum mpiio_pointer { MPIIO_EXPLICIT, MPIIO_INDIVIDUAL, MPIIO_SHARED };
enum mpiio_end_of { MPIIO_AT_ONCE, MPIIO_SPLIT, MPIIO_REQUEST };
struct mpiio_transfer {
  enum mpiio_operation operation;
  int counter; /* of the record; the counter of reads */
  enum mpiio_pointer pointer;
  enum mpiio_end_of end;
  int64_t offset;     /* in etypes; only for MPIIO_EXPLICIT */
  const void *result; /* the status if end is MPIIO_AT_ONCE, the request if MPIIO_REQUEST */
};
void mpiio_transferred(struct mpiio_call *call, int result, const struct mpiio_transfer *transfer,
                       int64_t count, mpi_handle type, uint64_t t1, uint64_t t2);
void mpiio_split_ended(struct mpiio_call *call, int result, const void *status, uint64_t t1,
                       uint64_t t2);
/* Counts the result of a transfer in MPIIO_EXT: its bytes, and whether fewer were transferred than
 * requested (asked). done: bytes transferred, -1 if unknown. Does nothing without a record of
 * MPIIO_EXT. The caller holds the file's lock. */
void mpiio_note_done(struct mpiio_file *file, enum mpiio_operation operation, int64_t asked,
                     int64_t done);
/* Adds the time from begun to t2 of a split or non-blocking transfer to a float counter of
 * MPIIO_EXT, and notes its end. counter: index of the one for reads; that for writes follows. Does
 * nothing without a record of MPIIO_EXT. The caller holds the file's lock. */
void mpiio_note_late(struct mpiio_file *file, enum mpiio_operation operation, int counter,
                     uint64_t begun, uint64_t t2);

/* requests.c */

enum { MPIIO_ROOMS = 16 }; /* statuses that the runtime supplies if the caller passes none */
struct mpiio_wait {
  int ours;       /* 1: it has a request of a file, or is within a call of an upper layer */
  int counted;    /* 1: APMPI counts the call */
  int waits;      /* 1: the call counts as waiting for other ranks */
  uint32_t first; /* number of the first request of a file; 0: none */
  const void *requests;
  struct layer_between layer;
};
void mpiio_request_begun(struct mpiio_file *file, enum mpiio_operation operation, int64_t bytes,
                         mpi_handle request, uint64_t t1);
int mpiio_wait_begin(struct mpiio_wait *wait, const void *requests, int n);
/* Ends a wait or test: counts the requests of files that it completed. indices: the request of each
 * status; NULL: statuses are in the order of the requests. statuses: NULL if the call has none. */
void mpiio_wait_end(const struct mpiio_wait *wait, int result, const void *statuses,
                    const int *indices, int num_statuses, uint64_t t1, uint64_t t2);
void mpiio_request_freed(const struct mpiio_wait *wait, int result, uint64_t t1, uint64_t t2);
/* Returns 1 if wrappers of waits and tests must do more than forward: requests of files are
 * under way, or this thread is within a call of an upper layer. */
static inline int mpiio_waits(void) {
  return UNLIKELY(__atomic_load_n(&mpiio_state.outstanding, __ATOMIC_RELAXED) != 0) ||
         layers_inside();
}

/* Adds the time of a call from t1 to t2 (ticks) to the file's record. The caller holds the
 * file's lock. */
static inline void mpiio_add_time(struct mpiio_file *file, int fcounter, enum mpiio_operation kind,
                                  uint64_t t1, uint64_t t2) {
  file->record->fcounters[fcounter] += record_time(&file->last_end[kind], ticks_span(t1, t2));
}

#endif
