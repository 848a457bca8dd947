/* Which system calls does a filter let pass that was there before the program?  A
 * child finds out: it makes each of ours, so that nothing comes of it, and may be
 * killed for one.  It has no signal for its parent, a copy of the memory and no
 * dump; no wait of the program's finds it. */
#ifndef DARSHAN_PROBE_H
#define DARSHAN_PROBE_H

#ifdef DARSHAN_GUEST
/* 1 if a child may be made, by what /proc says of this process (status: the text of
 * its file there): making one could be what the filter kills for. */
int probe_may_fork(const char *status) __attribute__((visibility("hidden")));

/* Asks for the calls of these numbers, one after another; passed[i] is 1 for those
 * that did not kill.  All after one that did stay 0. */
void probe_calls(const long *numbers, int count, unsigned char *passed)
    __attribute__((visibility("hidden")));
#endif

#endif
