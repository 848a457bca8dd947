/* Merges, sorts, encodes and decodes candidates (candidates.h). */
#include "candidates.h"

#include <string.h>

/* --- merging of two candidates --------------------------------------------------- */

int candidate_own(struct arena *arena, struct candidate *candidate) {
  if (!candidate->borrowed) return 0;
  char *bytes = arena_take(arena, candidate->size);
  if (!bytes) return -1;
  memcpy(bytes, candidate->bytes, candidate->size);
  candidate->bytes = bytes;
  candidate->borrowed = 0;
  return 0;
}

int candidates_can_merge(struct candidates *set, int section) {
  if (set->plan_section != section) {
    set->plan_section = section;
    set->plan_merges =
        section != SECTION_NAMES && darshan_merge_plan_of(&set->plan, section_module(section));
  }
  return set->plan_merges;
}

/* Prepares a candidate for its first merge, if it has the record of a single rank. */
static void prepare_for_merge(struct candidates *set, struct candidate *candidate) {
  if (candidate->ranks == 1)
    darshan_merge_prepare(&set->plan, candidate->bytes, &candidate->spread);
}

int candidate_absorb(struct candidates *set, struct candidate *into, struct candidate *from) {
  if (candidates_can_merge(set, (int)into->section) && into->size == from->size) {
    if (candidate_own(set->arena, into) < 0 || candidate_own(set->arena, from) < 0) return -1;
    prepare_for_merge(set, into);
    prepare_for_merge(set, from);
    darshan_merge_pair(&set->plan, into->bytes, &into->spread, from->bytes, &from->spread);
  } /* otherwise the names are equal, or LUSTRE keeps the record of the lowest rank */
  into->ranks += from->ranks;
  if (from->lowest < into->lowest) into->lowest = from->lowest;
  if (from->highest > into->highest) into->highest = from->highest;
  return 0;
}

/* Returns the variance rounded to 12 bits of its fraction (1 part in 8,000); a value of 0, or not
 * below 1e300, unchanged. Otherwise the noise in its low bits, which are below the resolution of
 * the times (7 ns), would be a tenth of the log. */
static double rounded(double variance) {
  enum { NOISE = 52 - 12 };
  uint64_t bits;
  if (!(variance > 0 && variance < 1e300)) return variance;
  memcpy(&bits, &variance, sizeof(bits));
  bits = (bits + (UINT64_C(1) << (NOISE - 1))) & ~((UINT64_C(1) << NOISE) - 1);
  memcpy(&variance, &bits, sizeof(bits));
  return variance;
}

int candidate_finish(struct candidates *set, struct candidate *candidate, int64_t nprocs) {
  if (candidate->section == SECTION_NAMES || (candidate->ranks == 1 && nprocs > 1)) return 0;
  if (candidate_own(set->arena, candidate) < 0) return -1;
  if (candidates_can_merge(set, (int)candidate->section)) {
    prepare_for_merge(set, candidate);
    const struct darshan_merge_plan *plan = &set->plan;
    darshan_merge_finish(plan, candidate->bytes, &candidate->spread);
    double *times = darshan_record_fcounters(plan, candidate->bytes);
    if (plan->variance_time >= 0) times[plan->variance_time] = rounded(times[plan->variance_time]);
  } else {
    ((struct darshan_base_record *)(void *)candidate->bytes)->rank = -1;
  }
  return 0;
}

/* --- order ---------------------------------------------------------------------- */

/* Sorts n items of `size` bytes stably, with memory of the arena. in_order(a, b) returns 1 if a may
 * come before b, 0 if b must come first. Returns 0, or -1 if out of memory. Inlined, so that the
 * compiler makes a version for each type of item. */
static inline __attribute__((always_inline)) int sort(struct arena *arena, void *items, size_t n,
                                                      size_t size,
                                                      int (*in_order)(const void *, const void *)) {
  char *from = items, *to = arena_take(arena, n * size);
  if (!to) return -1;
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t start = 0; start < n; start += 2 * width) {
      size_t middle = start + width < n ? start + width : n;
      size_t end = start + 2 * width < n ? start + 2 * width : n;
      size_t a = start, b = middle;
      for (size_t i = start; i < end; i++) {
        int first = b == end || (a < middle && in_order(from + a * size, from + b * size));
        memcpy(to + i * size, from + (first ? a++ : b++) * size, size);
      }
    }
    memcpy(from, to, n * size);
  }
  return 0;
}

static int found_in_order(const void *a, const void *b) {
  return ((const struct found *)a)->id <= ((const struct found *)b)->id;
}

static int64_t rank_in_log(const struct candidate *candidate) {
  const struct darshan_base_record *record = (const void *)candidate->bytes;
  return candidate->section == SECTION_NAMES ? 0 : record->rank;
}

/* Returns 1 if a and b are in the order of streams: by section; by descending rank, so that shared
 * records come last; by creation in this rank; then by id. Otherwise returns 0. */
