#include "mpi-files.h"

#include <stdint.h>
#include <string.h>

static const char *const shapes[] = {
#define MPI_FILE(shape) shape,
#include "mpi-files.def"
#undef MPI_FILE
};

/* A bit for the first two letters of a shape: nearly all components of other paths begin
 * with none of them, and cost one look. */
#define INITIALS(name) (UINT64_C(1) << (((name)[0] * 7 + (name)[1]) & 63))
static inline uint64_t all_initials(void) {
  return 0
#define MPI_FILE(shape) | INITIALS(shape)
#include "mpi-files.def"
#undef MPI_FILE
      ;
}

static bool is_digit(char byte, bool hexadecimal) {
  return (byte >= '0' && byte <= '9') || (hexadecimal && byte >= 'a' && byte <= 'f');
}

/* Past the number that name begins with; NULL if there is none. */
static const char *past_number(const char *name, bool hexadecimal) {
  const char *at = name;
  while (is_digit(*at, hexadecimal))
    at++;
  return at > name ? at : NULL;
}

/* Where something does not fit, the last `*` takes a byte more.  Only the last one: what is
 * before it was found as early as it could be.  A number takes all of its digits, since no
 * shape goes on with another one. */
static bool fits(const char *shape, const char *name) {
  const char *again_shape = NULL, *again_name = NULL;
  for (;;) {
    bool end = shape[0] == '\0' || (shape[0] == '/' && shape[1] == '\0');
    /* A folder's shape ends with what ends its name, or has something below it. */
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

static bool fits_any(const char *name) {
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
    if (shapes[i][0] == *name && fits(shapes[i], name)) return true;
  return false;
}

bool darshan_is_mpi_file(const char *path) {
  if (path[0] != '/') return false;
  /* strchr looks at many bytes at once. */
  for (const char *at = path; at != NULL; at = strchr(at + 1, '/'))
    if (at[1] != '\0' && (INITIALS(at + 1) & all_initials()) && fits_any(at + 1)) return true;
  return false;
}
