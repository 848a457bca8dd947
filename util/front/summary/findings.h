/* Runs the report program (darshan-job-summary) to get findings of logs: a few lines below the
 * summary, and, for lists of logs, the costliest finding of each log, computed within a time
 * limit. */
#ifndef DARSHAN_FRONT_FINDINGS_H
#define DARSHAN_FRONT_FINDINGS_H

#include "../path-list.h"

/* Prints the costliest findings of the first 64 logs to stderr, below a summary of `above` lines,
 * so that both fit on a terminal with 24 lines; the findings get at least 7 lines. A Python program
 * computes them. If it fails, for example because a package is missing, prints one line with the
 * reason. */
void findings_print(const struct path_list *logs, int above);

/* Prints that findings are unavailable, and why; "": the report failed. */
void findings_unavailable(const char *why);

/* Called in a child process: executes the report program argv[0] without the runtime and the user's
 * LD_PRELOAD. If that fails, prints why on stderr and exits with status 126. */
_Noreturn void findings_become_report(char **argv);

struct first_finding {
  int is_known;    /* 0: not computed within the time limit */
  char name[64];   /* name of the diagnosis; empty: no problem was found, or it is not known */
  char title[128]; /* one line that describes it */
};

/* Fills in the first finding of each log; `found` has one element per log. The report program
 * computes them and stores them in the user's cache. seconds: after this time it begins no further
 * log. It is stopped after twice the time and four seconds, because it needs time to start. Prints
 * one line if findings are unavailable. */
void first_findings(struct first_finding *found, const struct path_list *logs, double seconds);

#endif
