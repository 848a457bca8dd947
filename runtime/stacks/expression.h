/* Evaluates DWARF expressions of unwind tables: the rules of procedure linkage tables and of frames
 * whose layout no simpler rule describes. */
#ifndef DARSHAN_EXPRESSION_H
#define DARSHAN_EXPRESSION_H

#include "registers.h"
#include "section.h"

/* Evaluates the expression that begins with its length at offset `at`. first: a value on the stack
 * of the expression at the start, if has_first. Memory is read in the span only. Returns 0, or -1
 * if the expression is wrong or not understood. */
int expression_value(const struct section *section, size_t at, const struct registers *registers,
                     const struct span *memory, int has_first, uintptr_t first, uintptr_t *value);

#endif
