/* The DAOS libraries that callers use, found by intercept/loader/library.h. */
#ifndef DARSHAN_DAOS_LIBRARY_H
#define DARSHAN_DAOS_LIBRARY_H

#include "../../intercept/loader/library.h"
#include "daos-types.h"

#define DFS_CALL(name, params, args, find, event) DAOSFN_##name,
#define DAOS_CALL DFS_CALL
#define EVENT_CALL(name, params, args, event) DAOSFN_##name,
enum {
#include "calls.def"
  DAOS_FUNCTIONS
};
#undef DFS_CALL
#undef DAOS_CALL
#undef EVENT_CALL

/* A DAOS library (libdfs or libdaos) of the process. */
struct daos_library {
  struct library common;
  void *functions[DAOS_FUNCTIONS];                    /* NULL: not looked up yet */
#define QUERY(name, type, params) type(*name) params; /* NULL: the library does not have it */
#include "queries.def"
#undef QUERY
};

enum daos_family { DAOS_LIBDFS, DAOS_LIBDAOS, DAOS_FAMILIES };

/* Returns the library of this family that the code at the address `caller` uses; NULL if the
 * runtime finds none. */
struct daos_library *daos_library_of(enum daos_family family, const void *caller);
/* Returns the real function `name`, with this number (DAOSFN_...); never NULL. If lib is NULL or
 * lacks the function, returns the next one in global scope, or one that fails with ENOSYS. */
void *daos_function(struct daos_library *lib, int number, const char *name);

#endif
