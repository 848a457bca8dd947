/* Formatted output to and input from streams, in all their compiled forms. */
#include "calls.h"

#include <stdarg.h>
#include <stdio.h>

OPTIONAL_SYMBOL extern int __fprintf_chk(FILE *, int, const char *, ...);
OPTIONAL_SYMBOL extern int __vfprintf_chk(FILE *, int, const char *, va_list);
OPTIONAL_SYMBOL extern int _IO_fprintf(FILE *, const char *, ...);
OPTIONAL_SYMBOL extern int _IO_vfprintf(FILE *, const char *, va_list);
OPTIONAL_SYMBOL extern int __isoc99_fscanf(FILE *, const char *, ...);
OPTIONAL_SYMBOL extern int __isoc99_vfscanf(FILE *, const char *, va_list);
OPTIONAL_SYMBOL extern int __isoc23_fscanf(FILE *, const char *, ...);
OPTIONAL_SYMBOL extern int __isoc23_vfscanf(FILE *, const char *, va_list);
OPTIONAL_SYMBOL extern int _IO_vfscanf(FILE *, const char *, va_list, int *);
OPTIONAL_SYMBOL extern int __vfscanf(FILE *, const char *, va_list);

/* Declares the symbol fscanf. The headers rename it to its C99 form, so its older form needs this
 * declaration. */
extern int plain_fscanf(FILE *, const char *, ...) __asm__("fscanf");
extern int plain_vfscanf(FILE *, const char *, va_list) __asm__("vfscanf");

static int call_v(int (*function)(FILE *, const char *, va_list), FILE *stream, const char *format,
                  ...) {
  va_list args;
  va_start(args, format);
  int n = function(stream, format, args);
  va_end(args);
  return n;
}

static int vfprintf_chk_1(FILE *stream, const char *format, va_list args) {
  return __vfprintf_chk(stream, 1, format, args);
}

static int old_vfscanf(FILE *stream, const char *format, va_list args) {
  return _IO_vfscanf(stream, format, args, NULL);
}

/* Prints more arguments of several kinds than the registers hold, then a text without arguments,
 * then to a stream that is open for reading only, so the call fails. */
#define FPRINTF_CASE(name, function, first)                                                        \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = C(fopen(path, "w"));                                                            \
    model_fopen(path);                                                                             \
    CHECK(C(function(first, "%d %s %c %5.2f|%ld %d %d %d %.1f\n", 1, "two", '3', 4.25, 5L, 6, 7,   \
                     8, 9.5)) == 26);                                                              \
    model_fwrite(path, 26);                                                                        \
    CHECK(C(function(first, "plain\n")) == 6);                                                     \
    model_fwrite(path, 6);                                                                         \
    CHECK(C(fclose(stream)) == 0 && raw_size(path) == 32);                                         \
    char text[33] = {0};                                                                           \
    int fd = sys_open(path, O_RDONLY, 0);                                                          \
    CHECK(sys_read(fd, text, 32) == 32);                                                           \
    CHECK(!__builtin_strcmp(text, "1 two 3  4.25|5 6 7 8 9.5\nplain\n"));                          \
    stream = C(fopen(path, "r"));                                                                  \
    model_fopen(path);                                                                             \
    CHECK(C(function(first, "plain\n")) == -1);                                                    \
  }
FPRINTF_CASE(fprintf, fprintf, stream)
FPRINTF_CASE(_IO_fprintf, _IO_fprintf, stream)
#define fprintf_chk_1(stream, ...) __fprintf_chk(stream, 1, __VA_ARGS__)
FPRINTF_CASE(__fprintf_chk, fprintf_chk_1, stream)
#define v_fprintf(stream, ...) call_v(vfprintf, stream, __VA_ARGS__)
FPRINTF_CASE(vfprintf, v_fprintf, stream)
#define v_fprintf_chk(stream, ...) call_v(vfprintf_chk_1, stream, __VA_ARGS__)
FPRINTF_CASE(__vfprintf_chk, v_fprintf_chk, stream)
#define v_io_fprintf(stream, ...) call_v(_IO_vfprintf, stream, __VA_ARGS__)
FPRINTF_CASE(_IO_vfprintf, v_io_fprintf, stream)

/* The bytes are the distance that the position moved. */
#define FSCANF_CASE(name, function)                                                                \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    raw_text(path, "12 word 3.5\nx77 and more\n");                                                 \
    FILE *stream = C(fopen(path, "r"));                                                            \
    model_fopen(path);                                                                             \
    int number = 0;                                                                                \
    char word[10], letter = 0;                                                                     \
    double real = 0;                                                                               \
    CHECK(C(function(stream, "%d %s %lf", &number, word, &real)) == 3);                            \
    CHECK(number == 12 && !__builtin_strcmp(word, "word") && real == 3.5);                         \
    model_fread(path, 11);                                                                         \
    CHECK(C(function(stream, "\n%c%d", &letter, &number)) == 2 && letter == 'x' && number == 77);  \
    model_fread(path, 4);                                                                          \
    CHECK(C(fclose(stream)) == 0);                                                                 \
  }
FSCANF_CASE(fscanf, plain_fscanf)
FSCANF_CASE(__isoc99_fscanf, __isoc99_fscanf)
FSCANF_CASE(__isoc23_fscanf, __isoc23_fscanf)
#define v_fscanf(stream, ...) call_v(plain_vfscanf, stream, __VA_ARGS__)
FSCANF_CASE(vfscanf, v_fscanf)
#define v99_fscanf(stream, ...) call_v(__isoc99_vfscanf, stream, __VA_ARGS__)
FSCANF_CASE(__isoc99_vfscanf, v99_fscanf)
#define v23_fscanf(stream, ...) call_v(__isoc23_vfscanf, stream, __VA_ARGS__)
FSCANF_CASE(__isoc23_vfscanf, v23_fscanf)
#define v_old_fscanf(stream, ...) call_v(old_vfscanf, stream, __VA_ARGS__)
FSCANF_CASE(_IO_vfscanf, v_old_fscanf)
#define v__fscanf(stream, ...) call_v(__vfscanf, stream, __VA_ARGS__)
FSCANF_CASE(__vfscanf, v__fscanf)
