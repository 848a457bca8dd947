/* The HDF5 libraries of the process, for remedies that change property lists. */
#ifndef DARSHAN_REMEDIES_HDF5_H
#define DARSHAN_REMEDIES_HDF5_H

#include <stddef.h>
#include <stdint.h>

/* A process may have several HDF5 libraries; those beyond this number keep their functions. */
enum { HDF5_LIBRARIES = 4 };

struct library;

/* The functions of a library that remedies call or replace: FUNCTION(name, type, parameters). */
#define HDF5_FUNCTIONS(FUNCTION)                                                                   \
  FUNCTION(H5Fopen, int64_t, (const char *path, unsigned flags, int64_t access))                   \
  FUNCTION(H5Fcreate, int64_t,                                                                     \
           (const char *path, unsigned flags, int64_t creation, int64_t access))                   \
  FUNCTION(H5Pcreate, int64_t, (int64_t))                                                          \
  FUNCTION(H5Pcopy, int64_t, (int64_t))                                                            \
  FUNCTION(H5Pclose, int, (int64_t))                                                               \
  FUNCTION(H5Pget_cache, int, (int64_t, int *, size_t *, size_t *, double *))                      \
  FUNCTION(H5Pset_cache, int, (int64_t, int, size_t, size_t, double))                              \
  FUNCTION(H5Pget_layout, int, (int64_t))                                                          \
  FUNCTION(H5Pget_nfilters, int, (int64_t))                                                        \
  FUNCTION(H5Pset_fill_time, int, (int64_t, int))                                                  \
  FUNCTION(H5Pset_alloc_time, int, (int64_t, int))                                                 \
  FUNCTION(H5Tdetect_class, int, (int64_t, int))                                                   \
  FUNCTION(H5Tis_variable_str, int, (int64_t))                                                     \
  FUNCTION(H5Dcreate2, int64_t,                                                                    \
           (int64_t place, const char *name, int64_t type, int64_t space, int64_t links,           \
            int64_t creation, int64_t access))                                                     \
  FUNCTION(H5Dcreate_anon, int64_t,                                                                \
           (int64_t place, int64_t type, int64_t space, int64_t creation, int64_t access))

struct hdf5 {
  int is_taken;
  const struct library *library; /* NULL: the rest is not there yet */
  int64_t *file_access;          /* classes of property lists */
  int64_t *dataset_creation;
#define FUNCTION(name, type, params) type(*name) params;
  HDF5_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

extern struct hdf5 hdf5_libraries[HDF5_LIBRARIES];

/* Returns what a remedy calls in place of this function of a library; NULL: the function itself.
 * n: the number of the library. */
void *chunk_cache_instead(int n, const char *name);
void *fill_time_instead(int n, const char *name);

#endif
