/* A hash of the folder of a name, to find again what was learnt of that folder.  It stays in this
 * process and is asked for with each new file: a few multiplications, and no more. */
#ifndef DARSHAN_FOLDER_HASH_H
#define DARSHAN_FOLDER_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t folder_hash_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

/* Of length bytes, mostly up to a slash and with it. */
static inline uint64_t folder_hash(const char *bytes, size_t length) {
  uint64_t hash = length * UINT64_C(0xD6E8FEB86659FD93), word;
  size_t at = 0;
  for (; at + sizeof(word) <= length; at += sizeof(word)) {
    __builtin_memcpy(&word, bytes + at, sizeof(word));
    hash = folder_hash_mix(hash, word);
  }
  if (at < length && length >= sizeof(word)) { /* the last ones, some of them again */
    __builtin_memcpy(&word, bytes + length - sizeof(word), sizeof(word));
    hash = folder_hash_mix(hash, word);
    at = length;
  }
  for (word = 0; at < length; at++)
    word = word << 8 | (unsigned char)bytes[at];
  hash = folder_hash_mix(hash, word);
  return hash ^ hash >> 32;
}

#endif
