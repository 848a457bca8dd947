/* Finds libc's own functions in its symbol tables. This file must not call any function: KEEP_LOOP
 * keeps the compiler from replacing loops by calls of strlen or memcpy, which would lead back
 * here. */
#include "libc-direct.h"

#include <elf.h>
#include <libc-loader.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#define KEEP_LOOP __asm__ volatile("")
#define HIDDEN __attribute__((visibility("hidden")))

enum { OBJECTS = 4 }; /* libc, its loader, and libdl of older releases */
enum { VERSION_IS_OLD = 0x8000 };

/* The tables of a loaded object. */
struct tables {
  uintptr_t base;
  const ElfW(Sym) * symbols;
  const char *strings;
  const uint16_t *versions; /* NULL: symbols have no versions */
  const uint32_t *gnu_hash; /* one of these two is set */
  const uint32_t *hash;
  const char *soname;
};

extern ElfW(Dyn) _DYNAMIC[]; /* declared here because musl's headers lack it */
extern void *straight_slots[] HIDDEN;
/* A static program has neither of the two. */
#pragma weak _DYNAMIC
#pragma weak straight_slots

static const char names[] =
#define BY_NAME(name)
#define STRAIGHT(name) #name "\0"
#define STRAIGHT_AS(name, ours) #name "\0"
#include <libc-calls.def>
#undef STRAIGHT
#undef STRAIGHT_AS
    ;

static struct tables libc[OBJECTS];
static int libc_objects;

/* Returns the address that an entry of the dynamic section holds. glibc replaces the file's offsets
 * by addresses; musl and the kernel leave offsets from base. */
static const void *address_in(uintptr_t base, uintptr_t value) {
  return (const void *)(value < base ? base + value : value);
}

static struct tables tables_of(const struct link_map *map) {
  struct tables tables = {.base = map->l_addr};
  uintptr_t soname = 0;
  for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
    const void *at = address_in(map->l_addr, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) tables.symbols = at;
    if (entry->d_tag == DT_STRTAB) tables.strings = at;
    if (entry->d_tag == DT_VERSYM) tables.versions = at;
    if (entry->d_tag == DT_GNU_HASH) tables.gnu_hash = at;
    if (entry->d_tag == DT_HASH) tables.hash = at;
    if (entry->d_tag == DT_SONAME) soname = entry->d_un.d_val;
  }
  if (soname && tables.strings) tables.soname = tables.strings + soname;
  return tables;
}

static int same(const char *a, const char *b) {
  for (; *a && *a == *b; a++, b++)
    KEEP_LOOP;
  return *a == *b;
}

/* Returns the symbol of this number if it is defined, has this name and is the default version;
 * otherwise NULL. */
static const ElfW(Sym) * symbol_if(const struct tables *tables, uint32_t number, const char *name) {
  const ElfW(Sym) *symbol = &tables->symbols[number];
  if (symbol->st_shndx == SHN_UNDEF || !same(tables->strings + symbol->st_name, name)) return NULL;
  if (tables->versions && (tables->versions[number] & VERSION_IS_OLD)) return NULL;
  return symbol;
}

