/* Cases for standard input, output and error. The harness supplies "12 34 56\nsecond line\n" on
 * standard input and reads standard output, through pipes or files. */
#include "calls.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

OPTIONAL_SYMBOL extern int __printf_chk(int, const char *, ...);
OPTIONAL_SYMBOL extern int __vprintf_chk(int, const char *, va_list);
OPTIONAL_SYMBOL extern int _IO_printf(const char *, ...);
OPTIONAL_SYMBOL extern int _IO_puts(const char *);
OPTIONAL_SYMBOL extern int __isoc99_scanf(const char *, ...);
OPTIONAL_SYMBOL extern int __isoc99_vscanf(const char *, va_list);
OPTIONAL_SYMBOL extern int __isoc23_scanf(const char *, ...);
OPTIONAL_SYMBOL extern int __isoc23_vscanf(const char *, va_list);
extern int plain_scanf(const char *, ...) __asm__("scanf");
extern int plain_vscanf(const char *, va_list) __asm__("vscanf");

static int call_v(int (*function)(const char *, va_list), const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = function(format, args);
  va_end(args);
  return n;
}

static int vprintf_chk_1(const char *format, va_list args) {
  return __vprintf_chk(1, format, args);
}

#define PUTCHAR_CASE(name)                                                                         \
  CASE(name) {                                                                                     \
    for (int i = 0; i < 100; i++) {                                                                \
      CHECK(C((name)('a')) == 'a');                                                                \
      model_standard_write(STANDARD_OUTPUT, 1);                                                    \
    }                                                                                              \
  }
PUTCHAR_CASE(putchar)
PUTCHAR_CASE(putchar_unlocked)

#define PUTS_CASE(name)                                                                            \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    CHECK(C(name("letters")) >= 0);                                                                \
    model_standard_write(STANDARD_OUTPUT, 8);                                                      \
    CHECK(C(name("")) >= 0);                                                                       \
    model_standard_write(STANDARD_OUTPUT, 1);                                                      \
  }
PUTS_CASE(puts)
PUTS_CASE(_IO_puts)

#define PRINTF_CASE(name, function)                                                                \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    CHECK(C(function("%d %s %c %.1f %ld %d %d\n", 1, "two", '3', 4.5, 5L, 6, 7)) == 18);           \
    model_standard_write(STANDARD_OUTPUT, 18);                                                     \
    CHECK(C(function("plain\n")) == 6);                                                            \
    model_standard_write(STANDARD_OUTPUT, 6);                                                      \
  }
PRINTF_CASE(printf, printf)
PRINTF_CASE(_IO_printf, _IO_printf)
#define printf_chk_1(...) __printf_chk(1, __VA_ARGS__)
PRINTF_CASE(__printf_chk, printf_chk_1)
#define v_printf(...) call_v(vprintf, __VA_ARGS__)
PRINTF_CASE(vprintf, v_printf)
#define v_printf_chk(...) call_v(vprintf_chk_1, __VA_ARGS__)
PRINTF_CASE(__vprintf_chk, v_printf_chk)

#define GETCHAR_CASE(name)                                                                         \
  CASE(name) {                                                                                     \
    for (int i = 0; i < 9; i++) {                                                                  \
      CHECK(C((name)()) == "12 34 56\n"[i]);                                                       \
      model_standard_read(STANDARD_INPUT, 1);                                                      \
    }                                                                                              \
  }
GETCHAR_CASE(getchar)
GETCHAR_CASE(getchar_unlocked)

/* dlsym finds gets, because the linker warns about it; the input of the case is known. */
#define GETS_CASE(name, type, ...)                                                                 \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    char line[100];                                                                                \
    char *(*function)type = (char *(*)type)dlsym(RTLD_DEFAULT, #name);                             \
    CHECK(function != NULL);                                                                       \
    CHECK(C(function(__VA_ARGS__)) == line && !strcmp(line, "12 34 56"));                          \
    model_standard_read(STANDARD_INPUT, 9);                                                        \
  }
GETS_CASE(gets, (char *), line)
GETS_CASE(_IO_gets, (char *), line)
GETS_CASE(__gets_chk, (char *, size_t), line, sizeof line)

#define SCANF_CASE(name, function)                                                                 \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    int a = 0, b = 0, c = 0;                                                                       \
    CHECK(C(function("%d %d", &a, &b)) == 2 && a == 12 && b == 34);                                \
    model_standard_read(STANDARD_INPUT, 5);                                                        \
    CHECK(C(function("%d", &c)) == 1 && c == 56);                                                  \
    model_standard_read(STANDARD_INPUT, 3);                                                        \
  }
SCANF_CASE(scanf, plain_scanf)
SCANF_CASE(__isoc99_scanf, __isoc99_scanf)
SCANF_CASE(__isoc23_scanf, __isoc23_scanf)
#define v_scanf(...) call_v(plain_vscanf, __VA_ARGS__)
SCANF_CASE(vscanf, v_scanf)
#define v99_scanf(...) call_v(__isoc99_vscanf, __VA_ARGS__)
SCANF_CASE(__isoc99_vscanf, v99_scanf)
#define v23_scanf(...) call_v(__isoc23_vscanf, __VA_ARGS__)
SCANF_CASE(__isoc23_vscanf, v23_scanf)

/* Standard error is unbuffered; an unused stream has no record. */
SCENARIO(standard_streams) {
  CHECK(C(fputs("to standard error\n", stderr)) >= 0);
  model_standard_write(STANDARD_ERROR, 18);
  CHECK(C(fflush(stdout)) == 0);
  expect_any(STANDARD_OUTPUT, "STDIO_FLUSHES");
  expect_any(STANDARD_OUTPUT, "STDIO_OPENS");
}

/* After freopen the stream is a file like any other. */
SCENARIO(standard_output_to_file) {
  const char *path = in_dir("file");
  CHECK(C(printf("before\n")) == 7);
  model_standard_write(STANDARD_OUTPUT, 7);
  CHECK(C(freopen(path, "w", stdout)) == stdout);
  model_fopen(path);
  CHECK(C(printf("after\n")) == 6);
  model_fwrite(path, 6);
  CHECK(C(fflush(stdout)) == 0 && raw_size(path) == 6);
  model_fflush(path);
}
