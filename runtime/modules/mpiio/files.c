/* Counts opens and closes by MPI-IO, and all other calls that transfer no data. */
#include "mpiio.h"

/* Returns the bits of an access mode (MPI_MODE_...) as MPI libraries of the versions 2 to 4 define
 * them. mode: as the program's MPI library defines them: the same, or those of MPI's standard
 * ABI. */
static int64_t classic_mode(int mode) {
  static const struct {
    int classic, standard;
  } bits[] = {{1, 2} /* CREATE */, {2, 16} /* RDONLY */,          {4, 256} /* WRONLY */,
              {8, 32} /* RDWR */,  {16, 4} /* DELETE_ON_CLOSE */, {32, 128} /* UNIQUE_OPEN */,
              {64, 8} /* EXCL */,  {128, 1} /* APPEND */,         {256, 64} /* SEQUENTIAL */};
  int64_t result = 0;
  if (mpi_library.flavour != MPI_STANDARD_ABI) return mode;
  for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
    if (mode & bits[i].standard) result |= bits[i].classic;
  return result;
}

enum { MODE_APPEND = 128 };

/* Counts an open. processes: size of the communicator; above 1 the open is collective. mode: bits
 * of classic_mode. has_info: 1 if hints were passed, otherwise 0. */
static void count_open(struct mpiio_file *file, int processes, int64_t mode, int has_info,
                       uint64_t t1, uint64_t t2) {
  if (!record_lock(&file->lock)) return;
  int64_t *counters = file->record->counters;
  double *times = file->record->fcounters;
  counters[processes > 1 ? MPIIO_COLL_OPENS : MPIIO_INDEP_OPENS]++;
  counters[MPIIO_MODE] = mode;
  counters[MPIIO_HINTS] += has_info;
  struct clock_span at = ticks_span(t1, t2);
  record_note_start(&times[MPIIO_F_OPEN_START_TIMESTAMP], at.start);
  times[MPIIO_F_OPEN_END_TIMESTAMP] = at.end;
  times[MPIIO_F_META_TIME] += record_time(&file->last_end[MPIIO_META], at);
  record_unlock(&file->lock);
}

void mpiio_opened(struct mpiio_call *call, int result, mpi_handle comm, const char *path, int mode,
                  mpi_handle info, const mpi_handle *fh, uint64_t t1, uint64_t t2) {
  if (result == 0) call->file = mpiio_file_get(path);
  if (call->file) {
    int64_t classic = classic_mode(mode);
    int has_info = mpi_can_ask() && !mpi_is_info_null(info);
    struct mpiio_handle *handle = mpiio_handle_add(*fh, mpiio_file_number(call->file));
    if (handle && (classic & MODE_APPEND)) handle->position = mpiio_position(*fh);
    count_open(call->file, mpi_comm_size(comm), classic, has_info, t1, t2);
  }
  mpiio_end(call, MPIIO_META, -1, t1, t2);
}

int mpiio_begin_close(struct mpiio_call *call, mpi_handle fh, struct mpiio_handle *last) {
  if (!mpiio_begin(call, fh, LAYER_CLOSE)) return 0;
  /* Called before the close, because afterwards the handle may belong to another file. */
  if (!mpiio_handle_take(fh, last)) last->key = 0;
  return 1;
}

void mpiio_closed(struct mpiio_call *call, const struct mpiio_handle *last, int result, uint64_t t1,
                  uint64_t t2) {
  struct mpiio_file *file = call->file;
  if (result != 0) {
    if (last->key) mpiio_handle_return(last);
  } else if (record_lock(&file->lock)) {
    double *times = file->record->fcounters;
    struct clock_span at = ticks_span(t1, t2);
    record_note_start(&times[MPIIO_F_CLOSE_START_TIMESTAMP], at.start);
    times[MPIIO_F_CLOSE_END_TIMESTAMP] = at.end;
    times[MPIIO_F_META_TIME] += record_time(&file->last_end[MPIIO_META], at);
    record_unlock(&file->lock);
  }
  mpiio_end(call, MPIIO_META, -1, t1, t2);
}

void mpiio_synced(struct mpiio_call *call, int result, uint64_t t1, uint64_t t2) {
  struct mpiio_file *file = call->file;
  if (result == 0 && record_lock(&file->lock)) {
    file->record->counters[MPIIO_SYNCS]++;
    mpiio_add_time(file, MPIIO_F_WRITE_TIME, MPIIO_WRITE, t1, t2);
    record_unlock(&file->lock);
  }
  mpiio_end(call, MPIIO_META, -1, t1, t2);
}

static void add(struct darshan_mpiio_ext_record *ext, int counter, uint64_t t1, uint64_t t2) {
  if (!ext) return;
  ext->counters[counter]++;
  ext->fcounters[MPIIO_EXT_F_META_TIME] += clock_length(ticks_span(t1, t2));
}

static void count_ext(struct mpiio_file *file, int counter, uint64_t t1, uint64_t t2) {
  add(file->ext, counter, t1, t2);
  mpiio_add_time(file, MPIIO_F_META_TIME, MPIIO_META, t1, t2);
}

void mpiio_ext(struct mpiio_call *call, int result, int counter, uint64_t t1, uint64_t t2) {
  if (result == 0 && record_lock(&call->file->lock)) {
    count_ext(call->file, counter, t1, t2);
    record_unlock(&call->file->lock);
  }
  mpiio_end(call, MPIIO_META, -1, t1, t2);
}

void mpiio_seeked(struct mpiio_call *call, int result, mpi_handle fh, uint64_t t1, uint64_t t2) {
  int64_t position = result == 0 ? mpiio_position(fh) : -1;
  if (result == 0 && record_lock(&call->file->lock)) {
    call->handle->position = position;
    record_unlock(&call->file->lock);
  }
  mpiio_ext(call, result, MPIIO_EXT_SEEKS, t1, t2);
}

void mpiio_info_set(struct mpiio_call *call, int result, mpi_handle info, uint64_t t1,
                    uint64_t t2) {
  int has_info = result == 0 && mpi_can_ask() && !mpi_is_info_null(info);
  if (has_info && record_lock(&call->file->lock)) {
    call->file->record->counters[MPIIO_HINTS]++;
    record_unlock(&call->file->lock);
  }
  mpiio_ext(call, result, MPIIO_EXT_INFO_SETS, t1, t2);
}

void mpiio_atomicity_set(struct mpiio_call *call, int result, int on, uint64_t t1, uint64_t t2) {
  if (result == 0 && on && record_lock(&call->file->lock)) {
    if (call->file->ext) call->file->ext->counters[MPIIO_EXT_ATOMIC] = 1;
    record_unlock(&call->file->lock);
  }
  mpiio_ext(call, result, MPIIO_EXT_ATOMICITY_SETS, t1, t2);
}

void mpiio_deleted(struct mpiio_call *call, int result, const char *path, uint64_t t1,
                   uint64_t t2) {
  struct darshan_mpiio_ext_record *ext = NULL;
  if (result == 0) mpiio_file_find(path, &call->file, &ext);
  struct mpiio_file *file = call->file;
  if (ext && record_lock(file ? &file->lock : &mpiio_state.lock)) {
    if (file)
      count_ext(file, MPIIO_EXT_DELETES, t1, t2);
    else
      add(ext, MPIIO_EXT_DELETES, t1, t2);
    record_unlock(file ? &file->lock : &mpiio_state.lock);
  }
  mpiio_end(call, MPIIO_META, -1, t1, t2);
}
