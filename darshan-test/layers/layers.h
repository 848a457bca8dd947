/* Functions that the scenarios share, and the scenarios that are in other files. */
#ifndef TEST_LAYERS_H
#define TEST_LAYERS_H

#include <hdf5.h>
#include <stdint.h>

/* Returns the result of an HDF5 call; if it is negative, prints the name of the call and ends the
 * program. */
int64_t checked(int64_t result, const char *call);
#define CHECK(call) checked((call), #call)

/* Makes a call of access() with this name, which marks a point of the run for strace. */
void mark(const char *what);

/* Selects one row of a two-dimensional dataspace, in place. Returns the space. */
hid_t select_row(hid_t space, hsize_t row, hsize_t columns);

/* Calls HDF5 in one thread, and makes POSIX calls in two others. */
void threads(void);
/* Like threads(), but makes POSIX calls before the first HDF5 call. */
void early(void);

/* Writes and reads a contiguous and a chunked dataset of 1000 doubles each. */
void storage(void);
/* Like storage(), but through HDF5's stdio driver. */
void streams(void);
/* Uses one dataset with the chunk cache that is set for its file, and one with the cache that is
 * set for the dataset. */
void caches(void);

#endif
