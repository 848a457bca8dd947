/* The remedy fill-time: new datasets of HDF5 that are contiguous or chunked get no fill values, and
 * their space is allocated at once unless they have filters. Elements that the program never writes
 * are then undefined, so `darshan try` applies the remedy only to datasets that the log shows to be
 * overwritten, and compares the values. Types with data of variable length and references get fill
 * values as usual, because HDF5 reads them as addresses. */
#include <string.h>

#include "../remedies.h"
#include "hdf5.h"

/* Constants of H5Tpublic.h and H5Dpublic.h. */
enum { REFERENCE = 7, VARIABLE_LENGTH = 9, NEVER = 1, EARLY = 1, CONTIGUOUS = 1, CHUNKED = 2 };

/* Returns 1 if elements of this type may be undefined: it has no data of variable length and no
 * references. Otherwise, or if HDF5 fails, returns 0. */
static int may_be_undefined(struct hdf5 *h5, int64_t type) {
  return h5->H5Tdetect_class(type, VARIABLE_LENGTH) == 0 &&
         h5->H5Tdetect_class(type, REFERENCE) == 0 && h5->H5Tis_variable_str(type) == 0;
}

/* Returns a copy of the creation list without fill values, which the caller closes; -1 if nothing
 * must be changed or a call of HDF5 fails. Space is allocated at once, except for chunks with
 * filters. type: of the dataset's elements. */
static int64_t without_fill(struct hdf5 *h5, int64_t creation, int64_t type) {
  if (!may_be_undefined(h5, type)) return -1;
  int64_t list = hdf5_copy_list(h5, creation, h5->dataset_creation);
  if (list < 0) return -1;
  int layout = h5->H5Pget_layout(list);
  int is_plain = layout == CONTIGUOUS || (layout == CHUNKED && h5->H5Pget_nfilters(list) == 0);
  if (is_plain && h5->H5Pset_fill_time(list, NEVER) >= 0 && h5->H5Pset_alloc_time(list, EARLY) >= 0)
    return list;
  if (layout == CHUNKED && h5->H5Pset_fill_time(list, NEVER) >= 0) return list;
  h5->H5Pclose(list);
  return -1;
}

static int64_t created(struct hdf5 *h5, int64_t place, const char *name, int64_t type,
                       int64_t space, int64_t links, int64_t creation, int64_t access) {
  int64_t list = without_fill(h5, creation, type);
  int64_t made =
      h5->H5Dcreate2(place, name, type, space, links, list < 0 ? creation : list, access);
  hdf5_close_list(h5, list, made);
  return made;
}

static int64_t created_without_name(struct hdf5 *h5, int64_t place, int64_t type, int64_t space,
                                    int64_t creation, int64_t access) {
  int64_t list = without_fill(h5, creation, type);
  int64_t made = h5->H5Dcreate_anon(place, type, space, list < 0 ? creation : list, access);
  hdf5_close_list(h5, list, made);
  return made;
}

/* Makes a function per library, as in file-access.c. */
#define EACH(n)                                                                                    \
  static int64_t create_##n(int64_t place, const char *name, int64_t type, int64_t space,          \
                            int64_t links, int64_t creation, int64_t access) {                     \
    return created(&hdf5_libraries[n], place, name, type, space, links, creation, access);         \
  }                                                                                                \
  static int64_t create_anon_##n(int64_t place, int64_t type, int64_t space, int64_t creation,     \
                                 int64_t access) {                                                 \
    return created_without_name(&hdf5_libraries[n], place, type, space, creation, access);         \
  }
EACH(0)
EACH(1)
EACH(2)
EACH(3)
#undef EACH

void *fill_time_instead(int n, const char *name) {
  static void *const named[HDF5_LIBRARIES] = {(void *)create_0, (void *)create_1, (void *)create_2,
                                              (void *)create_3};
  static void *const nameless[HDF5_LIBRARIES] = {(void *)create_anon_0, (void *)create_anon_1,
                                                 (void *)create_anon_2, (void *)create_anon_3};
  if (!remedy_value(FILL_TIME)) return NULL;
  if (strcmp(name, "H5Dcreate2") == 0) return named[n];
  return strcmp(name, "H5Dcreate_anon") == 0 ? nameless[n] : NULL;
}
