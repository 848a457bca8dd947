/* The costliest finding of each of some logs, within a time limit. */
#ifndef DARSHAN_FRONT_FIRST_FINDINGS_H
#define DARSHAN_FRONT_FIRST_FINDINGS_H

#include "../path-list.h"

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
