/* Finds the functions of the HDF5 libraries of the process. */
#include "../../intercept/stack.h"
#include "hdf5.h"

SELDOM struct libraries h5_libraries;

/* Stores the version of the library. H5get_libversion is the library's first call and
 * initializes it for all others. */
static void ask_version(void *library_) {
  struct h5_library *library = library_;
  unsigned major = 0, minor = 0, release = 0;
  library->H5get_libversion(&major, &minor, &release);
  library->narrow_ids = major == 1 && minor < 10;
}

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
