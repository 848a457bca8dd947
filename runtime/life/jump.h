/* A jump out of a signal's handler leaves whatever the handler interrupted. */
#ifndef DARSHAN_JUMP_H
#define DARSHAN_JUMP_H

/* Before this thread goes on in a frame whose stack pointer is `target`: what was
 * begun in frames that it leaves is given back. */
void runtime_jumps(const char *target);

#endif
