/* Cleans paths for use as names of records (paths.h). */
#include "paths.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__ /* every x86-64 has SSE2 */
#include <emmintrin.h>

/* Bytes that darshan_may_need_cleaning checks at once. It searches a '/' before a '/' or '.', which
 * differ only in the lowest bit. */
enum { LOOK = 16 };
static bool suspicious(const char *bytes) {
  __m128i word = _mm_loadu_si128((const __m128i *)(const void *)bytes);
  __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 1));
  __m128i slash = _mm_set1_epi8('/');
  __m128i found = _mm_and_si128(_mm_cmpeq_epi8(word, slash),
                                _mm_cmpeq_epi8(_mm_or_si128(next, _mm_set1_epi8(1)), slash));
  return _mm_movemask_epi8(found) != 0;
}
#else
#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* Returns a word with the high bit set in every byte of `word` that equals b. Above such a byte,
 * other bytes may be marked, too. */
static uint64_t bytes_equal(uint64_t word, unsigned char b) {
  uint64_t difference = word ^ EACH_BYTE(b);
  return (difference - EACH_BYTE(1)) & ~difference & EACH_BYTE(0x80);
}

enum { LOOK = 8 };
static bool suspicious(const char *bytes) {
  uint64_t word, next;
  __builtin_memcpy(&word, bytes, 8);
  __builtin_memcpy(&next, bytes + 1, 8);
  return (bytes_equal(word, '/') & bytes_equal(next | EACH_BYTE('.' ^ '/'), '/')) != 0;
}
#endif

bool darshan_may_need_cleaning(const char *path, size_t length) {
  size_t i = 0;
  for (; i + LOOK + 1 <= length; i += LOOK)
    if (suspicious(path + i)) return true;
  if (length >= LOOK + 1) return i + 1 < length && suspicious(path + length - (LOOK + 1));
  for (; i + 1 < length; i++)
    if (path[i] == '/' && (path[i + 1] == '/' || path[i + 1] == '.')) return true;
  return false;
}

/* Appends the cleaned path to out, which contains length bytes and has enough space. Returns the
 * new length. */
static size_t append_clean(char *out, size_t length, const char *path, size_t path_length) {
  for (size_t i = 0; i < path_length; i++) {
    bool after_slash = length > 0 && out[length - 1] == '/';
    if (after_slash && path[i] == '/') continue;
    if (after_slash && path[i] == '.' && i + 1 < path_length && path[i + 1] == '/') continue;
    out[length++] = path[i];
  }
  return length;
}

/* Appends a path to out, which contains `length` bytes and has enough space, and cleans it if
 * necessary. The path may already be at out + length. Returns the new length. */
static size_t append(char *out, size_t length, const char *path, size_t path_length) {
  if (darshan_may_need_cleaning(path, path_length))
    return append_clean(out, length, path, path_length);
  memmove(out + length, path, path_length);
  return length + path_length;
}

size_t darshan_clean_path(char *out, size_t room, const char *cwd, size_t cwd_length,
                          const char *path) {
  size_t path_length = strlen(path), length = 0;
  bool relative = path[0] != '/';
  if (path_length + (relative ? cwd_length + 1 : 0) >= room) return 0;
  if (relative) {
    length = append(out, 0, cwd, cwd_length);
    /* Removes a dot at the end of the folder's path, which ends with "/." if the folder was opened
     * by such a path. */
    if (length >= 2 && out[length - 1] == '.' && out[length - 2] == '/') length--;
    if (length == 0 || out[length - 1] != '/') out[length++] = '/';
  }
  if (relative && path[0] == '.') { /* the path's first "./" follows the slash of out */
    length = append_clean(out, length, path, path_length);
  } else {
    length = append(out, length, path, path_length);
  }
  out[length] = '\0';
  return length;
}

const char *darshan_without_driver(const char *path) {
  const char *colon = strchr(path, ':');
  if (!colon || colon - path < 2 || memchr(path, '/', (size_t)(colon - path))) return path;
  return colon + 1;
}
