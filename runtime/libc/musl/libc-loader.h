/* Replacements for functions that musl's loader lacks: symbols have no versions, and the object of
 * an address is searched by its name. */
#ifndef DARSHAN_LIBC_LOADER_H
#define DARSHAN_LIBC_LOADER_H

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* This C library's name; part of its loader's path; and a string in the loader's file. With them
 * the runtime recognizes programs that use this C library. */
#define LIBC_NAME "musl"
#define LIBC_LOADER_NAME "/ld-musl"
#define LIBC_LOADER_MARK "musl libc"

/* 1 if the loader binds references without a version to symbols of hidden versions, too. musl's
 * loader never does, and does not support IFUNCs. */
#define LIBC_HIDES_VERSIONS 0

static inline int libc_loader_is_there(void) {
  return 1;
}

static inline void *libc_old_symbol(const char *name, const char *version) {
  (void)name, (void)version;
  return NULL;
}

/* The variable in which musl's loader has its list of objects for debuggers. musl's headers do not
 * declare it, and in a static program it is missing. The program's DT_DEBUG has the same address,
 * but AT_PHDR does not lead to the program if the user started the loader with the program as its
 * argument. */
extern struct r_debug *_dl_debug_addr;
#pragma weak _dl_debug_addr

/* Returns the first object of the loader's list; NULL in a static program. Does not call the
 * loader, because intercept/loader/libc-direct.c finds libc by this function. */
static inline struct link_map *libc_first_object(void) {
  return &_dl_debug_addr ? _dl_debug_addr->r_map : NULL;
}

/* Returns 1 if an object is part of musl, which is one object and its own loader. Otherwise returns
 * 0. The DT_SONAME is not reliable: Alpine's file has "libc.musl-x86_64.so.1", Debian's file has
 * none. */
static inline int libc_has_part(const struct link_map *map, const char *soname) {
  (void)soname;
  return &_dl_debug_addr && _dl_debug_addr->r_ldbase == map->l_addr;
}

static inline struct link_map *libc_object_of(const void *address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) return NULL;
  struct link_map *map = libc_first_object();
  while (map && (!map->l_name || strcmp(map->l_name, info.dli_fname) != 0))
    map = map->l_next;
  return map;
}

#endif
