/* Large-count functions for an MPI library that has none.
 *
 * Programs ask by weak references whether a function exists, mpi4py does for every
 * one.  Where ours is the only one, ours is the answer, so it must do the work: by
 * the function that takes an int, for counts that an int can hold. */
#include <limits.h>
#include <string.h>

#include "../../mpi/resolve.h"
#include "mpiio.h"

enum {
  WRONG_COUNT = 2,  /* MPI_ERR_COUNT of every MPI */
  LONGEST_NAME = 64 /* of a function */
};

static void *resolve_narrow(void **slot, const char *wide, const void *caller) {
  char name[LONGEST_NAME];
  size_t length = strlen(wide) - strlen("_c");
  memcpy(name, wide, length);
  name[length] = '\0';
  return mpi_resolve(slot, name, caller, NULL);
}

#define MPI_CALL(name, params, args, find, event)
#define SPLIT_END(name, operation)
#define NARROW_int(name, wide, narrow, args)
#define NARROW_int64_t(name, wide, narrow, args)                                                   \
  static int narrow_##name wide {                                                                  \
    static void *slot;                                                                             \
    void *found = __atomic_load_n(&slot, __ATOMIC_RELAXED);                                        \
    if (n < 0 || n > INT_MAX) return WRONG_COUNT;                                                  \
    if (!found) found = resolve_narrow(&slot, #name, __builtin_return_address(0));                 \
    return ((int(*) narrow)found)args;                                                             \
  }
#define BLOCKING(name, number, operation, counter, pointer)                                        \
  NARROW_##number(name, (mpi_handle fh, void *data, int64_t n, mpi_handle type, void *status),     \
                  (mpi_handle, void *, int, mpi_handle, void *), (fh, data, (int)n, type, status))
#define BLOCKING_AT(name, number, operation, counter)                                              \
  NARROW_##number(                                                                                 \
      name, (mpi_handle fh, int64_t at, void *data, int64_t n, mpi_handle type, void *status),     \
      (mpi_handle, int64_t, void *, int, mpi_handle, void *),                                      \
      (fh, at, data, (int)n, type, status))
#define SPLIT(name, number, operation, counter, pointer)                                           \
  NARROW_##number(name, (mpi_handle fh, void *data, int64_t n, mpi_handle type),                   \
                  (mpi_handle, void *, int, mpi_handle), (fh, data, (int)n, type))
#define SPLIT_AT(name, number, operation, counter)                                                 \
  NARROW_##number(name, (mpi_handle fh, int64_t at, void *data, int64_t n, mpi_handle type),       \
                  (mpi_handle, int64_t, void *, int, mpi_handle), (fh, at, data, (int)n, type))
/* A request stands where a blocking call has its status. */
#define NON_BLOCKING(name, number, operation, counter, pointer)                                    \
  BLOCKING(name, number, operation, counter, pointer)
#define NON_BLOCKING_AT(name, number, operation, counter)                                          \
  BLOCKING_AT(name, number, operation, counter)

#include "calls.def"

#undef NARROW_int64_t
#undef BLOCKING
#undef BLOCKING_AT
#undef SPLIT
#undef SPLIT_AT
#define NARROW_int64_t(symbol)                                                                     \
  if (strcmp(name, #symbol) == 0) return (void *)&narrow_##symbol;
#undef NARROW_int
#define NARROW_int(symbol)
#define BLOCKING(name, number, operation, counter, pointer) NARROW_##number(name)
#define BLOCKING_AT(name, number, operation, counter) NARROW_##number(name)
#define SPLIT(name, number, operation, counter, pointer) NARROW_##number(name)
#define SPLIT_AT(name, number, operation, counter) NARROW_##number(name)

void *mpiio_narrow(const char *name) {
  if (name[0] == 'P') name++;
#include "calls.def"
  return NULL;
}
