/* What musl's loader does not tell: symbols have no versions, and the object of an address
 * is looked for by its name. */
#ifndef DARSHAN_LIBC_LOADER_H
#define DARSHAN_LIBC_LOADER_H

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

static inline int libc_loader_is_there(void) {
  return 1;
}

static inline void *libc_old_symbol(const char *name, const char *version) {
  (void)name, (void)version;
  return NULL;
}

/* The program's own table of segments leads to its dynamic section, where the loader has left
 * its list for debuggers.  The loader is not called: intercept/straight.c finds libc this way. */
static inline struct link_map *libc_first_object(void) {
  const ElfW(Phdr) *first = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  const ElfW(Dyn) *entry = NULL;
  size_t count = getauxval(AT_PHNUM), base = 0;
  for (size_t i = 0; first && i < count; i++)
    if (first[i].p_type == PT_PHDR) base = (size_t)first - first[i].p_vaddr;
  for (size_t i = 0; first && i < count; i++)
    if (first[i].p_type == PT_DYNAMIC) entry = (const ElfW(Dyn) *)(base + first[i].p_vaddr);
  for (; entry && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_DEBUG) return ((const struct r_debug *)entry->d_un.d_ptr)->r_map;
  return NULL;
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
