/* The Perl interpreter of this process. Only for the files that read it. */
#ifndef DARSHAN_SCRIPT_PERL_H
#define DARSHAN_SCRIPT_PERL_H

#include "script-layout.h"

/* A row of script-layouts.def, which explains each member: offsets and sizes in bytes in a Perl of
 * this version. */
struct perl_layout {
  uint16_t version, size, op, curcop, curstackinfo, context, oldcop, cv, sub;
};

struct perl {
  const struct perl_layout *at;
  const unsigned *key;          /* PL_thr_key */
  void *(*own_value)(unsigned); /* pthread_getspecific */
  const uintptr_t *functions;   /* PL_ppaddr: the function of each operation */
  uint16_t statement, debugged, require, do_file, eval; /* numbers of operations */
};
extern struct perl perl __attribute__((visibility("hidden")));

/* Offsets in an operation (OP), and in one that begins a statement (COP). */
enum { OP_NEXT = 0, OP_SIBLING = 8, OP_FUNCTION = 16, OP_TARGET = 24, OP_TYPE = 32, OP_FLAGS = 34 };
enum { OP_FIRST = 40, OP_BYTES = 48, COP_LINE = 36, COP_FILE = 48, COP_BYTES = 56 };
enum { PERL_CONTEXT_MOST = 128 };

struct statement {
  uintptr_t at; /* address; 0: unknown */
  uint32_t line;
  uintptr_t file; /* address of a string */
};

/* Returns true if the operation loads a file of Perl code, otherwise false. */
bool perl_loads(uintptr_t op) __attribute__((visibility("hidden")));

/* Replaces *now, the interpreter's current statement, by the statement to which the operation
 * belongs, if it is found. They differ in two cases: the condition of a loop is evaluated again
 * after the last statement of its body; and the first statement of a block does not become the
 * current one. */
void perl_find_statement(uintptr_t op, struct statement *now) __attribute__((visibility("hidden")));

#endif
