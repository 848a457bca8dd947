/* Weak references to the functions of the dynamic loader, so that linking the runtime into a static
 * program does not pull them in. In libdarshan.a, loader_open (libc's own dlopen, libc-calls.def)
 * is never defined: many static programs contain dlopen for other purposes, and the linker warns
 * about every reference to it. */
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

/* Looks up a symbol like dlsym, in a loaded object or behind this library (RTLD_NEXT). Returns its
 * address; NULL if the symbol does not exist. Never returns an address in this library, because a
 * wrapper would then call itself. */
void *loader_symbol(void *handle, const char *name) __attribute__((visibility("hidden")));

/* The object that contains an address, and the ends of its mapping. */
struct loaded_object {
  const void *start, *end;
  const struct link_map *map;
};

/* Finds the loaded object that contains an address. Returns 0, or -1 if there is none. The
 * library's constructor calls loader_look once. Until then, and with a C library older than 2.35,
 * loader_object_of walks the list of objects. */
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
/* Finds the loaded object that contains an address. Returns 0, or -1 if no object does. */
int loader_object_of(const void *address, struct loaded_object *object)
    __attribute__((visibility("hidden")));
#endif

#endif
