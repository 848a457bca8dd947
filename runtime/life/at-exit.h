/* The last moment of a process that ends by exit, quick_exit, the return of main
 * or the end of its last thread. */
#ifndef DARSHAN_LAST_H
#define DARSHAN_LAST_H

/* At start, before anybody else can ask the same of libc. */
void last_arrange(void);

/* By the destructor of this library. */
void last_destructor(void);

#endif
