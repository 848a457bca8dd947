/* The exported sums as text, in the format of the receiver. */
#ifndef DARSHAN_EXPORT_FORMATS_H
#define DARSHAN_EXPORT_FORMATS_H

#include <stddef.h>

#include "followed.h"

/* The sums, and the facts about this program that the formats contain. */
struct export_view {
  const struct followed *followed;
  char host[64];
  int64_t now_ns;      /* since the epoch */
  int64_t began_ns;    /* start of this program */
  double processor;    /* seconds that this program has used */
  unsigned long since; /* JSON: only sums that changed after this look; 0: all */
};

/* Return the sums as a text of *length bytes, which the caller frees; NULL if out of memory. */
char *format_prometheus(const struct export_view *view, size_t *length);
char *format_otlp(const struct export_view *view, size_t *length);
char *format_ldms(const struct export_view *view, size_t *length);

#endif
