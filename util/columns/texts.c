/* The strings of a batch: stores each string once, as UTF-8. */
#include "columns.h"
#include "record-id.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { FIRST_SLOTS = 4096, ESCAPED = 4 /* length of \xNN */ };
static const size_t most_bytes = (size_t)1 << 30; /* below 2^31, because offsets are int32_t */
enum { LONGEST = 1 << 20 };                       /* bytes of a string; the rest is cut off */

/* Returns the length in bytes of the UTF-8 character at p; 0 if the bytes are not valid UTF-8.
 * left: bytes from p to the end of the string. */
static size_t character(const unsigned char *p, size_t left) {
  if (p[0] < 0x80) return 1;
  size_t n = p[0] >= 0xC2 && p[0] < 0xE0 ? 2 : p[0] >= 0xE0 && p[0] < 0xF0 ? 3 : 4;
  if (p[0] < 0xC2 || p[0] > 0xF4 || left < n) return 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xC0) != 0x80) return 0;
  /* Rejects overlong forms, surrogates, and values above U+10FFFF. */
  if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F)) return 0;
  if ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F)) return 0;
  return n;
}

/* Writes the string as valid UTF-8, in which a byte that is not UTF-8 becomes \xNN. Returns the
 * length written. `to` has space for ESCAPED bytes per byte of the string. */
static size_t write_clean(char *to, const char *text, size_t length) {
  static const char digits[] = "0123456789abcdef";
  const unsigned char *p = (const unsigned char *)text;
  size_t used = 0;
  for (size_t i = 0; i < length;) {
    size_t n = character(p + i, length - i);
    if (n == 0) {
      char escaped[ESCAPED] = {'\\', 'x', digits[p[i] >> 4], digits[p[i] & 15]};
      memcpy(to + used, escaped, ESCAPED);
      used += ESCAPED;
      i++;
      continue;
    }
    memcpy(to + used, p + i, n);
    used += n;
    i += n;
  }
  return used;
}

/* Makes space for one more string of `length` bytes. Returns false if out of memory, or if the
 * strings would exceed most_bytes. */
static bool make_room(struct text_pool *pool, size_t length) {
  size_t wanted = pool->offsets ? (size_t)pool->offsets[pool->texts.count] + length : length;
  if (wanted > most_bytes) return false;
  if (wanted > pool->capacity) {
    size_t capacity = wanted + wanted / 2 + 65536;
    char *bytes = realloc(pool->bytes, capacity);
    if (!bytes) return false;
    pool->bytes = bytes;
    pool->capacity = capacity;
  }
  if ((size_t)pool->texts.count + 2 > pool->room) {
    size_t room = 2 * pool->room + FIRST_SLOTS;
    int32_t *offsets = realloc(pool->offsets, room * sizeof(*offsets));
    if (!offsets) return false;
    if (!pool->offsets) offsets[0] = 0;
    pool->offsets = offsets;
    pool->room = room;
  }
  pool->texts.bytes = pool->bytes;
  pool->texts.offsets = pool->offsets;
  return true;
}

/* Returns whether the string with index `place` equals the `length` bytes at `text`. */
static bool is_text(const struct text_pool *pool, int32_t place, const char *text, size_t length) {
  int32_t from = pool->offsets[place];
  return (size_t)(pool->offsets[place + 1] - from) == length &&
         memcmp(pool->bytes + from, text, length) == 0;
}

/* Returns the slot of this string, or the free slot in which it must be stored. Compares only
 * strings with equal hashes, because names in a log have long common prefixes. */
static struct text_slot *slot_of(const struct text_pool *pool, const char *text, size_t length,
                                 uint64_t hash) {
  size_t mask = pool->num_slots - 1;
  for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
    struct text_slot *slot = &pool->slots[i];
    if (!slot->number ||
        (slot->hash == (uint32_t)(hash >> 32) && is_text(pool, slot->number - 1, text, length)))
      return slot;
  }
}

static void fill_slot(struct text_slot *slot, int64_t place, uint64_t hash) {
  slot->number = (int32_t)place + 1;
  slot->hash = (uint32_t)(hash >> 32);
}

static bool grow_slots(struct text_pool *pool) {
  /* Names are untrusted: without a random seed, they could be chosen to collide. */
  if (!pool->slots && getrandom(&pool->seed, sizeof(pool->seed), GRND_NONBLOCK) < 0)
    pool->seed = (uint64_t)(uintptr_t)pool;
  size_t number = pool->num_slots ? 2 * pool->num_slots : FIRST_SLOTS;
  struct text_slot *slots = calloc(number, sizeof(*slots));
  if (!slots) return false;
  free(pool->slots);
  pool->slots = slots;
  pool->num_slots = number;
  for (int64_t i = 0; i < pool->texts.count; i++) {
    const char *text = pool->bytes + pool->offsets[i];
    size_t length = (size_t)(pool->offsets[i + 1] - pool->offsets[i]);
    uint64_t hash = darshan_hash(text, length, pool->seed);
    fill_slot(slot_of(pool, text, length, hash), i, hash);
  }
  return true;
}

int32_t text_place(struct text_pool *pool, const char *text, bool *failed) {
  if (!text) return -1;
  size_t length = strnlen(text, LONGEST);
  if (!make_room(pool, ESCAPED * length) ||
      (2 * (size_t)pool->texts.count >= pool->num_slots && !grow_slots(pool))) {
    *failed = true;
    return -1;
  }
  char *end = pool->bytes + pool->offsets[pool->texts.count];
  length = write_clean(end, text, length);
  uint64_t hash = darshan_hash(end, length, pool->seed);
  struct text_slot *slot = slot_of(pool, end, length, hash);
  if (slot->number) return slot->number - 1;
  fill_slot(slot, pool->texts.count++, hash);
  pool->offsets[pool->texts.count] = (int32_t)(end - pool->bytes + (long)length);
  return slot->number - 1;
}

void text_pool_clear(struct text_pool *pool) {
  if (pool->slots) memset(pool->slots, 0, pool->num_slots * sizeof(*pool->slots));
  pool->texts.count = 0;
}

void text_pool_free(struct text_pool *pool) {
  free(pool->bytes);
  free(pool->offsets);
  free(pool->slots);
  memset(pool, 0, sizeof(*pool));
}
