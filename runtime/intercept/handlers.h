/* Signal handlers of the program's, which the kernel enters through a door of ours.
 *
 * A signal that comes while this thread updates records waits for the end of the update, a
 * few hundred nanoseconds: it is blocked, and sent to this thread again with all that it
 * says.  So a handler may switch to another stack (a scheduler of coroutines), do I/O or
 * jump: it never finds a half-made record or a lock of ours.  A signal that comes at any
 * other time goes on at once; where it interrupts a call of a library, handlers.c keeps
 * what belongs to the interrupted stack (inside.h).
 *
 * Handlers that the program installs by a system call of its own are not known here. */
#ifndef DARSHAN_HANDLERS_H
#define DARSHAN_HANDLERS_H

#include <signal.h>

/* What the kernel shall be given in the place of the program's handler; the program's own
 * if it is none (SIG_DFL and the like), if the signal tells of a fault, or if there are
 * more handlers than doors.  with_info: it is installed with SA_SIGINFO. */
typedef void handler_function(int signal);
handler_function *handler_door(int signal, handler_function *handler, int with_info);
/* The program's handler behind what the kernel had. */
handler_function *handler_behind(handler_function *door);

/* The same for an action: `ours` receives the copy that is returned, if there is one. */
const struct sigaction *handler_action(int signal, const struct sigaction *action,
                                       struct sigaction *ours);
void handler_reveal(int result, struct sigaction *old);

#endif
