/* Lets the kernel enter the application's signal handlers through the signal trampolines.
 *
 * A signal that comes while this thread updates records is delayed until the end of the update, a
 * few hundred nanoseconds: it is blocked and sent to this thread again with its siginfo. So a
 * handler may switch to another stack (a scheduler of coroutines), do I/O or jump: it never finds a
 * half-written record or a lock of the runtime. Any other signal is handled at once; if it
 * interrupts a call of a library, handlers.c saves the call nesting of the interrupted stack
 * (guard.h).
 *
 * Three kinds of signals are never delayed: signals that report a fault of the current instruction;
 * signals whose handler has no trampoline (SA_RESETHAND, or all trampolines are taken); and
 * real-time signals that would overtake another one.
 *
 * The runtime does not see handlers that the application installs by a system call of its own. */
#ifndef DARSHAN_HANDLERS_H
#define DARSHAN_HANDLERS_H

#include <signal.h>

/* handler_door returns the trampoline that must be passed to the kernel in place of the
 * application's handler. It returns the handler itself if this is not a function (SIG_DFL and the
 * like), if the signal reports a fault, or if all trampolines are taken. with_info: 1 if the
 * handler is installed with SA_SIGINFO. */
typedef void handler_function(int signal);
handler_function *handler_door(int signal, handler_function *handler, int with_info);
/* Returns the application's handler behind a trampoline. Returns any other handler as it is. */
handler_function *handler_behind(handler_function *door);

/* handler_action returns the action to install for the application's action. If the handler needs a
 * trampoline, the result is *ours, a changed copy of action; otherwise it is action. handler_reveal
 * is called after sigaction with its result. If that is 0 and old is not NULL, it replaces a
 * trampoline in *old, the previous action, by the application's handler. */
const struct sigaction *handler_action(int signal, const struct sigaction *action,
                                       struct sigaction *ours);
void handler_reveal(int result, struct sigaction *old);

#endif
