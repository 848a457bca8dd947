/* Delivers texts to receivers, in one process for each receiver (deliver.h). */
#define _GNU_SOURCE
#include "deliver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../message.h"

enum { LONGEST_PAUSE = 30 /* seconds after a failure */ };

static const struct {
  const char *word;
  enum delivery_form form;
} forms[] = {{"prometheus", DELIVER_PROMETHEUS}, {"otlp", DELIVER_OTLP}, {"json", DELIVER_LDMS}};

int delivery_parse(struct delivery *delivery, const char *text) {
  memset(delivery, 0, sizeof(*delivery));
  for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
    size_t length = strlen(forms[i].word);
    if (strncmp(text, forms[i].word, length) != 0 || text[length] != ':' || !text[length + 1])
      continue;
    delivery->form = forms[i].form;
    delivery->place = text + length + 1;
    if (delivery->form == DELIVER_OTLP && http_parse(&delivery->url, delivery->place) != 0) {
      say("--export %s: must be otlp:http://HOST:PORT/PATH; for https, use a collector on this "
          "node that forwards",
          say_path(text));
      return -1;
    }
    return 0;
  }
  say("--export %s: must be prometheus:FILE, otlp:URL or json:FILE", say_path(text));
  return -1;
}

/* Writes `length` bytes. Returns 0, or -1 with errno. */
static int write_all(int fd, const char *text, size_t length) {
  while (length > 0) {
    ssize_t done = write(fd, text, length);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return -1;
    text += done;
    length -= (size_t)done;
  }
  return 0;
}

/* Sets error to `what` and errno's text. Returns -1. */
static int fail(char error[DELIVERY_ERROR], const char *what) {
  snprintf(error, DELIVERY_ERROR, "%s: %s", what, strerror(errno));
  return -1;
}

/* Replaces the file `place`: writes a temporary file in its folder and renames it, so that a reader
 * never sees an incomplete text. Follows no symbolic link. Returns 0, or nonzero with the reason in
 * error. */
static int replace_file(const char *place, const char *text, size_t length,
                        char error[DELIVERY_ERROR]) {
  char path[PATH_MAX];
  /* The temporary name must not end in .prom, because node_exporter reads all such files. */
  if (snprintf(path, sizeof(path), "%s.%d", place, (int)getpid()) >= (int)sizeof(path)) {
    errno = ENAMETOOLONG;
    return fail(error, "cannot write the file");
  }
  unlink(path);
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return fail(error, "cannot create a temporary file in its folder");
  int failed =
      write_all(fd, text, length) != 0 ? fail(error, "cannot write the temporary file") : 0;
  if (close(fd) != 0 && !failed) failed = fail(error, "cannot write the temporary file");
  if (!failed && rename(path, place) != 0) failed = fail(error, "cannot rename the temporary file");
  if (failed) unlink(path);
  return failed;
}

/* Appends a text to the file or pipe `place` ("-": standard output). Opens the file for each text,
 * so that administrators may rotate it. Returns 0, or nonzero with the reason in error. */
