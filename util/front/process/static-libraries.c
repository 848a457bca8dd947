/* Detects libraries that are statically linked into a program, so that their functions have no
 * wrappers (no-log-reason.h). */
#define _GNU_SOURCE
#include "no-log-reason.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIBRARIES = 3 };

/* Known libraries. function: every program with this library contains it. words: a string of the
 * library, which identifies it if the symbols are stripped. */
static const struct library {
  const char *name, *function, *words;
} libraries[LIBRARIES] = {
    {"HDF5", "H5open", "HDF5: infinite loop closing library"},
    {"PnetCDF", "ncmpi_close", NULL},
    {"MPI", "PMPI_Finalize", NULL},
};
/* A section that programs have which are linked with the runtime (runtime/link/make-archives). */
static const char linked[] = "darshan_linked";

struct image { /* the content of a program file, or a part of it */
  const char *bytes;
  size_t size;
};

/* Returns 1 if `length` bytes at offset `at` are within the file, otherwise 0. */
static int is_within(const struct image *image, size_t at, size_t length) {
  return at <= image->size && image->size - at >= length;
}

/* Reads section header `number`. Returns 0, or -1 if the header or its section is not within the
 * file. */
static int section(const struct image *image, const ElfW(Ehdr) * file, size_t number,
                   ElfW(Shdr) * out) {
  size_t at = (size_t)file->e_shoff + number * sizeof(*out);
  if (number >= file->e_shnum || file->e_shoff == 0 || !is_within(image, at, sizeof(*out)))
    return -1;
  memcpy(out, image->bytes + at, sizeof(*out));
  return is_within(image, (size_t)out->sh_offset, out->sh_type == SHT_NOBITS ? 0 : out->sh_size)
             ? 0
             : -1;
}

/* Returns 1 if the string at offset `at` of a string table is this name, otherwise 0. */
static int is_named(const struct image *image, const ElfW(Shdr) * names, size_t at,
                    const char *name) {
  if (at >= names->sh_size || names->sh_size - at < 2) return 0;
  const char *here = image->bytes + names->sh_offset + at;
  size_t length = strlen(name) + 1;
  return names->sh_size - at >= length && memcmp(here, name, length) == 0;
}

/* Returns 1 if the name may be that of a library's function, otherwise 0. Compares two letters,
 * because a symbol table may have thousands of names. One letter would not exclude enough of them:
 * many names in Python start with P, like PMPI. */
static inline int may_be_of_library(const char *name) {
  int may = 0;
  for (unsigned i = 0; i < LIBRARIES; i++)
    may |= name[0] == libraries[i].function[0] && name[1] == libraries[i].function[1];
  return may;
}

/* Returns one bit per library, set if this symbol table defines its function. Adds the number of
 * defined symbols to *count. */
static unsigned defined_in(const struct image *image, const ElfW(Shdr) * table,
                           const ElfW(Shdr) * names, size_t *count) {
  const char *texts = image->bytes + names->sh_offset;
  unsigned found = 0;
  for (size_t at = 0; at + sizeof(ElfW(Sym)) <= table->sh_size; at += sizeof(ElfW(Sym))) {
    ElfW(Sym) symbol;
    memcpy(&symbol, image->bytes + table->sh_offset + at, sizeof(symbol));
    if (symbol.st_shndx == SHN_UNDEF) continue;
    ++*count;
    if (names->sh_size < 2 || symbol.st_name > names->sh_size - 2 ||
        !may_be_of_library(texts + symbol.st_name))
      continue;
    for (unsigned i = 0; i < LIBRARIES; i++)
      if (is_named(image, names, symbol.st_name, libraries[i].function)) found |= 1U << i;
  }
  return found;
}

