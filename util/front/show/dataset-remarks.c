/* Writes sentences below the row of an HDF5 dataset, if its numbers alone would mislead. */
#include "dataset-remarks.h"

#include <stdio.h>
#include <string.h>

#include "values.h"

enum { LARGE = 64 * 1024 }; /* from so many bytes of metadata on, a sentence is written */

/* Writes how often the program read the dataset's bytes. Returns 1, or 0 if it read them less than
 * twice. The ratio of moved to requested bytes does not show this, because packed values take fewer
 * bytes in the file. */
static int repeated(char *out, size_t size, const struct dataset *one) {
  char whole[QUANTITY_ROOM], times[QUANTITY_ROOM];
  if (one->size <= 0 || one->read / 2 < one->size) return 0;
  snprintf(out, size, "  the program read %s times its size of %s",
           quantity_ratio(times, (double)one->read, (double)one->size),
           quantity_bytes(whole, (double)one->size));
  return 1;
}

/* Writes how many bytes opens of the dataset wrote for other objects. Returns 1, or 0 if these are
 * few. HDF5 writes its cached metadata, which belong to all objects of the file, in any call that
 * finds the cache full. */
static int flushed(char *out, size_t size, const struct dataset *one) {
  char bytes[QUANTITY_ROOM];
  if (one->size <= 0 || one->opening - LARGE < one->size || one->opening < one->moved / 2) return 0;
  snprintf(out, size, "  its opens wrote %s for other objects: metadata from HDF5's cache",
           quantity_bytes(bytes, (double)(one->opening - one->size)));
  return 1;
}

int dataset_remark(char *out, size_t size, const struct dataset *one, int which) {
  /* The record of several datasets has the size of only one of them. */
  if (!one->name || one->name[0] == '<' || strstr(one->name, ":<anonymous>")) return 0;
  return which == 0 ? repeated(out, size, one) : flushed(out, size, one);
}
