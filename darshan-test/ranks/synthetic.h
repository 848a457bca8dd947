/* Generates the records of each rank of a simulated job of any size. */
#ifndef DARSHAN_TEST_SYNTHETIC_H
#define DARSHAN_TEST_SYNTHETIC_H

#include "../../runtime/log/compose.h"

/* The size of a simulated job. */
struct synthetic {
  int ranks;
  int shared;      /* files that all ranks have */
  int own;         /* files of a single rank, for each rank */
  int part;        /* files that some ranks have */
  int posix_alone; /* whether there are no records of other modules */
};

/* The records of one rank, and their memory. */
struct synthetic_content {
  struct log_content content;
  char *names;
  char *parts[LOG_PARTS];
  int num_parts;
};

/* Makes the records of a rank in *content; the caller frees them with synthetic_free. They depend
 * only on the arguments. synthetic: the job's size and kinds of files. */
void synthetic_make(struct synthetic_content *content, const struct synthetic *synthetic, int rank);
/* Frees the records of a rank. */
void synthetic_free(struct synthetic_content *content);

#endif
