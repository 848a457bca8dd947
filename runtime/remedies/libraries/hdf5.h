/* The HDF5 libraries of the process, for remedies that change property lists. */
#ifndef DARSHAN_REMEDIES_HDF5_H
#define DARSHAN_REMEDIES_HDF5_H

#include <stddef.h>
#include <stdint.h>

/* Largest number of HDF5 libraries for which functions are replaced; a process may have several. */
enum { HDF5_LIBRARIES = 4 };

struct library;

/* The functions of a library that remedies call or replace: FUNCTION(name, type, parameters). */
#define HDF5_FUNCTIONS(FUNCTION)                                                                   \
  FUNCTION(H5open, int, (void))                                                                    \
  FUNCTION(H5Fopen, int64_t, (const char *path, unsigned flags, int64_t access))                   \
  FUNCTION(H5Fcreate, int64_t,                                                                     \
           (const char *path, unsigned flags, int64_t creation, int64_t access))                   \
  FUNCTION(H5Pcreate, int64_t, (int64_t))                                                          \
  FUNCTION(H5Pcopy, int64_t, (int64_t))                                                            \
  FUNCTION(H5Pclose, int, (int64_t))                                                               \
  FUNCTION(H5Pget_cache, int, (int64_t, int *, size_t *, size_t *, double *))                      \
  FUNCTION(H5Pset_cache, int, (int64_t, int, size_t, size_t, double))                              \
  FUNCTION(H5Pset_sieve_buf_size, int, (int64_t, size_t))                                          \
  FUNCTION(H5Fclose, int, (int64_t))                                                               \
  FUNCTION(H5Fget_create_plist, int64_t, (int64_t))                                                \
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

/* Functions that releases before 1.10.1 lack; their pointers are NULL there. */
#define HDF5_NEWER_FUNCTIONS(FUNCTION)                                                             \
  FUNCTION(H5Pget_file_space_strategy, int, (int64_t, int *, void *persists, uint64_t *))          \
  FUNCTION(H5Pget_page_buffer_size, int, (int64_t, size_t *, unsigned *, unsigned *))              \
  FUNCTION(H5Pset_page_buffer_size, int, (int64_t, size_t, unsigned, unsigned))

/* An HDF5 library of the process, and its functions. A slot that was taken is never freed. */
struct hdf5 {
  int is_taken;                  /* 1: a thread fills this slot, or has filled it */
  const struct library *library; /* NULL: the other members are not set yet */
  int64_t *file_access;          /* addresses of the ids of two classes of property lists */
  int64_t *dataset_creation;
  int64_t unclosed; /* property list of a call that failed; 0: none */
#define FUNCTION(name, type, params) type(*name) params;
  HDF5_FUNCTIONS(FUNCTION)
  HDF5_NEWER_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* Returns a copy of a property list, or a new list of the class if `list` is H5P_DEFAULT; a
 * negative value on failure. The caller passes the copy to hdf5_close_list. class: h5->file_access
 * or h5->dataset_creation. Opens HDF5 if the program has not opened it yet (until then *class is
 * not set), and closes the list of an earlier failed call. */
int64_t hdf5_copy_list(struct hdf5 *h5, int64_t list, const int64_t *class);

/* Closes a list of hdf5_copy_list after the call that used it. list: negative: there is none.
 * result: what the call returned; negative: it failed. After a failed call, the list stays open
 * until the next hdf5_copy_list, because closing it would clear HDF5's error stack, which the
 * program may read. */
void hdf5_close_list(struct hdf5 *h5, int64_t list, int64_t result);

extern struct hdf5 hdf5_libraries[HDF5_LIBRARIES];

/* Return the replacement of the HDF5 function `name`; NULL if DARSHAN_TRY does not name the remedy,
 * or if the remedy does not replace the function. file_access_instead: for chunk-cache,
 * sieve-buffer and page-buffer; fill_time_instead: for fill-time. n: the library's index in
 * hdf5_libraries. */
void *file_access_instead(int n, const char *name);
void *fill_time_instead(int n, const char *name);

/* Returns 1 if DARSHAN_TRY names chunk-cache, sieve-buffer or page-buffer, otherwise 0. */
int file_access_is_asked(void);

#endif
