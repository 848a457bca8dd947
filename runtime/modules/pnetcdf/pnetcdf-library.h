/* The PnetCDF library that a caller uses: intercept/library.h finds it.  Each
 * wrapped function has a number: those of calls.def first, then transfers. */
#ifndef DARSHAN_PN_LIBRARY_H
#define DARSHAN_PN_LIBRARY_H

#include <stdint.h>

#include "../../intercept/library.h"

#define CALL(name, params, args, operation, find, event) PNFN_##name,
#define TRANSFER(api, form, type, mode, arguments) PNFN_##api##_##form##type##mode,
enum {
#include "calls.def"
  PN_FIRST_TRANSFER,
  PN_BEFORE_TRANSFERS = PN_FIRST_TRANSFER - 1,
#include "transfers.def"
  PN_FUNCTIONS
};
#undef CALL
#undef TRANSFER

struct pn_library {
  struct library common;
  void *functions[PN_FUNCTIONS]; /* NULL: not looked up yet */
#define QUERY(name, params) int(*name) params;
#include "queries.def"
#undef QUERY
};

/* The PnetCDF library of the caller; NULL: none that can be asked. */
struct pn_library *pn_library_of(const void *caller);
/* The real function of this number; lib may be NULL.  Never NULL. */
void *pn_function(struct pn_library *lib, int number, const char *name);

#endif
