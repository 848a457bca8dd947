/* Finds the bounds of a stack in /proc/self/maps. */
#ifndef DARSHAN_STACK_SPAN_H
#define DARSHAN_STACK_SPAN_H

#include "registers.h"

/* Finds the mapping that contains the address. is_main: whether it is the stack of the first
 * thread, where the kernel puts the arguments of the program. Returns 0, or -1 if /proc is not
 * there or the address is not mapped for reading. Needs nine kilobytes of stack. */
int stack_span(uintptr_t address, struct span *span, int *is_main);

#endif
