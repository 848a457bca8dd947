/* Handles SIGBUS of a mapped journal that was truncated: the next store to it would end the
 * application. While the application has the default action, the runtime's handler ends the
 * recording, and the application continues. */
#ifndef DARSHAN_TRUNCATED_H
#define DARSHAN_TRUNCATED_H

#include <signal.h>

#include "../door/door.h"

/* Installs the handler of SIGBUS. Called when a journal has been mapped. */
void torn_watch(void);

/* Returns 1 if records were lost because the journal was truncated. */
int torn_apart(void);
/* Reports the loss and removes the truncated file, if the journal was truncated. Called after
 * recording has ended. */
void torn_settle(void);

#endif
