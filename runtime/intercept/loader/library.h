/* Finds the library of a kind (HDF5, PnetCDF) that a caller uses. A process may have several, most
 * of them loaded where RTLD_NEXT does not search (Python wheels bring their own, renamed). So the
 * search starts at the caller: the object that contains the return address, then that object's
 * dependencies. */
#ifndef DARSHAN_LIBRARY_H
#define DARSHAN_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

struct link_map;

/* A library that was found. A module's own struct begins with this one. */
struct library {
  struct library *next;          /* of the same kind; NULL: the last */
  uint32_t number;               /* from 1, within one kind */
  int life;                      /* enum library_life */
  int stays;                     /* it was loaded with the program, so it is never unloaded */
  const struct link_map *object; /* NULL: it is linked into the program */
  const void *entry;             /* address of the kind's `entry` */
  void *handle;                  /* open only while `ask` runs */
  void (*forget)(struct library *lib);
};

/* State of a library's slot. The slot of an unloaded library (LIBRARY_GONE) is reused. */
enum library_life { LIBRARY_IN_THE_MAKING, LIBRARY_LOADED, LIBRARY_GONE };

struct library_kind {
  const char *entry;            /* a function that every version has */
  size_t size;                  /* of the module's struct, which is zeroed */
  void *(*memory)(size_t size); /* allocates it; reports a failure */
  void (*ask)(
      struct library *lib); /* fills the rest of the struct once, when the library is found */
  void (*forget)(struct library *lib); /* called after the unload: the library's ids are invalid */
};

enum { LIBRARY_CALLERS = 256, LIBRARY_SITES = 512 };

/* The libraries of one kind, and the objects and call sites that use them. The number of libraries
 * has no limit: the functions of a library that is not in the list cannot be called. */
struct libraries {
  int lock;
  uint32_t count;
  uint64_t unloads; /* the loader's count when last read */
  struct library *first;
  struct library_caller {
    const void *object; /* start and end of the mapping of an object that calls the library */
    const void *end;
    uint64_t unloads;
    struct library *library;
    int stays; /* neither the object nor the library is ever unloaded */
  } callers[LIBRARY_CALLERS];
  /* Call sites in objects that are never unloaded. A slot is filled once, its address last, so a
   * thread that finds the address also finds its library. */
  struct library_site {
    const void *address;
    struct library *library;
  } sites[LIBRARY_SITES];
};

static inline struct library_site *library_site(struct libraries *libraries, const void *address) {
  uintptr_t n = (uintptr_t)address;
  return &libraries->sites[(n ^ n >> 9) % LIBRARY_SITES];
}

/* Returns the library that the code at this address calls, or NULL if the runtime finds none. */
struct library *library_of_slow(struct libraries *libraries, const struct library_kind *kind,
                                const void *caller);
static inline struct library *library_of(struct libraries *libraries,
                                         const struct library_kind *kind, const void *caller) {
  const struct library_site *site = library_site(libraries, caller);
  if (__builtin_expect(__atomic_load_n(&site->address, __ATOMIC_ACQUIRE) == caller, 1))
    return site->library;
  return library_of_slow(libraries, kind, caller);
}

/* Forgets unloaded libraries. Called after each dlclose of the application, which may have
 * unloaded libraries or callers of them. */
void library_closed(void);

/* Returns the library's function of this name, or NULL if the library has none. */
void *library_ask(const struct library *library, const char *name);

/* Returns the real function, never NULL: the library's function, which is also stored in `slot`. If
 * library is NULL or lacks the function, returns the next one in global scope, or one that fails
 * with ENOSYS. */
void *library_function_slow(const struct library *library, void **slot, const char *name);
static inline void *library_function(const struct library *library, void **slot, const char *name) {
  void *function = library ? __atomic_load_n(slot, __ATOMIC_ACQUIRE) : NULL;
  if (__builtin_expect(function != NULL, 1)) return function;
  return library_function_slow(library, slot, name);
}

#endif
