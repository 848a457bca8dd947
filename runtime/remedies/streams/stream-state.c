/* Determines whether the program can query the state of a stream's buffer, or discard its contents
 * (<stdio_ext.h>): such a program would notice the larger buffer, and __fpurge would discard more.
 * The names of the functions that the program itself imports are in its table of strings. */
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "../../intercept/loader/loader.h"
#include "held-streams.h"

/* __fpending, __freading and __fwriting are not in the list: GNU programs import them to report
 * errors of a stream, which also works with a larger buffer. */
static const char *const functions[] = {"__fbufsize", "__flbf", "__fpurge", "fpurge"};

/* Returns 1 if a program that is not linked statically imports or exports the name, else 0. */
static int knows(const struct link_map *program, const char *name) {
  const char *strings = NULL, *at;
  size_t size = 0, length = strlen(name) + 1;
  for (const ElfW(Dyn) *entry = program->l_ld; entry->d_tag != DT_NULL; entry++) {
    uintptr_t where = entry->d_un.d_ptr; /* an offset with musl, an address with glibc */
    if (where < program->l_addr) where += program->l_addr;
    if (entry->d_tag == DT_STRTAB) strings = (const char *)where;
    if (entry->d_tag == DT_STRSZ) size = entry->d_un.d_val;
  }
  for (at = strings; at && (size_t)(at - strings) < size; at += strlen(at) + 1)
    if (strncmp(at, name, length) == 0) return 1;
  return 0;
}

int stream_state_is_asked(void) {
  static int known; /* 0: not determined yet, 1: no, 2: yes */
  int is_asked = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
  if (is_asked) return is_asked == 2;
  const struct link_map *program = loader_is_there() ? libc_first_object() : NULL;
  is_asked = 1;
  for (size_t n = 0; n < sizeof(functions) / sizeof(*functions); n++)
    if (program && program->l_ld && knows(program, functions[n])) is_asked = 2;
  __atomic_store_n(&known, is_asked, __ATOMIC_RELEASE);
  return is_asked == 2;
}
