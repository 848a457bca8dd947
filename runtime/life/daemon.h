/* daemon(3) forks and ends the parent within libc, where no wrapper sees the end. */
#ifndef DARSHAN_DAEMON_H
#define DARSHAN_DAEMON_H

/* Called before daemon. daemon_became is called after it with its result: if that is an error,
 * recording continues. */
void daemon_begins(void);
void daemon_became(int result);

/* Handler of pthread_atfork in the parent.  Writes the log if daemon is about to end the
 * parent. */
void daemon_forked(void);

#endif
