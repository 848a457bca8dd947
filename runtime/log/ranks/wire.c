/* How a candidate travels.  A record is mostly zeros: a bit for each word says
 * whether the word follows. */
#include <string.h>

#include "candidates.h"

struct head {
  uint64_t id;
  uint16_t section;
  uint16_t several; /* 1: struct several follows */
  uint32_t size;
};

struct several {
  uint32_t ranks;
  int32_t lowest, highest;
  uint32_t padding;
  struct darshan_spread spread;
};

enum { WORD = sizeof(uint64_t), BITS = 64 };

static size_t words_of(size_t size) {
  return (size + WORD - 1) / WORD;
}

/* Names have no zeros worth a bit. */
static int is_sparse(uint32_t section) {
  return section != SECTION_NAMES;
}

size_t candidate_wire_max(const struct candidate *candidate) {
  size_t words = words_of(candidate->size);
  return sizeof(struct head) + sizeof(struct several) + (words + words / BITS + 1) * WORD;
}

static char *put(char *out, const void *bytes, size_t n) {
  memcpy(out, bytes, n);
  return out + n;
}

static char *put_sparse(char *out, const char *bytes, size_t words) {
  for (size_t first = 0; first < words; first += BITS) {
    size_t n = words - first < BITS ? words - first : BITS;
    uint64_t mask = 0, word;
    char *mask_at = out;
    out += WORD;
    for (size_t i = 0; i < n; i++) {
      memcpy(&word, bytes + (first + i) * WORD, WORD);
      if (word == 0) continue;
      mask |= UINT64_C(1) << i;
      out = put(out, &word, WORD);
    }
    memcpy(mask_at, &mask, WORD);
  }
  return out;
}

size_t candidate_encode(const struct candidate *candidate, char *out) {
  const char *start = out, *bytes = candidate_bytes(candidate);
  struct head head = {candidate->id, (uint16_t)candidate->section, candidate->ranks > 1,
                      candidate->size};
  out = put(out, &head, sizeof(head));
  if (head.several) {
    struct several several = {candidate->ranks, candidate->lowest, candidate->highest, 0,
                              candidate->spread};
    out = put(out, &several, sizeof(several));
  } else {
    int64_t rank = candidate->lowest;
    out = put(out, &rank, sizeof(rank));
  }
  if (is_sparse(candidate->section))
    return (size_t)(put_sparse(out, bytes, words_of(candidate->size)) - start);
  memset(out, 0, words_of(candidate->size) * WORD);
  memcpy(out, bytes, candidate->size);
  return (size_t)(out - start) + words_of(candidate->size) * WORD;
}

static int get(void *out, const char **at, const char *end, size_t n) {
  if ((size_t)(end - *at) < n) return -1;
  memcpy(out, *at, n);
  *at += n;
  return 0;
}

static int get_sparse(char *out, size_t words, const char **at, const char *end) {
  uint64_t mask;
  memset(out, 0, words * WORD);
  for (size_t first = 0; first < words; first += BITS) {
    if (get(&mask, at, end, WORD) < 0) return -1;
    if (words - first < BITS && mask >> (words - first)) return -1;
    if ((size_t)(end - *at) / WORD < (size_t)__builtin_popcountll(mask)) return -1;
    for (; mask; mask &= mask - 1, *at += WORD)
      memcpy(out + (first + (size_t)__builtin_ctzll(mask)) * WORD, *at, WORD);
  }
  return 0;
}

static int get_several(struct candidate *candidate, int is_several, const char **at,
                       const char *end) {
  struct several several;
  int64_t rank;
  if (is_several) {
    if (get(&several, at, end, sizeof(several)) < 0) return -1;
    candidate->ranks = several.ranks;
    candidate->lowest = several.lowest;
    candidate->highest = several.highest;
    candidate->spread = several.spread;
    return 0;
  }
  if (get(&rank, at, end, sizeof(rank)) < 0) return -1;
  candidate->ranks = 1;
  candidate->lowest = candidate->highest = (int32_t)rank;
  return 0;
}

struct candidate *candidate_decode(struct arena *arena, const char **at, const char *end) {
  struct head head;
  if (get(&head, at, end, sizeof(head)) < 0 || head.section >= SECTIONS) return NULL;
  struct candidate *candidate = arena_take(arena, candidate_room(head.size));
  if (!candidate) return NULL;
  *candidate = (struct candidate){.id = head.id, .section = head.section, .size = head.size};
  if (get_several(candidate, head.several, at, end) < 0) return NULL;
  char *bytes = candidate_bytes(candidate);
  int result = is_sparse(head.section) ? get_sparse(bytes, words_of(head.size), at, end)
                                       : get(bytes, at, end, words_of(head.size) * WORD);
  return result == 0 ? candidate : NULL;
}
