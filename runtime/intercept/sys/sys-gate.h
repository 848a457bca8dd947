/* The system call gate: decides which system calls the runtime may make. A seccomp filter may kill
 * a process for a call that is not on its list, and the list's author did not know the runtime.
 *
 * After the application has installed a filter, the runtime makes no system call at all: it cannot
 * query what the filter allows, and the remaining work can be done in memory. Under an inherited
 * filter (of a container), the runtime makes only calls that the loader has just made, calls that a
 * child process could make (probe_calls), and calls that a setting names. */
#ifndef DARSHAN_GATE_H
#define DARSHAN_GATE_H

#include <stddef.h>
#include <sys/types.h>

#ifdef DARSHAN_GUEST
enum {
  SYS_GATE_INHERITED = 1,  /* the process inherited a filter */
  SYS_GATE_SHUT = 2,       /* added for each filter that the application installs */
  SYS_GATE_STRETCH = 65536 /* added for each critical section in progress */
};
/* State of the gate: the sum of these SYS_GATE_ values. Modulo SYS_GATE_STRETCH, 0 means that every
 * call is allowed. */
extern unsigned sys_gate __attribute__((visibility("hidden")));
/* Number of the runtime's system calls in progress or about to begin. Calls from which a signal
 * handler jumped away remain counted. */
extern int sys_gate_calls __attribute__((visibility("hidden")));

/* Returns 1 if the runtime may make this call, otherwise 0. sys_may calls this function only if
 * there is a filter. */
int sys_gate_lets(long number) __attribute__((visibility("hidden")));

/* Returns 1 if the runtime may make all of its calls: there is no filter, or a child process could
 * make all of them under the inherited filter. Otherwise returns 0. */
int sys_gate_lets_all(void) __attribute__((visibility("hidden")));

static inline int sys_may(long number) {
  return __builtin_expect(__atomic_load_n(&sys_gate, __ATOMIC_SEQ_CST) % SYS_GATE_STRETCH <
                              SYS_GATE_INHERITED,
                          1) ||
         sys_gate_lets(number);
}

/* Returns 1 from the time when the application installs a filter of system calls, otherwise 0. */
static inline int sys_gate_is_shut(void) {
  return __builtin_expect(
      __atomic_load_n(&sys_gate, __ATOMIC_RELAXED) % SYS_GATE_STRETCH >= SYS_GATE_SHUT, 0);
}

/* Begin and end of a critical section: several calls, the last of which undoes the first (signals
 * are blocked and unblocked, a file is opened and closed). While any thread is in one, shutting the
 * gate waits. begin returns 1, or 0 if the gate is shut; the caller then must not call end. Signals
 * are blocked or delayed in a critical section, so that no handler abandons it. */
int sys_gate_begin(void) __attribute__((visibility("hidden")));
void sys_gate_end(void) __attribute__((visibility("hidden")));

/* Begin and end of a single call, including its check by sys_may. A thread that installs a filter
 * waits until no other thread is between begin and end. */
static inline void sys_gate_enter(void) {
  __atomic_add_fetch(&sys_gate_calls, 1, __ATOMIC_SEQ_CST);
}
static inline void sys_gate_leave(void) {
  __atomic_sub_fetch(&sys_gate_calls, 1, __ATOMIC_RELEASE);
}

/* A thread shuts the gate before the call that installs a filter, and reopens the gate if that call
 * fails. sys_gate_try_shut shuts the gate and returns 1; it returns 0 without shutting if a
 * critical section is in progress; sys_gate_shut waits for the end of the section, ten seconds at
 * most, then shuts the gate anyway. */
int sys_gate_try_shut(void) __attribute__((visibility("hidden")));
void sys_gate_shut(void) __attribute__((visibility("hidden")));
void sys_gate_reopen(void) __attribute__((visibility("hidden")));
/* Called by the first thread that shuts the gate: waits until no other thread is in a call of the
 * runtime, or another thread shuts the gate, too; some 50 ms at most. */
void sys_gate_settle(void) __attribute__((visibility("hidden")));
/* Called in the child after fork: clears the counts of calls and critical sections of other
 * threads, because the child does not have these threads. */
void sys_gate_forked(void) __attribute__((visibility("hidden")));

/* Called at the start: detects an inherited filter and the calls that it allows. */
void sys_gate_look(void) __attribute__((visibility("hidden")));
/* Notes that an inherited filter allows the call of this name; "*" stands for all calls. Returns 1,
 * or 0 if the runtime does not make such a call. */
int sys_gate_allow(const char *name) __attribute__((visibility("hidden")));

#else /* in tools and unit tests, which use the same code in their own process, every call is      \
         allowed */
#define sys_may(number) 1
#define sys_gate_is_shut() 0
#define sys_gate_begin() 1
#define sys_gate_end() ((void)0)
#define sys_gate_enter() ((void)0)
#define sys_gate_leave() ((void)0)
#endif

/* Substitutes for system calls that a filter forbids. They open and read files, which the loader
 * has just done as well. */

/* Returns the process id, from /proc/self/stat; -EPERM if this file cannot be read. */
pid_t instead_of_getpid(void) __attribute__((visibility("hidden")));
/* Returns the length of the current folder's path, with the NUL, or -EPERM. The path is that of
 * PWD, if PWD is the current folder. */
ssize_t instead_of_getcwd(char *buf, size_t n) __attribute__((visibility("hidden")));
/* Return the user ids that the kernel gave the program at its start. */
unsigned instead_of_getuid(void) __attribute__((visibility("hidden")));
unsigned instead_of_geteuid(void) __attribute__((visibility("hidden")));
/* Writes the name of this node, cut to n bytes with the NUL, or the empty string if the name is not
 * available. */
void instead_of_uname(char *node, size_t n) __attribute__((visibility("hidden")));
/* Returns 1 if this path is an executable file, otherwise 0. */
int instead_of_access_to_run(const char *path) __attribute__((visibility("hidden")));

/* Tests which system calls an inherited filter allows. A child process makes each call of the
 * runtime with arguments that have no effect; the filter may kill the child. The child sends its
 * parent no signal, has a copy of the memory and leaves no core dump, and the application's wait
 * calls do not find it. */

#ifdef DARSHAN_GUEST
/* Returns 1 if creating a child process is safe. Returns 0 if the filter might kill this process
 * for it. status: content of this process's status file in /proc. */
int probe_may_fork(const char *status) __attribute__((visibility("hidden")));

/* Tests the calls of these numbers in this order. Sets passed[i] to 1 if call i did not kill the
 * child. After the first call that killed it, all elements are 0. */
void probe_calls(const long *numbers, int count, unsigned char *passed)
    __attribute__((visibility("hidden")));
#endif

#endif
