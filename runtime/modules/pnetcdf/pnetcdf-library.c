/* Finds the functions of the PnetCDF libraries of the process. */
#include "pnetcdf.h"

SELDOM static struct libraries libraries;
SELDOM static char
    version[16]; /* of the PnetCDF library that was found last, for example "1.12.3" */

const char *pn_version(void) {
  return version;
}

/* Stores the version of the library, the digits and dots at the begin of the text that it returns
 * (told, "version date"). */
static void note_version(const char *told) {
  size_t length = 0;
  while (length < sizeof(version) - 1 &&
         ((told[length] >= '0' && told[length] <= '9') || told[length] == '.')) {
    version[length] = told[length];
    length++;
  }
  version[length] = '\0';
}

static void ask(struct library *found) {
  struct pn_library *library = (struct pn_library *)(void *)found;
#define QUERY(name, params) library->name = (int(*) params)library_ask(found, #name);
#include "queries.def"
#undef QUERY
  const char *(*told)(void) = (const char *(*)(void))library_ask(found, "ncmpi_inq_libvers");
  const char *text = told ? told() : NULL;
  if (text) note_version(text);
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
