/* Reads the layout of a file from Lustre's attribute "lustre.lov". The structures are those of
 * Lustre's user interface, little-endian and packed: version 1, version 3 with a pool, and
 * composite. */
#ifndef DARSHAN_LUSTRE_LAYOUT_H
#define DARSHAN_LUSTRE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the largest attribute, and so of the largest layout. */
enum { LUSTRE_LAYOUT_MAX = 65536 };

/* Writes the LUSTRE record of a file to out, which has `room` bytes: the head with id and rank, the
 * components, and the indexes of their OSTs. reply: the attribute, n untrusted bytes from the
 * kernel. Sets *settled to 1 if all components of the layout have their objects, so that the layout
 * no longer changes, otherwise to 0. Returns the length of the record in bytes, or 0 if the reply
 * is not the layout of a file or the record does not fit. */
size_t lustre_record(char *out, size_t room, uint64_t id, int64_t rank, const void *reply, size_t n,
                     int *settled);

#endif
