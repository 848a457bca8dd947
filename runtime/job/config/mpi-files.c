/* Matches paths against the patterns of mpi-files.def. */
#include "names.h"

#include <stdint.h>
#include <string.h>

static const char *const shapes[] = {
#define MPI_FILE(shape) shape,
#include "mpi-files.def"
#undef MPI_FILE
};

/* Sets of bits: one has a bit for the first two letters of each pattern, the other for the second
 * and third letter. Nearly all components of other paths lack one of the two bits. */
#define BIT_OF(one, other) (UINT64_C(1) << (((one)*7 + (other)) & 63))
#define MPI_FILE(shape) | BIT_OF((shape)[0], (shape)[1])
static inline uint64_t all_initials(void) {
  return 0
#include "mpi-files.def"
      ;
}
#undef MPI_FILE
#define MPI_FILE(shape) | BIT_OF((shape)[1], (shape)[2])
static inline uint64_t all_seconds(void) {
  return 0
#include "mpi-files.def"
      ;
}
#undef MPI_FILE

/* Returns false if the first three letters of the name fit no pattern. May also return true for a
 * name that fits none. Patterns have no `*` or number there, so this test is fast. */
static inline bool may_fit(const char *name) {
  return name[0] != '\0' && (BIT_OF(name[0], name[1]) & all_initials()) && name[1] != '\0' &&
         (BIT_OF(name[1], name[2]) & all_seconds());
}

static bool is_digit(char byte, bool hexadecimal) {
  return (byte >= '0' && byte <= '9') || (hexadecimal && byte >= 'a' && byte <= 'f');
}

/* Returns the end of the number that name begins with, decimal or, if hexadecimal is true,
 * hexadecimal; NULL if it does not begin with a number. */
static const char *past_number(const char *name, bool hexadecimal) {
  const char *at = name;
  while (is_digit(*at, hexadecimal))
    at++;
  return at > name ? at : NULL;
}

/* Returns true if the name matches the pattern, otherwise false. At a mismatch the last `*` takes
 * another byte. Earlier `*` take no more, because the text between was found as early as possible.
 * A number takes all its digits, because no pattern has a digit after a number. */
static bool fits(const char *shape, const char *name) {
  const char *again_shape = NULL, *again_name = NULL;
  for (;;) {
    bool end = shape[0] == '\0' || (shape[0] == '/' && shape[1] == '\0');
    /* A pattern of a folder also matches paths below it. */
    if (end && (*name == '\0' || (*name == '/' && *shape == '/'))) return true;
    const char *next = NULL;
    if (*shape == '*') {
      if (*name != '\0' && *name != '/') {
        again_shape = shape + 1;
        again_name = next = name + 1;
      }
    } else if (*shape == '#' || *shape == '%') {
      next = past_number(name, *shape == '%');
    } else if (!end && *shape == *name) {
      next = name + 1;
    }
    if (next != NULL) {
      shape++;
      name = next;
      continue;
    }
    if (again_name == NULL || *again_name == '\0' || *again_name == '/') return false;
    shape = again_shape;
    name = ++again_name;
  }
}

/* Returns whether the name, which has at least two letters, fits one of the patterns. */
static bool fits_any(const char *name) {
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
    if (shapes[i][0] == name[0] && shapes[i][1] == name[1] && fits(shapes[i], name)) return true;
  return false;
}

bool darshan_is_mpi_file(const char *path) {
  if (path[0] != '/') return false;
  /* Searches with strchr, which compares many bytes at once. */
  for (const char *at = path; at != NULL; at = strchr(at + 1, '/'))
    if (may_fit(at + 1) && fits_any(at + 1)) return true;
  return false;
}

bool darshan_may_hold_mpi_files(const char *path, size_t length) {
  const char *end = path + length, *at = path;
  while (at != NULL && at + 1 < end) {
    if (may_fit(at + 1)) return true;
    at = memchr(at + 1, '/', (size_t)(end - at) - 1);
  }
  return false;
}

bool darshan_is_mpi_component(const char *name) {
  return may_fit(name) && fits_any(name);
}
