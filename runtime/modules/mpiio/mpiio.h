/* The MPI-IO module. Event functions, called after the real call, receive its result, and count
 * only successful calls. They call MPI functions only before they take locks. */
#ifndef DARSHAN_MPIIO_H
#define DARSHAN_MPIIO_H

#include "../../door/door.h"
#include "../../mpi/mpi.h"
#include "../layers/layers.h"
#include "modules/mpiio/records.h"
#include "mpiio-state.h"

/* An MPI-IO call in progress. */
struct mpiio_call {
  struct mpiio_handle *handle; /* NULL: the call has no open file */
  struct mpiio_file *file;     /* NULL: none, or not recorded */
  struct layer_between layer;
};

/* Functions of handles.c, which find files and their records by handles and names. */

/* Returns the slot of an open handle; NULL if it is unknown. Takes no lock. */
struct mpiio_handle *mpiio_handle_of(mpi_handle fh);
/* Adds a handle of the file with this number, with the view that a file has after an open. Returns
 * its slot; NULL if the table is full, which is noted, or the lock is not available. */
struct mpiio_handle *mpiio_handle_add(mpi_handle fh, uint32_t file);
/* mpiio_handle_take removes the slot of a handle that is about to be closed from the table, and
 * copies it to *last. Returns 1, or 0 if the handle has no slot or the lock is not available.
 * mpiio_handle_return restores the slot if the close fails. */
int mpiio_handle_take(mpi_handle fh, struct mpiio_handle *last);
void mpiio_handle_return(const struct mpiio_handle *last);
/* Returns the file of this path, and makes its state and records if necessary; NULL if it is not
 * recorded. path: as passed to MPI, with the name of a driver ("ufs:") before it or without. */
struct mpiio_file *mpiio_file_get(const char *path);
/* Stores in *ext the MPIIO_EXT record of this path, which is made if necessary; NULL if there is no
 * space or the path is not recorded. Stores in *file the file if this process has opened it by
 * MPI-IO, otherwise NULL. */
void mpiio_file_find(const char *path, struct mpiio_file **file,
                     struct darshan_mpiio_ext_record **ext);
uint32_t mpiio_file_number(const struct mpiio_file *file);
static inline struct mpiio_file *mpiio_file_at(uint32_t number) {
  return segments_at(&mpiio_state.files, number);
}
int mpiio_prepare(void);
void mpiio_forked(void);
void mpiio_ended(void);

/* Functions of calls.c, which begin and end every call. */

/* Begin a call on an open file, and on a path. Return 1, and the caller must call mpiio_end; 0 if
 * the call is not recorded: recording is off, the handle is unknown or, for a path, the module is
 * off. */
int mpiio_begin(struct mpiio_call *call, mpi_handle fh, enum layer_operation operation);
int mpiio_begin_named(struct mpiio_call *call, enum layer_operation operation);
/* Returns the file's state for the LAYERS module, and gives the file a LAYERS record if it has
 * none. Returns NULL if file is NULL. The time of MPI-IO calls that no upper layer made is
 * attributed to this record. The caller holds no lock. */
struct layer_state *mpiio_layer(struct mpiio_file *file);
/* Ends a call that mpiio_begin or mpiio_begin_named began: adds its time and bytes to the LAYERS
 * record of the upper call or of the file. bytes: requested bytes; -1 if the call is not a
 * transfer. t1, t2: ticks before and after the call. */
void mpiio_end(const struct mpiio_call *call, enum mpiio_operation operation, int64_t bytes,
               uint64_t t1, uint64_t t2);

/* Functions of view.c. */

/* Sets the view that a file has after an open: every byte, from the start of the file. */
void mpiio_view_bytes(struct mpiio_view *view);
void mpiio_view_set(struct mpiio_call *call, int result, int64_t displacement, mpi_handle etype,
                    mpi_handle filetype, const char *representation, mpi_handle info, uint64_t t1,
                    uint64_t t2);
/* Returns the offset in the file, in bytes, for an offset in a view, in etypes; -1 if the offset is
 * negative or too large, if the view is unknown, or if the view has gaps and the offset is not at
 * the start of a filetype. */
int64_t mpiio_view_place(const struct mpiio_view *view, int64_t etypes);
/* Returns the position of the individual file pointer, in etypes, by querying MPI; -1 if that
 * fails. */
int64_t mpiio_position(mpi_handle fh);

/* Functions of files.c. */

/* Begins a call that closes a file, as mpiio_begin does, and takes the handle's slot before another
 * file may get the handle. Sets last->key to 0 if it has not taken the slot. */
int mpiio_begin_close(struct mpiio_call *call, mpi_handle fh, struct mpiio_handle *last);
void mpiio_opened(struct mpiio_call *call, int result, mpi_handle comm, const char *path, int mode,
                  mpi_handle info, const mpi_handle *fh, uint64_t t1, uint64_t t2);
void mpiio_closed(struct mpiio_call *call, const struct mpiio_handle *last, int result, uint64_t t1,
                  uint64_t t2);
