/* Sentences below the row of an HDF5 dataset, whose numbers alone would mislead. */
#ifndef DARSHAN_FRONT_DATASET_REMARKS_H
#define DARSHAN_FRONT_DATASET_REMARKS_H

#include <stddef.h>

#include "../summary/datasets.h"

enum { DATASET_REMARKS = 2 };

/* Writes a sentence, of at most a line of 80 columns. Returns 0 if it does not hold for this
 * dataset. which: 0 to DATASET_REMARKS - 1. */
int dataset_remark(char *out, size_t size, const struct dataset *one, int which);

#endif
