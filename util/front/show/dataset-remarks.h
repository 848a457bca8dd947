/* Writes sentences below the row of an HDF5 dataset, if its numbers alone would mislead. */
#ifndef DARSHAN_FRONT_DATASET_REMARKS_H
#define DARSHAN_FRONT_DATASET_REMARKS_H

#include <stddef.h>

#include "../summary/datasets.h"

enum { DATASET_REMARKS = 2 };

/* Writes a sentence of at most 80 columns to `out`, which has `size` bytes. Returns 1, or 0 without
 * a sentence if it is not true for this dataset. which: number of the sentence, 0 to
 * DATASET_REMARKS - 1. */
int dataset_remark(char *out, size_t size, const struct dataset *one, int which);

#endif
