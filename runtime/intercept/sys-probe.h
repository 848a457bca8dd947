/* Tests which system calls an inherited filter allows. A child process makes each call of the
 * runtime without effect, and the filter may kill it for one. The child sends its parent no signal,
 * has a copy of the memory and leaves no core dump, and the application's wait calls do not find
 * it. */
#ifndef DARSHAN_PROBE_H
#define DARSHAN_PROBE_H

#ifdef DARSHAN_GUEST
/* Returns 1 if creating a child is safe, by the status file of this process in /proc: the filter
 * might kill for the creation itself. status is the content of that file. */
int probe_may_fork(const char *status) __attribute__((visibility("hidden")));

/* Tests the calls of these numbers in this order. passed[i] is 1 for a call that did not kill;
 * after the first call that killed, all are 0. */
void probe_calls(const long *numbers, int count, unsigned char *passed)
    __attribute__((visibility("hidden")));
#endif

#endif
