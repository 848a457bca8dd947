/* Finds the functions of the DAOS libraries of the process. */
#include "daos.h"

static void ask(struct library *found) {
  struct daos_library *library = (struct daos_library *)(void *)found;
#define QUERY(name, type, params) library->name = (type(*) params)library_ask(found, #name);
#include "queries.def"
#undef QUERY
}

/* Does nothing when a library is unloaded: handles are addresses, so handles of another library
 * differ from the old ones. */
static void forget(struct library *gone) {
  (void)gone;
}

SELDOM static struct libraries libraries[2]; /* libdfs, libdaos */

static const struct library_kind libdfs = {"dfs_mount", sizeof(struct daos_library),
                                           runtime_module_memory, ask, forget};
static const struct library_kind libdaos = {"daos_init", sizeof(struct daos_library),
                                            runtime_module_memory, ask, forget};

struct daos_library *daos_library_of(enum daos_family family, const void *caller) {
  const struct library_kind *kind = family == DAOS_LIBDFS ? &libdfs : &libdaos;
  return (struct daos_library *)(void *)library_of(&libraries[family], kind, caller);
}

void *daos_function(struct daos_library *lib, int number, const char *name) {
  return library_function(lib ? &lib->common : NULL, lib ? &lib->functions[number] : NULL, name);
}
