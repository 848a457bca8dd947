/* A stand-in for an HDF5 library, with which a test sees which library was called. It is compiled
 * twice with different values of ANSWER: H5Fflush returns ANSWER, and every id belongs to the file
 * ANSWER.h5. */
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

int H5get_libversion(unsigned *major, unsigned *minor, unsigned *release);
int64_t H5Fcreate(const char *name, unsigned flags, int64_t fcpl, int64_t fapl);
int H5Fflush(int64_t id, int scope);
ssize_t H5Fget_name(int64_t id, char *name, size_t room);

int H5get_libversion(unsigned *major, unsigned *minor, unsigned *release) {
  *major = 1;
  *minor = 10;
  *release = 0;
  return 0;
}

/* Returns the same id in every copy of this library, as copies of the real HDF5 do. */
int64_t H5Fcreate(const char *name, unsigned flags, int64_t fcpl, int64_t fapl) {
  (void)name, (void)flags, (void)fcpl, (void)fapl;
  return INT64_C(1) << 56;
}

int H5Fflush(int64_t id, int scope) {
  (void)id, (void)scope;
  return ANSWER;
}

ssize_t H5Fget_name(int64_t id, char *name, size_t room) {
  (void)id;
  return snprintf(name, room, "%d.h5", ANSWER);
}
