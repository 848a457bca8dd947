/* The remedy chunk-cache: gives the files that a program opens through HDF5 a larger chunk cache.
 * The size is set in the file's access list, because h5py opens datasets by H5Oopen, which takes
 * no access list of a dataset. A size that the program set is never lowered, and a cache that it
 * sets for a dataset (H5Pset_chunk_cache) replaces the file's. */
#include <string.h>

#include "../intercept/guard.h"
#include "../intercept/library.h"
#include "remedies.h"

#define REMEDY "chunk-cache"
#define SLOTS "chunk-slots" /* of the hash table of chunks */

/* A process may have several HDF5 libraries; those beyond this number keep their functions. */
enum { LIBRARIES = 4 };

typedef int64_t open_function(const char *path, unsigned flags, int64_t access);
typedef int64_t create_function(const char *path, unsigned flags, int64_t creation, int64_t access);

static struct cached_library {
  int is_taken;
  const struct library *library; /* NULL: the rest is not there yet */
  open_function *open;
  create_function *create;
  int64_t *default_list; /* the class of access lists */
  int64_t (*H5Pcreate)(int64_t);
  int64_t (*H5Pcopy)(int64_t);
  int (*H5Pclose)(int64_t);
  int (*H5Pget_cache)(int64_t, int *, size_t *, size_t *, double *);
  int (*H5Pset_cache)(int64_t, int, size_t, size_t, double);
} libraries[LIBRARIES];

/* Returns a new access list with the larger cache; -1 if there is nothing to change. */
static int64_t with_cache(const struct cached_library *h5, int64_t access) {
  size_t wanted = remedy_value(REMEDY), most = remedy_value(SLOTS), slots = 0, bytes = 0;
  int metadata = 0;
  double policy = 0;
  int64_t list = access ? h5->H5Pcopy(access) : h5->H5Pcreate(*h5->default_list);
  if (list < 0) return -1;
  if (h5->H5Pget_cache(list, &metadata, &slots, &bytes, &policy) >= 0 && bytes < wanted &&
      h5->H5Pset_cache(list, metadata, slots < most ? most : slots, wanted, policy) >= 0)
    return list;
  h5->H5Pclose(list);
  return -1;
}

static int64_t opened(const struct cached_library *h5, const char *path, unsigned flags,
                      int64_t access) {
  int64_t list = with_cache(h5, access);
  int64_t file = h5->open(path, flags, list < 0 ? access : list);
  if (list >= 0) h5->H5Pclose(list);
  return file;
}

static int64_t created(const struct cached_library *h5, const char *path, unsigned flags,
                       int64_t creation, int64_t access) {
  int64_t list = with_cache(h5, access);
  int64_t file = h5->create(path, flags, creation, list < 0 ? access : list);
  if (list >= 0) h5->H5Pclose(list);
  return file;
}

/* A function per library: HDF5 does not tell a function which library it stands for. */
#define EACH(n)                                                                                    \
  static int64_t open_##n(const char *path, unsigned flags, int64_t access) {                      \
    return opened(&libraries[n], path, flags, access);                                             \
  }                                                                                                \
  static int64_t create_##n(const char *path, unsigned flags, int64_t creation, int64_t access) {  \
    return created(&libraries[n], path, flags, creation, access);                                  \
  }
EACH(0)
EACH(1)
EACH(2)
EACH(3)
#undef EACH

/* Fills an element. Returns 0, or -1 if the library lacks a function. */
static int ask(struct cached_library *h5, const struct library *library) {
  h5->default_list = library_ask(library, "H5P_CLS_FILE_ACCESS_ID_g");
  if (!h5->default_list) h5->default_list = library_ask(library, "H5P_CLS_FILE_ACCESS_g");
  h5->H5Pcreate = (int64_t(*)(int64_t))library_ask(library, "H5Pcreate");
  h5->H5Pcopy = (int64_t(*)(int64_t))library_ask(library, "H5Pcopy");
  h5->H5Pclose = (int (*)(int64_t))library_ask(library, "H5Pclose");
  h5->H5Pget_cache =
      (int (*)(int64_t, int *, size_t *, size_t *, double *))library_ask(library, "H5Pget_cache");
  h5->H5Pset_cache =
      (int (*)(int64_t, int, size_t, size_t, double))library_ask(library, "H5Pset_cache");
  h5->open = (open_function *)library_ask(library, "H5Fopen");
  h5->create = (create_function *)library_ask(library, "H5Fcreate");
  return h5->default_list && h5->H5Pcreate && h5->H5Pcopy && h5->H5Pclose && h5->H5Pget_cache &&
                 h5->H5Pset_cache && h5->open && h5->create
             ? 0
             : -1;
}

/* Returns the number of the library's element, which is made if need be; -1 without one. The first
 * H5Fopen or H5Fcreate of a library comes here. */
static int number_of(const struct library *library) {
  for (int n = 0; n < LIBRARIES; n++) {
    struct cached_library *h5 = &libraries[n];
    if (__atomic_load_n(&h5->library, __ATOMIC_ACQUIRE) == library) return n;
    if (__atomic_exchange_n(&h5->is_taken, 1, __ATOMIC_ACQ_REL)) continue;
    if (ask(h5, library) < 0) {
      __atomic_store_n(&h5->is_taken, 0, __ATOMIC_RELEASE);
      return -1;
    }
    __atomic_store_n(&h5->library, library, __ATOMIC_RELEASE);
    return n;
  }
  return -1;
}

void *chunk_cache_function(const struct library *library, const char *name, void *real) {
  static open_function *const opens[LIBRARIES] = {open_0, open_1, open_2, open_3};
  static create_function *const creates[LIBRARIES] = {create_0, create_1, create_2, create_3};
  int is_open = strcmp(name, "H5Fopen") == 0;
  if ((!is_open && strcmp(name, "H5Fcreate") != 0) || !remedy_value(REMEDY)) return real;
  int number = number_of(library);
  if (number < 0) return real;
  return is_open ? (void *)opens[number] : (void *)creates[number];
}
