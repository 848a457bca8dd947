/* Wide characters through streams: the bytes are those of the encoded text. */
#include "calls.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

OPTIONAL_SYMBOL extern wchar_t *__fgetws_chk(wchar_t *, size_t, int, FILE *);
OPTIONAL_SYMBOL extern wchar_t *__fgetws_unlocked_chk(wchar_t *, size_t, int, FILE *);
OPTIONAL_SYMBOL extern int __fwprintf_chk(FILE *, int, const wchar_t *, ...);
OPTIONAL_SYMBOL extern int __wprintf_chk(int, const wchar_t *, ...);
OPTIONAL_SYMBOL extern int __vfwprintf_chk(FILE *, int, const wchar_t *, va_list);
OPTIONAL_SYMBOL extern int __vwprintf_chk(int, const wchar_t *, va_list);
#define OPTIONAL_SCANS(prefix)                                                                     \
  OPTIONAL_SYMBOL extern int prefix##fwscanf(FILE *, const wchar_t *, ...);                        \
  OPTIONAL_SYMBOL extern int prefix##wscanf(const wchar_t *, ...);                                 \
  OPTIONAL_SYMBOL extern int prefix##vfwscanf(FILE *, const wchar_t *, va_list);                   \
  OPTIONAL_SYMBOL extern int prefix##vwscanf(const wchar_t *, va_list);
OPTIONAL_SCANS(__isoc99_)
OPTIONAL_SCANS(__isoc23_)
/* The headers rename these to their C99 form. */
extern int plain_fwscanf(FILE *, const wchar_t *, ...) __asm__("fwscanf");
extern int plain_wscanf(const wchar_t *, ...) __asm__("wscanf");
extern int plain_vfwscanf(FILE *, const wchar_t *, va_list) __asm__("vfwscanf");
extern int plain_vwscanf(const wchar_t *, va_list) __asm__("vwscanf");

/* Characters of one to four bytes. */
static const wchar_t text[] = L"a\u00e9\u20ac\U0001f600\n";
enum { CHARACTERS = 5, TEXT_BYTES = 11 };
static const int bytes_of[CHARACTERS] = {1, 2, 3, 4, 1};
static const char encoded[] = "a\u00e9\u20ac\U0001f600\n";

static FILE *open_wide(const char *path, const char *mode) {
  CHECK(setlocale(LC_ALL, "C.UTF-8") != NULL);
  FILE *stream = C(fopen(path, mode));
  CHECK(stream != NULL);
  model_fopen(path);
  return stream;
}

/* The number of lines, which fill several stream buffers. */
enum { LINES = 2000 };
static FILE *open_lines(const char *path) {
  int fd = sys_open(path, O_CREAT | O_WRONLY, 0644);
  for (int i = 0; i < LINES; i++)
    CHECK(sys_write(fd, encoded, TEXT_BYTES) == TEXT_BYTES);
  sys_close(fd);
  return open_wide(path, "r");
}

#define GETWC_CASE(name)                                                                           \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    FILE *stream = open_lines(path);                                                               \
    for (int i = 0; i < LINES * CHARACTERS; i++) {                                                 \
      CHECK(C((name)(stream)) == (wint_t)text[i % CHARACTERS]);                                    \
      model_fread(path, bytes_of[i % CHARACTERS]);                                                 \
    }                                                                                              \
    CHECK(C((name)(stream)) == WEOF && C(fclose(stream)) == 0);                                    \
  }
GETWC_CASE(fgetwc)
GETWC_CASE(getwc)
GETWC_CASE(fgetwc_unlocked)
GETWC_CASE(getwc_unlocked)

/* The harness supplies "12 34 56\n" and more. */
#define GETWCHAR_CASE(name)                                                                        \
  CASE(name) {                                                                                     \
    for (int i = 0; i < 9; i++) {                                                                  \
      CHECK(C((name)()) == (wint_t)L"12 34 56\n"[i]);                                              \
      model_standard_read(STANDARD_INPUT, 1);                                                      \
    }                                                                                              \
  }
GETWCHAR_CASE(getwchar)
GETWCHAR_CASE(getwchar_unlocked)

/* Reads whole lines, and a line that does not fit into the buffer. */
#define FGETWS_CASE(name, ...)                                                                     \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = open_lines(path);                                                               \
    wchar_t line[8];                                                                               \
    int n = 8;                                                                                     \
    for (int i = 0; i < LINES - 1; i++) {                                                          \
      CHECK(C(name(__VA_ARGS__)) == line && !wcscmp(line, text));                                  \
      model_fread(path, TEXT_BYTES);                                                               \
    }                                                                                              \
    n = 4;                                                                                         \
    CHECK(C(name(__VA_ARGS__)) == line && !wcsncmp(line, text, 3));                                \
    model_fread(path, 6);                                                                          \
    CHECK(C(fclose(stream)) == 0);                                                                 \
  }
