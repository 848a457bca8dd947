/* Calls that are counted without a stack walk and without reading the clock, between calls of the
 * same stack that are counted as usual. These are small calls of the STDIO module
 * (../stdio/quick.h). */
#ifndef DARSHAN_SITE_QUICK_H
#define DARSHAN_SITE_QUICK_H

#include "sites.h"

/* The caller of a wrapper: the address of the wrapper's stack frame, its return address, and an
 * address that identifies the wrapper. */
struct site_caller {
  uintptr_t frame, returns, function;
};

struct site_quick;

/* Returns the element for calls of this caller, for sites_count_quick; NULL if sites_quick_begin
 * has not stored a call of this thread with the same stack above the wrapper, so that the call must
 * be counted as usual. */
struct site_quick *sites_quick(const struct site_caller *caller);
/* Counts a quick call in the record of its call site. site: from sites_quick. kind: SITE_READ or
 * SITE_WRITE. id: id of the record of the call's file. bytes: that it moved. The caller has entered
 * the runtime and locked a record, or the process has only one thread. site-quick-count.h has a
 * faster function for most calls. */
void sites_count_quick(struct site_quick *site, enum site_kind kind, uint64_t id, int64_t bytes);
/* Stores the stack of this thread's last counted call, which lasted from t1 to t2 (ticks), so that
 * sites_quick finds it. Quick calls of this stack are assumed to last `ticks` ticks. Does nothing
 * if the stack is not a known one, or if the process runs Python or scripts. Called outside of
 * updates. */
void sites_quick_begin(const struct site_caller *caller, enum site_kind kind, uint64_t t1,
                       uint64_t t2, uint32_t ticks);

#endif
