/* A hash of a name's folder, by which facts about the folder are found. It is used only within this
 * process and is computed for each new file, so it consists of a few multiplications. */
#ifndef DARSHAN_FOLDER_HASH_H
#define DARSHAN_FOLDER_HASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__ /* every x86-64 has SSE2 */
#include <emmintrin.h>
#endif

static inline uint64_t folder_hash_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

/* Returns the hash of `length` bytes, mostly those of a path up to its last slash, inclusive. */
static inline uint64_t folder_hash(const char *bytes, size_t length) {
  uint64_t hash = length * UINT64_C(0xD6E8FEB86659FD93), word;
  size_t at = 0;
  for (; at + sizeof(word) <= length; at += sizeof(word)) {
    __builtin_memcpy(&word, bytes + at, sizeof(word));
    hash = folder_hash_mix(hash, word);
  }
  if (at < length && length >= sizeof(word)) { /* the last word, which may overlap the one before */
    __builtin_memcpy(&word, bytes + length - sizeof(word), sizeof(word));
    hash = folder_hash_mix(hash, word);
    at = length;
  }
  for (word = 0; at < length; at++)
    word = word << 8 | (unsigned char)bytes[at];
  hash = folder_hash_mix(hash, word);
  return hash ^ hash >> 32;
}

/* Returns the bytes of a name up to its last slash, inclusive; 0 if there is no slash. */
static inline size_t folder_bytes(const char *name, size_t length) {
#ifdef __SSE2__
  enum { LOOK = 16 };
  const __m128i slash = _mm_set1_epi8('/');
  for (; length >= LOOK; length -= LOOK) {
    __m128i word = _mm_loadu_si128((const __m128i *)(const void *)(name + length - LOOK));
    unsigned found = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(word, slash));
    if (found) return length - LOOK + 32 - (unsigned)__builtin_clz(found);
  }
#endif
  while (length > 0 && name[length - 1] != '/')
    length--;
  return length;
}

/* The folder of a name. Computed once per name, because exclusion, program tree, alignment and
 * group are all found by folder. */
struct name_folder {
  uint64_t hash;
  size_t bytes; /* length of the folder's path (folder_bytes) */
};
static inline struct name_folder name_folder(const char *name, size_t length) {
  size_t bytes = folder_bytes(name, length);
  return (struct name_folder){folder_hash(name, bytes), bytes};
}

#endif
