/* In a program that was linked with stubs: tells the runtime, before the
 * program's own constructors run, which libraries lie in the program. */
#include "intercept/linked.h"

extern struct linked_call rows[] __asm__("__start_darshan_linked")
    __attribute__((visibility("hidden")));
extern struct linked_call rows_end[] __asm__("__stop_darshan_linked")
    __attribute__((visibility("hidden")));

/* Stubs refer to this, so that it comes with the first of them. */
void darshan_register(void) __attribute__((constructor(101), visibility("hidden")));

/* Weak: an older libdarshan.so may be all that there is when the program runs. */
#pragma weak darshan_link

void darshan_register(void) {
  static struct linked_table table;
  table.first = rows;
  table.end = rows_end;
  if (darshan_link) darshan_link(&table);
}
