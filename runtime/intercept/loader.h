/* The dynamic loader's functions, which a fully static program does not have:
 * referred to weakly, so that linking the runtime into one brings none in.  In
 * libdarshan.a loader_open, libc's own dlopen (libc-calls.def), is never found: dlopen is
 * there, for its own purposes, in many static programs, and the linker warns of whoever
 * refers to it. */
#ifndef DARSHAN_LOADER_H
#define DARSHAN_LOADER_H

#include <dlfcn.h>
#include <libc-loader.h>
#include <link.h>
#include <stdint.h>

#pragma weak dladdr
#pragma weak dl_iterate_phdr
#pragma weak dlclose
#pragma weak dlerror
#pragma weak dlinfo
#pragma weak dlsym

#ifdef DARSHAN_LINK_TIME
#pragma weak dlopen
#define loader_open dlopen
#else
void *loader_open(const char *file, int flags) __attribute__((weak, visibility("hidden")));
#endif

static inline int loader_is_there(void) {
  return dlsym && loader_open && dlclose && dlinfo && dladdr && dl_iterate_phdr &&
         libc_loader_is_there();
}

/* dlsym in an object that is loaded, or RTLD_NEXT: never an address in this library, which
 * would lead a wrapper back to itself. */
void *loader_symbol(void *handle, const char *name) __attribute__((visibility("hidden")));

/* What an address lies in, and from where to where that is mapped. */
struct loaded_object {
  const void *start, *end;
  const struct link_map *map;
};

/* loader_object_of: 0, or -1 if nothing that is loaded has this address.
 * loader_look: before the first question, by the library's constructor; until then, and
 * where the C library is older than 2.35, the list of the objects is walked. */
#if defined(__GLIBC__) && defined(DLFO_STRUCT_HAS_EH_DBASE) && !defined(DARSHAN_OLD_GLIBC)
static inline void loader_look(void) {}

static inline int loader_object_of(const void *address, struct loaded_object *object) {
  struct dl_find_object found;
  if (_dl_find_object((void *)(uintptr_t)address, &found) != 0) return -1;
  object->start = found.dlfo_map_start;
  object->end = found.dlfo_map_end;
  object->map = found.dlfo_link_map;
  return 0;
}
#else
void loader_look(void) __attribute__((visibility("hidden")));
int loader_object_of(const void *address, struct loaded_object *object)
    __attribute__((visibility("hidden")));
#endif

#endif
