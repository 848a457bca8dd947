/* Determines the program's language from the executable in memory. */
#include "config.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "../../intercept/loader/loader.h"

enum {
  SEARCHED =
      1
      << 20, /* bytes of constants that are searched; the message of Rust's std is early in them */
  NOTE_ALIGNMENT = 4
};

/* Whether the executable needs libraries of these languages (1 if so), or an unwinder of stacks. */
struct named {
  int fortran, cpp, unwinder;
};

static const struct {
  const char *begins;
  size_t member;
} libraries[] = {
    {"libgfortran.so", offsetof(struct named, fortran)},
    {"libflang", offsetof(struct named, fortran)},
    {"libFortranRuntime.so", offsetof(struct named, fortran)},
    {"libifcore", offsetof(struct named, fortran)},
    {"libnvf.so", offsetof(struct named, fortran)},
    {"libstdc++.so", offsetof(struct named, cpp)},
    {"libc++.so", offsetof(struct named, cpp)},
    {"libgcc_s.so", offsetof(struct named, unwinder)},
};

/* Returns the program's table of dynamic strings, or NULL if it has none. glibc has replaced the
 * offsets of the file by addresses; musl has not. */
static const char *strings_of(const struct link_map *program) {
  for (const ElfW(Dyn) *entry = program->l_ld; entry && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_STRTAB) {
      uintptr_t at = entry->d_un.d_ptr;
      return (const char *)(at < program->l_addr ? program->l_addr + at : at);
    }
  return NULL;
}

static struct named named_by(const struct link_map *program) {
  struct named found = {0};
  const char *strings = strings_of(program);
  for (const ElfW(Dyn) *entry = program->l_ld; strings && entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag != DT_NEEDED) continue;
    const char *name = strings + entry->d_un.d_val;
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
      if (strncmp(name, libraries[i].begins, strlen(libraries[i].begins)) == 0)
        *(int *)((char *)&found + libraries[i].member) = 1;
  }
  return found;
}

/* Stores the program headers and returns their number.  Returns 0 if they are the loader's, because
 * the user started the loader with the program as its argument. */
static size_t headers_of(const struct link_map *program, const ElfW(Phdr) * *headers) {
  *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  size_t count = *headers ? getauxval(AT_PHNUM) : 0;
  for (size_t i = 0; i < count; i++)
    if ((*headers)[i].p_type == PT_DYNAMIC &&
        program->l_addr + (*headers)[i].p_vaddr == (uintptr_t)program->l_ld)
      return count;
  return 0;
}

static int has_note_of_go(const char *notes, size_t size) {
  const size_t up = NOTE_ALIGNMENT - 1;
  while (size >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)notes;
    size_t whole = sizeof(*note) + ((note->n_namesz + up) & ~up) + ((note->n_descsz + up) & ~up);
    if (whole > size) return 0;
    if (note->n_namesz == sizeof("Go") + 1 && memcmp(note + 1, "Go\0", sizeof("Go") + 1) == 0)
      return 1;
    notes += whole;
    size -= whole;
  }
  return 0;
}

/* Returns 1 if the first SEARCHED bytes of the constants contain a path of the source files of
 * Rust's standard library, as the library's messages do. Otherwise returns 0. */
static int has_words_of_rust(const char *constants, size_t size) {
  static const char word[] = "/rustc/";
  return memmem(constants, size < SEARCHED ? size : SEARCHED, word, sizeof(word) - 1) != NULL;
}

const char *darshan_language(void) {
  const struct link_map *program = loader_is_there() ? libc_first_object() : NULL;
  if (!program || !program->l_ld) return "";
  struct named named = named_by(program);
  if (named.fortran) return named.cpp ? "Fortran,C++" : "Fortran";
  if (named.cpp) return "C++";
  const ElfW(Phdr) * headers;
  size_t count = headers_of(program, &headers);
  for (size_t i = 0; i < count; i++) {
    const char *at = (const char *)(program->l_addr + headers[i].p_vaddr);
    if (headers[i].p_type == PT_NOTE && has_note_of_go(at, headers[i].p_memsz)) return "Go";
    /* Only executables that need an unwinder but not the library of C++ are searched, because a
     * search may read pages from disk. */
    if (named.unwinder && headers[i].p_type == PT_LOAD && headers[i].p_flags == PF_R &&
        has_words_of_rust(at, headers[i].p_filesz))
      return "Rust";
  }
  return named.unwinder ? "" : "C";
}
