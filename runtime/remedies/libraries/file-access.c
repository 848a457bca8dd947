/* The remedies chunk-cache, sieve-buffer and page-buffer: open HDF5 files with other settings of
 * the access property list. The chunk cache is set for the file, because h5py opens datasets by
 * H5Oopen, which takes no access list of a dataset. A cache that the program has made larger is
 * never made smaller. A cache that the program sets for a dataset (H5Pset_chunk_cache) replaces
 * that of the file. */
#include <string.h>

#include "../remedies.h"
#include "hdf5.h"

#define SLOTS "chunk-slots" /* number of slots in the hash table of chunks */

enum { PAGED = 1 }; /* H5F_FSPACE_STRATEGY_PAGE */

/* Sets the chunk cache of DARSHAN_TRY in the access property list, if it is larger than the list's
 * own. Returns 1 if the list was changed, otherwise 0. */
static int set_chunk_cache(struct hdf5 *h5, int64_t list) {
  size_t wanted = remedy_value(CHUNK_CACHE), most = remedy_value(SLOTS), slots = 0, bytes = 0;
  int metadata = 0;
  double policy = 0;
  return h5->H5Pget_cache(list, &metadata, &slots, &bytes, &policy) >= 0 && bytes < wanted &&
         h5->H5Pset_cache(list, metadata, slots < most ? most : slots, wanted, policy) >= 0;
}

/* Sets the size of the sieve buffer in the access property list, if DARSHAN_TRY names it. Returns 1
 * if the list was changed, otherwise 0. */
static int set_sieve(struct hdf5 *h5, int64_t list) {
  size_t wanted = remedy_value(SIEVE_BUFFER);
  return wanted && h5->H5Pset_sieve_buf_size(list, wanted) >= 0;
}

/* Returns a copy of the access list with the chunk cache and sieve buffer of DARSHAN_TRY, which the
 * caller closes; -1 if nothing must be changed or HDF5 cannot copy the list. */
static int64_t changed(struct hdf5 *h5, int64_t access) {
  int64_t list = hdf5_copy_list(h5, access, h5->file_access);
  if (list < 0) return -1;
  int with_cache = set_chunk_cache(h5, list), with_sieve = set_sieve(h5, list);
  if (with_cache || with_sieve) return list;
  h5->H5Pclose(list);
  return -1;
}

/* Returns 1 if the open file was created with the file space strategy PAGE, 0 if not or unknown.
 * HDF5 opens no other files with a page buffer. */
static int is_paged(struct hdf5 *h5, int64_t file) {
  int64_t list = h5->H5Fget_create_plist(file);
  uint64_t threshold = 0, persists = 0; /* a bool or an unsigned int, depending on HDF5's release */
  int strategy = 0;
  int known =
      list >= 0 && h5->H5Pget_file_space_strategy(list, &strategy, &persists, &threshold) >= 0;
  if (list >= 0) h5->H5Pclose(list);
  return known && strategy == PAGED;
}

/* Returns an access list with a page buffer for this file of the program, which the caller closes.
 * Returns -1 if the file must not be reopened, because it is open for writing (flags), is not
 * paged, has a page buffer of that size already, DARSHAN_TRY names no page buffer, or HDF5 has
 * none. access: the list with which the file was opened. */
static int64_t with_pages(struct hdf5 *h5, int64_t file, unsigned flags, int64_t access) {
  size_t wanted = remedy_value(PAGE_BUFFER), bytes = 0;
  unsigned metadata = 0, raw = 0;
  if (!wanted || flags || !h5->H5Pset_page_buffer_size || !is_paged(h5, file)) return -1;
  int64_t list = hdf5_copy_list(h5, access, h5->file_access);
  if (list < 0) return -1;
  if (h5->H5Pget_page_buffer_size(list, &bytes, &metadata, &raw) >= 0 && bytes < wanted &&
      h5->H5Pset_page_buffer_size(list, wanted, metadata, raw) >= 0)
    return list;
  h5->H5Pclose(list);
  return -1;
}

/* Closes an HDF5 file and reopens it with a page buffer (with_pages), or as before if that fails.
 * Returns the id of the open file for the application: `file` itself if it was not closed, a
 * negative value if it could not be reopened at all. */
static int64_t again_with_pages(struct hdf5 *h5, int64_t file, const char *path, unsigned flags,
                                int64_t access) {
  int64_t list = with_pages(h5, file, flags, access);
  if (list < 0) return file;
  h5->H5Fclose(file);
  int64_t again = h5->H5Fopen(path, flags, list);
  h5->H5Pclose(list);
  return again < 0 ? h5->H5Fopen(path, flags, access) : again;
}

static int64_t opened(struct hdf5 *h5, const char *path, unsigned flags, int64_t access) {
  int64_t list = changed(h5, access);
  int64_t file = h5->H5Fopen(path, flags, list < 0 ? access : list);
  if (file >= 0) file = again_with_pages(h5, file, path, flags, list < 0 ? access : list);
  hdf5_close_list(h5, list, file);
  return file;
}

static int64_t created(struct hdf5 *h5, const char *path, unsigned flags, int64_t creation,
                       int64_t access) {
  int64_t list = changed(h5, access);
  int64_t file = h5->H5Fcreate(path, flags, creation, list < 0 ? access : list);
  hdf5_close_list(h5, list, file);
  return file;
}

/* Makes a function per library, because HDF5 does not pass the library to a function. */
#define EACH(n)                                                                                    \
  static int64_t open_##n(const char *path, unsigned flags, int64_t access) {                      \
    return opened(&hdf5_libraries[n], path, flags, access);                                        \
  }                                                                                                \
  static int64_t create_##n(const char *path, unsigned flags, int64_t creation, int64_t access) {  \
    return created(&hdf5_libraries[n], path, flags, creation, access);                             \
  }
EACH(0)
EACH(1)
EACH(2)
EACH(3)
#undef EACH

int file_access_is_asked(void) {
  return remedy_value(CHUNK_CACHE) || remedy_value(SIEVE_BUFFER) || remedy_value(PAGE_BUFFER);
}

void *file_access_instead(int n, const char *name) {
  static void *const opens[HDF5_LIBRARIES] = {(void *)open_0, (void *)open_1, (void *)open_2,
                                              (void *)open_3};
  static void *const creates[HDF5_LIBRARIES] = {(void *)create_0, (void *)create_1,
                                                (void *)create_2, (void *)create_3};
  if (!file_access_is_asked()) return NULL;
  if (strcmp(name, "H5Fopen") == 0) return opens[n];
  return strcmp(name, "H5Fcreate") == 0 ? creates[n] : NULL;
}
