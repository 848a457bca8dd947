/* Messages that libc itself prints to a stream, and input that it reads. libc chooses the length of
 * its messages; the case takes it from the file. */
#include "calls.h"

#include <argp.h>
#include <assert.h>
#include <err.h>
#include <error.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fmtmsg.h>
#include <getopt.h>
#include <grp.h>
#include <gshadow.h>
#include <malloc.h>
#include <mntent.h>
#include <netdb.h>
#include <pwd.h>
#include <shadow.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

OPTIONAL_SYMBOL extern int __posix_getopt(int, char *const *, const char *);
OPTIONAL_SYMBOL extern FILE *__setmntent(const char *, const char *);
OPTIONAL_SYMBOL extern int __endmntent(FILE *);
OPTIONAL_SYMBOL extern struct mntent *__getmntent_r(FILE *, struct mntent *, char *, int);
OPTIONAL_SYMBOL extern void __syslog_chk(int, int, const char *, ...);
OPTIONAL_SYMBOL extern void __vsyslog_chk(int, int, const char *, va_list);

static FILE *opened(const char *path, const char *mode, FILE *again) {
  FILE *stream = again ? C(freopen(path, mode, again)) : C(fopen(path, mode));
  CHECK(stream != NULL);
  model_fopen(path);
  if (again) expect_value(STANDARD_ERROR, "STDIO_OPENS", 1);
  return stream;
}

/* Prints two messages, and 300 letters between them. */
#define PRINT_CASE(name, again, call)                                                              \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = opened(path, "w", again);                                                       \
    CHECK(setvbuf(stream, NULL, _IONBF, 0) == 0);                                                  \
    call;                                                                                          \
    long first = raw_size(path);                                                                   \
    CHECK(first > 0);                                                                              \
    model_fwrite(path, first);                                                                     \
    CHECK(C(fwrite(buffer, 1, 300, stream)) == 300);                                               \
    model_fwrite(path, 300);                                                                       \
    call;                                                                                          \
    model_fwrite(path, raw_size(path) - first - 300);                                              \
  }

static struct passwd user = {"u", "x", 7, 8, "name", "/home", "/bin/sh"};
static struct spwd secret = {"u", "x", 1, 2, 3, 4, 5, 6, 7};
static char *members[] = {"u", "v", NULL};
static struct group group = {"g", "x", 9, members};
static struct sgrp secret_group = {"g", "x", members, members};
static const struct mntent mount = {"a", "b", "c", "d", 1, 2};
static char *wrong[] = {"program", "-q", "--unknown", NULL};
static const struct option options[] = {{"known", 0, NULL, 'k'}, {NULL, 0, NULL, 0}};
static const struct argp_option argp_options[] = {{"known", 'k', 0, 0, "what is known", 0}, {0}};
static error_t parsed(int key, char *value, struct argp_state *state) {
  (void)value;
  (void)state;
  return key == 'k' ? 0 : ARGP_ERR_UNKNOWN;
}
static const struct argp argp = {argp_options, parsed, "WORD", "A program.", NULL, NULL, NULL};

PRINT_CASE(perror, stderr, CV(perror("text")))
PRINT_CASE(psignal, stderr, CV(psignal(SIGTERM, "text")))
PRINT_CASE(getopt, stderr, (optind = 1, CHECK(C(getopt(2, wrong, "a")) == '?')))
PRINT_CASE(__posix_getopt, stderr, (optind = 1, CHECK(C(__posix_getopt(2, wrong, "a")) == '?')))
PRINT_CASE(getopt_long, stderr,
           (optind = 2, CHECK(C(getopt_long(3, wrong, "a", options, NULL)) == '?')))
PRINT_CASE(getopt_long_only, stderr,
           (optind = 2, CHECK(C(getopt_long_only(3, wrong, "a", options, NULL)) == '?')))
PRINT_CASE(fmtmsg, stderr,
           CHECK(C(fmtmsg(MM_PRINT, "x:y", MM_INFO, "text", "action", "tag:1")) == MM_OK))
PRINT_CASE(malloc_stats, stderr, CV(malloc_stats()))
PRINT_CASE(malloc_info, NULL, CHECK(malloc_info(0, stream) == 0))
PRINT_CASE(putpwent, NULL, CHECK(C(putpwent(&user, stream)) == 0))
PRINT_CASE(putspent, NULL, CHECK(C(putspent(&secret, stream)) == 0))
PRINT_CASE(putgrent, NULL, CHECK(C(putgrent(&group, stream)) == 0))
PRINT_CASE(putsgent, NULL, CHECK(C(putsgent(&secret_group, stream)) == 0))
PRINT_CASE(addmntent, NULL, CHECK(C(addmntent(stream, &mount)) == 0))
PRINT_CASE(argp_help, NULL, CV(argp_help(&argp, stream, ARGP_HELP_LONG, "program")))
static const struct argp_state help = {.root_argp = &argp, .name = "program"};
PRINT_CASE(argp_state_help, NULL, CV(argp_state_help(&help, stream, ARGP_HELP_LONG)))
PRINT_CASE(argp_parse, stderr, C(argp_parse(&argp, 2, wrong, ARGP_NO_EXIT, NULL, NULL)))

