/* Begins and ends every MPI-IO call: finds its file, and attributes its time to layers. */
#include "mpiio.h"

int mpiio_begin(struct mpiio_call *call, mpi_handle fh, enum layer_operation operation) {
  if (!darshan_hot.fd_limit) return 0;
  call->handle = mpiio_handle_of(fh);
  if (!call->handle) return 0;
  call->file = mpiio_file_at(call->handle->file);
  layer_mpiio_begin(&call->layer, operation, &call->file->layer);
  return 1;
}

int mpiio_begin_named(struct mpiio_call *call, enum layer_operation operation) {
  if (!darshan_hot.fd_limit || !module_is_on(DARSHAN_MOD_MPIIO)) return 0;
  call->handle = NULL;
  call->file = NULL;
  layer_mpiio_begin(&call->layer, operation, NULL);
  return 1;
}

struct layer_state *mpiio_layer(struct mpiio_file *file) {
  /* mpiio_end calls this only for calls that no upper layer made, so that other files get no
   * LAYERS record. */
  if (!file) return NULL;
  if (UNLIKELY(!file->layer.attached) && runtime_enter()) {
    layer_attach(&file->layer, file->id, file->name, file->name_length, DARSHAN_MOD_MPIIO);
    runtime_leave();
  }
  return &file->layer;
}

void mpiio_end(const struct mpiio_call *call, enum mpiio_operation operation, int64_t bytes,
               uint64_t t1, uint64_t t2) {
  struct layer_state *state = call->layer.own_frame ? mpiio_layer(call->file) : NULL;
  layer_mpiio_end(&call->layer, state, operation == MPIIO_READ ? bytes : -1,
                  operation == MPIIO_WRITE ? bytes : -1, t1, t2);
}
