/* Finds the functions of the HDF5 libraries of the process. */
#include <string.h>

#include "../../intercept/stack.h"
#include "hdf5.h"

SELDOM struct libraries h5_libraries;
SELDOM static char version[16]; /* of the HDF5 library that was found last, for example "1.14.3" */

const char *h5_version(void) {
  return version;
}

/* Stores major, minor and release number of the library as a text. */
static void note_version(const unsigned numbers[3]) {
  char text[sizeof(version)] = "";
  size_t used = 0;
  for (int i = 0; i < 3; i++) {
    unsigned number = numbers[i] < 1000 ? numbers[i] : 999, scale = number < 10 ? 1 : 10;
    if (number > 99) scale = 100;
    if (i > 0) text[used++] = '.';
    for (; scale > 0; scale /= 10)
      text[used++] = (char)('0' + number / scale % 10);
  }
  memcpy(version, text, sizeof(version));
}

/* Queries the version of the HDF5 library (library_: a struct h5_library) and stores it.
 * H5get_libversion must be the first call of the library, because it initializes the library for
 * other calls. */
static void ask_version(void *library_) {
  struct h5_library *library = library_;
  unsigned numbers[3] = {0, 0, 0};
  library->H5get_libversion(&numbers[0], &numbers[1], &numbers[2]);
  library->narrow_ids = numbers[0] == 1 && numbers[1] < 10;
  note_version(numbers);
}

/* Called once for each HDF5 library that is found: looks up its functions of queries.def. */
static void ask(struct library *found) {
  struct h5_library *library = (struct h5_library *)(void *)found;
#define QUERY(name, type, params) library->name = (type(*) params)library_ask(found, #name);
#include "queries.def"
#undef QUERY
  if (library->H5get_libversion) stack_run_at_home(ask_version, library);
}

static void forget(struct library *gone) {
  h5_forget_all((struct h5_library *)(void *)gone);
}

void *h5_function_slow(int number, const char *name, const void *caller,
                       struct h5_library **library) {
  static const struct library_kind kind = {"H5get_libversion", sizeof(struct h5_library),
                                           runtime_module_memory, ask, forget};
  struct library *found = library_of(&h5_libraries, &kind, caller);
  *library = (struct h5_library *)(void *)found;
  return library_function(found, *library ? &(*library)->functions[number] : NULL, name);
}
