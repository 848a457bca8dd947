/* Decides which conditionally exported wrappers are visible (conditional-export.h), by editing the
 * symbol versions of this library and slots that the loader has filled. */
#include "conditional-export.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "../sys/sys.h"
#include "loader.h"

int shown_is_due;

#if LIBC_HIDES_VERSIONS

/* Version numbers in this library's table, in the order of versions.map. */
enum { PUBLIC = 1, START = 2, LATER = 3, HIDDEN = 0x8000 };

/* The tables of a loaded object in which the loader looks up symbols, and the slots that it
 * fills. */
struct tables {
  ElfW(Addr) base;
  const ElfW(Sym) * symbols;
  const char *names;
  const uint32_t *gnu_hash, *old_hash;
  uint16_t *versions;
  const uint16_t *versions_end; /* the version definitions, next in the file */
  const ElfW(Rela) * slots[2];  /* data, functions */
  size_t slots_size[2];
};

/* This library's dynamic section. Weak: a static program has none and needs none. */
extern const ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC")
    __attribute__((weak, visibility("hidden")));
extern const ElfW(Ehdr) own_header __asm__("__ehdr_start")
    __attribute__((weak, visibility("hidden")));

/* Returns the address of a table in a loaded object. at: the entry of the dynamic section. The
 * loader has made most of these entries absolute; a value below the object's base is still an
 * offset. */
static void *absolute(ElfW(Addr) base, ElfW(Addr) at) {
  return (void *)(at < base ? at + base : at);
}

static void read_dynamic(struct tables *tables, ElfW(Addr) base, const ElfW(Dyn) * entry) {
  *tables = (struct tables){.base = base};
  for (; entry && entry->d_tag != DT_NULL; entry++) {
    void *at = absolute(base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) tables->symbols = at;
    if (entry->d_tag == DT_STRTAB) tables->names = at;
    if (entry->d_tag == DT_GNU_HASH) tables->gnu_hash = at;
    if (entry->d_tag == DT_HASH) tables->old_hash = at;
    if (entry->d_tag == DT_VERSYM) tables->versions = at;
    if (entry->d_tag == DT_VERDEF) tables->versions_end = at;
    if (entry->d_tag == DT_RELA) tables->slots[0] = at;
    if (entry->d_tag == DT_JMPREL) tables->slots[1] = at;
    if (entry->d_tag == DT_RELASZ) tables->slots_size[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_PLTRELSZ) tables->slots_size[1] = entry->d_un.d_val;
  }
}

static int is_defined(const struct tables *tables, uint32_t at, const char *name) {
  const ElfW(Sym) *symbol = &tables->symbols[at];
  return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
         strcmp(tables->names + symbol->st_name, name) == 0;
}

/* Returns the lowest index above `after` of a defined symbol of this name in an object with a GNU
 * hash table; 0 if there is none. */
static uint32_t find_gnu(const struct tables *tables, const char *name, uint32_t after) {
  enum { WORD = 8 * sizeof(ElfW(Addr)) };
  const uint32_t *table = tables->gnu_hash;
  uint32_t buckets = table[0], first = table[1], words = table[2], shift = table[3], hash = 5381;
  const ElfW(Addr) *filter = (const ElfW(Addr) *)(table + 4);
  const uint32_t *bucket = (const uint32_t *)(filter + words), *chain = bucket + buckets;
  for (const char *c = name; *c; c++)
    hash = hash * 33 + (unsigned char)*c;
  ElfW(Addr) bits = filter[hash / WORD % words];
  if (!(bits >> hash % WORD & bits >> (hash >> shift) % WORD & 1)) return 0;
  uint32_t at = bucket[hash % buckets];
  if (at < first) return 0;
  for (;; at++) {
    uint32_t here = chain[at - first];
    if ((here | 1) == (hash | 1) && at > after && is_defined(tables, at, name)) return at;
    if (here & 1) return 0;
  }
}

static uint32_t find_old(const struct tables *tables, const char *name) {
  const uint32_t *table = tables->old_hash;
  uint32_t buckets = table[0], hash = 0;
  for (const char *c = name; *c; c++) {
    hash = (hash << 4) + (unsigned char)*c;
    hash ^= hash >> 24 & 0xf0;
    hash &= 0x0fffffff;
  }
  const uint32_t *chain = table + 2 + buckets;
  for (uint32_t at = table[2 + hash % buckets]; at; at = chain[at])
    if (is_defined(tables, at, name)) return at;
  return 0;
}

static uint32_t find(const struct tables *tables, const char *name) {
  if (!tables->symbols || !tables->names) return 0;
  if (tables->gnu_hash) return find_gnu(tables, name, 0);
  return tables->old_hash ? find_old(tables, name) : 0;
}

static int is_in(const struct link_map *object, const char *name) {
  struct tables tables;
  if (object->l_ld == own_dynamic) return 0;
  read_dynamic(&tables, object->l_addr, object->l_ld);
  return find(&tables, name) != 0;
}

