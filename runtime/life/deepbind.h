/* Libraries that were opened with RTLD_DEEPBIND: they find libc's functions before our wrappers, so
 * what they call is in no record. */
#ifndef DARSHAN_DEEPBIND_H
#define DARSHAN_DEEPBIND_H

/* A library is about to be opened so; called by dlopen.S with the arguments of dlopen. */
void deepbind_note(const char *file, int flags) __attribute__((visibility("hidden")));
/* Those that were noted and are loaded now are counted (lost_state), each of them once.  Called
 * before the program unloads anything, and when recording ends. */
void deepbind_look(void);

#endif
