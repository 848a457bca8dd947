#include "compress.h"

#include <libdeflate.h>

#include "journal.h"

/* Level 3 compresses a log of 1,000 files in about the time in which the file
 * is created, to about the size that zlib's default level reaches. */
enum { LEVEL = 3 };

/* The process is about to end: nothing is given back. */
static void *take(size_t n) {
  return journal_private_memory(n);
}
static void give_back(void *p) {
  (void)p;
}

struct log_compressor *log_compressor_new(void) {
  libdeflate_set_memory_allocator(take, give_back);
  return (struct log_compressor *)libdeflate_alloc_compressor(LEVEL);
}

size_t log_compress_bound(size_t n) {
  return libdeflate_zlib_compress_bound(NULL, n);
}

size_t log_compress(struct log_compressor *compressor, const void *in, size_t n, void *out,
                    size_t room) {
  return libdeflate_zlib_compress((struct libdeflate_compressor *)compressor, in, n, out, room);
}

unsigned log_checksum(const void *bytes, size_t n) {
  return libdeflate_crc32(0, bytes, n);
}
