/* Finds matches between records and writes them as a zlib stream (pack.h). */
#include "pack.h"

#include <libdeflate.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct match {
  unsigned length, place;
  int gain; /* approximate number of bits that the match saves */
};

/* The distances at which a match may be: the previous byte (for zeros); the same byte of one of the
 * four previous 64-bit words; the same byte of the previous record; and seven words after that
 * byte, because the last of eight timestamps of a record is often close to the first timestamp of
 * the next record. */
enum { BYTE_BACK, WORD_BACK, FOUR_WORDS_BACK = WORD_BACK + 3, RECORD_BACK, TIMES_BACK };
enum { TIMES = 7 * sizeof(uint64_t) };

/* Approximate bits of a match, by its numbered distance, and of a literal. They were measured with
 * the records of 1,000 files. */
static const int bits_of_match[BLOCK_PLACES] = {4, 6, 7, 9, 10, 14, 15};
enum { BITS_OF_LITERAL = 8, LONG = 40 /* a match that ends the search */ };
enum { WORD = sizeof(uint64_t), THREE_BYTES = 0xffffff /* the shortest match */ };

#ifdef __SSE2__
enum { FOUR_VECTORS = 4 * sizeof(__m128i) };
static inline __m128i equal_bytes(const char *a, const char *b) {
  return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)a),
                        _mm_loadu_si128((const __m128i *)(const void *)b));
}
static inline int four_same(const char *a, const char *b) {
  __m128i low = _mm_and_si128(equal_bytes(a, b), equal_bytes(a + 16, b + 16));
  __m128i high = _mm_and_si128(equal_bytes(a + 32, b + 32), equal_bytes(a + 48, b + 48));
  return _mm_movemask_epi8(_mm_and_si128(low, high)) == 0xffff;
}
#endif

/* Returns the number of equal bytes at the start of a and b, at most `most`. */
static unsigned same(const char *a, const char *b, unsigned most) {
  unsigned n = 0;
#ifdef __SSE2__ /* every x86-64 has SSE2 */
  while (n + FOUR_VECTORS <= most && four_same(a + n, b + n))
    n += FOUR_VECTORS;
  for (; n + sizeof(__m128i) <= most; n += sizeof(__m128i)) {
    unsigned equal = (unsigned)_mm_movemask_epi8(equal_bytes(a + n, b + n));
    if (equal != 0xffff) return n + (unsigned)__builtin_ctz(~equal);
  }
#endif
  for (; n + sizeof(uint64_t) <= most; n += sizeof(uint64_t)) {
    uint64_t left, right;
    memcpy(&left, a + n, sizeof(left));
    memcpy(&right, b + n, sizeof(right));
    if (left != right) return n + (unsigned)__builtin_ctzll(le64toh(left ^ right)) / 8;
  }
  while (n < most && a[n] == b[n])
    n++;
  return n;
}

static uint32_t four_bytes(const char *at) {
  uint32_t word;
  memcpy(&word, at, sizeof(word));
  return le32toh(word);
}

/* Replaces *best by the match at `earlier` if that saves more bits. A match that is shorter than
 * the best one never saves more, so the bytes at the end of the best length are compared first.
 * place: number of the distance; left: bytes from `at` to the end of the record. */
static inline void try_match(struct match *best, const char *at, const char *earlier, size_t left,
                             unsigned place) {
  unsigned most = left < MATCH_MOST ? (unsigned)left : MATCH_MOST;
  if (most < sizeof(uint32_t) || most < best->length) return;
  if ((four_bytes(at) ^ four_bytes(earlier)) & THREE_BYTES) return;
  unsigned end = best->length < sizeof(uint32_t) ? 0 : best->length - (unsigned)sizeof(uint32_t);
  if (end && four_bytes(at + end) != four_bytes(earlier + end)) return;
  unsigned length = same(at, earlier, most);
  int gain = BITS_OF_LITERAL * (int)length - bits_of_match[place];
  if (gain <= best->gain) return;
  *best = (struct match){length, place, gain};
}

