#include "mutate.h"
#include "log-format.h"

#include <stdlib.h>
#include <string.h>

/* Most bytes that one change inserts. */
enum { GROWTH_MAX = 512 };

uint64_t mutate_random(uint64_t *state) {
  uint64_t x = *state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return *state = x;
}

/* Returns a random number below n; 0 if n is 0. */
static size_t below(uint64_t *state, size_t n) {
  return n ? mutate_random(state) % n : 0;
}

/* Returns a random value, mostly from a list of counts and lengths that cause overflows in careless
 * arithmetic. */
static uint64_t nasty(uint64_t *state) {
  static const uint64_t values[] = {0,
                                    1,
                                    2,
                                    UINT64_MAX,
                                    UINT64_MAX - 1,
                                    INT64_MAX,
                                    1ull << 63,
                                    1ull << 62,
                                    1ull << 61,
                                    1ull << 60,
                                    1ull << 32,
                                    UINT32_MAX,
                                    INT32_MAX,
                                    1ull << 31,
                                    1ull << 20,
                                    4096,
                                    5118,
                                    255,
                                    1ull << 58,
                                    1ull << 40,
                                    0x7ff0ull << 48,
                                    0x7ff8ull << 48,
                                    (1ull << 60) - 13,
                                    63};
  if (below(state, 4) == 0) return mutate_random(state) >> below(state, 64);
  return values[below(state, sizeof(values) / sizeof(values[0]))];
}

/* Returns a random offset below the size of b, half of the time within the first 128 bytes, where
 * the counts of the first record are. */
static size_t place(const struct bytes *b, uint64_t *state) {
  size_t near = b->size < 128 ? b->size : 128;
  return below(state, below(state, 2) ? near : b->size);
}

/* Writes such a value, of four or eight bytes, to a random place, and usually to an aligned one. */
static void put_nasty(struct bytes *b, uint64_t *state) {
  int width = below(state, 4) ? 8 : 4;
  if (b->size < (size_t)width) return;
  size_t at = place(b, state);
  if (at > b->size - (size_t)width) at = b->size - (size_t)width;
  if (below(state, 4)) at &= ~(size_t)7; /* most fields are aligned */
  frame_put(b->data + at, width, below(state, 2), nasty(state));
}

/* Makes one random change of content: changes a bit, a byte or a whole number, or cuts, removes,
 * inserts or repeats bytes. */
static void change_bytes(struct bytes *b, uint64_t *state) {
  uint8_t noise[GROWTH_MAX];
  size_t n = 1 + below(state, GROWTH_MAX);
  size_t at = place(b, state);
  size_t rest = b->size - at;
  switch (b->size ? below(state, 8) : 4) {
  case 0:
    b->data[at] ^= (uint8_t)(1u << below(state, 8));
    break;
  case 1:
    b->data[at] = (uint8_t)mutate_random(state);
    break;
  case 2: /* cut the end off */
    bytes_splice(b, at, rest, NULL, 0);
    break;
  case 3: /* take a piece out */
    bytes_splice(b, at, n < rest ? n : rest, NULL, 0);
    break;
  case 4: /* put noise in */
    for (size_t i = 0; i < n; i++)
      noise[i] = (uint8_t)mutate_random(state);
    bytes_splice(b, at, 0, noise, n);
    break;
  case 5: /* repeat a piece */
    n = n < rest ? n : rest;
    memcpy(noise, b->data + at, n);
    bytes_splice(b, at, 0, noise, n);
    break;
  default:
    put_nasty(b, state);
  }
}

/* Changes the decompressed content of a random region, and stores it again in one or two compressed
 * streams. Does nothing if the region is damaged. */
static void change_region(struct bytes *log, const struct frame *frame, uint64_t *state) {
  /* Modules come after job and names, where almost any change ends in a refusal. */
  int region = (int)below(state, (size_t)frame->num_regions);
  int other = (int)below(state, (size_t)frame->num_regions);
  if (other > region) region = other;
  const struct frame_region *r = &frame->regions[region];
  struct bytes content = frame_unpack(frame->compression, log->data + r->off, r->len);
  if (!content.data) return;
  for (size_t i = 1 + below(state, 3); i > 0; i--)
    change_bytes(&content, state);
  size_t first = below(state, 4) ? content.size : below(state, content.size + 1);
  struct bytes packed = frame_pack(frame->compression, content.data, first);
  if (first < content.size) {
    struct bytes rest = frame_pack(frame->compression, content.data + first, content.size - first);
    bytes_splice(&packed, packed.size, 0, rest.data, rest.size);
    bytes_free(&rest);
  }
  frame_replace(log, frame, region, &packed);
  bytes_free(&packed);
  bytes_free(&content);
}

/* Changes the annex: any of its bytes, or the content of its first block before compression.
 * Corrects the trailer. */
static void change_annex(struct bytes *log, const struct frame *frame, uint64_t *state) {
  struct bytes annex = {NULL, 0};
  bytes_splice(&annex, 0, 0, log->data + frame->annex_off, frame->annex_len);
  size_t head = sizeof(struct darshan_annex_block);
  if (annex.size < head || below(state, 2)) {
    change_bytes(&annex, state);
  } else {
    size_t field = offsetof(struct darshan_annex_block, stored_len);
    uint64_t stored = frame_get(annex.data + field, 8, frame->swapped);
    if (stored > annex.size - head) stored = annex.size - head;
    struct bytes content = frame_unpack(frame->compression, annex.data + head, (size_t)stored);
    change_bytes(&content, state);
    struct bytes packed = frame_pack(frame->compression, content.data, content.size);
    bytes_splice(&annex, head, (size_t)stored, packed.data, packed.size);
    frame_put(annex.data + field, 8, frame->swapped, packed.size);
    if (below(state, 4)) frame_put(annex.data + field + 8, 8, frame->swapped, content.size);
    bytes_free(&packed);
    bytes_free(&content);
  }
  frame_replace_annex(log, frame, &annex);
  bytes_free(&annex);
}

/* Writes such a value to the log's header, without changing the size. */
static void change_header(struct bytes *log, uint64_t *state) {
  struct bytes head = *log;
  if (head.size > sizeof(struct darshan_header)) head.size = sizeof(struct darshan_header);
  put_nasty(&head, state); /* in place: the size stays */
}

void mutate_log(struct bytes *log, uint64_t *state) {
  for (size_t i = 1 + below(state, 4); i > 0; i--) {
    struct frame frame;
    bool framed = frame_find(&frame, log);
    size_t kind = below(state, 10);
    if (framed && frame.trailer && kind < 4)
      change_annex(log, &frame, state);
    else if (framed && kind < 8)
      change_region(log, &frame, state);
    else if (framed && kind == 8)
      change_header(log, state);
    else
      change_bytes(log, state);
  }
}