static const ElfW(Sym) * by_gnu_hash(const struct tables *tables, const char *name) {
  const uint32_t *head = tables->gnu_hash; /* buckets, first symbol, size of the filter, shift */
  const uint32_t *buckets = head + 4 + head[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t *chain = buckets + head[0];
  uint32_t hash = 5381;
  for (const char *c = name; *c; c++) {
    KEEP_LOOP;
    hash = hash * 33 + (unsigned char)*c;
  }
  uint32_t number = buckets[hash % head[0]];
  if (number < head[1]) return NULL;
  for (;; number++) {
    uint32_t of_symbol = chain[number - head[1]];
    const ElfW(Sym) *found = (of_symbol | 1) == (hash | 1) ? symbol_if(tables, number, name) : NULL;
    if (found || (of_symbol & 1)) return found;
  }
}

static const ElfW(Sym) * symbol_in(const struct tables *tables, const char *name) {
  const ElfW(Sym) *found = NULL;
  if (!tables->symbols || !tables->strings) return NULL;
  if (tables->gnu_hash) return tables->gnu_hash[0] ? by_gnu_hash(tables, name) : NULL;
  for (uint32_t i = 1; tables->hash && i < tables->hash[1] && !found; i++)
    found = symbol_if(tables, i, name);
  return found;
}

/* Returns the implementation that an IFUNC resolver selects for this processor. */
static void *chosen(void *choose) {
#if defined(__aarch64__) && defined(__GLIBC__)
  const uint64_t has_more = (uint64_t)1 << 62;
  typedef unsigned long ask(unsigned long);
  ask *auxiliary = (ask *)straight_function("getauxval");
  struct {
    unsigned long size, first, second;
  } processor = {sizeof(processor), 0, 0};
  if (auxiliary) processor.first = auxiliary(AT_HWCAP), processor.second = auxiliary(AT_HWCAP2);
  return ((void *(*)(uint64_t, const void *))choose)(processor.first | has_more, &processor);
#else
  return ((void *(*)(void))choose)();
#endif
}

/* Returns the loader's first list of objects, by the dynamic section of its first object; NULL if
 * that has no DT_DEBUG. A process that uses dlmopen or has an auditor has several lists, each with
 * its own libc. */
static const struct r_debug *first_list(const struct link_map *first) {
  const struct r_debug *list = NULL;
  for (const ElfW(Dyn) *entry = first ? first->l_ld : NULL; entry && entry->d_tag != DT_NULL;
       entry++)
    if (entry->d_tag == DT_DEBUG) list = (const struct r_debug *)entry->d_un.d_ptr;
  return list;
}

static const struct r_debug *next_list(const struct r_debug *list) {
  return list->r_version > 1 ? *(const struct r_debug *const *)(list + 1) : NULL;
}

/* Returns the head of the loader's list (one per namespace) that contains this library. */
static const struct link_map *first_object(void) {
  const struct link_map *first = libc_first_object();
  for (const struct r_debug *list = first_list(first); list; list = next_list(list))
    for (const struct link_map *map = list->r_map; map; map = map->l_next)
      if (map->l_ld == _DYNAMIC) return list->r_map;
  return first;
}

static void find_libc(void) {
  int count = 0;
  for (const struct link_map *map = first_object(); map && count < OBJECTS; map = map->l_next) {
    struct tables tables = tables_of(map);
    if (libc_has_part(map, tables.soname)) libc[count++] = tables;
  }
  libc_objects = count;
}

static void *function_in(const struct tables *tables, const char *name) {
  const ElfW(Sym) *symbol = symbol_in(tables, name);
  void *found = symbol ? (void *)(tables->base + symbol->st_value) : NULL;
  return found && ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC ? chosen(found) : found;
}

void *straight_function(const char *name) {
  if (!libc_objects) find_libc();
  for (int i = 0; i < libc_objects; i++) {
    void *found = function_in(&libc[i], name);
    if (found) return found;
  }
  return NULL;
}

/* Returns the first function of this name after this library, up to and including libc; NULL if
 * there is none, or if there are several namespaces. The loader appends what it opens later behind
 * libc. So every object between this library and libc came with the program and is never unloaded,
 * and the walk needs no lock. */
void *straight_next(const char *name) {
  const struct link_map *map = libc_first_object();
  const struct r_debug *list = first_list(map);
  void *found = NULL;
  int is_libc = 0;
  if (list && next_list(list)) return NULL;
  while (map && map->l_ld != _DYNAMIC)
    map = map->l_next;
  for (map = map ? map->l_next : NULL; map; map = map->l_next) {
    struct tables tables = tables_of(map);
    int was_libc = is_libc;
    is_libc = libc_has_part(map, tables.soname);
    if (was_libc && !is_libc) return NULL;
    if (!found) found = function_in(&tables, name);
    if (found && is_libc) return found;
  }
  return NULL;
}

void *straight_symbol(const struct link_map *object, const char *name) {
  struct tables tables = tables_of(object);
  return function_in(&tables, name);
}

/* Fills the slots of functions that this release of libc lacks. Does nothing and returns 0. */
static long nothing(void) {
  return 0;
}

void straight_bind(void) {
  int number = 0;
  for (const char *name = names; *name; number++) {
    void *found = straight_function(name);
    __atomic_store_n(&straight_slots[number], found ? found : (void *)&nothing, __ATOMIC_RELEASE);
    while (*name++)
      KEEP_LOOP;
  }
}
