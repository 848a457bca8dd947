/* The library (cuFile or hipFile) that a caller uses, found by intercept/loader/library.h. */
#ifndef DARSHAN_GDS_LIBRARY_H
#define DARSHAN_GDS_LIBRARY_H

#include "../../intercept/loader/library.h"

#define GDS_CALL(name, library, form) GDSFN_##name,
enum {
#include "calls.def"
  GDS_FUNCTIONS
};
#undef GDS_CALL

/* A cuFile or hipFile library of the process. */
struct gds_library {
  struct library common;
  void *functions[GDS_FUNCTIONS]; /* NULL: not looked up yet */
};

enum gds_family { GDS_CUFILE, GDS_HIPFILE, GDS_FAMILIES };

/* Returns the library of this family that the code at the address `caller` uses; NULL if the
 * runtime finds none. */
struct gds_library *gds_library_of(enum gds_family family, const void *caller);
/* Returns the real function `name`, with this number (GDSFN_...); never NULL. If lib is NULL or
 * lacks the function, returns the next one in global scope, or one that fails with ENOSYS. */
void *gds_function(struct gds_library *lib, int number, const char *name);

#endif
