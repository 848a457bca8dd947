/* Functions of glibc's loader that other loaders lack, and the objects that are part of glibc. */
#ifndef DARSHAN_LIBC_LOADER_H
#define DARSHAN_LIBC_LOADER_H

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

/* Name of this C library; part of the path of its loader, and a string in that file. Programs of
 * this C library are identified by them. */
#define LIBC_NAME "glibc"
#define LIBC_LOADER_NAME "/ld-linux"
#define LIBC_LOADER_MARK "GLIBC_PRIVATE"

/* 1 if the loader finds symbols of hidden versions for references without a version. */
#define LIBC_HIDES_VERSIONS 1

#pragma weak dladdr1
#pragma weak dlvsym

static inline int libc_loader_is_there(void) {
  return dlvsym && dladdr1;
}

/* Returns a symbol that exists for old programs only and has no default version. */
static inline void *libc_old_symbol(const char *name, const char *version) {
  return dlvsym(RTLD_NEXT, name, version);
}

/* Returns the object that contains an address, or NULL. */
static inline struct link_map *libc_object_of(const void *address) {
  struct link_map *map = NULL;
  Dl_info info;
  return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

static inline struct link_map *libc_first_object(void) {
  return _r_debug.r_map;
}

/* Returns 1 if an object is part of glibc: its DT_SONAME (NULL: none) begins with one of these.
 * libdl is empty since 2.34. intercept/loader/libc-direct.c must not call a function, so the asm
 * keeps the compiler from making a call of strncmp from the loop. */
static inline int libc_has_part(const struct link_map *map, const char *soname) {
  static const char known[][12] = {"libc.so.6", "libdl.so.2", "ld-linux", "ld64.so"};
  (void)map;
  for (unsigned i = 0; soname && i < sizeof(known) / sizeof(known[0]); i++) {
    const char *a = known[i], *b = soname;
    for (; *a && *a == *b; a++, b++)
      __asm__ volatile("");
    if (!*a) return 1;
  }
  return 0;
}

#endif
