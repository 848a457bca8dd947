/* The environment that the next program is given. */
#ifndef DARSHAN_ENVIRONMENT_H
#define DARSHAN_ENVIRONMENT_H

/* This library is preloaded by it, and the run named: a program of ours is watched. */
int environment_is_watched(char *const *envp);
/* This library is preloaded by it. */
int environment_preloads(char *const *envp);

/* The same without this library in LD_PRELOAD, for a program whose loader refuses it
 * (watched.h).  Nothing of envp is changed: list and strings lie in memory of this thread's, until
 * environment_done or the thread's next call.  envp itself where there is nothing to leave out, or
 * no room: 4 KiB for the list, as much for the values of LD_PRELOAD.  May be called in the
 * child of a vfork. */
char *const *environment_without_us(char *const *envp);
void environment_done(void);

#endif
