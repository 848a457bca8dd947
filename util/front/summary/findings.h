/* Findings of some logs: a few lines below the summary, and for lists of logs the costliest one of
 * each, within a time limit. */
#ifndef DARSHAN_FRONT_FINDINGS_H
#define DARSHAN_FRONT_FINDINGS_H

#include "../path-list.h"

/* Prints the costliest findings of the logs to stderr, below a summary of `above` lines, in the
 * remaining lines of a terminal with 24 lines. The diagnoses are written in Python. If they fail,
 * for example because a package is missing, a line reports that and the reason. */
void findings_print(const struct path_list *logs, int above);

/* Prints that findings are unavailable, and why. */
void findings_unavailable(const char *why);

/* Becomes the report program in a child process, without the runtime and the user's LD_PRELOAD. */
_Noreturn void findings_become_report(char **argv);

struct first_finding {
  int is_known;  /* 0: not computed within the time */
  char name[64]; /* of the diagnosis; empty: no problem found */
  char title[128];
};

/* Fills one entry per log. The report computes them and keeps them in the user's cache. seconds:
 * after this time the report begins no other log; it is stopped after twice the time and
 * four seconds, in which it may start.
 * Prints one line if findings are unavailable. */
void first_findings(struct first_finding *found, const struct path_list *logs, double seconds);

#endif
