/* The two hashes for anonymized logs. */
#ifndef DARSHAN_CONVERT_HASHES_H
#define DARSHAN_CONVERT_HASHES_H

#include <stddef.h>
#include <stdint.h>

/* Returns the hash that 3.5.0 uses for names: Bob Jenkins' lookup3 ("hashlittle", public
 * domain). */
uint32_t hash_lookup3(const void *bytes, size_t n, uint32_t initial);

/* Returns the hash SipHash-2-4 of Aumasson and Bernstein. Without the key, nobody can find a name
 * by hashing guesses. */
uint64_t hash_siphash(const uint64_t key[2], const void *bytes, size_t n);

#endif