static int in_order_for_log(const void *a_, const void *b_) {
  const struct candidate *a = *(struct candidate *const *)a_;
  const struct candidate *b = *(struct candidate *const *)b_;
  if (a->section != b->section) return a->section < b->section;
  if (rank_in_log(a) != rank_in_log(b)) return rank_in_log(a) > rank_in_log(b);
  if (a->order != b->order) return a->order < b->order;
  return a->id <= b->id;
}

int candidates_sort_for_log(struct arena *arena, struct candidate **items, size_t n) {
  return sort(arena, items, n, sizeof(*items), in_order_for_log);
}

/* --- candidates of this rank ------------------------------------------------------ */

struct candidate *candidates_add(struct candidates *set, size_t size) {
  struct candidate *candidate = arena_take(set->arena, candidate_room(size));
  if (!candidate) return NULL;
  *candidate =
      (struct candidate){.size = (uint32_t)size, .ranks = 1, .bytes = (char *)(candidate + 1)};
  set->items[set->count++] = candidate;
  set->bytes += candidate_room(size);
  return candidate;
}

static struct candidate *add_borrowed(struct candidates *set, const char *bytes, size_t size) {
  struct candidate *candidate = arena_take(set->arena, sizeof(*candidate));
  if (!candidate) return NULL;
  *candidate = (struct candidate){
      .size = (uint32_t)size, .ranks = 1, .borrowed = 1, .bytes = (char *)(uintptr_t)bytes};
  set->items[set->count++] = candidate;
  set->bytes += candidate_room(size); /* the bytes that it may take once it is copied */
  return candidate;
}

/* Restores the ranks and the spread (statistics over ranks) of a candidate that is a shared record
 * from an earlier reduction. Does nothing for other candidates. */
static void resume(struct candidates *set, const struct reduce_source *source,
                   struct candidate *candidate) {
  const struct darshan_base_record *record = (const void *)candidate->bytes;
  struct rank_span span;
  int section = (int)candidate->section;
  if (section == SECTION_NAMES || record->rank != -1 || !candidates_can_merge(set, section)) return;
  if (!source->span(source->context, section_module(section), candidate->id, &span)) return;
  candidate->ranks = span.ranks;
  candidate->lowest = span.lowest;
  candidate->highest = span.highest;
  darshan_merge_resume(&set->plan, record, span.ranks, &candidate->spread);
}

int candidates_add_found(struct candidates *set, int section, const struct reduce_source *source,
                         struct found *found, size_t n) {
  size_t skip = section == SECTION_NAMES ? sizeof(uint64_t) : 0;
  struct candidate **items = arena_take(set->arena, (set->count + n) * sizeof(*items));
  if (!items) return -1;
  if (set->count) memcpy(items, set->items, set->count * sizeof(*items));
  set->items = items;
  if (sort(set->arena, found, n, sizeof(*found), found_in_order) < 0) return -1;
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && found[i].id == found[i - 1].id) continue; /* damaged: a duplicate id */
    struct candidate *candidate = add_borrowed(set, found[i].at + skip, found[i].size - skip);
    if (!candidate) return -1;
    candidate->id = found[i].id;
    candidate->section = (uint32_t)section;
    candidate->order =
        (uintptr_t)found[i]
            .at; /* creation order: records of a section lie at ascending addresses */
    candidate->lowest = candidate->highest = (int32_t)source->rank;
    if (source->span) resume(set, source, candidate);
  }
  return 0;
}

/* --- messages ------------------------------------------------------------------- */

/* Constants of the encoding of records. A record is sent as 64-bit words, most of which are 0: a
 * mask of BITS bits marks the words that are sent. A word is sent without its leading and trailing
 * zero bytes, because counters are small and times are rounded: at most PACKED_MAX bytes, the first
 * of which has the numbers of trailing zero bytes and of sent bytes. */
enum { WORD = sizeof(uint64_t), BITS = 64, PACKED_MAX = 1 + WORD };

/* The words before a record in a message. spread is 0 in a record of one rank. */
struct candidate_head {
  uint64_t id;
  uint32_t section, size;
  uint32_t ranks;
  int32_t lowest;
  int32_t highest;
  uint32_t padding;
  struct darshan_spread spread;
};
enum { HEAD_WORDS = sizeof(struct candidate_head) / WORD };

static size_t words_of(size_t size) {
  return (size + WORD - 1) / WORD;
}

/* Returns 1 if items of the section are sent with bit masks of their zero words, otherwise 0. Names
 * have too few zero words. */
static int is_sparse(uint32_t section) {
  return section != SECTION_NAMES;
}

static size_t most_of_words(size_t words) {
  return words * PACKED_MAX + (words / BITS + 1) * WORD;
}

size_t candidate_wire_max(const struct candidate *candidate) {
  return most_of_words(HEAD_WORDS) + most_of_words(words_of(candidate->size)) + WORD;
}

