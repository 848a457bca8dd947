/* Finds the object that contains an address, for a C library that lacks _dl_find_object or may be
 * older than the one that the runtime was compiled with. */
#include "loader.h"

#include "libc-direct.h"

/* Symbols that the linker defines at both ends of this library. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static int is_ours(const void *address) {
  return (const char *)address >= __ehdr_start && (const char *)address < _end;
}

/* Calls dlsym, which identifies its caller by the return address: the volatile result keeps the
 * compiler from turning the call into a tail jump. Replaces an address in this library by that of
 * the next object. */
void *loader_symbol(void *handle, const char *name) {
  void *volatile found = dlsym(handle, name);
  if (!found || !is_ours(found)) return found;
  found = handle == RTLD_NEXT ? NULL : dlsym(RTLD_NEXT, name);
  if (found && !is_ours(found)) return found;
  return straight_function(name);
}

#if !defined(__GLIBC__) || !defined(DLFO_STRUCT_HAS_EH_DBASE) || defined(DARSHAN_OLD_GLIBC)

/* The struct that _dl_find_object fills, by its interface; headers before glibc 2.35 lack it. */
struct answer {
  unsigned long long flags;
  void *start, *end;
  struct link_map *map;
  void *rest[16];
};

typedef int ask(void *address, struct answer *answer);
static ask *ask_loader;

struct walk {
  uintptr_t address;
  struct loaded_object *object;
};

/* Callback of dl_iterate_phdr: fills in the object if its mapping contains the address. Returns 1
 * in this case, -1 if the object is not in the loader's list, and 0 to continue. dl_iterate_phdr
 * holds the loader's lock, so loader_object_of prefers _dl_find_object, which takes no lock. */
static int look_into(struct dl_phdr_info *info, size_t size, void *walk_) {
  const struct walk *walk = walk_;
  uintptr_t start = UINTPTR_MAX, end = 0;
  int inside = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
    if (part->p_type != PT_LOAD) continue;
    if (from < start) start = from;
    if (to > end) end = to;
    inside |= walk->address >= from && walk->address < to;
  }
  if (!inside) return 0;
  const struct link_map *map = libc_first_object();
  while (map && (map->l_addr != info->dlpi_addr || map->l_name != info->dlpi_name))
    map = map->l_next;
  walk->object->start = (const void *)start;
  walk->object->end = (const void *)end;
  walk->object->map = map;
  return map ? 1 : -1;
}

int loader_object_of(const void *address, struct loaded_object *object) {
  ask *known = __atomic_load_n(&ask_loader, __ATOMIC_RELAXED);
  struct answer answer;
  struct walk walk = {(uintptr_t)address, object};
  if (!known) return dl_iterate_phdr && dl_iterate_phdr(look_into, &walk) == 1 ? 0 : -1;
  if (known((void *)(uintptr_t)address, &answer) != 0) return -1;
  object->start = answer.start;
  object->end = answer.end;
  object->map = answer.map;
  return 0;
}

/* Initializes libc's character tables, which isalpha and similar functions read. Before glibc 2.32
 * the runtime's constructor runs before libc's own, which initializes them again. */
static void begin_libc(void) {
  void *found = straight_function("__ctype_init");
  if (found) ((void (*)(void))found)();
}

void loader_look(void) {
  if (!loader_is_there()) return;
  void *found = straight_function("_dl_find_object");
  __atomic_store_n(&ask_loader, (ask *)found, __ATOMIC_RELAXED);
  if (!found) begin_libc();
}
#endif