static void warn_list(int with_errno, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (with_errno)
    vwarn(format, args);
  else
    vwarnx(format, args);
  va_end(args);
}
PRINT_CASE(warn, stderr, CV(warn("number %d %s %g", 7, "text", 1.5)))
PRINT_CASE(warnx, stderr, CV(warnx("number %d %s %g", 7, "text", 1.5)))
PRINT_CASE(vwarn, stderr, CV(warn_list(1, "number %d", 7)))
PRINT_CASE(vwarnx, stderr, CV(warn_list(0, "number %d", 7)))
PRINT_CASE(error, stderr,
           CV(error(0, ENOENT, "%d %d %d %d %d %g %.*s", 1, 2, 3, 4, 5, 1.5, 9000, buffer)))
PRINT_CASE(error_at_line, stderr,
           CV(error_at_line(0, 0, "file", 12, "%d %d %d %g %s", 1, 2, 3, 1.5, "text")))

/* Without a terminal, getpass prompts on standard error and reads standard input. */
CASE(getpass) {
  const char *said = in_dir("said"), *answer = in_dir("answer");
  setsid();
  raw_text(answer, "secret\n");
  CHECK(C(freopen(answer, "r", stdin)) != NULL);
  model_fopen(answer);
  expect_value(STANDARD_INPUT, "STDIO_OPENS", 1);
  opened(said, "w", stderr);
  CHECK(!strcmp(getpass("word: "), "secret"));
  model_fread(answer, 7);
  model_fwrite(said, raw_size(said));
  CHECK(raw_size(said) >= 6);
}

/* argp_usage ends the process. argp_help prints the same message into memory, which gives its
 * length. */
CASE(argp_usage) {
  const char *path = in_dir("file");
  struct argp_state state = {.root_argp = &argp, .name = "program"};
  char *text;
  size_t length;
  FILE *memory = open_memstream(&text, &length);
  argp_help(&argp, memory, ARGP_HELP_STD_USAGE, "program");
  CHECK(fflush(memory) == 0 && length > 0);
  opened(path, "w", stderr);
  model_fwrite(path, (long)length);
  finish();
  argp_usage(&state);
}

static void end_list(int with_errno, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (with_errno)
    verr(3, format, args);
  else
    verrx(3, format, args);
}
static void said(const char *path, const char *rest) {
  char message[200];
  opened(path, "w", stderr);
  model_fwrite(path, snprintf(message, sizeof(message), "%s: number 7%s\n",
                              program_invocation_short_name, rest));
  finish();
  errno = ENOENT;
}
#define NO_FILE ": No such file or directory"
CASE(err) {
  said(in_dir("file"), NO_FILE);
  err(3, "number %d", 7);
}
CASE(errx) {
  said(in_dir("file"), "");
  errx(3, "number %d", 7);
}
CASE(verr) {
  said(in_dir("file"), NO_FILE);
  end_list(1, "number %d", 7);
}
CASE(verrx) {
  said(in_dir("file"), "");
  end_list(0, "number %d", 7);
}

static void asserted(const char *path, const char *rest) {
  char message[200];
  opened(path, "w", stderr);
  model_fwrite(path,
               snprintf(message, sizeof(message), "%s: %s", program_invocation_short_name, rest));
  finish();
}
CASE(__assert_fail) {
  asserted(in_dir("file"), "name.c:1234: function: Assertion `a < b' failed.\n");
  __assert_fail("a < b", "name.c", 1234, "function");
}
CASE(__assert) {
  asserted(in_dir("file"), "name.c:7: Assertion `a < b' failed.\n");
  __assert("a < b", "name.c", 7);
}

/* Writes to the descriptor of standard error, or to the given one. */
#define NUMBER_CASE(name, call)                                                                    \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    int fd = C(open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644));                                    \
    model_open(path, 0644);                                                                        \
    CHECK(C(dup2(fd, 2)) == 2);                                                                    \
    model_dup(path);                                                                               \
    openlog("program", LOG_PERROR, LOG_USER);                                                      \
    CV(call);                                                                                      \
    long first = raw_size(path);                                                                   \
    CHECK(first > 0);                                                                              \
    model_write(path, first, NULL);                                                                \
    CV(call);                                                                                      \
    model_write(path, raw_size(path) - first, NULL);                                               \
  }

