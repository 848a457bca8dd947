/* Delivers texts of `darshan watch --export` to a receiver (a file or an HTTP server) in a separate
 * process. So a receiver that is down or slow, or a file system that hangs, never delays the
 * reading of journals. A thread would also work, but on older systems every `darshan run` would
 * then load libpthread. */
#ifndef DARSHAN_EXPORT_DELIVER_H
#define DARSHAN_EXPORT_DELIVER_H

#include <stddef.h>
#include <sys/types.h>

enum delivery_form { DELIVER_PROMETHEUS, DELIVER_OTLP, DELIVER_LDMS };

enum { DELIVERY_ERROR = 160 }; /* bytes of an error's text, with NUL */

struct http_url {
  char host[256], port[8], path[512]; /* host without brackets; path from the slash on */
};

/* A receiver, and the process that delivers to it. */
struct delivery {
  enum delivery_form form;
  const char *place;   /* a file, or a URL; "-": standard output */
  struct http_url url; /* of DELIVER_OTLP */
  pid_t process;
  int orders, answers; /* pipes to the process and from it */
  int text;            /* descriptor of a file in memory that both processes use */
  int is_busy;         /* 1: a text was passed whose delivery has not ended */
  int has_failed;      /* 1: the last delivery failed */
  int is_broken; /* 1: standard output has no reader, or the process does not exist any more */
  double retry;  /* after a failure: monotonic time, in seconds, before which no text is passed */
  double processor;   /* processor time that the process has used, in seconds */
  unsigned long sent; /* number of the look (reading of all journals) whose text was passed last, 0
                         at first; set by the caller */
};

/* Parses a receiver given as FORM:PLACE into *delivery, without a process. The text must stay
 * valid. Returns 0, or -1 after a message. */
int delivery_parse(struct delivery *delivery, const char *text);
/* Starts the process that delivers. Returns 0, or -1 with errno set. */
int delivery_start(struct delivery *delivery);
/* Returns 1 if delivery_hand_over may be called: the process is idle, and the pause after a failure
 * (1, 2, 4 ... 30 seconds) is over. Otherwise returns 0. Updates has_failed, is_broken and
 * processor. */
int delivery_is_ready(struct delivery *delivery);
/* Passes a text of `length` bytes to the delivering process, which must be idle, and does not wait
 * for the delivery. Returns 0, or -1 with errno set. */
int delivery_hand_over(struct delivery *delivery, const char *text, size_t length);
/* Waits until the process is idle, for `seconds` at most. Returns 1 if it is idle, else 0. Updates
 * the same members as delivery_is_ready. */
int delivery_wait(struct delivery *delivery, double seconds);
/* Ends the process, even if it is delivering. */
void delivery_end(struct delivery *delivery);

/* Function of http-post.c: parses http://HOST[:PORT][/PATH]; the defaults are port 4318 and path
 * /v1/metrics. Returns 0, or -1 if the text has another form. */
int http_parse(struct http_url *url, const char *text);
/* Sends `length` bytes of JSON by a POST request. Takes at most five seconds, plus the lookup of
 * the host's name. Returns 0 if the server accepted all numbers, or -1 with the reason in error. */
int http_post(const struct http_url *url, const char *text, size_t length,
              char error[DELIVERY_ERROR]);

#endif
