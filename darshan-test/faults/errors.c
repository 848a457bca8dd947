/* The errors with which each system call may fail, from the table errors.def. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "faults.h"

#define CALL(name, ...) static const int errors_##name[] = {__VA_ARGS__, NO_FAULT};
#include "errors.def"
#undef CALL

/* The calls that can fail, each with its errors up to NO_FAULT. */
static const struct {
  long call;
  const char *name;
  const int *errors;
} table[] = {
#define CALL(name, ...) {SYS_##name, #name, errors_##name},
#include "errors.def"
#undef CALL
};

const char *error_name(int error) {
  if (error == SHORT) return "short";
  if (error == NOTHING) return "nothing";
  if (error == DELAYED) return "delayed";
  return strerrorname_np(error);
}

/* Returns the index of a system call in the table; -1 if it cannot fail. */
static int find(long call) {
  for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
    if (table[i].call == call) return (int)i;
  return -1;
}

int error_of(long call, unsigned e) {
  int i = find(call);
  if (i < 0) return e == 0 ? DELAYED : NO_FAULT;
  for (unsigned k = 0; table[i].errors[k] != NO_FAULT; k++)
    if (k == e)
      return table[i].errors[k];
    else if (table[i].errors[k + 1] == NO_FAULT && k + 1 == e)
      return DELAYED;
  return NO_FAULT;
}

const char *call_name(long call) {
  static char number[32];
  int i = find(call);
  if (i >= 0) return table[i].name;
  snprintf(number, sizeof(number), "call %ld", call);
  return number;
}