static void log_list(int checked, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (checked)
    __vsyslog_chk(LOG_ERR, 1, format, args);
  else
    vsyslog(LOG_ERR, format, args);
  va_end(args);
}
static const siginfo_t signal_information = {.si_signo = SIGUSR1, .si_code = SI_USER};
static void *frames[4];

NUMBER_CASE(backtrace_symbols_fd, backtrace_symbols_fd(frames, backtrace(frames, 4), fd))
NUMBER_CASE(psiginfo, psiginfo(&signal_information, "text"))
NUMBER_CASE(herror, herror("text"))
NUMBER_CASE(syslog, syslog(LOG_ERR, "number %d", 7))
NUMBER_CASE(__syslog_chk, __syslog_chk(LOG_ERR, 1, "number %d", 7))
NUMBER_CASE(vsyslog, log_list(0, "number %d", 7))
NUMBER_CASE(__vsyslog_chk, log_list(1, "number %d", 7))

/* Parses two lines, then the end of the file. */
#define PARSE_CASE(name, open_it, first, second, call, done)                                       \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    raw_text(path, first second);                                                                  \
    FILE *stream = C(open_it(path, "r"));                                                          \
    CHECK(stream != NULL);                                                                         \
    model_fopen(path);                                                                             \
    CHECK(call);                                                                                   \
    model_fread(path, sizeof(first) - 1);                                                          \
    CHECK(call);                                                                                   \
    model_fread(path, sizeof(second) - 1);                                                         \
    CHECK(!(call));                                                                                \
    CHECK(C(done(stream)) != 9);                                                                   \
    expect_positive(path, "STDIO_F_CLOSE_END_TIMESTAMP");                                          \
  }

static char room[2000];
static struct passwd a_user;
static struct spwd a_secret;
static struct group a_group;
static struct sgrp a_secret_group;
static struct mntent a_mount;
static struct passwd *user_found;
static struct spwd *secret_found;
static struct group *group_found;
static struct sgrp *secret_group_found;
#define USERS "u:x:7:8:name:/home:/bin/sh\n", "v:x:9:8:another:/home:\n"
#define SECRETS "u:x:1:2:3:4:5:6:\n", "vv:x:1:2:3:4:5:6:\n"
#define GROUPS "g:x:7:u,v\n", "hh:x:8:\n"
#define SECRET_GROUPS "g:x:u:u,v\n", "hh:x::\n"
#define MOUNTS "a /b c d 1 2\n", "aa /bb cc dd 0 0\n"
#define PARSED_CASE(name, open_it, lines, call, done) PARSE_CASE(name, open_it, lines, call, done)

PARSED_CASE(fgetpwent, fopen, USERS, fgetpwent(stream) != NULL, fclose)
PARSED_CASE(fgetspent, fopen, SECRETS, fgetspent(stream) != NULL, fclose)
PARSED_CASE(fgetgrent, fopen, GROUPS, fgetgrent(stream) != NULL, fclose)
PARSED_CASE(fgetsgent, fopen, SECRET_GROUPS, fgetsgent(stream) != NULL, fclose)
PARSED_CASE(fgetpwent_r, fopen, USERS,
            fgetpwent_r(stream, &a_user, room, sizeof(room), &user_found) == 0, fclose)
PARSED_CASE(fgetspent_r, fopen, SECRETS,
            fgetspent_r(stream, &a_secret, room, sizeof(room), &secret_found) == 0, fclose)
PARSED_CASE(fgetgrent_r, fopen, GROUPS,
            fgetgrent_r(stream, &a_group, room, sizeof(room), &group_found) == 0, fclose)
PARSED_CASE(fgetsgent_r, fopen, SECRET_GROUPS,
            fgetsgent_r(stream, &a_secret_group, room, sizeof(room), &secret_group_found) == 0,
            fclose)
PARSED_CASE(getmntent, setmntent, MOUNTS, getmntent(stream) != NULL, endmntent)
PARSED_CASE(getmntent_r, setmntent, MOUNTS,
            getmntent_r(stream, &a_mount, room, sizeof(room)) != NULL, endmntent)
PARSED_CASE(__getmntent_r, fopen, MOUNTS,
            __getmntent_r(stream, &a_mount, room, sizeof(room)) != NULL, fclose)
PARSED_CASE(setmntent, setmntent, MOUNTS, getmntent(stream) != NULL, fclose)
PARSED_CASE(__setmntent, __setmntent, MOUNTS, getmntent(stream) != NULL, fclose)
PARSED_CASE(endmntent, fopen, MOUNTS, getmntent(stream) != NULL, endmntent)
PARSED_CASE(__endmntent, fopen, MOUNTS, getmntent(stream) != NULL, __endmntent)