static int append(const char *place, const char *text, size_t length, char error[DELIVERY_ERROR]) {
  int is_output = strcmp(place, "-") == 0;
  int fd = is_output ? STDOUT_FILENO
                     : open(place, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return fail(error, "cannot open the file");
  int failed = write_all(fd, text, length) != 0 ? fail(error, "cannot write the text") : 0;
  if (!is_output) close(fd);
  return failed;
}

/* Delivers a text to the receiver. Returns 0, or nonzero with the reason in error. */
static int deliver(const struct delivery *delivery, const char *text, size_t length,
                   char error[DELIVERY_ERROR]) {
  switch (delivery->form) {
  case DELIVER_PROMETHEUS:
    return replace_file(delivery->place, text, length, error);
  case DELIVER_OTLP:
    return http_post(&delivery->url, text, length, error);
  default:
    return append(delivery->place, text, length, error);
  }
}

/* --- the process ------------------------------------------------------------------------- */

/* The message by which the delivering process tells its parent that it is ready for the next
 * text. */
struct answer {
  int failures;     /* number of failures in a row */
  double processor; /* processor time of the delivering process so far, in seconds */
};

/* Prints a message at the first failure of a receiver and at its recovery, and none in between.
 * failed: 1 if this delivery failed. failures: number of failures in a row before it. */
static void report(const struct delivery *delivery, int failed, int failures, const char *error) {
  if (failed && failures == 0)
    say("cannot export to %s: %s; recording continues, and the export is tried again",
        say_path(delivery->place), error);
  if (!failed && failures > 0) say("the export to %s works again", say_path(delivery->place));
}

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Delivers texts in the child process until the parent closes the pipe. */
static void serve(const struct delivery *delivery) {
  char error[DELIVERY_ERROR];
  size_t length;
  int failures = 0;
  while (read(delivery->orders, &length, sizeof(length)) == (ssize_t)sizeof(length)) {
    const char *text = mmap(NULL, length, PROT_READ, MAP_SHARED, delivery->text, 0);
    if (text == MAP_FAILED) break;
    int failed = deliver(delivery, text, length, error) != 0;
    munmap((void *)(uintptr_t)text, length);
    report(delivery, failed, failures, error);
    failures = failed ? failures + 1 : 0;
    struct answer answer = {failures, seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
    if (write(delivery->answers, &answer, sizeof(answer)) != (ssize_t)sizeof(answer)) break;
  }
}

int delivery_start(struct delivery *delivery) {
  int orders[2], answers[2];
  delivery->text = memfd_create("darshan-export", MFD_CLOEXEC);
  if (delivery->text < 0 || pipe2(orders, O_CLOEXEC) != 0) return -1;
  if (pipe2(answers, O_CLOEXEC) != 0) return -1;
  delivery->process = fork();
  if (delivery->process < 0) return -1;
  if (delivery->process == 0) {
    signal(SIGINT, SIG_IGN); /* the parent receives the signal, too, and passes a last text */
    signal(SIGTERM, SIG_IGN);
    close(orders[1]);
    close(answers[0]);
    delivery->orders = orders[0];
    delivery->answers = answers[1];
    serve(delivery);
    _exit(0);
  }
  close(orders[0]);
  close(answers[1]);
  delivery->orders = orders[1];
  delivery->answers = answers[0];
  return 0;
}

/* --- its parent -------------------------------------------------------------------------- */

int delivery_wait(struct delivery *delivery, double seconds) {
  struct pollfd wait = {delivery->answers, POLLIN, 0};
  struct answer answer;
  if (!delivery->is_busy) return 1;
  if (poll(&wait, 1, (int)(seconds * 1000)) <= 0) return 0;
  delivery->is_busy = 0;
  if (read(delivery->answers, &answer, sizeof(answer)) != (ssize_t)sizeof(answer)) {
    delivery->is_broken = 1;
    return 1;
  }
  delivery->has_failed = answer.failures > 0;
  delivery->is_broken = delivery->has_failed && strcmp(delivery->place, "-") == 0;
  delivery->processor = answer.processor;
  int pause = answer.failures < 6 ? (1 << answer.failures) / 2 : LONGEST_PAUSE;
  delivery->retry = seconds_of(CLOCK_MONOTONIC) + pause;
  return 1;
}

int delivery_is_ready(struct delivery *delivery) {
  return delivery_wait(delivery, 0) && seconds_of(CLOCK_MONOTONIC) >= delivery->retry;
}

int delivery_hand_over(struct delivery *delivery, const char *text, size_t length) {
  if (lseek(delivery->text, 0, SEEK_SET) < 0 || write_all(delivery->text, text, length) != 0 ||
      write_all(delivery->orders, (const char *)&length, sizeof(length)) != 0)
    return -1;
  delivery->is_busy = 1;
  return 0;
}

void delivery_end(struct delivery *delivery) {
  int status;
  close(delivery->orders);
  if (delivery->is_busy) kill(delivery->process, SIGKILL);
  while (waitpid(delivery->process, &status, 0) < 0 && errno == EINTR) {
  }
  close(delivery->answers);
  close(delivery->text);
}
