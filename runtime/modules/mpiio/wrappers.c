/* Wrappers of MPI-IO, made from calls.def. */
#include "../../mpi/wrap-mpi.h"
#include "mpiio.h"

/* Returns its arguments as a struct. A macro cannot do this, because commas within braces would
 * separate its arguments. */
static inline struct mpiio_transfer describe(enum mpiio_operation operation, int counter,
                                             enum mpiio_pointer pointer, enum mpiio_end_of end,
                                             int64_t offset, const void *result) {
  return (struct mpiio_transfer){operation, counter, pointer, end, offset, result};
}

/* Macros that rows use in their column "find". */
#define OPEN_FILE(fh, operation)                                                                   \
  struct mpiio_call call;                                                                          \
  if (UNLIKELY(!mpiio_begin(&call, fh, operation))) FORWARD
#define NAMED(operation)                                                                           \
  struct mpiio_call call;                                                                          \
  if (UNLIKELY(!mpiio_begin_named(&call, operation))) FORWARD
#define CLOSING(fh)                                                                                \
  struct mpiio_call call;                                                                          \
  struct mpiio_handle last;                                                                        \
  if (UNLIKELY(!mpiio_begin_close(&call, *fh, &last))) FORWARD
#define TRANSFER(fh, operation, counter, pointer, end, offset, result)                             \
  OPEN_FILE(fh, LAYER_##operation);                                                                \
  const struct mpiio_transfer transfer = describe(MPIIO_##operation, MPIIO_##counter##_READS,      \
                                                  MPIIO_##pointer, MPIIO_##end, offset, result)
/* Supplies a status if the application passes none. */
#define WITH_STATUS(status)                                                                        \
  struct mpi_status_room room;                                                                     \
  status = mpi_status_or(status, &room)

/* Macros that make a wrapper for each form of transfer. */
#define TRANSFERRED(count, type) mpiio_transferred(&call, r, &transfer, count, type, t1, t2)
#define BLOCKING(name, number, operation, counter, pointer)                                        \
  MPI_CALL(name, (mpi_handle fh, void *data, number n, mpi_handle type, void *status),             \
           (fh, data, n, type, status), WITH_STATUS(status);                                       \
           TRANSFER(fh, operation, counter, pointer, AT_ONCE, 0, status), TRANSFERRED(n, type))
#define BLOCKING_AT(name, number, operation, counter)                                              \
  MPI_CALL(name, (mpi_handle fh, int64_t at, void *data, number n, mpi_handle type, void *status), \
           (fh, at, data, n, type, status), WITH_STATUS(status);                                   \
           TRANSFER(fh, operation, counter, EXPLICIT, AT_ONCE, at, status), TRANSFERRED(n, type))
#define SPLIT(name, number, operation, counter, pointer)                                           \
  MPI_CALL(name, (mpi_handle fh, void *data, number n, mpi_handle type), (fh, data, n, type),      \
           TRANSFER(fh, operation, counter, pointer, SPLIT, 0, NULL), TRANSFERRED(n, type))
#define SPLIT_AT(name, number, operation, counter)                                                 \
  MPI_CALL(name, (mpi_handle fh, int64_t at, void *data, number n, mpi_handle type),               \
           (fh, at, data, n, type), TRANSFER(fh, operation, counter, EXPLICIT, SPLIT, at, NULL),   \
           TRANSFERRED(n, type))
#define SPLIT_END(name, operation)                                                                 \
  MPI_CALL(name, (mpi_handle fh, void *data, void *status), (fh, data, status),                    \
           WITH_STATUS(status);                                                                    \
           OPEN_FILE(fh, LAYER_##operation), mpiio_split_ended(&call, r, status, t1, t2))
#define NON_BLOCKING(name, number, operation, counter, pointer)                                    \
  MPI_CALL(name, (mpi_handle fh, void *data, number n, mpi_handle type, void *request),            \
           (fh, data, n, type, request),                                                           \
           TRANSFER(fh, operation, counter, pointer, REQUEST, 0, request), TRANSFERRED(n, type))
#define NON_BLOCKING_AT(name, number, operation, counter)                                          \
  MPI_CALL(name,                                                                                   \
           (mpi_handle fh, int64_t at, void *data, number n, mpi_handle type, void *request),      \
           (fh, at, data, n, type, request),                                                       \
           TRANSFER(fh, operation, counter, EXPLICIT, REQUEST, at, request), TRANSFERRED(n, type))

#define MPI_LEVEL MPI_LEVEL_IO
#include "calls.def"
