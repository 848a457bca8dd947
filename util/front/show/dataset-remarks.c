/* Sentences below the row of an HDF5 dataset, whose numbers alone would mislead. */
#include "dataset-remarks.h"

#include <stdio.h>
#include <string.h>

#include "values.h"

enum { LARGE = 64 * 1024 }; /* bytes of metadata that are worth a sentence */

/* Writes how often the program read the dataset's bytes. Returns 1, or 0 if it did not read them
 * twice. Packed values take fewer bytes in the file, so the ratio of moved to requested bytes does
 * not show this. */
static int repeated(char *out, size_t size, const struct dataset *one) {
  char whole[QUANTITY_ROOM], times[QUANTITY_ROOM];
  if (one->size <= 0 || one->read / 2 < one->size) return 0;
  snprintf(out, size, "  the program read %s times its size of %s",
           quantity_ratio(times, (double)one->read, (double)one->size),
           quantity_bytes(whole, (double)one->size));
  return 1;
}

/* Writes how many bytes opens of the dataset wrote for other objects. Returns 1, or 0 if these are
 * few. HDF5 writes its cached metadata, of all objects of the file, in any call that finds the
 * cache full. */
static int flushed(char *out, size_t size, const struct dataset *one) {
  char bytes[QUANTITY_ROOM];
  if (one->size <= 0 || one->opening - LARGE < one->size || one->opening < one->moved / 2) return 0;
  snprintf(out, size, "  its opens wrote %s for other objects: metadata from HDF5's cache",
           quantity_bytes(bytes, (double)(one->opening - one->size)));
  return 1;
}

int dataset_remark(char *out, size_t size, const struct dataset *one, int which) {
  /* A record of several datasets has the size of only one dataset. */
  if (!one->name || one->name[0] == '<' || strstr(one->name, ":<anonymous>")) return 0;
  return which == 0 ? repeated(out, size, one) : flushed(out, size, one);
}
