/* Counts warn, err, error and similar functions, if they are libc's and standard error is a file.
 * The wrappers in messages-enter.S jump to the functions that are chosen here. */
#include <errno.h>
#include <stdarg.h>

#include "../../intercept/loader/loader.h"
#include "../../intercept/memory.h"
#include "../../intercept/real.h"
#include "../../names/path-buffers.h"
#include "formats/print.h"

enum { WARN, WARNX, VWARN, VWARNX, ERR, ERRX, VERR, VERRX, ERROR, ERROR_AT_LINE, MESSAGES };

static void *reals[MESSAGES];
static const char *const names[MESSAGES] = {"warn", "warnx", "vwarn", "vwarnx", "err",
                                            "errx", "verr",  "verrx", "error",  "error_at_line"};

static void *real_of(int which) {
  void *real = __atomic_load_n(&reals[which], __ATOMIC_RELAXED);
  return real ? real : real_resolve(&reals[which], names[which]);
}

/* Returns 1 if the function is libc's, that is, in the same object as the FILE of stderr. Otherwise
 * returns 0. */
static int is_libcs(const void *function) {
  struct loaded_object here, there;
  return loader_object_of(function, &here) == 0 && loader_object_of(stderr, &there) == 0 &&
         here.map == there.map;
}

/* Makes a call that prints and may not return, and counts its bytes. */
#define COUNTED(way, call)                                                                         \
  do {                                                                                             \
    struct stdio_print print;                                                                      \
    int counts = stdio_print_begin(stderr, way, &print);                                           \
    if (counts) stdio_print_may_leave(&print, 0);                                                  \
    uint64_t t1 = ticks_now();                                                                     \
    call;                                                                                          \
    if (counts) stdio_printed(&print, t1, ticks_after(t1));                                        \
    stdio_print_stays();                                                                           \
  } while (0)

typedef void warns(const char *format, va_list list);
typedef void ends(int status, const char *format, va_list list);

static ANY_STACK void count_vwarn(const char *format, va_list list) {
  COUNTED(PRINT_THROUGH, ((warns *)real_of(VWARN))(format, list));
}
static ANY_STACK void count_vwarnx(const char *format, va_list list) {
  COUNTED(PRINT_THROUGH, ((warns *)real_of(VWARNX))(format, list));
}
static ANY_STACK void count_verr(int status, const char *format, va_list list) {
  COUNTED(PRINT_THROUGH, ((ends *)real_of(VERR))(status, format, list));
}
static ANY_STACK void count_verrx(int status, const char *format, va_list list) {
  COUNTED(PRINT_THROUGH, ((ends *)real_of(VERRX))(status, format, list));
}

#define WITH_LIST(call)                                                                            \
  va_list list;                                                                                    \
  va_start(list, format);                                                                          \
  call;                                                                                            \
  va_end(list)

static ANY_STACK void count_warn(const char *format, ...) {
  WITH_LIST(count_vwarn(format, list));
}
static ANY_STACK void count_warnx(const char *format, ...) {
  WITH_LIST(count_vwarnx(format, list));
}
static ANY_STACK void count_err(int status, const char *format, ...) {
  WITH_LIST(count_verr(status, format, list));
}
static ANY_STACK void count_errx(int status, const char *format, ...) {
  WITH_LIST(count_verrx(status, format, list));
}

/* The text of a message, formatted here because libc has no variant of error() with a va_list. It
 * is in `buffer` or, if it is too long for that, in `memory` (`size` bytes); end_message frees
 * both. */
struct message {
  const char *text;
  struct path_buffer *buffer;
  void *memory;
  size_t size;
};

/* Formats the text of a message. If that fails, or if out of memory, the text is cut off or empty.
 * Preserves errno. */
static void begin_message(struct message *message, const char *format, va_list list) {
  static const char none[] = "";
  va_list again;
  int error = errno;
  *message = (struct message){.text = none, .buffer = path_buffer_take()};
  va_copy(again, list);
  size_t room = message->buffer ? DARSHAN_PATH_ROOM : 0;
  char *text = message->buffer ? message->buffer->bytes : NULL;
  int length = vsnprintf(text, room, format, list);
  if (length >= 0 &&
      (size_t)length >= room) { /* the message is long, or no buffer is free; both are rare */
    message->size = (size_t)length + 1;
    message->memory = private_memory(message->size);
    errno = error;
    if (message->memory) vsnprintf(message->memory, message->size, format, again);
    if (message->memory) text = message->memory;
  }
  va_end(again);
  if (text && length >= 0) message->text = text;
  errno = error;
}

extern int (*real_fflush)(FILE *file) __attribute__((visibility("hidden")));
/* Flushes stdout, as error() does at its start: stdout may be the same file as stderr, and its
 * bytes must not be measured as part of the message. At its end error() flushes stderr, which makes
 * libc forget the stream's offset. */
static void begin_error(void) {
  int error = errno;
  LIBC(fflush)(stdout);
  errno = error;
}

static void end_message(struct message *message) {
  path_buffer_give(message->buffer);
  if (message->memory) sys_munmap(message->memory, message->size);
}

static ANY_STACK void count_error(int status, int number, const char *format, ...) {
  typedef void prints(int, int, const char *, ...);
  struct message message;
  begin_error();
  WITH_LIST(begin_message(&message, format, list));
  COUNTED(PRINT_BESIDE, ((prints *)real_of(ERROR))(status, number, "%s", message.text));
  end_message(&message);
}

static ANY_STACK void count_error_at_line(int status, int number, const char *file, unsigned line,
                                          const char *format, ...) {
  typedef void prints(int, int, const char *, unsigned, const char *, ...);
  struct message message;
  begin_error();
  WITH_LIST(begin_message(&message, format, list));
  COUNTED(PRINT_BESIDE,
          ((prints *)real_of(ERROR_AT_LINE))(status, number, file, line, "%s", message.text));
  end_message(&message);
}

/* For each function name: the function that counts, and the libc function that it calls. */
static const struct {
  void *counts;
  int by;
} targets[MESSAGES] = {{&count_warn, VWARN},  {&count_warnx, VWARNX},
                       {&count_vwarn, VWARN}, {&count_vwarnx, VWARNX},
                       {&count_err, VERR},    {&count_errx, VERRX},
                       {&count_verr, VERR},   {&count_verrx, VERRX},
                       {&count_error, ERROR}, {&count_error_at_line, ERROR_AT_LINE}};

ANY_STACK __attribute__((visibility("hidden"))) void *stdio_message_target(int which);
void *stdio_message_target(int which) {
  void *real = real_of(which);
  if (!darshan_hot.fd_limit) return real;
  const struct stdio_stream *stream = stdio_stream_of(stderr);
  if (!stream || (stream->standard && !STDIO_PEEK(stream->changed))) return real;
  return is_libcs(real) && is_libcs(real_of(targets[which].by)) ? targets[which].counts : real;
}