/* Returns 1 if the program is linked with the runtime, otherwise 0. */
static int is_linked(const struct image *image, const ElfW(Ehdr) * file) {
  ElfW(Shdr) one, names;
  if (section(image, file, file->e_shstrndx, &names) < 0) return 0;
  for (size_t i = 0; i < file->e_shnum; i++)
    if (section(image, file, i, &one) == 0 && is_named(image, &names, one.sh_name, linked))
      return 1;
  return 0;
}

/* Returns one bit per library, from all symbol tables. has_symbols: set to 1 if the tables have all
 * functions of the program: there is a symbol table that the dynamic linker does not need, or the
 * program exports so many functions that it was linked with --export-dynamic, as interpreters
 * are. */
static unsigned defined(const struct image *image, const ElfW(Ehdr) * file, int *has_symbols) {
  enum { EXPORTS_ALL = 500 };
  ElfW(Shdr) table, names;
  unsigned found = 0;
  size_t count = 0;
  *has_symbols = 0;
  for (size_t i = 0; i < file->e_shnum; i++) {
    if (section(image, file, i, &table) < 0) continue;
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    if (section(image, file, table.sh_link, &names) < 0 || names.sh_type != SHT_STRTAB) continue;
    *has_symbols |= table.sh_type == SHT_SYMTAB;
    found |= defined_in(image, &table, &names, &count);
  }
  *has_symbols |= count >= EXPORTS_ALL;
  return found;
}

/* Returns the section with the program's strings, so that the rest of a large program need not be
 * read from disk; the whole file if there is no such section. */
static struct image constants(const struct image *image, const ElfW(Ehdr) * file) {
  static const char name[] = ".rodata";
  ElfW(Shdr) one, names;
  if (section(image, file, file->e_shstrndx, &names) < 0) return *image;
  for (size_t i = 0; i < file->e_shnum; i++)
    if (section(image, file, i, &one) == 0 && one.sh_type == SHT_PROGBITS &&
        is_named(image, &names, one.sh_name, name))
      return (struct image){image->bytes + one.sh_offset, (size_t)one.sh_size};
  return *image;
}

/* Returns one bit per known library, set if the program contains its identifying string. */
static unsigned spoken(const struct image *image) {
  unsigned found = 0;
  for (unsigned i = 0; i < LIBRARIES; i++) {
    const char *words = libraries[i].words;
    if (words && memmem(image->bytes, image->size, words, strlen(words))) found |= 1U << i;
  }
  return found;
}

/* Returns one bit per known library that is linked statically into the program; 0 for a file that
 * is no program, and for a program that is linked with the runtime. */
static unsigned libraries_of(const struct image *image) {
  ElfW(Ehdr) file;
  int has_symbols;
  if (image->size < sizeof(file)) return 0;
  memcpy(&file, image->bytes, sizeof(file));
  if (memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_shentsize != sizeof(ElfW(Shdr)))
    return 0;
  if (is_linked(image, &file)) return 0;
  unsigned found = defined(image, &file, &has_symbols);
  if (has_symbols) return found;
  struct image words = constants(image, &file);
  return found | spoken(&words);
}

/* Writes the names of the libraries whose bits are set, as "A, B and C". */
static void join_names(char out[INSIDE_ROOM], unsigned found) {
  size_t used = 0;
  for (unsigned i = 0; i < LIBRARIES; i++) {
    if (!(found & 1U << i)) continue;
    const char *between = used == 0 ? "" : found >> (i + 1) ? ", " : " and ";
    used += (size_t)snprintf(out + used, INSIDE_ROOM - used, "%s%s", between, libraries[i].name);
  }
}

int inside_program(char out[INSIDE_ROOM], const char *path) {
  struct image image = {NULL, 0};
  struct stat st;
  out[0] = '\0';
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return 0;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) image = (struct image){bytes, (size_t)st.st_size};
  }
  close(fd);
  if (!image.bytes) return 0;
  unsigned found = libraries_of(&image);
  munmap((void *)(uintptr_t)image.bytes, image.size);
  join_names(out, found);
  return found != 0;
}
