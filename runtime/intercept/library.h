/* Which library of a kind (HDF5, PnetCDF) a caller uses.  There may be several
 * in one process, most of them loaded where RTLD_NEXT does not look (Python
 * wheels bring their own, renamed), so the search starts from the caller: the
 * object that holds the return address, then that object's own dependencies. */
#ifndef DARSHAN_LIBRARY_H
#define DARSHAN_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

struct link_map;

/* A library that was found; a module's own struct begins with it. */
struct library {
  uint32_t number;               /* from 1, within its kind */
  int life;                      /* enum library_life */
  int stays;                     /* it was loaded with the program: it is never unloaded */
  const struct link_map *object; /* NULL: it lies in the program itself */
  const void *entry;             /* the kind's function */
  void *handle;                  /* while it is being asked */
  void (*forget)(struct library *lib);
};

/* The place of a library that was unloaded is used again. */
enum library_life { LIBRARY_IN_THE_MAKING, LIBRARY_LOADED, LIBRARY_GONE };

struct library_kind {
  const char *entry;                   /* a function that every version has */
  size_t size;                         /* of the module's struct, which is zeroed */
  void *(*memory)(size_t size);        /* for it; where there is none, that is told */
  void (*ask)(struct library *lib);    /* fills the rest of it, once */
  void (*forget)(struct library *lib); /* it was unloaded: its ids mean nothing any more */
};

enum { LIBRARIES = 8, LIBRARY_CALLERS = 256, LIBRARY_SITES = 512 };

/* The libraries of one kind, and who uses which. */
struct libraries {
  int lock;
  uint32_t count;
  uint64_t unloads; /* of the loader, when last looked at: what is known of callers is as old */
  struct library *found[LIBRARIES];
  struct library_caller {
    const void *object; /* start and end of the mapping of a calling object */
    const void *end;
    uint64_t unloads;
    struct library *library;
    int stays; /* neither the object nor the library is ever unloaded */
  } callers[LIBRARY_CALLERS];
  /* Places that call from an object which stays.  A place of the table is filled once, and the
   * address last: who finds an address finds its library. */
  struct library_site {
    const void *address;
    struct library *library;
  } sites[LIBRARY_SITES];
};

static inline struct library_site *library_site(struct libraries *libraries, const void *address) {
  uintptr_t n = (uintptr_t)address;
  return &libraries->sites[(n ^ n >> 9) % LIBRARY_SITES];
}

/* The library that the code at this address calls; NULL: none that can be asked. */
struct library *library_of_slow(struct libraries *libraries, const struct library_kind *kind,
                                const void *caller);
static inline struct library *library_of(struct libraries *libraries,
                                         const struct library_kind *kind, const void *caller) {
  const struct library_site *site = library_site(libraries, caller);
  if (__builtin_expect(__atomic_load_n(&site->address, __ATOMIC_ACQUIRE) == caller, 1))
    return site->library;
  return library_of_slow(libraries, kind, caller);
}

/* After each dlclose of the application, which may have unloaded libraries, or
 * objects that call them. */
void library_closed(void);

/* A function of this library by its name; NULL: it has none. */
void *library_ask(const struct library *library, const char *name);

/* The real function: from the library, kept in slot, or without one from the
 * next object in global scope.  Never NULL. */
void *library_function_slow(const struct library *library, void **slot, const char *name);
static inline void *library_function(const struct library *library, void **slot, const char *name) {
  void *function = library ? __atomic_load_n(slot, __ATOMIC_ACQUIRE) : NULL;
  if (__builtin_expect(function != NULL, 1)) return function;
  return library_function_slow(library, slot, name);
}

#endif
