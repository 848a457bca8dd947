/* Sentences below the row of an HDF5 dataset, written if its numbers alone would mislead. */
#ifndef DARSHAN_FRONT_DATASET_REMARKS_H
#define DARSHAN_FRONT_DATASET_REMARKS_H

#include <stddef.h>

#include "../summary/datasets.h"

enum { DATASET_REMARKS = 2 };

/* Writes a sentence of at most 80 columns. Returns 1, or 0 if the sentence is not true for this
 * dataset. which: number of the sentence, 0 to DATASET_REMARKS - 1. */
int dataset_remark(char *out, size_t size, const struct dataset *one, int which);

#endif
