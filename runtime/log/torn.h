/* A journal that somebody cuts off while it is mapped: the next store to it would end
 * the program with SIGBUS.  As long as the program leaves that signal alone, it is
 * taken here: recording ends, and the program goes on. */
#ifndef DARSHAN_TORN_H
#define DARSHAN_TORN_H

#include <signal.h>

#include "../door/door.h"

/* There is a mapped journal from now on. */
void torn_watch(void);

/* 1: records were lost that way. */
int torn_apart(void);
/* At the end of recording: says what happened, and removes what is left of the file. */
void torn_settle(void);

#endif
