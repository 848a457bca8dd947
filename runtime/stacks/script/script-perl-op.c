/* Finds the statement of Perl that contains an operation (script-perl.h). */
#include "../../intercept/guard.h"
#include "script-perl.h"

enum { MORE_SIBLINGS = 1 << 14, HAS_CHILDREN = 4, MOST_STEPS = 4096 };

bool perl_loads(uintptr_t op) {
  uintptr_t function;
  return op && python_read_few(&function, op + OP_FUNCTION, sizeof(function)) &&
         (function == perl.functions[perl.require] || function == perl.functions[perl.do_file]);
}

static unsigned type_of(const char *bytes) {
  return script_number(bytes, OP_TYPE) & 0xffff;
}

/* Returns true if an operation begins a statement, or did before Perl disabled it because the block
 * does not need it. Otherwise returns false. A disabled operation still has its line. */
static bool begins_statement(const char *bytes) {
  uintptr_t function = script_word(bytes, OP_FUNCTION);
  return function == perl.functions[perl.statement] || function == perl.functions[perl.debugged] ||
         (function == perl.functions[0] && script_word(bytes, OP_TARGET) == perl.statement);
}

/* Returns the parent of an operation; 0 if it has none, if it cannot be read, or if *steps, which
 * counts operations that were read, reaches its limit. */
static uintptr_t parent_of(uintptr_t op, unsigned *steps) {
  char bytes[OP_BYTES];
  for (; op && ++*steps < MOST_STEPS; op = script_word(bytes, OP_SIBLING)) {
    if (!python_read_few(bytes, op, OP_FIRST)) return 0;
    if (!(type_of(bytes) & MORE_SIBLINGS)) return script_word(bytes, OP_SIBLING);
  }
  return 0;
}

/* Returns the last operation that begins a statement among the siblings before `child`; 0 if there
 * is none, or if *steps reaches its limit. */
static uintptr_t before(uintptr_t parent, uintptr_t child, unsigned *steps) {
  char bytes[OP_BYTES];
  uintptr_t found = 0;
  if (!python_read_few(bytes, parent, OP_BYTES) || !((unsigned char)bytes[OP_FLAGS] & HAS_CHILDREN))
    return 0;
  uintptr_t at = script_word(bytes, OP_FIRST);
  while (at && at != child && ++*steps < MOST_STEPS) {
    if (!python_read_few(bytes, at, OP_FIRST)) return 0;
    if (begins_statement(bytes)) found = at;
    if (!(type_of(bytes) & MORE_SIBLINGS)) return 0;
    at = script_word(bytes, OP_SIBLING);
  }
  return at == child ? found : 0;
}

static uintptr_t search(uintptr_t op) {
  enum { MOST_PARENTS = 64 };
  unsigned steps = 0;
  for (int i = 0; op && i < MOST_PARENTS; i++) {
    uintptr_t parent = parent_of(op, &steps);
    uintptr_t found = parent ? before(parent, op, &steps) : 0;
    if (found) return found;
    op = parent;
  }
  return 0;
}

/* The statements that earlier searches found, because a search takes some microseconds. Threads
 * write them without a lock, so an entry is valid only if both of its words are from the same
 * search. */
enum { KNOWN = 256 };
SELDOM static struct { uintptr_t mixed, statement; } known[KNOWN];

/* Returns the key under which the result of a search is stored: the operation, combined with the
 * number (cop_seq) of the current statement, because another text may be compiled into the memory
 * of a freed one. Returns 0 if the number cannot be read. */
static uintptr_t key_of(uintptr_t op, uintptr_t current) {
  enum { COP_NUMBER = 60 };
  uint32_t number = 0;
  if (!python_read_few(&number, current + COP_NUMBER, sizeof(number))) return 0;
  return (op * 31 + current) * 31 + number;
}

void perl_find_statement(uintptr_t op, struct statement *now) {
  uintptr_t key = key_of(op, now->at);
  unsigned place = (unsigned)(key * 0x9e3779b97f4a7c15u >> 56) % KNOWN;
  uintptr_t found = __atomic_load_n(&known[place].statement, __ATOMIC_RELAXED);
  if ((__atomic_load_n(&known[place].mixed, __ATOMIC_RELAXED) ^ found) != key) {
    found = search(op);
    __atomic_store_n(&known[place].statement, found, __ATOMIC_RELAXED);
    __atomic_store_n(&known[place].mixed, key ^ found, __ATOMIC_RELAXED);
  }
  char bytes[COP_BYTES];
  if (!found || !python_read_few(bytes, found, sizeof(bytes)) || !begins_statement(bytes)) return;
  uint32_t line = script_number(bytes, COP_LINE);
  uintptr_t file = script_word(bytes, COP_FILE);
  if (line == 0) return;
  now->at = found;
  now->line = line;
  if (file) now->file = file; /* a disabled operation has no file any more */
}
