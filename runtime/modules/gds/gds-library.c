/* Finds the functions of the cuFile and hipFile libraries of the process. */
#include "gds.h"

static void ask(struct library *found) {
  (void)found; /* the runtime itself calls no function of these libraries */
}

/* Does nothing when a library is unloaded: handles are addresses, so handles of another library
 * differ from the old ones. */
static void forget(struct library *gone) {
  (void)gone;
}

SELDOM static struct libraries libraries[GDS_FAMILIES];

static const struct library_kind cufile = {"cuFileHandleRegister", sizeof(struct gds_library),
                                           runtime_module_memory, ask, forget};
static const struct library_kind hipfile = {"hipFileHandleRegister", sizeof(struct gds_library),
                                            runtime_module_memory, ask, forget};

struct gds_library *gds_library_of(enum gds_family family, const void *caller) {
  const struct library_kind *kind = family == GDS_CUFILE ? &cufile : &hipfile;
  return (struct gds_library *)(void *)library_of(&libraries[family], kind, caller);
}

void *gds_function(struct gds_library *lib, int number, const char *name) {
  return library_function(lib ? &lib->common : NULL, lib ? &lib->functions[number] : NULL, name);
}
