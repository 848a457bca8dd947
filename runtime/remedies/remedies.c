/* Puts remedies in the place of real functions. The linker leads calls of real_resolve and
 * library_function_slow to the functions here (--wrap), so the objects of libdarshan.so need no
 * change. */
#include "remedies.h"

#include <string.h>

#include "../intercept/guard.h"
#include "../intercept/library.h"

void *__real_real_resolve(void **slot, const char *name);
void *__wrap_real_resolve(void **slot, const char *name);
void *__real_library_function_slow(const struct library *library, void **slot, const char *name);
void *__wrap_library_function_slow(const struct library *library, void **slot, const char *name);

static const char *asked(void) {
  static const char variable[] = "DARSHAN_TRY=";
  extern char **environ;
  for (char **entry = environ; entry && *entry; entry++)
    if (strncmp(*entry, variable, sizeof(variable) - 1) == 0) return *entry + sizeof(variable) - 1;
  return NULL;
}

uint64_t remedy_value(const char *name) {
  size_t length = strlen(name);
  const char *at = asked();
  for (; at && *at; at = strchr(at, ';'), at = at ? at + 1 : NULL) {
    uint64_t value = 0;
    if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
    for (at += length + 1; *at >= '0' && *at <= '9' && value < UINT64_MAX / 16; at++)
      value = 10 * value + (uint64_t)(*at - '0');
    return value;
  }
  return 0;
}

void *__wrap_real_resolve(void **slot, const char *name) {
  void *found = __real_real_resolve(slot, name);
  for (const struct replacement *row = stdio_replacements; row->name; row++) {
    if (strcmp(row->name, name) != 0 || !remedy_value(row->remedy)) continue;
    __atomic_store_n(row->real, found, __ATOMIC_RELEASE);
    __atomic_store_n(slot, row->instead, __ATOMIC_RELEASE);
    return row->instead;
  }
  return found;
}

void *__wrap_library_function_slow(const struct library *library, void **slot, const char *name) {
  void *found = __real_library_function_slow(library, slot, name);
  void *instead = library ? chunk_cache_function(library, name, found) : found;
  if (instead != found) __atomic_store_n(slot, instead, __ATOMIC_RELEASE);
  return instead;
}
