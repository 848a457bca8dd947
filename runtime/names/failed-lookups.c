/* Stores the last failed lookups in a ring (failed-lookups.h). */
#include "failed-lookups.h"

#include <string.h>

#include "../intercept/guard.h"
#include "groups.h"

/* Number of slots of the ring. A thread skips a slot that is taken, because a handler or another
 * thread is using it. The slots may also have names of program files, which are removed late
 * because the check is slow. */
enum { PLACES = DARSHAN_LOOKUPS };
SELDOM static struct darshan_lookups own /* used until there is a journal */
    __attribute__((aligned(DARSHAN_LOOKUPS_PAGE)));
static struct darshan_lookups *filed; /* the ring in the journal; NULL: no journal */

static struct darshan_lookups *ring(void) {
  struct darshan_lookups *page = __atomic_load_n(&filed, __ATOMIC_ACQUIRE);
  return page ? page : &own;
}

/* Returns 1 for a name that a shell, exec or the loader searches in several folders. Otherwise
 * returns 0. */
static int is_searched(const char *name, size_t length) {
  static const char *const folders[] = {"/bin/", "/sbin/", "/shims/", "/libexec/"};
  size_t base = length;
  while (base > 0 && name[base - 1] != '/')
    base--;
  for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
    size_t n = strlen(folders[i]);
    if (base >= n && memcmp(name + base - n, folders[i], n) == 0) return 1;
  }
  return strstr(name + base, ".so.") !=
         NULL; /* strstr may be used because the name ends with a NUL */
}

/* Returns 1 for a name of a program file. Otherwise returns 0. A traceback of Python looks for the
 * source of compiled modules (.pyx) in all folders of its path. */
static int is_of_program(const char *name, size_t length) {
  static const char *const endings[] = {".so",  ".py",  ".pyc", ".pyx",
                                        ".pxd", ".pxi", ".pth", ".mo"};
  size_t at = darshan_ending(name, length);
  for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
    if (strlen(endings[i]) == length - at && memcmp(name + at, endings[i], length - at) == 0)
      return 1;
  return darshan_program_tree(name, length) != 0;
}

static int take(struct darshan_lookup *slot) {
  return __atomic_exchange_n(&slot->taken, 1, __ATOMIC_ACQUIRE) == 0;
}
static void give(struct darshan_lookup *slot) {
  __atomic_store_n(&slot->taken, 0, __ATOMIC_RELEASE);
}

void missed_note(const char *name, size_t length) {
  if (length == 0 || length >= MISSED_ROOM || name[0] != '/') return;
  /* A traceback looks up so many of these names that no other name would remain. */
  if (length > 4 && memcmp(name + length - 4, ".pyx", 4) == 0) return;
  struct darshan_lookups *all = ring();
  uint32_t count = __atomic_load_n(&all->count, __ATOMIC_RELAXED);
  struct darshan_lookup *last = &all->slot[(count - 1) % PLACES];
  if (count &&
      take(last)) { /* a repeated lookup of the last name, which is common, only moves it */
    int is_same = last->length == length && memcmp(last->name, name, length) == 0;
    give(last);
    if (is_same) return;
  }
  struct darshan_lookup *slot =
      &all->slot[__atomic_fetch_add(&all->count, 1, __ATOMIC_RELAXED) % PLACES];
  if (!take(slot)) return;
  memcpy(slot->name, name, length);
  slot->length = (uint16_t)length;
  give(slot);
}

/* Called in a forked child: empties this process's own ring and uses it. The journal is the
 * parent's; it stays mapped, because a frame that the fork interrupted may still write to it. */
void missed_forget(void) {
  filed = NULL;
  own.count = 0;
  for (int i = 0; i < PLACES; i++)
    own.slot[i].taken = own.slot[i].length = 0;
}

int missed_is_of_data(const char *name, size_t length) {
  return !is_searched(name, length) && !is_of_program(name, length);
}

/* Copies the name in a slot. Returns its length, or 0 if the slot is empty, in use or damaged. */
static size_t name_in(struct darshan_lookup *slot, char out[MISSED_ROOM]) {
  if (!take(slot)) return 0;
  size_t length = slot->length < MISSED_ROOM ? slot->length : 0;
  memcpy(out, slot->name, length);
  out[length] = '\0';
  give(slot);
  return length;
}

size_t missed_name(unsigned back, char out[MISSED_ROOM]) {
  struct darshan_lookups *all = ring();
  uint32_t count = __atomic_load_n(&all->count, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < PLACES && i < count; i++) {
    size_t length = name_in(&all->slot[(count - 1 - i) % PLACES], out);
    if (length && missed_is_of_data(out, length) && back-- == 0) return length;
  }
  return 0;
}

void missed_copy(struct darshan_lookups *out) {
  struct darshan_lookups *all = ring();
  memcpy(out->magic, DARSHAN_LOOKUPS_MAGIC, sizeof(out->magic));
  out->version = DARSHAN_LOOKUPS_VERSION;
  out->count = __atomic_load_n(&all->count, __ATOMIC_RELAXED);
  for (int i = 0; i < PLACES; i++) {
    out->slot[i].taken = 0;
    out->slot[i].length = (uint16_t)name_in(&all->slot[i], out->slot[i].name);
  }
}

void missed_keep_in(struct darshan_lookups *page) {
  __atomic_store_n(&filed, page, __ATOMIC_RELEASE);
}
