/* Functions of glibc's loader that other loaders lack, and the list of objects that are part of
 * glibc. */
#ifndef DARSHAN_LIBC_LOADER_H
#define DARSHAN_LIBC_LOADER_H

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

/* This C library's name; part of its loader's path; and a string in the loader's file. With them
 * the runtime recognizes programs that use this C library. */
#define LIBC_NAME "glibc"
#define LIBC_LOADER_NAME "/ld-linux"
#define LIBC_LOADER_MARK "GLIBC_PRIVATE"

/* 1 if the loader binds references without a version to symbols of hidden versions, too. */
#define LIBC_HIDES_VERSIONS 1

#pragma weak dladdr1
#pragma weak dlvsym

static inline int libc_loader_is_there(void) {
  return dlvsym && dladdr1;
}

/* Returns the address of a symbol that exists only for old programs and has no default version;
 * NULL if there is none. */
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

/* Returns 1 if an object is part of glibc: its DT_SONAME (NULL: none) begins with a name in
 * `known`. Otherwise returns 0. libdl is empty since 2.34. intercept/loader/libc-direct.c must not
 * call a function, so the asm keeps the compiler from replacing the loop by a call of strncmp. */
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
