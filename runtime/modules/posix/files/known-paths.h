/* Finds the file of a path that was used before, by comparing the path with the file's name. The
 * comparison replaces cleaning the path, computing the id, finding the record and checking for
 * exclusion: more than half of the instructions of a stat. Only names of files with a record of
 * their own are known, so an excluded path is never known. Several paths share a slot, and the slot
 * has the last of them. */
#ifndef DARSHAN_POSIX_KNOWN_PATHS_H
#define DARSHAN_POSIX_KNOWN_PATHS_H

#include <string.h>

#include "../posix-fds.h"
#include "../posix-state.h"

/* Returns a hash of a path's length and of up to 24 of its bytes, the key of the path; 0 for a path
 * of less than 8 bytes, which is never known. Two paths with the same key only evict each other
 * from their slot. */
static inline uint64_t path_key(const char *path, size_t length) {
  uint64_t last, before, middle;
  if (UNLIKELY(length < sizeof(last))) return 0;
  __builtin_memcpy(&last, path + length - 8, 8);
  __builtin_memcpy(&before, path + (length < 16 ? 0 : length - 16), 8);
  __builtin_memcpy(&middle, path + (length - 8) / 2, 8);
  return last * UINT64_C(0x9E3779B97F4A7C15) + before * UINT64_C(0xC2B2AE3D27D4EB4F) +
         middle * UINT64_C(0xD6E8FEB86659FD93) + length;
}
static inline uint64_t *path_slot(uint64_t key) {
  return &posix_state.known_paths[key >> 56];
}
_Static_assert(POSIX_KNOWN_PATHS == 256, "the upper 8 bits of a key are the slot");

/* Returns the number of the file of this path (posix_file_at), or 0 if the path is not known. key:
 * path_key of the path. A frame that was interrupted by a fork may have stored a number of the
 * parent process, so the file is checked. */
static inline uint32_t path_known(const char *path, size_t length, uint64_t key) {
  uint64_t known = __atomic_load_n(path_slot(key), __ATOMIC_ACQUIRE);
  uint32_t number = (uint32_t)known;
  if (!number || known >> 32 != (uint32_t)(key >> 24) ||
      number > __atomic_load_n(&posix_state.used_files, __ATOMIC_ACQUIRE))
    return 0;
  const struct posix_file *file = posix_file_at(number);
  if (file->name_length != length || file->overflow || memcmp(file->name, path, length) != 0)
    return 0;
  return number;
}

/* Stores the number of a file that has a record of its own and whose name is the path with this
 * key. key: 0: does nothing. */
static inline void path_learn(uint64_t key, uint32_t number) {
  uint64_t known = (uint64_t)(uint32_t)(key >> 24) << 32 | number;
  if (key) __atomic_store_n(path_slot(key), known, __ATOMIC_RELEASE);
}

/* Returns the file of an absolute path that is known. Returns NULL for other paths, and if records
 * cannot be used now. */
static inline struct posix_file *path_file(const char *path) {
  if (path[0] != '/' || runtime_phase() != RUNTIME_RECORDING) return NULL;
  size_t length = strlen(path);
  uint32_t number = path_known(path, length, path_key(path, length));
  return number ? posix_file_at(number) : NULL;
}

#endif
