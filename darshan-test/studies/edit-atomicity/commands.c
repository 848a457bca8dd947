#include "commands.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct number_type number_types[TYPE_COUNT] = {
#define TYPE(name, kind, bits) {#name, kind, bits},
#include "types.def"
#undef TYPE
};

/* The position in the text: the next character, the start of its line, and the line's number,
 * from 1. */
struct reader {
  const char *at, *line_start;
  size_t line;
  struct mistake *mistake;
};

/* Stores a mistake at this place of the text. Returns -1. */
__attribute__((format(printf, 3, 4))) static int wrong(struct reader *reader, const char *at,
                                                       const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reader->mistake->text, sizeof reader->mistake->text, format, arguments);
  va_end(arguments);
  reader->mistake->line = reader->line;
  reader->mistake->column = (size_t)(at - reader->line_start) + 1;
  return -1;
}

/* Skips blanks, line ends and comments. */
static void skip_blanks(struct reader *reader) {
  for (;; reader->at++) {
    if (*reader->at == '#') reader->at += strcspn(reader->at, "\n");
    if (!isspace((unsigned char)*reader->at)) return;
    if (*reader->at == '\n') {
      reader->line++;
      reader->line_start = reader->at + 1;
    }
  }
}

/* Reads the character `wanted`. Returns 0, or -1 with the mistake if another one follows. */
static int expect(struct reader *reader, char wanted) {
  skip_blanks(reader);
  if (*reader->at != wanted) return wrong(reader, reader->at, "'%c' is missing here", wanted);
  reader->at++;
  return 0;
}

/* Skips blanks and reads the next word, which ends at a blank or punctuation of the language.
 * Returns its length (0: there is none), and its start in *start, inside the text. */
static size_t word(struct reader *reader, const char **start) {
  skip_blanks(reader);
  *start = reader->at;
  size_t length = strcspn(reader->at, " \t\r\n\v\f{}(),;#");
  reader->at += length;
  return length;
}

/* Reads the word `wanted`. Returns 0, or -1 with the mistake if another one follows. */
static int keyword(struct reader *reader, const char *wanted) {
  const char *start;
  size_t length = word(reader, &start);
  if (length == strlen(wanted) && !memcmp(start, wanted, length)) return 0;
  return wrong(reader, start, "%s is missing here", wanted);
}

/* Reads a path, and stores its object and its name. Returns 0, or -1 with the mistake. */
static int read_path(struct reader *reader, struct command *command) {
  const char *start;
  size_t length = word(reader, &start), slash = length;
  command->line = reader->line;
  command->column = (size_t)(start - reader->line_start) + 1;
  if (length == 0 || *start != '/') return wrong(reader, start, "a path begins with /");
  while (start[slash - 1] != '/')
    slash--;
  if (slash == length) return wrong(reader, start, "the path does not end with a name");
  command->name = strndup(start + slash, length - slash);
  command->object = strndup(start, slash > 1 ? slash - 1 : 1);
  if (!command->name || !command->object) return wrong(reader, start, "no memory");
  return 0;
}

/* Reads the name of a type. Returns 0, or -1 with the mistake. */
static int read_type(struct reader *reader, struct command *command) {
  const char *start;
  size_t length = word(reader, &start);
  for (int i = 0; i < TYPE_COUNT; i++)
    if (strlen(number_types[i].name) == length && !memcmp(number_types[i].name, start, length)) {
      command->type = (enum type_index)i;
      return 0;
    }
  return wrong(reader, start, "'%.*s' is not a type", (int)length, start);
}

/* Reads the optional dimensions in parentheses; sets the command's dimensions and its count of
 * values (1 without dimensions). Returns 0, or -1 if the dimensions are invalid. */
