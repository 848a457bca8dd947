/* Call sites: counts the calls of the program for the stack that made them. The layers module and
 * the modules of the lowest layers report each call here after they have counted it, on the stack
 * of the caller. */
#ifndef DARSHAN_SITES_H
#define DARSHAN_SITES_H

#include <stdint.h>

/* Kinds of calls, in the order of the counters and times of a record. */
enum site_kind {
  SITE_OPEN,
  SITE_CLOSE,
  SITE_READ,
  SITE_WRITE,
  SITE_LOOKUP,
  SITE_SEEK,
  SITE_SYNC,
  SITE_OTHER,
  SITE_KINDS,
  SITE_NOTHING = SITE_KINDS /* the event is part of a call that is reported separately */
};

enum { SITE_NO_PLACE = -1 };

/* A call to be counted for its call site. */
struct site_call {
  enum site_kind kind;
  uint32_t file;    /* number of the POSIX file, 0: none */
  uint64_t id;      /* id of the record of its file or object, 0: none */
  int64_t bytes[2]; /* read, written */
  int64_t offset;   /* offset of a POSIX transfer; negative: unknown */
  uint64_t t1, t2;  /* begin and end, in ticks */
};

/* 1 if the module is enabled. If it is 0, a call reads no other variable of this module. */
extern uint32_t sites_on __attribute__((visibility("hidden")));

int sites_prepare(void);
void sites_forked(void);

/* Counts a call of the program for its call site: the stack that is running. The call must not be
 * part of another call that is counted here. call->kind must not be SITE_NOTHING. Called within an
 * update (runtime_enter), without any lock, and only if sites_on is set. Should be called in the
 * update that counted the call elsewhere, because each update sets the floating-point state. */
void sites_count_inside(const struct site_call *call);

/* Counts the start of a process for the running stack, as a call of the kind SITE_OTHER without
 * time. Called only if sites_on is set, outside of updates. */
void sites_count_start(void);
/* Counts the start of a child when a Python process has waited for it, unless fork counted that
 * start. Python starts most children by vfork, which the runtime does not count, and mostly waits
 * for them at the line that started them. Called if sites_on is set, outside of updates. */
void sites_count_wait(void);

/* Forgets the known stacks; their records stay. Called after a library was unloaded, because other
 * code may be loaded at its addresses. Does nothing if sites_on is 0. */
void sites_forget_stacks(void);

/* Bits of posix_aux.watched and stdio_aux.watched: the modules that are notified of a record's
 * events. */
enum { WATCHED_BY_LAYERS = 1, WATCHED_BY_SITES = 2, WATCHED_BY_TRAINING = 4 };
static inline uint32_t sites_watch(void) {
  return sites_on ? WATCHED_BY_SITES : 0;
}

#endif