FGETWS_CASE(fgetws, line, n, stream)
FGETWS_CASE(fgetws_unlocked, line, n, stream)
FGETWS_CASE(__fgetws_chk, line, 8, n, stream)
FGETWS_CASE(__fgetws_unlocked_chk, line, 8, n, stream)

/* A pushed-back character is returned again, but was read once. */
CASE(ungetwc) {
  const char *path = in_dir("file");
  FILE *stream = open_lines(path);
  CHECK(C(fgetwc(stream)) == L'a' && C(fgetwc(stream)) == 0xe9);
  model_fread(path, 1);
  model_fread(path, 2);
  CHECK(C(ungetwc(0xe9, stream)) == 0xe9 && C(fgetwc(stream)) == 0xe9);
  model_fread(path, 0);
  CHECK(C(ungetwc(0x20ac, stream)) == 0x20ac && C(fgetwc(stream)) == 0x20ac);
  model_fread(path, 0);
  CHECK(C(fgetwc(stream)) == 0x20ac);
  model_fread(path, 3);
  CHECK(C(ungetwc(WEOF, stream)) == WEOF && C(fclose(stream)) == 0);
}

#define PUTWC_CASE(name)                                                                           \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    FILE *stream = open_wide(path, "w");                                                           \
    for (int i = 0; i < LINES * CHARACTERS; i++) {                                                 \
      CHECK(C((name)(text[i % CHARACTERS], stream)) == (wint_t)text[i % CHARACTERS]);              \
      model_fwrite(path, bytes_of[i % CHARACTERS]);                                                \
    }                                                                                              \
    CHECK(C(fclose(stream)) == 0 && raw_size(path) == LINES * TEXT_BYTES);                         \
    stream = open_wide(path, "r");                                                                 \
    CHECK(C((name)(L'x', stream)) == WEOF);                                                        \
  }
PUTWC_CASE(fputwc)
PUTWC_CASE(putwc)
PUTWC_CASE(fputwc_unlocked)
PUTWC_CASE(putwc_unlocked)

#define PUTWCHAR_CASE(name)                                                                        \
  CASE(name) {                                                                                     \
    CHECK(setlocale(LC_ALL, "C.UTF-8") != NULL);                                                   \
    for (int i = 0; i < 100; i++) {                                                                \
      CHECK(C((name)(text[i % CHARACTERS])) == (wint_t)text[i % CHARACTERS]);                      \
      model_standard_write(STANDARD_OUTPUT, bytes_of[i % CHARACTERS]);                             \
    }                                                                                              \
  }
PUTWCHAR_CASE(putwchar)
PUTWCHAR_CASE(putwchar_unlocked)

#define FPUTWS_CASE(name)                                                                          \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    FILE *stream = open_wide(path, "w");                                                           \
    for (int i = 0; i < LINES; i++) {                                                              \
      CHECK(C(name(text, stream)) >= 0);                                                           \
      model_fwrite(path, TEXT_BYTES);                                                              \
    }                                                                                              \
    CHECK(C(fclose(stream)) == 0 && raw_size(path) == LINES * TEXT_BYTES);                         \
  }
FPUTWS_CASE(fputws)
FPUTWS_CASE(fputws_unlocked)

/* The three streams of each case: with a buffer, for appending, and without a buffer. */
static const char *const modes[] = {"w", "a", "w"};
static const int kinds[] = {_IOFBF, _IOFBF, _IONBF};
#define FWPRINTF_CASE(name, function)                                                              \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    static wchar_t longer[6001];                                                                   \
    wmemset(longer, 0x20ac, 6000);                                                                 \
    for (int mode = 0; mode < 3; mode++) {                                                         \
      const char *path = in_dir(mode == 0 ? "file" : mode == 1 ? "other" : "third");               \
      FILE *stream = open_wide(path, modes[mode]);                                                 \
      if (kinds[mode] == _IONBF) setvbuf(stream, NULL, _IONBF, 0);                                 \
      long size = 0;                                                                               \
      for (int i = 0; i < 100; i++) {                                                              \
        CHECK(C(function(stream, L"%ls|%3d", text, 7)) == CHARACTERS + 4);                         \
        model_fwrite(path, TEXT_BYTES + 4);                                                        \
        size += TEXT_BYTES + 4;                                                                    \
      }                                                                                            \
      CHECK(C(function(stream, L"\u00e9%ls", longer)) == 6001);                                    \
      model_fwrite(path, 18002);                                                                   \
      CHECK(C(fclose(stream)) == 0 && raw_size(path) == size + 18002);                             \
    }                                                                                              \
  }
