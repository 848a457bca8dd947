/* The interface for cases of the per-function tests. A case performs real calls in an empty folder
 * and reports each call to the model (model.h). main.c runs one case by name and writes the
 * expected log. Only the calls under test use libc's I/O; everything else uses direct system calls.
 * CASE(function) tests one wrapped function; `calls --list` prints these functions. SCENARIO(name)
 * tests behaviour that does not belong to one function. */
#ifndef CALLS_H
#define CALLS_H

/* Fortified and inlined forms have cases of their own, so the plain name must mean the plain symbol
 * with any CFLAGS. */
#undef _FORTIFY_SOURCE
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "intercept/sys/sys.h"
#include "model.h"

struct test_case {
  const char *name;
  void (*run)(void);
  bool is_function; /* listed for the coverage check; else a scenario */
};

#define REGISTER_CASE(name, is_function)                                                           \
  static void case_##name(void);                                                                   \
  static const struct test_case entry_##name = {#name, case_##name, is_function};                  \
  static const struct test_case *const link_##name __attribute__((section("cases"), used)) =       \
      &entry_##name;                                                                               \
  static void case_##name(void)
#define CASE(name) REGISTER_CASE(name, true)
#define SCENARIO(name) REGISTER_CASE(name, false)
/* Behaviour that needs a special environment or check; tests run these cases by their names. */
#define SPECIAL(name) REGISTER_CASE(name, false)

/* A symbol that headers do not declare, or that some C libraries lack. */
#define OPTIONAL_SYMBOL __attribute__((weak))

/* Performs a call under test. errno after the call, and an integer result, are stored in the trace,
 * which must be the same without the library. */
#define C(call)                                                                                    \
  __extension__({                                                                                  \
    errno = 90; /* no call sets this value */                                                      \
    __typeof__(call) result_ = (call);                                                             \
    trace(errno,                                                                                   \
          _Generic((result_), int : 1, long : 1, unsigned : 1, unsigned long : 1, default : 0)     \
              ? (long)result_                                                                      \
              : 0);                                                                                \
    result_;                                                                                       \
  })
/* Like C(), for a call without a result. */
#define CV(call)                                                                                   \
  do {                                                                                             \
    errno = 90;                                                                                    \
    call;                                                                                          \
    trace(errno, 0);                                                                               \
  } while (0)
void trace(int error, long value);

/* Ends the test program with status 1 and the text of the condition. A failed condition is not an
 * error of the counters. */
#define CHECK(condition) ((condition) ? (void)0 : failed(__FILE__, __LINE__, #condition))
_Noreturn void failed(const char *file, int line, const char *condition);
/* Ends the program with status 77, which means skipped, and prints the reason. */
_Noreturn void skip(const char *reason);

/* Skips the case if a call failed with EPERM, because a container's filter forbids it. result: of
 * the call. */
void permitted(int result);
/* Skips the case if the C library (or its libraries) has no such function. */
void need(const char *function);

/* The case's absolute folder; in_dir returns a path below it, in static storage that lasts for the
 * whole case (64 names at most). The same name gives the same address. */
extern const char *test_dir;
const char *in_dir(const char *name);

/* A buffer for all cases. It is aligned to 4096 bytes and filled with letters. */
enum { BUFFER_SIZE = 1 << 20 };
extern char buffer[BUFFER_SIZE];

/* Creates a file of `size` letters by direct system calls, which the runtime does not see. */
void raw_file(const char *path, long size);        /* size letters */
void raw_text(const char *path, const char *text); /* exactly this text */
int raw_open(const char *path, int flags);   /* a descriptor whose open the runtime did not see */
void write_unseen(int fd, const char *path); /* 700 bytes by libc's write, after an unseen open */
long raw_size(const char *path);             /* -1 if the file does not exist */
void raw_print(int fd, const char *text);
/* Creates a file of `size` letters and opens it for reading and writing by a call that the case
 * counts. Returns the descriptor. */
int open_file(const char *path, long size);

/* Writes the expectations and the trace now, for cases that do not return. */
void finish(void);
/* Prints one line per open descriptor of this process. */
void print_descriptors(void);
/* Waits for a child and checks that it exited with this status. */
void reap(pid_t child, int status);

#endif
