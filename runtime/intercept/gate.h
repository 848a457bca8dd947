/* Which system calls the runtime may make: a seccomp filter kills a program for
 * one that is not on its list, and the list was written without us.
 *
 * Once the program has installed a filter, none at all: what it allows cannot be
 * asked, and all that is left to do can be done in memory.  Under a filter that
 * was there when the process began (a container's), those that the loader has just
 * made, those that a child could make (probe.h), and those that a setting names. */
#ifndef DARSHAN_GATE_H
#define DARSHAN_GATE_H

#ifdef DARSHAN_GUEST
enum {
  SYS_GATE_INHERITED = 1, /* a filter was there at the start */
  SYS_GATE_SHUT = 2       /* and this times as often the program installed one */
};
extern unsigned sys_gate __attribute__((visibility("hidden"))); /* 0: every call */

/* May this call be made?  Where sys_gate is 0 nobody has to ask. */
int sys_gate_lets(long number) __attribute__((visibility("hidden")));

static inline int sys_may(long number) {
  return __builtin_expect(__atomic_load_n(&sys_gate, __ATOMIC_RELAXED) == 0, 1) ||
         sys_gate_lets(number);
}

/* 1 from the moment that the program installs a filter. */
static inline int sys_gate_is_shut(void) {
  return __builtin_expect(__atomic_load_n(&sys_gate, __ATOMIC_RELAXED) >= SYS_GATE_SHUT, 0);
}

/* Before the call that installs a filter, and after one that failed. */
void sys_gate_shut(void) __attribute__((visibility("hidden")));
void sys_gate_reopen(void) __attribute__((visibility("hidden")));

/* Looks whether this process was born under a filter. */
void sys_gate_look(void) __attribute__((visibility("hidden")));
/* One more call that may be made under it; "*": all.  0 if we make no such call. */
int sys_gate_allow(const char *name) __attribute__((visibility("hidden")));

#else /* tools and tests of ours, which use the same code, are at home */
#define sys_may(number) 1
#define sys_gate_is_shut() 0
#endif

#endif
