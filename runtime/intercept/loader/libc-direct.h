/* Libc's own functions, without symbol interposition: for its own purposes the runtime must not
 * call a function of the same name in the program or in a preloaded library. libdarshan.so has a
 * hidden function for each name (libc-calls.def, libc-direct-calls.S), which jumps to the address
 * that libc-direct.c reads from libc's symbol table. This needs neither the loader nor another
 * library, so it works before any constructor has run. A static program has no such functions:
 * there libc's names are unique. */
#ifndef DARSHAN_LIBC_DIRECT_H
#define DARSHAN_LIBC_DIRECT_H

/* Fills all slots. Called by the first call through a slot, which the constructor makes unless a
 * call comes earlier. */
void straight_bind(void) __attribute__((visibility("hidden")));

/* Returns libc's own function of this name, or NULL if libc lacks it or the program is static. */
void *straight_function(const char *name) __attribute__((visibility("hidden")));

/* Returns the result that dlsym(RTLD_NEXT, name) would have in this library, if it is a function of
 * libc or of an object before libc. Returns NULL for other functions, and if the process has
 * several lists of objects. dlsym itself would wait for the lock that dlopen holds while
 * constructors run, and would discard an error that the application has not yet read with
 * dlerror. */
void *straight_next(const char *name) __attribute__((visibility("hidden")));

/* Returns the address of the function or variable that this object defines under this name, or
 * NULL. Reads only the object's symbol table: takes no lock, and may be called in a signal handler.
 * The caller ensures that the object stays loaded during the call. */
struct link_map;
void *straight_symbol(const struct link_map *object, const char *name)
    __attribute__((visibility("hidden")));

#endif
