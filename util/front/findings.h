/* What the diagnoses say of some logs: a few lines below the screen. */
#ifndef DARSHAN_FRONT_FINDINGS_H
#define DARSHAN_FRONT_FINDINGS_H

#include "path-list.h"

/* Prints the costliest problems of the logs to stderr, a line each.  The
 * diagnoses are written in Python: where they fail, because a package is missing or
 * for any other reason, a line says that findings are unavailable and why. */
void findings_print(const struct path_list *logs);

#endif