void mpiio_deleted(struct mpiio_call *call, int result, const char *path, uint64_t t1, uint64_t t2);
void mpiio_synced(struct mpiio_call *call, int result, uint64_t t1, uint64_t t2);
/* Counts a call that has a counter only in MPIIO_EXT, and its time, if it succeeded (result is 0),
 * and ends the call (mpiio_end). counter: index in MPIIO_EXT. */
void mpiio_ext(struct mpiio_call *call, int result, int counter, uint64_t t1, uint64_t t2);
void mpiio_seeked(struct mpiio_call *call, int result, mpi_handle fh, uint64_t t1, uint64_t t2);
void mpiio_info_set(struct mpiio_call *call, int result, mpi_handle info, uint64_t t1, uint64_t t2);
void mpiio_atomicity_set(struct mpiio_call *call, int result, int on, uint64_t t1, uint64_t t2);

/* Functions of transfer.c, and their parameters. */

enum mpiio_pointer { MPIIO_EXPLICIT, MPIIO_INDIVIDUAL, MPIIO_SHARED };
enum mpiio_end_of { MPIIO_AT_ONCE, MPIIO_SPLIT, MPIIO_REQUEST };
/* A read or write: by which offset or file pointer (enum mpiio_pointer), and how it ends (enum
 * mpiio_end_of): with the call, with the end of a split collective, or with a request. */
struct mpiio_transfer {
  enum mpiio_operation operation;
  int counter; /* index in the record of the counter of reads; that of writes follows */
  enum mpiio_pointer pointer;
  enum mpiio_end_of end;
  int64_t offset;     /* in etypes; used only for MPIIO_EXPLICIT */
  const void *result; /* the status, if end is MPIIO_AT_ONCE; the request, if MPIIO_REQUEST */
};
void mpiio_transferred(struct mpiio_call *call, int result, const struct mpiio_transfer *transfer,
                       int64_t count, mpi_handle type, uint64_t t1, uint64_t t2);
void mpiio_split_ended(struct mpiio_call *call, int result, const void *status, uint64_t t1,
                       uint64_t t2);
/* Counts the result of a transfer in MPIIO_EXT: its bytes, and whether it transferred fewer than
 * requested. asked: requested bytes. done: transferred bytes, -1 if unknown. Does nothing if there
 * is no record of MPIIO_EXT. The caller holds the file's lock. */
void mpiio_note_done(struct mpiio_file *file, enum mpiio_operation operation, int64_t asked,
                     int64_t done);
/* Adds the time from `begun` to t2 of a split or non-blocking transfer to a float counter of
 * MPIIO_EXT, and notes its end. counter: index of the counter of reads; that of writes follows.
 * Does nothing if there is no record of MPIIO_EXT. The caller holds the file's lock. */
void mpiio_note_late(struct mpiio_file *file, enum mpiio_operation operation, int counter,
                     uint64_t begun, uint64_t t2);

/* Functions of requests.c, and their data. */

enum {
  MPIIO_ROOMS = 16
}; /* number of statuses that the runtime supplies if the caller passes none */
/* A wait or test of requests in progress. */
struct mpiio_wait {
  int ours; /* 1: the runtime handles the call: it has a request on a file, or is within a call of
               an upper layer */
  int counted;    /* 1: APMPI counts the call */
  int waits;      /* 1: the call counts as waiting for other ranks */
  uint32_t first; /* number of the first request on a file; 0: none */
  const void *requests;
  struct layer_between layer;
};
void mpiio_request_begun(struct mpiio_file *file, enum mpiio_operation operation, int64_t bytes,
                         mpi_handle request, uint64_t t1);
/* Begins a wait or test of n requests. Returns 1, and the caller must call mpiio_wait_end or
 * mpiio_request_freed; 0 if none of them is on a file and no upper layer made the call, or if
 * recording is off. */
int mpiio_wait_begin(struct mpiio_wait *wait, const void *requests, int n);
/* Ends a wait or test that mpiio_wait_begin began: counts the requests on files that it completed,
 * unless it failed (result is not 0). statuses: MPI's statuses, num_statuses of them; NULL if the
 * call has none: the bytes are then unknown. indices: for each status, the index of its request;
 * NULL: statuses are in the order of the requests. */
void mpiio_wait_end(const struct mpiio_wait *wait, int result, const void *statuses,
                    const int *indices, int num_statuses, uint64_t t1, uint64_t t2);
void mpiio_request_freed(const struct mpiio_wait *wait, int result, uint64_t t1, uint64_t t2);
/* Returns 1 if wrappers of waits and tests must do more than forward: requests on files are in
 * progress, or this thread is within a call of an upper layer. Otherwise returns 0. */
static inline int mpiio_waits(void) {
  return UNLIKELY(__atomic_load_n(&mpiio_state.outstanding, __ATOMIC_RELAXED) != 0) ||
         layers_inside();
}

/* Adds the time of a call from t1 to t2 (ticks), without its overlap with earlier calls of its
 * kind, to a float counter of the file's record. The caller holds the file's lock. */
static inline void mpiio_add_time(struct mpiio_file *file, int fcounter, enum mpiio_operation kind,
                                  uint64_t t1, uint64_t t2) {
  file->record->fcounters[fcounter] += record_time(&file->last_end[kind], ticks_span(t1, t2));
}

#endif
