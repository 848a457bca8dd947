/* Straight to the C library.  What the runtime calls for its own purposes must be libc's own
 * function, not that of a program or a preloaded library that defines the same name.  For this
 * libdarshan.so has a hidden function for each name (libc-calls.def, straight-calls.S), which
 * jumps to the address that is found here in libc's table of symbols.  Neither the loader nor any
 * other library is asked, so this works before any constructor has run.
 * A static program has no jumps: there the names of the C library are its own. */
#ifndef DARSHAN_STRAIGHT_H
#define DARSHAN_STRAIGHT_H

/* Fills all slots; called by the constructor, or by the first call that comes before. */
void straight_bind(void) __attribute__((visibility("hidden")));

/* The C library's own function of this name; NULL: it has none, or the program is static. */
void *straight_function(const char *name) __attribute__((visibility("hidden")));

#endif
