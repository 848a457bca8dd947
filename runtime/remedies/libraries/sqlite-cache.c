/* The remedy sqlite-cache: each connection to an SQLite database gets a larger page cache when the
 * program opens it. A size that the program sets later is used instead. libdarshan.so does not wrap
 * SQLite, so the two functions that open a database have wrappers here. */
#include <stdio.h>
#include <sys/mman.h>

#include "../../intercept/guard.h"
#include "../../intercept/loader/library.h"
#include "../../intercept/real.h"
#include "../../intercept/sys/sys.h"
#include "../remedies.h"

enum { OPEN, OPEN_V2, FUNCTIONS };

struct sqlite_library {
  struct library common;
  void *functions[FUNCTIONS];
  int (*exec)(void *base, const char *sql, void *each, void *data, char **error);
};

SELDOM static struct libraries libraries;

/* Returns zeroed memory, which is never freed; NULL if out of memory. */
static void *memory(size_t size) {
  void *got = sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return sys_failed(got) ? NULL : got;
}

/* Called once for each SQLite library that is found: looks up its function sqlite3_exec. */
static void ask(struct library *found) {
  struct sqlite_library *library = (struct sqlite_library *)(void *)found;
  library->exec =
      (int (*)(void *, const char *, void *, void *, char **))library_ask(found, "sqlite3_exec");
}

static void forget(struct library *gone) {
  (void)gone;
}

/* Returns the real function `name` of the SQLite library that the caller uses. number: OPEN or
 * OPEN_V2. caller: an address in the calling code. Stores the library in *library, or NULL if the
 * runtime finds none. */
static void *function_of(int number, const char *name, const void *caller,
                         struct sqlite_library **library) {
  static const struct library_kind kind = {"sqlite3_libversion", sizeof(struct sqlite_library),
                                           memory, ask, forget};
  struct library *found = library_of(&libraries, &kind, caller);
  *library = (struct sqlite_library *)(void *)found;
  return library_function(found, *library ? &(*library)->functions[number] : NULL, name);
}

/* Sets the page cache of an open database to the remedy's size. library may be NULL: unknown, then
 * nothing changes. Errors are ignored. */
static void enlarge(const struct sqlite_library *library, void *base) {
  uint64_t bytes = remedy_value(SQLITE_CACHE);
  char sql[64];
  if (!bytes || !base || !library || !library->exec) return;
  snprintf(sql, sizeof(sql), "PRAGMA cache_size = -%llu", (unsigned long long)bytes >> 10);
  library->exec(base, sql, NULL, NULL, NULL);
}

EXPORT int cached_open(const char *path, void **base) __asm__("sqlite3_open");
EXPORT int cached_open_v2(const char *path, void **base, int flags,
                          const char *vfs) __asm__("sqlite3_open_v2");

int cached_open(const char *path, void **base) {
  struct sqlite_library *library;
  int (*real)(const char *, void **) = (int (*)(const char *, void **))function_of(
      OPEN, "sqlite3_open", __builtin_return_address(0), &library);
  int r = real(path, base);
  if (r == 0 && base) enlarge(library, *base);
  return r;
}

int cached_open_v2(const char *path, void **base, int flags, const char *vfs) {
  struct sqlite_library *library;
  int (*real)(const char *, void **, int, const char *) =
      (int (*)(const char *, void **, int, const char *))function_of(
          OPEN_V2, "sqlite3_open_v2", __builtin_return_address(0), &library);
  int r = real(path, base, flags, vfs);
  if (r == 0 && base) enlarge(library, *base);
  return r;
}
