/* Compresses regions: up to 2 KiB with fixed codes (pack/short.c), up to 12 KiB with zlib, larger
 * regions with libdeflate, and many records of one size with the packer (pack/pack.c). */
#include "compress.h"

#include <libdeflate.h>
#include <stdint.h>
#include <zlib.h>

#include "../intercept/memory.h"
#include "pack/pack.h"

enum {
  /* Regions of up to this many bytes do not use libdeflate; above SHORT_MOST bytes they use zlib
   * with small tables. libdeflate's tables are larger than the log of a small process, and touching
   * fresh pages is the main cost. For 16 KiB of names libdeflate needs half of zlib's time and 8 %
   * less space. */
  SMALL = 12 << 10,
  SMALL_LEVEL = 3, /* level 6 runs twice the instructions and saves nothing */
  SMALL_WINDOW_BITS = 12,
  SMALL_MEMORY_LEVEL = 4,
  SMALL_ROOM = 64 << 10,
  /* libdeflate's level for regions above SMALL. Higher levels take longer and save nothing (names
   * of 1,000 files). */
  LEVEL = 6,
  /* libdeflate's level of log_compress_fast, for traces and short regions of names. With traces,
   * level 6 takes five times as long and saves 5 %. */
  FAST_LEVEL = 1
};

/* Bytes before each allocation, which store its size: libdeflate does not pass the size when it
 * frees the allocation. */
enum { SIZE_ROOM = 64 };
static void *take(size_t n) {
  char *piece = private_memory(n + SIZE_ROOM);
  if (!piece) return NULL;
  *(size_t *)(void *)piece = n + SIZE_ROOM;
  return piece + SIZE_ROOM;
}
static void give_back(void *p) {
  char *piece = (char *)p - SIZE_ROOM;
  sys_munmap(piece, *(size_t *)(void *)piece);
}

/* The unused rest of the mapping that serves the five allocations of zlib. */
struct pieces {
  char *next, *end;
};

static void *take_piece(void *opaque, unsigned items, unsigned size) {
  struct pieces *pieces = opaque;
  size_t n = ((size_t)items * size + 63) & ~(size_t)63;
  if (pieces->next == NULL || n > (size_t)(pieces->end - pieces->next)) return NULL;
  char *piece = pieces->next;
  pieces->next += n;
  return piece;
}

static void give_back_piece(void *opaque, void *piece) {
  (void)opaque;
  (void)piece;
}

static size_t compress_small(struct log_compressor *compressor, const void *in, size_t n, void *out,
                             size_t room) {
  if (n <= SHORT_MOST) return short_write(in, n, out, room);
  if (!compressor->small) compressor->small = take(SMALL_ROOM);
  if (!compressor->small) return 0;
  struct pieces pieces = {compressor->small, compressor->small + SMALL_ROOM};
  z_stream stream = {.zalloc = take_piece, .zfree = give_back_piece, .opaque = &pieces};
  if (deflateInit2(&stream, SMALL_LEVEL, Z_DEFLATED, SMALL_WINDOW_BITS, SMALL_MEMORY_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  stream.next_in = (unsigned char *)(uintptr_t)in;
  stream.avail_in = (unsigned)n;
  stream.next_out = out;
  stream.avail_out = room > UINT32_MAX ? UINT32_MAX : (unsigned)room;
  return deflate(&stream, Z_FINISH) == Z_STREAM_END ? stream.total_out : 0;
}

size_t log_compress_bound(size_t n) {
  enum { BLOCKS = 1024 }; /* bytes for the table and last words of a packer's block */
  return libdeflate_zlib_compress_bound(NULL, n) + n / 8 + n / 16 + BLOCKS;
}

static size_t compress_large(struct libdeflate_compressor **compressor, int level, const void *in,
                             size_t n, void *out, size_t room) {
  if (!*compressor) {
    libdeflate_set_memory_allocator(take, give_back);
    *compressor = libdeflate_alloc_compressor(level);
    if (!*compressor) return 0;
  }
  return libdeflate_zlib_compress(*compressor, in, n, out, room);
}

size_t log_compress(struct log_compressor *compressor, const void *in, size_t n, void *out,
                    size_t room) {
  if (n <= SMALL) return compress_small(compressor, in, n, out, room);
  return compress_large(&compressor->large, LEVEL, in, n, out, room);
}

int log_can_pack(size_t size, size_t n) {
  return size >= sizeof(uint64_t) && size % sizeof(uint64_t) == 0 && size <= PACK_SIZE_MAX &&
         n >= LOG_LIST_LEAST;
}

static int can_pack(const struct log_records *records) {
  return records->size && records->length % records->size == 0 &&
         log_can_pack(records->size, records->length / records->size);
}

static const char *record_at(const struct log_records *records, size_t i) {
  if (records->bytes) return records->bytes + i * records->size;
  return records->where ? segments_at(records->where, (uint32_t)i) : records->list[i];
}

size_t log_compress_records(struct log_compressor *compressor, const struct log_records *records,
                            void *out, size_t room) {
  if (!can_pack(records))
    return records->bytes ? log_compress(compressor, records->bytes, records->length, out, room)
                          : 0;
  if (!compressor->packer) compressor->packer = take(sizeof(*compressor->packer));
  if (!compressor->packer) return 0;
  pack_start(compressor->packer, records->size, out, room);
  for (size_t i = 0; i < records->length / records->size; i++)
    pack_add(compressor->packer, record_at(records, i));
  return pack_finish(compressor->packer);
}

size_t log_compress_fast(struct log_compressor *compressor, const void *in, size_t n, void *out,
                         size_t room) {
  if (n <= SMALL) return compress_small(compressor, in, n, out, room);
  return compress_large(&compressor->fast, FAST_LEVEL, in, n, out, room);
}

void log_compressor_drop(struct log_compressor *compressor) {
  if (compressor->small) give_back(compressor->small);
  if (compressor->packer) give_back(compressor->packer);
  if (compressor->large) libdeflate_free_compressor(compressor->large);
  if (compressor->fast) libdeflate_free_compressor(compressor->fast);
  *compressor = (struct log_compressor){.large = NULL};
}

unsigned log_checksum(const void *bytes, size_t n) {
  /* Short data go to zlib's crc32: libdeflate first queries the features of the processor, which is
   * slow in a virtual machine. */
  return n <= SMALL ? (unsigned)crc32(0, bytes, (unsigned)n) : libdeflate_crc32(0, bytes, n);
}

size_t log_compress_part(const void *in, size_t n, void *out, size_t room) {
  static struct log_compressor compressor; /* one thread at a time writes a log */
  return log_compress_fast(&compressor, in, n, out, room);
}
