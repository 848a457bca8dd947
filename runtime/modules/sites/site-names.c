/* Appends functions, numbers and escaped text to the name of a call site, and finds the names of
 * the runtime's own functions. */
#include <elf.h>
#include <link.h>
#include <string.h>

#include "../../memory/scratch.h"
#include "sites-state.h"

/* This library's dynamic section. Weak: a static program has none. */
extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak, visibility("hidden")));
extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));

void site_name_add_bytes(struct site_name *name, const char *text, size_t length) {
  if (name->is_full || length >= SITE_NAME_ROOM - name->length) {
    name->is_full = 1;
    return;
  }
  memcpy(name->text + name->length, text, length);
  name->length += length;
  name->text[name->length] = '\0';
}

void site_name_add(struct site_name *name, const char *text) {
  site_name_add_bytes(name, text, strlen(text));
}

/* Appends a text to a name. Control characters, ";", "%" and the character `also` become %XX. */
static void add_escaped(struct site_name *name, const char *text, char also) {
  static const char digits[] = "0123456789ABCDEF";
  for (;;) {
    const char *at = text;
    while ((unsigned char)*at >= ' ' && *at != ';' && *at != '%' && *at != also)
      at++;
    site_name_add_bytes(name, text, (size_t)(at - text));
    unsigned char c = (unsigned char)*at;
    if (c == '\0') return;
    char escaped[] = {'%', digits[c >> 4], digits[c & 15]};
    site_name_add_bytes(name, escaped, sizeof(escaped));
    text = at + 1;
  }
}

void site_name_add_escaped(struct site_name *name, const char *text) {
  add_escaped(name, text, '%');
}

void site_name_add_function(struct site_name *name, const char *text) {
  add_escaped(name, text, ':');
}

static void add_number(struct site_name *name, uint64_t number, unsigned base) {
  char digits[21], *at = digits + sizeof(digits) - 1;
  *at = '\0';
  do {
    *--at = "0123456789abcdef"[number % base];
    number /= base;
  } while (number);
  site_name_add(name, at);
}

void site_name_add_hex(struct site_name *name, uint64_t number) {
  add_number(name, number, 16);
}

void site_name_add_number(struct site_name *name, uint64_t number) {
  add_number(name, number, 10);
}

/* The dynamic symbols of this library. Members are NULL if they are not found. */
struct symbols {
  const ElfW(Sym) * symbol;
  const char *strings;
  const uint32_t *hash; /* the symbol table's hash table in GNU's form */
};

static struct symbols own_symbols(uintptr_t base) {
  struct symbols own = {NULL, NULL, NULL};
  for (const ElfW(Dyn) *entry = _DYNAMIC; entry && entry->d_tag != DT_NULL; entry++) {
    uintptr_t value = entry->d_un.d_ptr;
    /* glibc replaces offsets by addresses; musl does not. */
    const void *at = (const void *)(value < base ? base + value : value);
    if (entry->d_tag == DT_SYMTAB) own.symbol = at;
    if (entry->d_tag == DT_STRTAB) own.strings = at;
    if (entry->d_tag == DT_GNU_HASH) own.hash = at;
  }
  return own;
}

/* Returns the number of symbols: one more than the largest index in the hash table's chains; 0 if
 * the table is empty. */
static uint32_t symbol_count(const struct symbols *own) {
  const uint32_t *head = own->hash; /* buckets, first symbol, size of the filter, shift */
  const uint32_t *buckets = head + 4 + head[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t *chain = buckets + head[0];
  uint32_t last = 0;
  for (uint32_t i = 0; i < head[0]; i++)
    if (buckets[i] > last) last = buckets[i];
  if (last < head[1]) return 0;
  while (!(chain[last - head[1]] & 1))
    last++;
  return last + 1;
}

/* Searches all symbols of this library for a function that contains the address. Returns its name,
 * or NULL. */
static const char *find_function(uintptr_t address) {
  uintptr_t base = (uintptr_t)__ehdr_start;
  struct symbols own = own_symbols(base);
  if (!own.symbol || !own.strings || !own.hash) return NULL;
  uint32_t count = symbol_count(&own);
  for (uint32_t i = own.hash[1]; i < count; i++) {
    const ElfW(Sym) *symbol = &own.symbol[i];
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
        address - (base + symbol->st_value) < symbol->st_size)
      return own.strings + symbol->st_name;
  }
  return NULL;
}

const char *site_function(uintptr_t address) {
  /* Searches all symbols for each new address, and stores up to 64 names, because few addresses
   * are requested, but many times. */
  enum { KNOWN = 64 };
  struct known {
    uintptr_t address;
    const char *name;
  };
  static const struct known *table[KNOWN];
  const struct known **place = &table[address * 0x9e3779b97f4a7c15u >> 58];
  const struct known *found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (found && found->address == address) return found->name;
  const char *name = find_function(address);
  if (found) return name; /* the slot has the name of another address */
  struct known *entry = name ? scratch_take(&darshan_scratch, sizeof(*entry)) : NULL;
  if (!entry) return name;
  *entry = (struct known){address, name};
  __atomic_store_n(place, entry, __ATOMIC_RELEASE);
  return name;
}
