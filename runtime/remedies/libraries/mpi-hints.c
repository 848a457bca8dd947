/* The remedies collective-buffering, no-data-sieving and aggregators: hints for MPI-IO, which are
 * added to the hints that the program passes when it opens a file or sets a view. They replace the
 * program's hints of the same names for this file. MPI libraries ignore hints that they do not
 * know. */
#include <stdio.h>
#include <string.h>

#include "../../intercept/guard.h"
#include "../../mpi/library.h"
#include "../remedies.h"

typedef int open_function(mpi_handle comm, const char *path, int mode, mpi_handle info,
                          mpi_handle *fh);
typedef int view_function(mpi_handle fh, int64_t at, mpi_handle etype, mpi_handle filetype,
                          const char *form, mpi_handle info);
typedef int info_function(mpi_handle fh, mpi_handle info);

/* The MPI library's functions MPI_Info_create, _dup, _set and _free, which return 0 (MPI_SUCCESS)
 * or an error. */
static struct {
  int (*create)(mpi_handle *info);
  int (*copy)(mpi_handle info, mpi_handle *copy);
  int (*set)(mpi_handle info, const char *name, const char *value);
  int (*release)(mpi_handle *info);
} infos;

/* Adds the hints of all remedies in DARSHAN_TRY. Errors are ignored. */
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
    infos.set(info, "cb_config_list", "*:*"); /* allows several aggregators on one host */
  }
}

static int is_null(mpi_handle info) {
  uintptr_t mask = mpi_library.handle_mask;
  return (info & mask) == (mpi_library.constants.INFO_NULL & mask);
}

/* Stores in *copy a copy of the program's hints with those of the remedies added; the caller frees
 * it. Returns 0, or -1 if the MPI library is unknown or the copy fails. */
static int with_ours(mpi_handle info, mpi_handle *copy) {
  if (mpi_library.flavour == MPI_NONE || mpi_library.flavour == MPI_UNKNOWN) return -1;
  *copy = 0;
  if ((is_null(info) ? infos.create(copy) : infos.copy(info, copy)) != 0) return -1;
  add(*copy);
  return 0;
}

/* Makes the replacements of MPI_File_open, MPI_File_set_view and MPI_File_set_info, by both names
 * MPI_x and PMPI_x, which call different functions if there is another tool. Hints that a program
 * passes later replace the hints of the open, so the remedy's hints are added to them as well. */
#define INSTEAD(name)                                                                              \
  static open_function *below_##name##open;                                                        \
  static int hinted_##name##open(mpi_handle comm, const char *path, int mode, mpi_handle info,     \
                                 mpi_handle *fh) {                                                 \
    mpi_handle ours;                                                                               \
    if (with_ours(info, &ours) < 0) return below_##name##open(comm, path, mode, info, fh);         \
    int result = below_##name##open(comm, path, mode, ours, fh);                                   \
    infos.release(&ours);                                                                          \
    return result;                                                                                 \
  }                                                                                                \
  static view_function *below_##name##set_view;                                                    \
  static int hinted_##name##set_view(mpi_handle fh, int64_t at, mpi_handle etype,                  \
                                     mpi_handle filetype, const char *form, mpi_handle info) {     \
    mpi_handle ours;                                                                               \
    if (is_null(info) || with_ours(info, &ours) < 0)                                               \
      return below_##name##set_view(fh, at, etype, filetype, form, info);                          \
    int result = below_##name##set_view(fh, at, etype, filetype, form, ours);                      \
    infos.release(&ours);                                                                          \
    return result;                                                                                 \
  }                                                                                                \
  static info_function *below_##name##set_info;                                                    \
  static int hinted_##name##set_info(mpi_handle fh, mpi_handle info) {                             \
    mpi_handle ours;                                                                               \
    if (is_null(info) || with_ours(info, &ours) < 0) return below_##name##set_info(fh, info);      \
    int result = below_##name##set_info(fh, ours);                                                 \
    infos.release(&ours);                                                                          \
    return result;                                                                                 \
  }
INSTEAD(MPI_File_)
INSTEAD(PMPI_File_)
#undef INSTEAD

#define ROW(name)                                                                                  \
  { #name, (void *)hinted_##name, (void **)&below_##name }
static const struct replacement hinted[] = {
    ROW(MPI_File_open),      ROW(PMPI_File_open),    ROW(MPI_File_set_view),
    ROW(PMPI_File_set_view), ROW(MPI_File_set_info), ROW(PMPI_File_set_info),
    {NULL, NULL, NULL},
};
#undef ROW

/* Looks up the functions of `infos`. caller: an address in the code that calls MPI. Returns 0, or
 * -1 if one is missing. */
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
  if (!remedy_value(COLLECTIVE_BUFFERING) && !remedy_value(NO_DATA_SIEVING) &&
      !remedy_value(AGGREGATORS))
    return found;
  for (const struct replacement *row = hinted; row->name; row++) {
    if (strcmp(row->name, name) != 0 || ask(caller) < 0) continue;
    __atomic_store_n(row->real, found, __ATOMIC_RELEASE);
    __atomic_store_n(slot, row->instead, __ATOMIC_RELEASE);
    return row->instead;
  }
  return found;
}
