/* Which library of a kind (HDF5, PnetCDF) a caller uses.  There may be several
 * in one process, most of them loaded where RTLD_NEXT does not look (Python
 * wheels bring their own, renamed), so the search starts from the caller: the
 * object that holds the return address, then that object's own dependencies. */
#ifndef DARSHAN_LIBRARY_H
#define DARSHAN_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

/* A library that was found; a module's own struct begins with it. */
struct library {
  uint32_t number; /* from 1, within its kind */
  void *handle;
};

/* In place of a handle of the loader: the library lies in the program itself. */
#define LIBRARY_INSIDE ((void *)1)

struct library_kind {
  const char *entry;                /* a function that every version has */
  size_t size;                      /* of the module's struct, which is zeroed */
  void (*ask)(struct library *lib); /* fills the rest of it, once */
};

enum { LIBRARIES = 8, LIBRARY_CALLERS = 256 };

/* The libraries of one kind, and who uses which. */
struct libraries {
  int lock;
  uint32_t count;
  struct library *found[LIBRARIES];
  struct {
    const void *object; /* start and end of the mapping of a calling object */
    const void *end;
    struct library *library;
  } callers[LIBRARY_CALLERS];
};

/* The library that the code at this address calls; NULL: none that can be asked. */
struct library *library_of(struct libraries *libraries, const struct library_kind *kind,
                           const void *caller);

/* A function of this library by its name; NULL: it has none. */
void *library_ask(const struct library *library, const char *name);

/* The real function: from the library, kept in slot, or without one from the
 * next object in global scope.  Never NULL. */
void *library_function(const struct library *library, void **slot, const char *name);

#endif
