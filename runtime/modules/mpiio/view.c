/* File views (MPI_File_set_view): stores the view of an open file, and converts offsets in the view
 * to offsets in the file. */
#include <string.h>

#include "mpiio.h"

/* Sets the view that a file has after an open: every byte, from the start of the file. */
void mpiio_view_bytes(struct mpiio_view *view) {
  *view = (struct mpiio_view){.unit = 1, .filled = 1, .extent = 1};
}

/* Returns 1 for the data representation "native", otherwise 0. In other representations sizes in
 * the file may differ from sizes in memory. */
static int is_native(const char *representation) {
  return representation && strcmp(representation, "native") == 0;
}

/* Sets *view to the view with these arguments of MPI_File_set_view. If MPI does not report the
 * sizes of the types, offsets are unknown (unit is 0). */
static void describe(struct mpiio_view *view, int64_t displacement, mpi_handle etype,
                     mpi_handle filetype) {
  intptr_t lower = 0, extent = 0, first = 0, span = 0;
  *view = (struct mpiio_view){.displacement = displacement};
  int64_t unit = mpi_type_bytes(etype), filled = mpi_type_bytes(filetype);
  if (unit <= 0 || filled <= 0) return;
  if (!mpi_function(Type_get_extent) || !mpi_function(Type_get_true_extent)) return;
  if (mpi_function(Type_get_extent)(filetype, &lower, &extent) != 0 ||
      mpi_function(Type_get_true_extent)(filetype, &first, &span) != 0)
    return;
  view->unit = unit;
  view->filled = filled;
  view->extent = extent;
  view->first = first;
  /* In a view without holes all offsets can be computed, not only multiples of the filetype. */
  if (span == filled && extent == filled) {
    view->filled = view->extent = 1;
  }
}

int64_t mpiio_view_place(const struct mpiio_view *view, int64_t etypes) {
  int64_t bytes, start;
  if (etypes < 0 || view->unit == 0) return -1;
  if (__builtin_mul_overflow(etypes, view->unit, &bytes) || bytes % view->filled != 0) return -1;
  if (__builtin_mul_overflow(bytes / view->filled, view->extent, &start)) return -1;
  return view->displacement + view->first + start;
}

int64_t mpiio_position(mpi_handle fh) {
  int64_t etypes;
  if (!mpi_can_ask() || !mpi_function(File_get_position)) return -1;
  return mpi_function(File_get_position)(fh, &etypes) == 0 ? etypes : -1;
}

void mpiio_view_set(struct mpiio_call *call, int result, int64_t displacement, mpi_handle etype,
                    mpi_handle filetype, const char *representation, mpi_handle info, uint64_t t1,
                    uint64_t t2) {
  struct mpiio_file *file = call->file;
  struct mpiio_view view = {.unit = 0};
  int has_info = 0;
  if (result == 0 && mpi_can_ask()) {
    has_info = !mpi_is_info_null(info);
    if (is_native(representation)) describe(&view, displacement, etype, filetype);
  }
  if (result == 0 && record_lock(&file->lock)) {
    file->record->counters[MPIIO_VIEWS]++;
    file->record->counters[MPIIO_HINTS] += has_info;
    if (has_info) mpiio_add_time(file, MPIIO_F_META_TIME, MPIIO_META, t1, t2);
    call->handle->view = view;
    call->handle->position = 0;
    record_unlock(&file->lock);
  }
  mpiio_end(call, MPIIO_META, -1, t1, t2);
}