static struct match best_at(const struct packer *packer, const char *record, size_t i) {
  struct match best = {0, 0, 0};
  const char *at = record + i;
  size_t left = packer->size - i;
  if (i > 0) try_match(&best, at, at - 1, left, BYTE_BACK);
  if (best.length == MATCH_MOST) return best; /* no other distance needs fewer bits */
  if (packer->before) try_match(&best, at, packer->before + i, left, RECORD_BACK);
  if (best.length >= LONG) return best;
  for (unsigned place = WORD_BACK; place <= FOUR_WORDS_BACK && WORD * place <= i; place++)
    try_match(&best, at, at - WORD * place, left, place);
  if (!packer->before) return best;
  if (left > TIMES) try_match(&best, at, packer->before + i + TIMES, left - TIMES, TIMES_BACK);
  return best;
}

static void write_full(struct packer *packer) {
  if (!packer->failed)
    packer->failed = block_write(&packer->block, &packer->out, packer->room, 0) < 0;
  if (packer->failed) block_start(&packer->block);
}
static inline void make_room(struct packer *packer) {
  if (__builtin_expect(block_is_full(&packer->block), 0)) write_full(packer);
}

void pack_start(struct packer *packer, size_t size, void *out, size_t room) {
  packer->out = (struct bits){.out = out};
  packer->room = room;
  packer->size = size;
  packer->before = NULL;
  packer->turn = 0;
  packer->checksum = libdeflate_adler32(0, NULL, 0);
  packer->failed = room < 2 * sizeof(uint64_t);
  block_start(&packer->block);
  uint16_t *distance = packer->block.distance;
  distance[BYTE_BACK] = 1;
  for (unsigned place = WORD_BACK; place <= FOUR_WORDS_BACK; place++)
    distance[place] = (uint16_t)(WORD * place);
  distance[RECORD_BACK] = (uint16_t)size;
  distance[TIMES_BACK] = (uint16_t)(size - TIMES); /* only used if a record is larger than that */
  if (!packer->failed)
    bits_put(&packer->out, 0x5e78, 16); /* zlib header (RFC 1950): deflate, window of 32 KiB */
}

/* Returns a copy of the record, which is valid until the second next call. A thread whose update
 * began before recording ended may still change the record, and the checksum must match the packed
 * bytes. */
static const char *kept(struct packer *packer, const char *record) {
  char *copy = packer->kept[packer->turn ^= 1];
  memcpy(copy, record, packer->size);
  return copy;
}

/* Adds the id, with which a record begins, as literals without a search for matches, because hashes
 * have no repetitions. Returns the id's length in bytes, or 0 without adding anything if the
 * previous record has the same id. */
static size_t add_id(struct packer *packer, const char *record) {
  if (packer->before && memcmp(record, packer->before, WORD) == 0) return 0;
  for (size_t i = 0; i < WORD; i++) {
    make_room(packer);
    block_literal(&packer->block, (unsigned char)record[i]);
  }
  return WORD;
}

void pack_add(struct packer *packer, const char *record) {
  record = kept(packer, record);
  size_t i = add_id(packer, record);
  struct match match = best_at(packer, record, i);
  while (i < packer->size) {
    make_room(packer);
    if (match.length && match.length < LONG) {
      struct match next = best_at(packer, record, i + 1);
      if (next.gain > match.gain) {
        block_literal(&packer->block, (unsigned char)record[i++]);
        match = next;
        continue;
      }
    }
    if (match.length) {
      block_match(&packer->block, match.length, match.place);
      i += match.length;
    } else {
      block_literal(&packer->block, (unsigned char)record[i++]);
    }
    match = best_at(packer, record, i);
  }
  packer->checksum = libdeflate_adler32(packer->checksum, record, packer->size);
  packer->before = record;
}

size_t pack_finish(struct packer *packer) {
  uint32_t checksum = htobe32(packer->checksum);
  struct bits *out = &packer->out;
  if (packer->failed || block_write(&packer->block, out, packer->room, 1) < 0) return 0;
  if (packer->room - out->used < 2 * sizeof(uint64_t)) return 0;
  bits_align(out);
  memcpy(out->out + out->used, &checksum, sizeof(checksum));
  return out->used + sizeof(checksum);
}
