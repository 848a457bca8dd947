/* Findings of some logs: a few lines below the summary. */
#ifndef DARSHAN_FRONT_FINDINGS_H
#define DARSHAN_FRONT_FINDINGS_H

#include "../path-list.h"

/* Prints the costliest findings of the logs to stderr, one per line. The diagnoses are written in
 * Python. If they fail, for example because a package is missing, a line reports that and the
 * reason. */
void findings_print(const struct path_list *logs);

/* Prints that findings are unavailable, and why. */
void findings_unavailable(const char *why);

/* Becomes the report program in a child process, without the runtime and the user's LD_PRELOAD. */
_Noreturn void findings_become_report(char **argv);

#endif
