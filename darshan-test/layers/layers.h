/* Functions that the scenarios share, and the scenarios in other files. */
#ifndef TEST_LAYERS_H
#define TEST_LAYERS_H

#include <hdf5.h>
#include <stdint.h>

/* Returns the result; if it is negative, prints the call and ends the program. */
int64_t checked(int64_t result, const char *call);
#define CHECK(call) checked((call), #call)

/* Leaves a mark for strace. */
void mark(const char *what);

/* Selects one row of a two-dimensional data space; returns the space. */
hid_t select_row(hid_t space, hsize_t row, hsize_t columns);

/* Uses HDF5 in one thread, and POSIX calls in two others. */
void threads(void);
/* Like threads(), after POSIX calls that precede all HDF5 calls. */
void early(void);

/* Writes and reads a contiguous and a chunked dataset of 1000 doubles each. */
void storage(void);
/* Like storage(), through HDF5's stdio driver. */
void streams(void);
/* Uses one dataset with the chunk cache that is set for its file, and one with its own. */
void caches(void);

#endif
