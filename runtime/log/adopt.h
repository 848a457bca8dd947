/* Makes a log of the journal of a process that has ended. */
#ifndef DARSHAN_ADOPT_H
#define DARSHAN_ADOPT_H

#include <stdint.h>
#include <sys/types.h>

#include "../job/config/config.h"

/* Reads the journal at path if it still is the file (dev, ino), writes the log that process pid
 * could not write, and removes the journal. Returns 0, or -1 if the journal stays. */
int log_adopt(const char *path, dev_t dev, ino_t ino, int64_t pid,
              const struct darshan_config *config);

#endif
