/* Compression of a region into one zlib stream. */
#ifndef DARSHAN_COMPRESS_H
#define DARSHAN_COMPRESS_H

#include <stddef.h>

struct libdeflate_compressor;

struct log_compressor {                /* zeroed before its first use; no malloc behind it */
  struct libdeflate_compressor *large; /* made when it is needed */
  struct libdeflate_compressor *fast;  /* the same */
  char *small;                         /* memory for zlib, used again and again */
};

/* Most bytes that n bytes can become. */
size_t log_compress_bound(size_t n);
/* Bytes written to out, 0 if it has too little room. */
size_t log_compress(struct log_compressor *compressor, const void *in, size_t n, void *out,
                    size_t room);
/* Gives the memory back. */
void log_compressor_drop(struct log_compressor *compressor);
/* The same for what is large and compresses well: several times as fast. */
size_t log_compress_fast(struct log_compressor *compressor, const void *in, size_t n, void *out,
                         size_t room);
unsigned log_checksum(const void *bytes, size_t n);

#endif
