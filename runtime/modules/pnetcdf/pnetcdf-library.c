/* Finds the functions of the PnetCDF libraries of the process. */
#include "pnetcdf.h"

SELDOM static struct libraries libraries;

static void ask(struct library *found) {
  struct pn_library *library = (struct pn_library *)(void *)found;
#define QUERY(name, params) library->name = (int(*) params)library_ask(found, #name);
#include "queries.def"
#undef QUERY
}

static void forget(struct library *gone) {
  pn_forget_all((struct pn_library *)(void *)gone);
}

struct pn_library *pn_library_of(const void *caller) {
  static const struct library_kind kind = {"ncmpi_inq_libvers", sizeof(struct pn_library),
                                           runtime_module_memory, ask, forget};
  return (struct pn_library *)(void *)library_of(&libraries, &kind, caller);
}

void *pn_function(struct pn_library *lib, int number, const char *name) {
  return library_function(lib ? &lib->common : NULL, lib ? &lib->functions[number] : NULL, name);
}
