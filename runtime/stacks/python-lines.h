/* The line of an instruction, by the line table of its code object. CPython has had three forms of
 * tables:
 *
 *   PYTHON_LNOTAB (to 3.9)       pairs of bytes: instruction bytes, lines (signed) to add
 *   PYTHON_LINETABLE (3.10)      the same, but a pair is about the instructions that it counts, and
 *                                -128 lines means that they have none
 *   PYTHON_LOCATIONS (from 3.11) entries of a varying number of bytes; the first byte of each has
 *                                bit 7 set, and says how many instructions it is about (bits 0 to
 *                                2, from 1) and how the line is written (bits 3 to 6) */
#ifndef DARSHAN_PYTHON_LINES_H
#define DARSHAN_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/* Returns the line of the instruction at this offset in bytes, or first_line for a negative offset
 * (the function has not begun). Returns 0 if the instruction has no line, or if the table cannot be
 * read, is too long, or gives a line outside of 1 to 2^31 - 1. form: enum python_lines. The table
 * is read by python_read_some, so any address and any bytes are allowed. */
uint32_t python_line(int form, uintptr_t table, size_t size, uint32_t first_line, long instruction)
    __attribute__((visibility("hidden")));

#endif
