/* The remedy chunk-cache: gives the files that a program opens through HDF5 a larger chunk cache.
 * The size is set in the file's access list, because h5py opens datasets by H5Oopen, which takes
 * no access list of a dataset. A size that the program set is never lowered, and a cache that it
 * sets for a dataset (H5Pset_chunk_cache) replaces the file's. */
#include <string.h>

#include "hdf5.h"
#include "remedies.h"

#define SLOTS "chunk-slots" /* of the hash table of chunks */

/* Returns a new access list with the larger cache; -1 if there is nothing to change. */
static int64_t with_cache(const struct hdf5 *h5, int64_t access) {
  size_t wanted = remedy_value(CHUNK_CACHE), most = remedy_value(SLOTS), slots = 0, bytes = 0;
  int metadata = 0;
  double policy = 0;
  int64_t list = access ? h5->H5Pcopy(access) : h5->H5Pcreate(*h5->file_access);
  if (list < 0) return -1;
  if (h5->H5Pget_cache(list, &metadata, &slots, &bytes, &policy) >= 0 && bytes < wanted &&
      h5->H5Pset_cache(list, metadata, slots < most ? most : slots, wanted, policy) >= 0)
    return list;
  h5->H5Pclose(list);
  return -1;
}

static int64_t opened(const struct hdf5 *h5, const char *path, unsigned flags, int64_t access) {
  int64_t list = with_cache(h5, access);
  int64_t file = h5->H5Fopen(path, flags, list < 0 ? access : list);
  if (list >= 0) h5->H5Pclose(list);
  return file;
}

static int64_t created(const struct hdf5 *h5, const char *path, unsigned flags, int64_t creation,
                       int64_t access) {
  int64_t list = with_cache(h5, access);
  int64_t file = h5->H5Fcreate(path, flags, creation, list < 0 ? access : list);
  if (list >= 0) h5->H5Pclose(list);
  return file;
}

/* A function per library: HDF5 does not tell a function which library it stands for. */
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

void *chunk_cache_instead(int n, const char *name) {
  static void *const opens[HDF5_LIBRARIES] = {(void *)open_0, (void *)open_1, (void *)open_2,
                                              (void *)open_3};
  static void *const creates[HDF5_LIBRARIES] = {(void *)create_0, (void *)create_1,
                                                (void *)create_2, (void *)create_3};
  if (!remedy_value(CHUNK_CACHE)) return NULL;
  if (strcmp(name, "H5Fopen") == 0) return opens[n];
  return strcmp(name, "H5Fcreate") == 0 ? creates[n] : NULL;
}
