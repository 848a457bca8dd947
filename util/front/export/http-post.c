/* Sends a POST request of HTTP/1.1 over a new connection, within a time limit (deliver.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "deliver.h"

enum { DEADLINE_MS = 5000, ANSWER = 8192 /* bytes of a response */, NO_ANSWER = -1 };

/* Copies `length` bytes and a NUL. Returns 0, or -1 if there are none or more than fit. */
static int copy(char *out, size_t room, const char *from, size_t length) {
  if (length == 0 || length >= room) return -1;
  memcpy(out, from, length);
  out[length] = '\0';
  return 0;
}

int http_parse(struct http_url *url, const char *text) {
  static const char scheme[] = "http://", usual_port[] = "4318", usual_path[] = "/v1/metrics";
  if (strncmp(text, scheme, sizeof(scheme) - 1) != 0) return -1;
  const char *host = text + sizeof(scheme) - 1, *path = host + strcspn(host, "/");
  const char *end = *host == '[' ? strchr(host, ']') : host + strcspn(host, ":/");
  if (!end || end > path) return -1;
  int has_brackets = *host == '[';
  if (copy(url->host, sizeof(url->host), host + has_brackets,
           (size_t)(end - host) - (size_t)has_brackets) != 0)
    return -1;
  end += has_brackets;
  if (*end == ':') {
    size_t length = (size_t)(path - end - 1);
    if (copy(url->port, sizeof(url->port), end + 1, length) != 0 ||
        strspn(url->port, "0123456789") != length)
      return -1;
  } else if (end == path) {
    strcpy(url->port, usual_port);
  } else {
    return -1;
  }
  if (path[0] == '\0' || path[1] == '\0') path = usual_path;
  /* Rejects blanks and control characters, which would end the request line. */
  for (const char *c = path; *c; c++)
    if (*c <= ' ' || *c == 0x7f) return -1;
  return copy(url->path, sizeof(url->path), path, strlen(path));
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until the socket is ready, at most until `end` (a time of milliseconds()). Returns 0, or -1
 * with errno set: ETIMEDOUT if the time is over. */
static int wait_for(int fd, short events, long end) {
  for (;;) {
    struct pollfd wait = {fd, events, 0};
    long left = end - milliseconds();
    int ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
    if (ready > 0) return 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) errno = ETIMEDOUT;
    return -1;
  }
}

/* Connects to an address, at most until `end` (a time of milliseconds()). Returns the socket, or -1
 * with errno. */
static int connect_one(const struct addrinfo *address, long end) {
  int fd = socket(address->ai_family, address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int failure = 0;
  socklen_t size = sizeof(failure);
  if (fd < 0) return -1;
  if (connect(fd, address->ai_addr, address->ai_addrlen) == 0) return fd;
  if (errno == EINPROGRESS && wait_for(fd, POLLOUT, end) == 0 &&
      getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) == 0) {
    if (failure == 0) return fd;
    errno = failure;
  }
  failure = errno;
  close(fd);
  errno = failure;
  return -1;
}

/* Sends `length` bytes, at most until `end`. Returns 0, or -1 with errno. */
static int send_all(int fd, const char *text, size_t length, long end) {
  while (length > 0) {
    ssize_t done = send(fd, text, length, MSG_NOSIGNAL);
    if (done >= 0) {
      text += done;
      length -= (size_t)done;
    } else if (errno == EAGAIN) {
      if (wait_for(fd, POLLOUT, end) != 0) return -1;
    } else if (errno != EINTR) {
      return -1;
    }
  }
  return 0;
}

/* Returns 1 if the response is complete, according to the length in its header; else 0. */
static int is_complete(const char *answer, size_t used) {
  const char *body = strstr(answer, "\r\n\r\n"),
             *length = strcasestr(answer, "\r\nContent-Length:");
  if (!body || !length || length > body) return 0;
  return used - (size_t)(body + 4 - answer) >= strtoul(length + 17, NULL, 10);
}

/* Reads the response up to its length or the end of the connection, at most ANSWER bytes. Returns
 * the HTTP status, or NO_ANSWER with errno set. */
static int read_answer(int fd, char answer[ANSWER], long end) {
  size_t used = 0;
  int status;
  answer[0] = '\0';
  while (used < ANSWER - 1 && !is_complete(answer, used)) {
    ssize_t got = recv(fd, answer + used, ANSWER - 1 - used, 0);
    if (got == 0) break;
    if (got > 0) {
      used += (size_t)got;
      answer[used] = '\0';
    } else if (errno == EAGAIN) {
      if (wait_for(fd, POLLIN, end) != 0) break;
    } else if (errno != EINTR) {
      break;
    }
  }
  if (sscanf(answer, "HTTP/%*d.%*d %d", &status) == 1) return status;
  if (used > 0) errno = EPROTO;
  return NO_ANSWER;
}

/* Returns 0 if the receiver accepted all numbers, else -1 with the reason in error. A collector
 * that rejects some data points also returns status 200, so the response's text is searched. */
static int judge(int status, const char *answer, char error[DELIVERY_ERROR]) {
  static const char rejected[] = "\"rejectedDataPoints\"";
  const char *number = strstr(answer, rejected);
  if (status == NO_ANSWER) {
    snprintf(error, DELIVERY_ERROR, "no answer: %s", errno ? strerror(errno) : "it is empty");
    return -1;
  }
  if (status / 100 != 2) {
    snprintf(error, DELIVERY_ERROR, "the answer is HTTP status %d", status);
    return -1;
  }
  if (number) number += sizeof(rejected) - 1 + strspn(number + sizeof(rejected) - 1, " :\"");
  if (number && strtol(number, NULL, 10) > 0) {
    snprintf(error, DELIVERY_ERROR, "the receiver rejected %ld numbers", strtol(number, NULL, 10));
    return -1;
  }
  return 0;
}

/* Sends the request and reads the response. Returns 0, or -1 with the reason in error. */
static int exchange(int fd, const struct http_url *url, const char *text, size_t length, long end,
                    char error[DELIVERY_ERROR]) {
  char head[1024], answer[ANSWER];
  int is_ipv6 = strchr(url->host, ':') != NULL;
  int size =
      snprintf(head, sizeof(head),
               "POST %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nUser-Agent: darshan-watch\r\n"
               "Content-Type: application/json\r\nContent-Length: %zu\r\n"
               "Connection: close\r\n\r\n",
               url->path, is_ipv6 ? "[" : "", url->host, is_ipv6 ? "]" : "", url->port, length);
  if (send_all(fd, head, (size_t)size, end) != 0 || send_all(fd, text, length, end) != 0) {
    snprintf(error, DELIVERY_ERROR, "cannot send: %s", strerror(errno));
    return -1;
  }
  errno = 0;
  int status = read_answer(fd, answer, end);
  return judge(status, answer, error);
}

int http_post(const struct http_url *url, const char *text, size_t length,
              char error[DELIVERY_ERROR]) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  int problem = getaddrinfo(url->host, url->port, &hints, &found), fd = -1;
  if (problem) {
    snprintf(error, DELIVERY_ERROR, "cannot find the host: %s", gai_strerror(problem));
    return -1;
  }
  long end = milliseconds() + DEADLINE_MS;
  for (struct addrinfo *one = found; one && fd < 0; one = one->ai_next)
    fd = connect_one(one, end);
  if (fd < 0) snprintf(error, DELIVERY_ERROR, "cannot connect: %s", strerror(errno));
  freeaddrinfo(found);
  if (fd < 0) return -1;
  int result = exchange(fd, url, text, length, end, error);
  close(fd);
  return result;
}