/* Returns wrapper if an object in the process defines the name, else NULL. The loader calls this
 * while it holds its lock and cannot be queried, so this function reads its list, which already
 * contains all objects that are being opened. */
void *shown_choose(const char *name, void *wrapper) {
  for (const struct link_map *object = libc_first_object(); object; object = object->l_next)
    if (is_in(object, name)) return wrapper;
  return NULL;
}

static void read_own(struct tables *own) {
  read_dynamic(own, (ElfW(Addr)) & own_header, own_dynamic);
}

void *shown_wrapper(const char *name) {
  struct tables own;
  read_own(&own);
  uint32_t at = own.gnu_hash ? find_gnu(&own, name, 0) : 0;
  while (at && ELF64_ST_TYPE(own.symbols[at].st_info) != STT_FUNC)
    at = find_gnu(&own, name, at);
  return at ? (void *)(own.base + own.symbols[at].st_value) : NULL;
}

enum { MOST_PARTS = 4 };
/* Fills `parts` with the tables of the MPI libraries that were loaded with the program. Returns
 * their number, at most MOST_PARTS. */
static unsigned find_mpi(struct tables *parts) {
  unsigned n = 0;
  const struct link_map *map = libc_first_object();
  for (; map && n < MOST_PARTS; map = map->l_next) {
    if (map->l_ld == own_dynamic) continue;
    read_dynamic(&parts[n], map->l_addr, map->l_ld);
    n += find(&parts[n], "PMPI_Init") || find(&parts[n], "MPI_Init");
  }
  return n;
}

static int has_name(const struct tables *parts, unsigned n, const char *name) {
  for (unsigned i = 0; i < n; i++)
    if (find(&parts[i], name)) return 1;
  return 0;
}

/* Exchanges the version numbers START and LATER in the entries up to end, four entries at a
 * time, because every process does this. */
static void exchange(uint16_t *version, const uint16_t *end) {
  const uint64_t each = 0x0001000100010001;
  for (; version + 4 <= end; version += 4) {
    uint64_t four;
    memcpy(&four, version, sizeof(four));
    uint64_t other = (four | each) ^ (LATER | HIDDEN) * each; /* 0 in the parts to change */
    uint64_t keep = (((other & 0x7fff * each) + 0x7fff * each) | other) >> 15;
    four ^= ~keep & each;
    memcpy(version, &four, sizeof(four));
  }
  for (; version < end; version++)
    if ((*version | 1) == (LATER | HIDDEN)) *version ^= 1;
}

/* Gives wrappers of functions that the program's MPI library defines the public version, so that
 * dlsym finds them. */
static void publish(const struct tables *own) {
  struct tables parts[MOST_PARTS];
  unsigned n = find_mpi(parts);
  if (n == 0) return;
  for (uint32_t at = 0; &own->versions[at] < own->versions_end; at++)
    if (own->versions[at] == (LATER | HIDDEN) &&
        has_name(parts, n, own->names + own->symbols[at].st_name))
      own->versions[at] = PUBLIC;
}

/* --- weak references of the objects that were loaded with the program --------------------- */

#if defined(__x86_64__)
enum { DATA_SLOT = R_X86_64_GLOB_DAT, CALL_SLOT = R_X86_64_JUMP_SLOT, POINTER = R_X86_64_64 };
#else
enum { DATA_SLOT = R_AARCH64_GLOB_DAT, CALL_SLOT = R_AARCH64_JUMP_SLOT, POINTER = R_AARCH64_ABS64 };
#endif

/* Returns 1 if symbol `at` of an object is a weak reference to an MPI function that no library but
 * this one defines, else 0. */
static int is_ours_alone(const struct tables *tables, uint32_t at) {
  const ElfW(Sym) *symbol = &tables->symbols[at];
  if (symbol->st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) != STB_WEAK) return 0;
  const char *name = tables->names + symbol->st_name;
  name += *name == 'P';
  if (strncmp(name, "MPI_", 4) != 0) return 0;
  name = tables->names + symbol->st_name;
  return shown_wrapper(name) && !shown_choose(name, (void *)&own_header);
}

static int names_ours(const struct tables *tables, const ElfW(Rela) * row) {
  uint32_t type = ELF64_R_TYPE(row->r_info);
  return (type == DATA_SLOT || type == CALL_SLOT || type == POINTER) &&
         is_ours_alone(tables, ELF64_R_SYM(row->r_info));
}

/* Returns 1 if the object refers to a function that only this library defines, otherwise 0.
 * Undefined symbols come before the symbols that can be looked up. If there are none of the latter,
 * no table has the number of undefined symbols, and all slots are checked. */
static int asks_for_ours(const struct tables *tables) {
  if (!tables->symbols || !tables->names) return 0;
  uint32_t n = tables->gnu_hash ? tables->gnu_hash[1] : tables->old_hash ? tables->old_hash[1] : 0;
  for (uint32_t at = 1; at < n; at++)
    if (is_ours_alone(tables, at)) return 1;
  for (int kind = 0; kind < 2 && n <= 1; kind++) {
    const ElfW(Rela) *row = tables->slots[kind];
    for (size_t rows = row ? tables->slots_size[kind] / sizeof(*row) : 0; rows > 0; rows--, row++)
      if (names_ours(tables, row)) return 1;
  }
  return 0;
}

