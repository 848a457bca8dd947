/* The libraries of DAOS that a caller uses: intercept/library.h finds them. */
#ifndef DARSHAN_DAOS_LIBRARY_H
#define DARSHAN_DAOS_LIBRARY_H

#include "../../intercept/library.h"
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

struct daos_library {
  struct library common;
  void *functions[DAOS_FUNCTIONS];                    /* NULL: not looked up yet */
#define QUERY(name, type, params) type(*name) params; /* NULL: it has none */
#include "queries.def"
#undef QUERY
};

enum daos_family { DAOS_LIBDFS, DAOS_LIBDAOS, DAOS_FAMILIES };

/* The library of the caller; NULL: none that can be asked. */
struct daos_library *daos_library_of(enum daos_family family, const void *caller);
/* The real function of this number; lib may be NULL.  Never NULL. */
void *daos_function(struct daos_library *lib, int number, const char *name);

#endif
