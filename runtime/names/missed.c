/* Stores the last failed lookups in a ring (missed.h). */
#include "missed.h"

#include <stdint.h>
#include <string.h>

#include "groups.h"

/* If a slot is taken, the thread skips it: a handler or another thread is using it. */
struct missed {
  uint32_t taken, length;
  char name[MISSED_ROOM];
};
enum { PLACES = 16 }; /* names of programs are removed late: the check is slow */
static struct missed missed[PLACES];
static uint32_t met; /* number of noted names */

/* Returns 1 for a name that a shell, exec or the loader searches in several folders. */
static int is_searched(const char *name, size_t length) {
  static const char *const folders[] = {"/bin/", "/sbin/", "/shims/", "/libexec/"};
  size_t base = length;
  while (base > 0 && name[base - 1] != '/')
    base--;
  for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
    size_t n = strlen(folders[i]);
    if (base >= n && memcmp(name + base - n, folders[i], n) == 0) return 1;
  }
  return strstr(name + base, ".so.") != NULL; /* the name ends with a NUL */
}

static int is_of_program(const char *name, size_t length) {
  static const char *const endings[] = {".so", ".py", ".pyc", ".pth", ".mo"};
  size_t at = darshan_ending(name, length);
  for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
    if (strlen(endings[i]) == length - at && memcmp(name + at, endings[i], length - at) == 0)
      return 1;
  return darshan_program_tree(name, length) != 0;
}

static int take(struct missed *place) {
  return __atomic_exchange_n(&place->taken, 1, __ATOMIC_ACQUIRE) == 0;
}
static void give(struct missed *place) {
  __atomic_store_n(&place->taken, 0, __ATOMIC_RELEASE);
}

void missed_note(const char *name, size_t length) {
  if (length == 0 || length >= MISSED_ROOM || name[0] != '/') return;
  uint32_t count = __atomic_load_n(&met, __ATOMIC_RELAXED);
  struct missed *last = &missed[(count - 1) % PLACES];
  if (count && take(last)) { /* repeated lookups are common */
    int is_same = last->length == length && memcmp(last->name, name, length) == 0;
    give(last);
    if (is_same) return;
  }
  struct missed *place = &missed[__atomic_fetch_add(&met, 1, __ATOMIC_RELAXED) % PLACES];
  if (!take(place)) return;
  memcpy(place->name, name, length);
  place->length = (uint32_t)length;
  give(place);
}

void missed_forget(void) {
  met = 0;
  for (int i = 0; i < PLACES; i++)
    missed[i].taken = missed[i].length = 0;
}

/* Copies the name in a slot; returns 0 if it is of a program. */
static size_t name_in(struct missed *place, char out[MISSED_ROOM]) {
  if (!take(place)) return 0;
  size_t length = place->length;
  memcpy(out, place->name, length);
  out[length] = '\0';
  give(place);
  return length && !is_searched(out, length) && !is_of_program(out, length) ? length : 0;
}

size_t missed_name(unsigned back, char out[MISSED_ROOM]) {
  uint32_t count = __atomic_load_n(&met, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < PLACES && i < count; i++) {
    size_t length = name_in(&missed[(count - 1 - i) % PLACES], out);
    if (length && back-- == 0) return length;
  }
  return 0;
}
