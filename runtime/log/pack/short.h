/* Compresses a short region into a zlib stream with the fixed codes of RFC 1951. zlib's own
 * encoder initializes 24 KiB of tables and builds Huffman codes even for a few bytes. */
#ifndef DARSHAN_PACK_SHORT_H
#define DARSHAN_PACK_SHORT_H

#include <stddef.h>

enum { SHORT_MOST = 2 << 10 };

/* Compresses n bytes, at most SHORT_MOST. Another thread may change them meanwhile. Returns the
 * bytes written, 0 if room is too small. */
size_t short_write(const void *in, size_t n, void *out, size_t room);

#endif
