/* Calls that are counted without a walk and without the clock, between calls of the same stack that
 * are counted as usual: those of the STDIO module on one character (../stdio/quick.h). */
#ifndef DARSHAN_SITE_QUICK_H
#define DARSHAN_SITE_QUICK_H

#include "sites.h"

/* The wrapper's frame and return address, and an address that stands for the wrapper. */
struct site_caller {
  uintptr_t frame, returns, function;
};

struct site_quick;

/* Returns the site of a call by this caller if the whole stack above the wrapper is that of a call
 * that sites_quick_begin has noted for this thread; else NULL. */
struct site_quick *sites_quick(const struct site_caller *caller);
/* Counts such a call, of at most one byte. The caller has locked a record, or the process has one
 * thread. */
void sites_count_quick(struct site_quick *site, enum site_kind kind, uint64_t id, int64_t bytes);
/* Notes the stack of the call from t1 to t2, which was counted last. Quick calls are taken to last
 * so many ticks. Called outside of updates. */
void sites_quick_begin(const struct site_caller *caller, enum site_kind kind, uint64_t t1,
                       uint64_t t2, uint32_t ticks);

#endif
