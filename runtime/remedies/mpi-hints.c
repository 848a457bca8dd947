/* The remedies collective-buffering, no-data-sieving and aggregators: hints for MPI-IO, added to
 * those that the program passes when it opens a file. A hint of the program with the same name is
 * replaced for this file; a library ignores hints that it does not know. */
#include <stdio.h>
#include <string.h>

#include "../intercept/guard.h"
#include "../mpi/library.h"
#include "remedies.h"

typedef int open_function(mpi_handle comm, const char *path, int mode, mpi_handle info,
                          mpi_handle *fh);

static struct {
  int (*create)(mpi_handle *info);
  int (*copy)(mpi_handle info, mpi_handle *copy);
  int (*set)(mpi_handle info, const char *name, const char *value);
  int (*release)(mpi_handle *info);
} infos;

static void add(mpi_handle info) {
  char number[24];
  if (remedy_value(COLLECTIVE_BUFFERING)) {
    infos.set(info, "romio_cb_write", "enable");
    infos.set(info, "romio_cb_read", "enable");
  }
  if (remedy_value(NO_DATA_SIEVING)) infos.set(info, "romio_ds_write", "disable");
  if (remedy_value(AGGREGATORS)) {
    snprintf(number, sizeof(number), "%llu", (unsigned long long)remedy_value(AGGREGATORS));
    infos.set(info, "cb_nodes", number);
    infos.set(info, "cb_config_list", "*:*"); /* several of them on one host */
  }
}

static int is_null(mpi_handle info) {
  uintptr_t mask = mpi_library.handle_mask;
  return (info & mask) == (mpi_library.constants.INFO_NULL & mask);
}

static int opened(open_function *real, mpi_handle comm, const char *path, int mode, mpi_handle info,
                  mpi_handle *fh) {
  mpi_handle with_hints = 0;
  int is_known = mpi_library.flavour != MPI_NONE && mpi_library.flavour != MPI_UNKNOWN;
  if (!is_known || (is_null(info) ? infos.create(&with_hints) : infos.copy(info, &with_hints)) != 0)
    return real(comm, path, mode, info, fh);
  add(with_hints);
  int result = real(comm, path, mode, with_hints, fh);
  infos.release(&with_hints);
  return result;
}

/* MPI_File_open and PMPI_File_open lead to different functions if there is another tool. */
static open_function *real_open, *real_popen;

static int hinted_open(mpi_handle comm, const char *path, int mode, mpi_handle info,
                       mpi_handle *fh) {
  return opened(real_open, comm, path, mode, info, fh);
}

static int hinted_popen(mpi_handle comm, const char *path, int mode, mpi_handle info,
                        mpi_handle *fh) {
  return opened(real_popen, comm, path, mode, info, fh);
}

/* Returns 0 if the library has all functions that handle hints. */
static int ask(const void *caller) {
  *(void **)&infos.create = mpi_find_function("PMPI_Info_create", caller);
  *(void **)&infos.copy = mpi_find_function("PMPI_Info_dup", caller);
  *(void **)&infos.set = mpi_find_function("PMPI_Info_set", caller);
  *(void **)&infos.release = mpi_find_function("PMPI_Info_free", caller);
  return infos.create && infos.copy && infos.set && infos.release ? 0 : -1;
}

void *__real_mpi_resolve(void **slot, const char *name, const void *caller);
void *__wrap_mpi_resolve(void **slot, const char *name, const void *caller);

void *__wrap_mpi_resolve(void **slot, const char *name, const void *caller) {
  void *found = __real_mpi_resolve(slot, name, caller);
  int is_profiled = strcmp(name, "PMPI_File_open") == 0;
  if ((!is_profiled && strcmp(name, "MPI_File_open") != 0) ||
      (!remedy_value(COLLECTIVE_BUFFERING) && !remedy_value(NO_DATA_SIEVING) &&
       !remedy_value(AGGREGATORS)) ||
      ask(caller) < 0)
    return found;
  *(is_profiled ? &real_popen : &real_open) = (open_function *)found;
  void *instead = is_profiled ? (void *)hinted_popen : (void *)hinted_open;
  __atomic_store_n(slot, instead, __ATOMIC_RELEASE);
  return instead;
}
