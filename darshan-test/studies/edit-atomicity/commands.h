/* The command language: CREATE /object/name {type (dims) DATA {values}}; creates an attribute of an
 * object.
 *
 * /name is an attribute of the root group. Without (dims) it is a scalar. Dims and values are
 * separated by blanks or commas; # starts a comment until the end of the line. */
#ifndef STUDY_COMMANDS_H
#define STUDY_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_RANK = 32 };

enum type_index {
#define TYPE(name, kind, bits) INDEX_##name,
#include "types.def"
#undef TYPE
  TYPE_COUNT
};

enum number_kind { SIGNED, UNSIGNED, REAL };

struct number_type {
  const char *name;
  enum number_kind kind;
  unsigned bits;
};
extern const struct number_type number_types[TYPE_COUNT];

union number {
  int64_t whole;    /* SIGNED */
  uint64_t natural; /* UNSIGNED */
  double real;      /* REAL */
};

struct command {
  char *object; /* "/" or the path of a dataset or group */
  char *name;   /* of the attribute */
  enum type_index type;
  int rank; /* 0: scalar */
  uint64_t dims[MAX_RANK];
  size_t count; /* of values: the product of the dims */
  union number *values;
  size_t line, column; /* of the path, from 1; columns are bytes */
};

struct commands {
  struct command *items;
  size_t count;
};

/* The first mistake in a text. */
struct mistake {
  size_t line, column; /* from 1 */
  char text[200];
};

/* Parses all commands of a text that ends with a 0 byte. Returns 0, or -1 with the position and
 * text of the first mistake. In both cases the caller frees the commands. */
int commands_parse(const char *text, struct commands *commands, struct mistake *mistake);
/* Frees the items of `commands`, but not `commands` itself. */
void commands_free(struct commands *commands);

#endif
