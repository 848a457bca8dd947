/* The journal of a process that is gone becomes a log. */
#ifndef DARSHAN_ADOPT_H
#define DARSHAN_ADOPT_H

#include <stdint.h>
#include <sys/types.h>

#include "../job/config.h"

/* Reads the journal at path, if it still is the file (dev, ino), writes the log
 * that its process could not write, and removes it.  pid: of that process.
 * 0, or -1: the journal stays. */
int log_adopt(const char *path, dev_t dev, ino_t ino, int64_t pid,
              const struct darshan_config *config);

#endif
