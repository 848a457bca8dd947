/* Part of a program that was linked with stubs: passes the table of its statically linked functions
 * to the runtime, before the program's own constructors run. */
#include "intercept/loader/linked.h"

extern struct linked_call rows[] __asm__("__start_darshan_linked")
    __attribute__((visibility("hidden")));
extern struct linked_call rows_end[] __asm__("__stop_darshan_linked")
    __attribute__((visibility("hidden")));

/* Passes the table to the runtime, as a constructor. Each stub refers to this function, so that
 * the linker adds it with the first stub. */
void darshan_register(void) __attribute__((constructor(101), visibility("hidden")));

/* Weak, because an older libdarshan.so may be installed where the program runs. */
#pragma weak darshan_link

void darshan_register(void) {
  static struct linked_table table;
  table.first = rows;
  table.end = rows_end;
  if (darshan_link) darshan_link(&table);
}
