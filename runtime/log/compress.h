/* Compression of a region into one zlib stream. */
#ifndef DARSHAN_COMPRESS_H
#define DARSHAN_COMPRESS_H

#include "../door/door.h"

struct libdeflate_compressor;
struct packer;

struct log_compressor {                /* zeroed before its first use; no malloc behind it */
  struct libdeflate_compressor *large; /* made when it is needed */
  struct libdeflate_compressor *fast;  /* the same */
  char *small;                         /* memory for zlib, used again and again */
  struct packer *packer;               /* made when it is needed */
};

/* What becomes one stream. */
struct log_records {
  const char *bytes;            /* one behind the other, or NULL: */
  const char *const *list;      /* where each record is, if they are of one size, or NULL: */
  const struct segments *where; /* they are its first items */
  size_t length;                /* of all, in bytes */
  size_t size;                  /* of each; 0: they differ */
};
enum { LOG_LIST_LEAST = 8 }; /* records in a list; fewer have to be put together */
/* 1: n records of this size need not lie one behind the other. */
int log_can_pack(size_t size, size_t n);

/* Bytes written to out, 0 if it has too little room. */
size_t log_compress(struct log_compressor *compressor, const void *in, size_t n, void *out,
                    size_t room);
/* The same for records: those of one size take a quarter of the time. */
size_t log_compress_records(struct log_compressor *compressor, const struct log_records *records,
                            void *out, size_t room);
/* Gives the memory back. */
void log_compressor_drop(struct log_compressor *compressor);
/* The same, several times as fast. */
size_t log_compress_fast(struct log_compressor *compressor, const void *in, size_t n, void *out,
                         size_t room);
unsigned log_checksum(const void *bytes, size_t n);

#endif
