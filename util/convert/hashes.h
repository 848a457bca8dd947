/* The two hashes that hide what a log says. */
#ifndef DARSHAN_CONVERT_HASHES_H
#define DARSHAN_CONVERT_HASHES_H

#include <stddef.h>
#include <stdint.h>

/* Bob Jenkins' lookup3 ("hashlittle", public domain): what 3.5.0 hides names with. */
uint32_t hash_lookup3(const void *bytes, size_t n, uint32_t initial);

/* SipHash-2-4 of Aumasson and Bernstein: who does not know the key learns nothing by
 * trying names. */
uint64_t hash_siphash(const uint64_t key[2], const void *bytes, size_t n);

#endif