struct read_only { /* pages that the loader made read-only after it filled the slots */
  uintptr_t first, end;
};

static void empty(const struct tables *tables, const ElfW(Rela) * row, struct read_only part) {
  const char *name = tables->names + tables->symbols[ELF64_R_SYM(row->r_info)].st_name;
  uintptr_t *slot = (uintptr_t *)(tables->base + row->r_offset);
  uintptr_t more = ELF64_R_TYPE(row->r_info) == POINTER ? (uintptr_t)row->r_addend : 0;
  uintptr_t size = getauxval(AT_PAGESZ), page = (uintptr_t)slot & -size;
  int locked = page >= part.first && page < part.end;
  if (*slot != (uintptr_t)shown_wrapper(name) + more)
    return; /* not bound yet, or bound to another function */
  if (locked && SYS3(SYS_mprotect, page, size, PROT_READ | PROT_WRITE) < 0) return;
  *slot = more;
  if (locked) SYS3(SYS_mprotect, page, size, PROT_READ);
}

static int repair(struct dl_phdr_info *object, size_t size, void *unused) {
  struct tables tables = {0};
  struct read_only part = {0, 0};
  (void)size, (void)unused;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *phdr = &object->dlpi_phdr[i];
    uintptr_t at = object->dlpi_addr + phdr->p_vaddr;
    if (phdr->p_type == PT_DYNAMIC) read_dynamic(&tables, object->dlpi_addr, (const void *)at);
    if (phdr->p_type == PT_GNU_RELRO) part = (struct read_only){at, at + phdr->p_memsz};
  }
  if (!asks_for_ours(&tables)) return 0;
  part.first &= -getauxval(AT_PAGESZ);
  for (int kind = 0; kind < 2; kind++) {
    const ElfW(Rela) *row = tables.slots[kind];
    for (size_t n = row ? tables.slots_size[kind] / sizeof(*row) : 0; n > 0; n--, row++) {
      if (names_ours(&tables, row)) empty(&tables, row, part);
    }
  }
  return 0;
}

/* Clears weak references of the program and its libraries to functions that only this library
 * defines. The loader bound them to this library's functions of the version START. */
static void repair_weak(void) {
  const struct link_map *map = libc_first_object();
  for (; map; map = map->l_next) {
    struct tables tables;
    if (map->l_ld == own_dynamic) continue;
    read_dynamic(&tables, map->l_addr, map->l_ld);
    if (asks_for_ours(&tables)) break;
  }
  if (map && dl_iterate_phdr) dl_iterate_phdr(repair, NULL);
}

/* Returns PROT_READ, with PROT_EXEC for code, for an address in this library: the protection of
 * its pages after the relocation, without write permission. Returns 0 if the address is in no
 * mapped part of the file. */
static int protection(const struct tables *own, uintptr_t address) {
  const ElfW(Phdr) *part = (const void *)((const char *)&own_header + own_header.e_phoff);
  for (const ElfW(Phdr) *end = part + own_header.e_phnum; part < end; part++)
    if (part->p_type == PT_LOAD && address - own->base - part->p_vaddr < part->p_memsz)
      return PROT_READ | (part->p_flags & PF_X ? PROT_EXEC : 0);
  return 0;
}

/* Changes the symbol versions of this library's wrappers, for libraries that are loaded from now
 * on. Returns 0, or -1 if the version table cannot be made writable. After -1, references stay
 * bound to wrappers. If the real function does not exist, such a wrapper fails or works without it.
 * */
static int settle_versions(const struct tables *own) {
  uintptr_t first = (uintptr_t)own->versions & -(uintptr_t)getauxval(AT_PAGESZ);
  size_t size = (uintptr_t)own->versions_end - first;
  int as_before = protection(own, first);
  if (!as_before || SYS3(SYS_mprotect, first, size, as_before | PROT_WRITE) < 0) return -1;
  exchange(own->versions, own->versions_end);
  publish(own);
  SYS3(SYS_mprotect, first, size, as_before);
  return 0;
}

static int has_mpi(void) {
  struct tables parts[MOST_PARTS];
  return find_mpi(parts) > 0;
}

void shown_settle(void) {
  struct tables own;
  read_own(&own);
  if (!own.versions || own.versions_end <= own.versions) return;
  if (SHOWN_AT_DLOPEN && !has_mpi())
    shown_is_due = 1;
  else if (settle_versions(&own) < 0)
    return;
  repair_weak();
}

ANY_STACK void shown_settle_late(void) {
  struct tables own;
  if (!__atomic_exchange_n(&shown_is_due, 0, __ATOMIC_RELAXED)) return;
  read_own(&own);
  settle_versions(&own);
}

#else

void shown_settle(void) {}

ANY_STACK void shown_settle_late(void) {}

void *shown_wrapper(const char *name) {
  (void)name;
  return NULL;
}

#endif
