/* The environment of the next program. */
#ifndef DARSHAN_ENVIRONMENT_H
#define DARSHAN_ENVIRONMENT_H

/* Returns 1 if this environment names the run, and LD_PRELOAD has this library or the system has an
 * /etc/ld.so.preload. */
int environment_is_watched(char *const *envp);
/* Returns 1 if this environment preloads this library. */
int environment_preloads(char *const *envp);

/* Returns a copy of envp without this library in LD_PRELOAD, for a program whose loader refuses it
 * (instrumentable.h).  The copy is in memory of this thread until environment_done or the thread's
 * next call.  Returns envp itself if it does not preload this library, or if the list or the values
 * of LD_PRELOAD need more than 4 KiB each.  May be called in a vfork child. */
char *const *environment_without_us(char *const *envp);
void environment_done(void);

#endif
