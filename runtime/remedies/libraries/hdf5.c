/* Finds the HDF5 libraries of the process, and replaces their functions by functions of
 * remedies. */
#include "hdf5.h"

#include "../../intercept/loader/library.h"
#include "../remedies.h"

struct hdf5 hdf5_libraries[HDF5_LIBRARIES];

int64_t hdf5_copy_list(struct hdf5 *h5, int64_t list, const int64_t *class) {
  if (*class <= 0)
    h5->H5open(); /* it is the program's first call of HDF5, so classes have no ids yet */
  int64_t unclosed = __atomic_exchange_n(&h5->unclosed, 0, __ATOMIC_ACQ_REL);
  if (unclosed) h5->H5Pclose(unclosed);
  return list ? h5->H5Pcopy(list) : h5->H5Pcreate(*class);
}

void hdf5_close_list(struct hdf5 *h5, int64_t list, int64_t result) {
  if (list < 0) return;
  if (result < 0)
    __atomic_store_n(&h5->unclosed, list, __ATOMIC_RELEASE);
  else
    h5->H5Pclose(list);
}

/* Returns the address of the library's variable with the id of a class of property lists, or NULL
 * if it has none. old_name: the variable's name in older releases of HDF5, without _ID. */
static int64_t *class_of(const struct library *library, const char *name, const char *old_name) {
  int64_t *found = library_ask(library, name);
  return found ? found : library_ask(library, old_name);
}

/* Looks up the functions of a library that remedies need. Returns 0, or -1 if the library lacks one
 * of HDF5_FUNCTIONS or a class. Functions of HDF5_NEWER_FUNCTIONS may be NULL. */
static int ask(struct hdf5 *h5, const struct library *library) {
  h5->file_access = class_of(library, "H5P_CLS_FILE_ACCESS_ID_g", "H5P_CLS_FILE_ACCESS_g");
  h5->dataset_creation =
      class_of(library, "H5P_CLS_DATASET_CREATE_ID_g", "H5P_CLS_DATASET_CREATE_g");
  if (!h5->file_access || !h5->dataset_creation) return -1;
#define FUNCTION(name, type, params)                                                               \
  h5->name = (type(*) params)library_ask(library, #name);                                          \
  if (!h5->name) return -1;
  HDF5_FUNCTIONS(FUNCTION)
#undef FUNCTION
#define FUNCTION(name, type, params) h5->name = (type(*) params)library_ask(library, #name);
  HDF5_NEWER_FUNCTIONS(FUNCTION)
#undef FUNCTION
  if (!h5->H5Pget_file_space_strategy || !h5->H5Pget_page_buffer_size)
    h5->H5Pset_page_buffer_size = NULL;
  return 0;
}

/* Returns the index of the library's element, which is made if necessary; -1 if the library lacks a
 * function or the table is full. */
static int number_of(const struct library *library) {
  for (int n = 0; n < HDF5_LIBRARIES; n++) {
    struct hdf5 *h5 = &hdf5_libraries[n];
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

void *hdf5_function(const struct library *library, const char *name, void *real) {
  if (!file_access_is_asked() && !remedy_value(FILL_TIME)) return real;
  int n = number_of(library);
  void *instead = n < 0 ? NULL : file_access_instead(n, name);
  if (n >= 0 && !instead) instead = fill_time_instead(n, name);
  return instead ? instead : real;
}
