/* Programs that start the ranks of a job. */
#ifndef DARSHAN_LAUNCHER_H
#define DARSHAN_LAUNCHER_H

#include "config.h"

/* Is this process one, by the name it was started by? */
bool darshan_is_launcher(const struct darshan_config *config);

#endif
