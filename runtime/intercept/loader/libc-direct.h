/* Libc's own functions, without symbol interposition: for its own purposes the runtime must not
 * call a function of the same name in the program or in a preloaded library. libdarshan.so has a
 * hidden function for each name (libc-calls.def, libc-direct-calls.S), which jumps to the address
 * that libc-direct.c reads from libc's symbol table. This needs neither the loader nor another
 * library, so it works before any constructor has run. A static program has no such functions:
 * there libc's names are unique. */
#ifndef DARSHAN_LIBC_DIRECT_H
#define DARSHAN_LIBC_DIRECT_H

/* Fills all slots. Called by the constructor, or by the first call that comes earlier. */
void straight_bind(void) __attribute__((visibility("hidden")));

/* Returns libc's own function of this name, or NULL if libc lacks it or the program is static. */
void *straight_function(const char *name) __attribute__((visibility("hidden")));

/* Returns what dlsym(RTLD_NEXT, name) returns to this library if that is libc's function or one of
 * an object before libc; else NULL, and when a process has several lists of objects. dlsym waits
 * for the lock that dlopen holds while constructors run, and forgets the error that the application
 * has not yet asked dlerror for. */
void *straight_next(const char *name) __attribute__((visibility("hidden")));

/* Returns the address of what this object defines under this name, a function or a variable, or
 * NULL. Reads the object's symbol table only: takes no lock, and may be called in a signal handler.
 * The caller makes sure that the object stays loaded meanwhile. */
struct link_map;
void *straight_symbol(const struct link_map *object, const char *name)
    __attribute__((visibility("hidden")));

#endif
