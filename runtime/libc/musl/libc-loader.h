/* What musl's loader does not tell: symbols have no versions, and the object of an address
 * is looked for by its name. */
#ifndef DARSHAN_LIBC_LOADER_H
#define DARSHAN_LIBC_LOADER_H

#include <dlfcn.h>
#include <link.h>
#include <string.h>

static inline int libc_loader_is_there(void) {
  return 1;
}

static inline void *libc_old_symbol(const char *name, const char *version) {
  (void)name, (void)version;
  return NULL;
}

static inline void *libc_find_object(void) {
  return NULL;
}

static inline struct link_map *libc_first_object(void) {
  void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
  struct link_map *map = NULL;
  return program && dlinfo(program, RTLD_DI_LINKMAP, &map) == 0 ? map : NULL;
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
