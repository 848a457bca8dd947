/* Part of a program that was linked with stubs: passes the table of its statically linked functions
 * to the runtime, before the program's own constructors run. */
#include "intercept/loader/linked.h"

extern struct linked_call rows[] __asm__("__start_darshan_linked")
    __attribute__((visibility("hidden")));
extern struct linked_call rows_end[] __asm__("__stop_darshan_linked")
    __attribute__((visibility("hidden")));

/* A constructor that passes the table to the runtime. Each stub refers to it, so the linker adds it
 * to the program together with the first stub. */
void darshan_register(void) __attribute__((constructor(101), visibility("hidden")));

/* Weak, because the program may run with an older libdarshan.so that lacks darshan_link. */
#pragma weak darshan_link

void darshan_register(void) {
  static struct linked_table table;
  table.first = rows;
  table.end = rows_end;
  if (darshan_link) darshan_link(&table);
}