static int call_print(int (*function)(FILE *, const wchar_t *, va_list), FILE *stream,
                      const wchar_t *format, ...) {
  va_list list;
  va_start(list, format);
  int n = function(stream, format, list);
  va_end(list);
  return n;
}
static int chk_print(FILE *stream, const wchar_t *format, va_list list) {
  return __vfwprintf_chk(stream, 1, format, list);
}
FWPRINTF_CASE(fwprintf, fwprintf)
#define fwprintf_chk_1(stream, ...) __fwprintf_chk(stream, 1, __VA_ARGS__)
FWPRINTF_CASE(__fwprintf_chk, fwprintf_chk_1)
#define v_fwprintf(...) call_print(vfwprintf, __VA_ARGS__)
FWPRINTF_CASE(vfwprintf, v_fwprintf)
#define v_fwprintf_chk(...) call_print(chk_print, __VA_ARGS__)
FWPRINTF_CASE(__vfwprintf_chk, v_fwprintf_chk)

#define WPRINTF_CASE(name, function)                                                               \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    CHECK(setlocale(LC_ALL, "C.UTF-8") != NULL);                                                   \
    CHECK(C(function(L"%ls|%3d", text, 7)) == CHARACTERS + 4);                                     \
    model_standard_write(STANDARD_OUTPUT, TEXT_BYTES + 4);                                         \
  }
static int call_stdout(int (*function)(const wchar_t *, va_list), const wchar_t *format, ...) {
  va_list list;
  va_start(list, format);
  int n = function(format, list);
  va_end(list);
  return n;
}
static int chk_stdout(const wchar_t *format, va_list list) {
  return __vwprintf_chk(1, format, list);
}
WPRINTF_CASE(wprintf, wprintf)
#define wprintf_chk_1(...) __wprintf_chk(1, __VA_ARGS__)
WPRINTF_CASE(__wprintf_chk, wprintf_chk_1)
#define v_wprintf(...) call_stdout(vwprintf, __VA_ARGS__)
WPRINTF_CASE(vwprintf, v_wprintf)
#define v_wprintf_chk(...) call_stdout(chk_stdout, __VA_ARGS__)
WPRINTF_CASE(__vwprintf_chk, v_wprintf_chk)

/* Reads words over all refills of the buffer, to the newline at the end of the file. */
#define FWSCANF_CASE(name, function)                                                               \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = open_lines(path);                                                               \
    wchar_t word[8];                                                                               \
    for (int i = 0; i < LINES; i++) {                                                              \
      CHECK(C(function(stream, L"%7ls", word)) == 1 && !wcsncmp(word, text, 4));                   \
      model_fread(path, i == 0 ? TEXT_BYTES - 1 : TEXT_BYTES);                                     \
    }                                                                                              \
    CHECK(C(function(stream, L"%7ls", word)) == EOF); /* the last newline */                       \
    model_fread(path, 1);                                                                          \
    CHECK(C(fclose(stream)) == 0);                                                                 \
  }
FWSCANF_CASE(fwscanf, plain_fwscanf)
FWSCANF_CASE(__isoc99_fwscanf, __isoc99_fwscanf)
FWSCANF_CASE(__isoc23_fwscanf, __isoc23_fwscanf)
#define v_fwscanf(...) call_print(plain_vfwscanf, __VA_ARGS__)
FWSCANF_CASE(vfwscanf, v_fwscanf)
#define v99_fwscanf(...) call_print(__isoc99_vfwscanf, __VA_ARGS__)
FWSCANF_CASE(__isoc99_vfwscanf, v99_fwscanf)
#define v23_fwscanf(...) call_print(__isoc23_vfwscanf, __VA_ARGS__)
FWSCANF_CASE(__isoc23_vfwscanf, v23_fwscanf)

#define WSCANF_CASE(name, function)                                                                \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    int a = 0, b = 0;                                                                              \
    CHECK(C(function(L"%d %d", &a, &b)) == 2 && a == 12 && b == 34);                               \
    model_standard_read(STANDARD_INPUT, 5);                                                        \
  }
WSCANF_CASE(wscanf, plain_wscanf)
WSCANF_CASE(__isoc99_wscanf, __isoc99_wscanf)
WSCANF_CASE(__isoc23_wscanf, __isoc23_wscanf)
#define v_wscanf(...) call_stdout(plain_vwscanf, __VA_ARGS__)
WSCANF_CASE(vwscanf, v_wscanf)
#define v99_wscanf(...) call_stdout(__isoc99_vwscanf, __VA_ARGS__)
WSCANF_CASE(__isoc99_vwscanf, v99_wscanf)
#define v23_wscanf(...) call_stdout(__isoc23_vwscanf, __VA_ARGS__)
WSCANF_CASE(__isoc23_vwscanf, v23_wscanf)

/* A stream with an encoding of its own. */
SCENARIO(wide_in_another_encoding) {
  const char *path = in_dir("file");
  FILE *stream = open_wide(path, "w,ccs=UTF-16LE");
  CHECK(C(fputws(text, stream)) >= 0);
  model_fwrite(path, 12);
  CHECK(C(fclose(stream)) == 0 && raw_size(path) == 12);
}
