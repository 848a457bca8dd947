/* The layout of a file as Lustre tells it in the attribute "lustre.lov".  The
 * structures are those of its interface for programs, version 1, version 3 with
 * a pool, and composite: little-endian, packed. */
#ifndef DARSHAN_LUSTRE_LAYOUT_H
#define DARSHAN_LUSTRE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* No attribute is longer, so no layout is. */
enum { LUSTRE_LAYOUT_MAX = 65536 };

/* Writes the record of a file to out.  reply: n bytes that the kernel gave, of
 * which nothing is trusted.  settled: 1 if all parts of the layout have their
 * objects.  Returns the length of the record, 0 if the reply is not the layout
 * of a file or the record does not fit. */
size_t lustre_record(char *out, size_t room, uint64_t id, int64_t rank, const void *reply, size_t n,
                     int *settled);

#endif
