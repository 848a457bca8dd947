/* A plug-in that uses one of the libraries that are made from standin.c. It is compiled twice; the
 * two files differ only in the library's name. */
#include <stdint.h>

int64_t H5Fcreate(const char *name, unsigned flags, int64_t fcpl, int64_t fapl);
int H5Fflush(int64_t id, int scope);

/* Creates a file unless name is NULL, flushes it and leaves it open. With NULL, flushes the id that
 * H5Fcreate returns in every copy of the library. Returns the result of H5Fflush, by which the test
 * sees which library was called. */
int create_and_flush(const char *name);

int create_and_flush(const char *name) {
  int64_t id = name ? H5Fcreate(name, 2, 0, 0) : INT64_C(1) << 56;
  return H5Fflush(id, 0);
}
