/* Compresses a region into one zlib stream. */
#ifndef DARSHAN_COMPRESS_H
#define DARSHAN_COMPRESS_H

#include "../door/door.h"

struct libdeflate_compressor;
struct packer;

struct log_compressor {                /* zeroed before its first use; does not use malloc */
  struct libdeflate_compressor *large; /* allocated at its first use */
  struct libdeflate_compressor *fast;  /* allocated at its first use */
  char *small;                         /* memory for zlib, allocated at its first use and reused */
  struct packer *packer;               /* allocated at its first use */
};

/* The records of one stream: exactly one of bytes, list and where is set. */
struct log_records {
  const char *bytes;            /* contiguous records, or NULL */
  const char *const *list;      /* address of each record, all of one size, or NULL */
  const struct segments *where; /* a table whose first items are the records */
  size_t length;                /* bytes of all records */
  size_t size;                  /* bytes of each record; 0: they differ */
};
enum { LOG_LIST_LEAST = 8 }; /* fewest records in a list; fewer must be contiguous */
/* Returns 1 if n records of `size` bytes need not be contiguous: `size` is a multiple of 8 of at
 * most 32 KiB, and n is at least LOG_LIST_LEAST. Otherwise returns 0. */
int log_can_pack(size_t size, size_t n);

/* Compresses n bytes into one zlib stream in out. Returns the bytes written; 0 if `room` is too
 * small or memory is exhausted. */
size_t log_compress(struct log_compressor *compressor, const void *in, size_t n, void *out,
                    size_t room);
/* Compresses records into one stream, and returns the same values as log_compress. Records that are
 * not contiguous need a size and a number for which log_can_pack returns 1; otherwise returns 0. If
 * log_can_pack returns 1, takes a quarter of the time of log_compress. */
size_t log_compress_records(struct log_compressor *compressor, const struct log_records *records,
                            void *out, size_t room);
void log_compressor_drop(struct log_compressor *compressor);
/* log_compress_fast compresses n bytes and returns the same values as log_compress. For more than
 * 12 KiB it is several times as fast, but the stream is a few percent larger. log_checksum returns
 * the CRC-32 of n bytes. */
size_t log_compress_fast(struct log_compressor *compressor, const void *in, size_t n, void *out,
                         size_t room);
unsigned log_checksum(const void *bytes, size_t n);

#endif