/* Writes a word that is not 0: a byte with the number of its low zero bytes and the number of bytes
 * that follow, then these bytes. Returns the end of the written bytes. Overwrites up to seven more
 * bytes, which must be free. */
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
  struct candidate_head head = {.id = candidate->id,
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

static int get_bytes(void *out, const char **at, const char *end, size_t n) {
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
  if (end - *at >= WORD) { /* fast path */
    memcpy(&word, *at, WORD);
    word &= UINT64_MAX >> (8 * (WORD - length));
    *at += length;
  } else if (get_bytes(&word, at, end, length) < 0) {
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
    if (get_bytes(&mask, at, end, WORD) < 0) return -1;
    if (words - first < BITS && mask >> (words - first)) return -1;
    for (; mask; mask &= mask - 1)
      if (get_word(out + (first + (size_t)__builtin_ctzll(mask)) * WORD, at, end) < 0) return -1;
  }
  return 0;
}

/* Decodes the next candidate of a message, which ends at end, and advances *at. Returns NULL if
 * out of memory or if the message is invalid. */
static struct candidate *candidate_decode(struct arena *arena, const char **at, const char *end) {
  struct candidate_head head;
  if (get_words((char *)&head, HEAD_WORDS, at, end) < 0 || head.section >= SECTIONS) return NULL;
  struct candidate *candidate = arena_take(arena, candidate_room(head.size));
  if (!candidate) return NULL;
  *candidate = (struct candidate){.id = head.id,
                                  .section = head.section,
                                  .size = head.size,
                                  .ranks = head.ranks,
                                  .lowest = head.lowest,
                                  .highest = head.highest,
                                  .order = CANDIDATE_LAST,
                                  .bytes = (char *)(candidate + 1),
                                  .spread = head.spread};
  int result = is_sparse(head.section) ? get_words(candidate->bytes, words_of(head.size), at, end)
                                       : get_bytes(candidate->bytes, at, end, head.size);
  return result == 0 ? candidate : NULL;
}

/* --- candidates of a child -------------------------------------------------------- */

static int comes_before(const struct candidate *a, const struct candidate *b) {
  return a->section != b->section ? a->section < b->section : a->id < b->id;
}

struct spare { /* a buffer for one record */
  char *bytes;
  size_t size;
};

/* Merges `last`, the newest candidate of the arena, into `into`, a candidate of the set. Returns 0,
 * or -1 if out of memory. If `into` has borrowed its record, the record is copied to the memory of
 * `last`, whose content moves to `spare`, so that no further page is touched. */
static int meet(struct candidates *set, struct spare *spare, struct candidate *into,
                struct candidate *last) {
  size_t size = into->size;
  if (!into->borrowed || size != last->size || !candidates_can_merge(set, (int)into->section)) {
    if (candidate_absorb(set, into, last) < 0) return -1;
    arena_untake(set->arena, candidate_room(last->size));
    return 0;
  }
  if (spare->size < size) *spare = (struct spare){arena_take(set->arena, size), size};
  if (!spare->bytes) return -1;
  char *place = last->bytes;
  memcpy(spare->bytes, place, size);
  memcpy(place, into->bytes, size);
  last->bytes = spare->bytes;
  into->bytes = place;
  into->borrowed = 0;
  return candidate_absorb(set, into, last);
}

int candidates_merge(struct candidates *set, const char *bytes, size_t n, size_t count) {
  const char *end = bytes + n;
  size_t old = 0, made = 0;
  struct spare spare = {NULL, 0};
  if (count > n) return -1;
  struct candidate **items = arena_take(set->arena, (set->count + count) * sizeof(*items));
  if (!items) return -1;
  for (size_t i = 0; i < count; i++) {
    struct candidate *next = candidate_decode(set->arena, &bytes, end);
    if (!next) return -1;
    while (old < set->count && comes_before(set->items[old], next))
      items[made++] = set->items[old++];
    if (old < set->count && !comes_before(next, set->items[old])) {
      if (meet(set, &spare, set->items[old], next) < 0) return -1;
    } else {
      items[made++] = next;
      set->bytes += candidate_room(next->size);
    }
  }
  while (old < set->count)
    items[made++] = set->items[old++];
  set->items = items;
  set->count = made;
  return 0;
}

/* --- memory of candidates that have left -------------------------------------------- */

int candidates_compact(struct candidates *set) {
  struct arena arena = {NULL, 0};
  struct candidate **items = arena_take(&arena, set->count * sizeof(*items));
  for (size_t i = 0; items && i < set->count; i++) {
    const struct candidate *old = set->items[i];
    struct candidate *kept = arena_take(&arena, candidate_room(old->size));
    if (!kept) {
      arena_drop(&arena);
      return -1;
    }
    *kept = *old;
    if (!old->borrowed) {
      kept->bytes = (char *)(kept + 1);
      memcpy(kept->bytes, old->bytes, old->size);
    }
    items[i] = kept;
  }
  arena_drop(set->arena);
  *set->arena = arena;
  set->items = items;
  return items ? 0 : -1;
}
