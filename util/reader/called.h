/* Defines how a command prints: the name in its messages, the name in its usage text, and the check
 * of its output. On a full disk or a closed descriptor the command must fail. */
#ifndef DARSHAN_CALLED_H
#define DARSHAN_CALLED_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `darshan COMMAND` sets this variable to "darshan COMMAND" for the program that it becomes. */
#define CALLED_VARIABLE "DARSHAN_CALLED_AS"

/* Returns the name that the user typed: "darshan COMMAND", or `program`, the program's own name.
 * The caller does not free it. */
static inline const char *called_as(const char *program) {
  const char *typed = getenv(CALLED_VARIABLE);
  return typed && *typed ? typed : program;
}

/* Prints a usage text. Each name `program` in it that a blank follows is replaced by the name that
 * the user typed. */
static inline void called_usage(FILE *stream, const char *usage, const char *program) {
  const char *typed = called_as(program);
  size_t length = strlen(program);
  for (const char *name; (name = strstr(usage, program)); usage = name + length)
    /* If other characters follow the name, it is part of a file name and not replaced. */
    fprintf(stream, "%.*s%s", (int)(name - usage), usage, name[length] == ' ' ? typed : program);
  fputs(usage, stream);
}

/* Flushes standard output (`stream`). Returns `status` if all output was written. Otherwise prints
 * an error on stderr with the command's name and returns 1. */
static inline int written(FILE *stream, const char *command, int status) {
  errno = 0;
  int failed = fflush(stream) != 0, error = errno;
  if (!failed && !ferror(stream)) return status;
  fprintf(stderr, "%s: cannot write to standard output: %s\n", called_as(command),
          strerror(error ? error : EIO));
  return 1;
}

#endif
