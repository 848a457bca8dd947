/* daemon(3): forks, and ends the parent inside of libc, where no wrapper sees it. */
#ifndef DARSHAN_DAEMON_H
#define DARSHAN_DAEMON_H

/* Around the call. */
void daemon_begins(void);
void daemon_became(int result);

/* Called by fork in the parent: in one that daemon is about to end, the log is
 * written. */
void daemon_forked(void);

#endif