static int read_dims(struct reader *reader, struct command *command) {
  command->count = 1;
  skip_blanks(reader);
  if (*reader->at != '(') return 0;
  for (reader->at++;;) {
    skip_blanks(reader);
    if (*reader->at == ',') reader->at++, skip_blanks(reader);
    if (*reader->at == ')' && command->rank > 0) return reader->at++, 0;
    if (command->rank == MAX_RANK)
      return wrong(reader, reader->at, "more than %d dimensions", MAX_RANK);
    char *end;
    if (!isdigit((unsigned char)*reader->at)) return wrong(reader, reader->at, "no dimension");
    unsigned long long dim = strtoull(reader->at, &end, 10);
    /* HDF5 rejects attributes of 64 KiB and more later; this check only limits memory. */
    if (dim == 0 || dim > 1 << 20 || command->count * dim > 1 << 20)
      return wrong(reader, reader->at, "no such dimension of an attribute");
    command->dims[command->rank++] = dim;
    command->count *= dim;
    reader->at = end;
  }
}

/* Converts the number at `start` to *value by strtoll and similar functions. Returns the end of the
 * number, `start` if there is none; *fits is 0 if it exceeds the range of the type, otherwise 1. */
static char *convert(const char *start, const struct number_type *type, union number *value,
                     int *fits) {
  char *end = NULL;
  errno = 0;
  *fits = 1;
  switch (type->kind) {
  case SIGNED:
    value->whole = strtoll(start, &end, 10);
    if (type->bits < 64) {
      int64_t limit = (int64_t)1 << (type->bits - 1);
      *fits = value->whole >= -limit && value->whole < limit;
    }
    break;
  case UNSIGNED:
    value->natural = strtoull(start, &end, 10);
    *fits = *start != '-' && (type->bits == 64 || value->natural >> type->bits == 0);
    break;
  case REAL:
    value->real = strtod(start, &end);
    if (type->bits == 32 && isfinite(value->real)) *fits = isfinite((float)value->real);
    break;
  }
  /* A result that is too small for a double is rounded to the nearest double. */
  if (errno == ERANGE && !(type->kind == REAL && fabs(value->real) < 1)) *fits = 0;
  return end;
}

/* Reads exactly command->count values. Returns 0, or -1 with the mistake. */
static int read_values(struct reader *reader, struct command *command) {
  const struct number_type *type = &number_types[command->type];
  command->values = calloc(command->count, sizeof *command->values);
  if (!command->values) return wrong(reader, reader->at, "no memory");
  for (size_t i = 0; i < command->count; i++) {
    const char *start;
    int fits;
    skip_blanks(reader);
    if (i > 0 && *reader->at == ',') reader->at++;
    size_t length = word(reader, &start);
    if (length == 0)
      return wrong(reader, start, "%zu values are needed, here end %zu", command->count, i);
    if (convert(start, type, &command->values[i], &fits) != start + length)
      return wrong(reader, start, "'%.*s' is not a value of %s", (int)length, start, type->name);
    if (!fits)
      return wrong(reader, start, "%.*s does not fit into %s", (int)length, start, type->name);
  }
  skip_blanks(reader);
  if (*reader->at != '}' && *reader->at != ',' && *reader->at)
    return wrong(reader, reader->at, "more than the %zu values of the dims", command->count);
  return 0;
}

/* Reads a whole command. Returns 0, or -1 with the mistake. */
static int read_command(struct reader *reader, struct command *command) {
  if (keyword(reader, "CREATE") || read_path(reader, command) || expect(reader, '{') ||
      read_type(reader, command) || read_dims(reader, command) || keyword(reader, "DATA") ||
      expect(reader, '{') || read_values(reader, command) || expect(reader, '}') ||
      expect(reader, '}') || expect(reader, ';'))
    return -1;
  return 0;
}

int commands_parse(const char *text, struct commands *commands, struct mistake *mistake) {
  struct reader reader = {text, text, 1, mistake};
  memset(commands, 0, sizeof *commands);
  for (skip_blanks(&reader); *reader.at; skip_blanks(&reader)) {
    struct command *grown =
        realloc(commands->items, (commands->count + 1) * sizeof *commands->items);
    if (!grown) return wrong(&reader, reader.at, "no memory");
    commands->items = grown;
    memset(&grown[commands->count], 0, sizeof *grown);
    if (read_command(&reader, &grown[commands->count++])) return -1;
  }
  return 0;
}

void commands_free(struct commands *commands) {
  for (size_t i = 0; i < commands->count; i++) {
    free(commands->items[i].object);
    free(commands->items[i].name);
    free(commands->items[i].values);
  }
  free(commands->items);
}
