/* Which system calls the runtime may make: a seccomp filter kills a program for
 * one that is not on its list, and the list was written without us.
 *
 * Once the program has installed a filter, none at all: what it allows cannot be
 * asked, and all that is left to do can be done in memory.  Under a filter that
 * was there when the process began (a container's), those that the loader has just
 * made, those that a child could make (sys-probe.h), and those that a setting names. */
#ifndef DARSHAN_GATE_H
#define DARSHAN_GATE_H

#ifdef DARSHAN_GUEST
enum {
  SYS_GATE_INHERITED = 1,  /* a filter was there at the start */
  SYS_GATE_SHUT = 2,       /* and this times as often the program installed one */
  SYS_GATE_STRETCH = 65536 /* and this times as many stretches are under way */
};
/* Below SYS_GATE_STRETCH it is 0 where every call may be made. */
extern unsigned sys_gate __attribute__((visibility("hidden")));
/* Calls that are being made, or about to be; of those that a thread was torn from, too. */
extern int sys_gate_calls __attribute__((visibility("hidden")));

/* May this call be made?  Where no filter is there nobody has to ask. */
int sys_gate_lets(long number) __attribute__((visibility("hidden")));

/* 1 if every call of the runtime may be made: no filter is there, or a child process was
 * let make all of them under the one that this process inherited. */
int sys_gate_lets_all(void) __attribute__((visibility("hidden")));

static inline int sys_may(long number) {
  return __builtin_expect(__atomic_load_n(&sys_gate, __ATOMIC_SEQ_CST) % SYS_GATE_STRETCH <
                              SYS_GATE_INHERITED,
                          1) ||
         sys_gate_lets(number);
}

/* 1 from the moment that the program installs a filter. */
static inline int sys_gate_is_shut(void) {
  return __builtin_expect(
      __atomic_load_n(&sys_gate, __ATOMIC_RELAXED) % SYS_GATE_STRETCH >= SYS_GATE_SHUT, 0);
}

/* Several calls that belong together, the last of which undoes the first: signals are
 * blocked and let in again, a file is opened and closed.  While one is under way, in any
 * thread, the gate waits.  begin: 0 if the gate is shut, and there is nothing to end.
 * Signals are blocked in a stretch, so that nobody is torn from it. */
int sys_gate_begin(void) __attribute__((visibility("hidden")));
void sys_gate_end(void) __attribute__((visibility("hidden")));

/* Around each call: between the question and the call the filter must not come. */
static inline void sys_gate_enter(void) {
  __atomic_add_fetch(&sys_gate_calls, 1, __ATOMIC_SEQ_CST);
}
static inline void sys_gate_leave(void) {
  __atomic_sub_fetch(&sys_gate_calls, 1, __ATOMIC_RELEASE);
}

/* Before the call that installs a filter, and after one that failed.  try: 0 if a
 * stretch is under way, and nothing was done; shut: waits for it. */
int sys_gate_try_shut(void) __attribute__((visibility("hidden")));
void sys_gate_shut(void) __attribute__((visibility("hidden")));
void sys_gate_reopen(void) __attribute__((visibility("hidden")));
/* Of the first to shut it: until no other thread is in a call of ours. */
void sys_gate_settle(void) __attribute__((visibility("hidden")));
/* In a forked child: the other threads' calls are not here. */
void sys_gate_forked(void) __attribute__((visibility("hidden")));

/* Looks whether this process was born under a filter. */
void sys_gate_look(void) __attribute__((visibility("hidden")));
/* One more call that may be made under it; "*": all.  0 if we make no such call. */
int sys_gate_allow(const char *name) __attribute__((visibility("hidden")));

#else /* tools and tests of ours, which use the same code, are at home */
#define sys_may(number) 1
#define sys_gate_is_shut() 0
#define sys_gate_begin() 1
#define sys_gate_end() ((void)0)
#define sys_gate_enter() ((void)0)
#define sys_gate_leave() ((void)0)
#endif

#endif
