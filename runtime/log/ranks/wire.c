/* How a candidate travels: as words, most of which are 0.  A bit for each word
 * says whether it follows; of those that do, the bytes between zeros at both
 * ends, because counters are small and times are rounded. */
#include <string.h>

#include "candidates.h"

enum { WORD = sizeof(uint64_t), BITS = 64, PACKED_MAX = 1 + WORD };

/* Before the words of a record; `spread` and the rest only if several ranks are
 * in it. */
struct head {
  uint64_t id;
  uint32_t section, size;
  uint32_t ranks;
  int32_t lowest;
  int32_t highest;
  uint32_t padding;
  struct darshan_spread spread;
};
enum { HEAD_WORDS = sizeof(struct head) / WORD };

static size_t words_of(size_t size) {
  return (size + WORD - 1) / WORD;
}

/* Names have no zeros worth a bit. */
static int is_sparse(uint32_t section) {
  return section != SECTION_NAMES;
}

static size_t most_of_words(size_t words) {
  return words * PACKED_MAX + (words / BITS + 1) * WORD;
}

size_t candidate_wire_max(const struct candidate *candidate) {
  return most_of_words(HEAD_WORDS) + most_of_words(words_of(candidate->size)) + WORD;
}

/* A byte says how many bytes of zeros are below, and how many bytes follow.
 * Up to seven more than that are written; there is room. */
static char *put_word(char *out, uint64_t word) {
  unsigned below = (unsigned)__builtin_ctzll(word) / 8;
  uint64_t rest = word >> (8 * below);
  unsigned length = 8 - (unsigned)__builtin_clzll(rest) / 8;
  *out++ = (char)(below << 4 | length);
  memcpy(out, &rest, WORD);
  return out + length;
}

static char *put_words(char *out, const char *bytes, size_t words) {
  for (size_t first = 0; first < words; first += BITS) {
    size_t n = words - first < BITS ? words - first : BITS;
    uint64_t mask = 0, word;
    char *mask_at = out;
    out += WORD;
    for (size_t i = 0; i < n; i++) {
      memcpy(&word, bytes + (first + i) * WORD, WORD);
      if (word == 0) continue;
      mask |= UINT64_C(1) << i;
      out = put_word(out, word);
    }
    memcpy(mask_at, &mask, WORD);
  }
  return out;
}

size_t candidate_encode(const struct candidate *candidate, char *out) {
  char *at = out;
  struct head head = {.id = candidate->id,
                      .section = candidate->section,
                      .size = candidate->size,
                      .ranks = candidate->ranks,
                      .lowest = candidate->lowest,
                      .highest = candidate->highest};
  if (candidate->ranks > 1) head.spread = candidate->spread;
  at = put_words(at, (const char *)&head, HEAD_WORDS);
  if (is_sparse(candidate->section))
    return (size_t)(put_words(at, candidate->bytes, words_of(candidate->size)) - out);
  memcpy(at, candidate->bytes, candidate->size);
  return (size_t)(at - out) + candidate->size;
}

static int get(void *out, const char **at, const char *end, size_t n) {
  if ((size_t)(end - *at) < n) return -1;
  memcpy(out, *at, n);
  *at += n;
  return 0;
}

static int get_word(char *out, const char **at, const char *end) {
  uint64_t word = 0;
  if (*at == end) return -1;
  unsigned head = (unsigned char)*(*at)++, below = head >> 4, length = head & 15;
  if (length == 0 || below + length > WORD) return -1;
  if (end - *at >= WORD) { /* as fast as it goes */
    memcpy(&word, *at, WORD);
    word &= UINT64_MAX >> (8 * (WORD - length));
    *at += length;
  } else if (get(&word, at, end, length) < 0) {
    return -1;
  }
  word <<= 8 * below;
  memcpy(out, &word, WORD);
  return 0;
}

static int get_words(char *out, size_t words, const char **at, const char *end) {
  uint64_t mask;
  memset(out, 0, words * WORD);
  for (size_t first = 0; first < words; first += BITS) {
    if (get(&mask, at, end, WORD) < 0) return -1;
    if (words - first < BITS && mask >> (words - first)) return -1;
    for (; mask; mask &= mask - 1)
      if (get_word(out + (first + (size_t)__builtin_ctzll(mask)) * WORD, at, end) < 0) return -1;
  }
  return 0;
}

struct candidate *candidate_decode(struct arena *arena, const char **at, const char *end) {
  struct head head;
  if (get_words((char *)&head, HEAD_WORDS, at, end) < 0 || head.section >= SECTIONS) return NULL;
  struct candidate *candidate = arena_take(arena, candidate_room(head.size));
  if (!candidate) return NULL;
  *candidate = (struct candidate){.id = head.id,
                                  .section = head.section,
                                  .size = head.size,
                                  .ranks = head.ranks,
                                  .lowest = head.lowest,
                                  .highest = head.highest,
                                  .bytes = (char *)(candidate + 1),
                                  .spread = head.spread};
  int result = is_sparse(head.section) ? get_words(candidate->bytes, words_of(head.size), at, end)
                                       : get(candidate->bytes, at, end, head.size);
  return result == 0 ? candidate : NULL;
}
