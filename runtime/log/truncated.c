/* The SIGBUS handler that ends recording if another process truncates the journal
 * (without-journal.h). */
#include "without-journal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "../intercept/real.h"
#include "../intercept/sys/sys.h"
#include "../job/runtime.h"
#include "../records/store-room.h"

/* The slot of the real sigaction, which the row of that name in calls.def defines. */
extern int (*real_sigaction)(int sig, const struct sigaction *action, struct sigaction *old)
    __attribute__((visibility("hidden")));

static struct sigaction program; /* the action that the application sees: SIG_DFL, with its flags */
static int watching, torn;

/* Maps zeroed private memory over a window, at the same addresses. Returns 0 or -1. */
static int replace(char *at, size_t size) {
  uintptr_t from = journal_page_down((uintptr_t)at);
  size_t length = journal_page_up((uintptr_t)at + size) - from;
  void *memory = sys_mmap((void *)from, length, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  return sys_failed(memory) ? -1 : 0;
}

struct window {
  char *at;
  size_t size;
};

/* Returns the n-th window of the journal, n below WINDOWS: first those of names, then those of each
 * module's records, last the failed lookups. Its size is 0 if it does not exist. A window with a
 * higher number may exist. */
static struct window window_at(const struct record_store *store, unsigned n) {
  if (n == 0) return (struct window){store->frame, STORE_FIRST_ROOM};
  if (n < STORE_WINDOWS) {
    const struct store_names *names = &store->names;
    if (n >= names->windows) return (struct window){NULL, 0};
    size_t end = n + 1 < names->windows ? names->window[n + 1].from : names->part.mapped;
    return (struct window){names->window[n].at, end - names->window[n].from};
  }
  n -= STORE_WINDOWS;
  if (n == STORE_MODULES * SEGMENTS_MOST)
    return (struct window){(char *)store->lookups, store->lookups ? JOURNAL_PAGE : 0};
  const struct segments *records = &store->regions[n / SEGMENTS_MOST].records;
  uint32_t k = n % SEGMENTS_MOST;
  if (!records->zero[k]) return (struct window){NULL, 0};
  size_t from = (size_t)segments_first(records, k) * records->item_size;
  size_t size = (size_t)segments_count(records, k) * records->item_size;
  size_t mapped = store->regions[n / SEGMENTS_MOST].part.mapped;
  return (struct window){records->zero[k] + from, from + size < mapped ? size : mapped - from};
}

enum {
  WINDOWS = STORE_WINDOWS + STORE_MODULES * SEGMENTS_MOST + 1
}; /* number of windows; the last one holds the failed lookups */

static int is_ours(const struct record_store *store, const char *address) {
  for (unsigned n = 0; store->frame && n < WINDOWS; n++) {
    struct window window = window_at(store, n);
    if (window.size && (uintptr_t)address >= journal_page_down((uintptr_t)window.at) &&
        (uintptr_t)address < journal_page_up((uintptr_t)window.at + window.size))
      return 1;
  }
  return 0;
}

/* Replaces the mapped windows of the journal by zeroed memory, so that recording ends. Returns 0 or
 * -1. A thread that is writing to a record continues in that memory, and its data are lost. */
static int let_go(struct record_store *store) {
  int result = 0;
  for (unsigned n = 0; n < WINDOWS; n++) {
    struct window window = window_at(store, n);
    if (window.size && replace(window.at, window.size) < 0) result = -1;
  }
  torn = store->closed = 1;
  store_drop_records(store);
  __atomic_store_n(runtime_phase_word(), RUNTIME_FINISHED, __ATOMIC_RELEASE);
  __atomic_store_n(&darshan_hot.fd_limit, 0, __ATOMIC_RELEASE);
  return result;
}

/* Restores the default action of SIGBUS and causes the signal again: the journal is not its cause,
 * or cannot be replaced. */
static void as_without_us(const siginfo_t *info) {
  struct sigaction none = {.sa_handler = SIG_DFL};
  watching = 0;
  LIBC(sigaction)(SIGBUS, &none, NULL);
  if (info->si_code <= 0) /* a process sent the signal, so no fault causes it again */
    SYS3(SYS_tgkill, sys_getpid(), SYS1(SYS_gettid, 0), SIGBUS);
}

static void on_bus_error(int signal, siginfo_t *info, void *context) {
  struct record_store *store = &darshan_store;
  int saved = errno;
  (void)signal;
  (void)context;
  if (info->si_code <= 0 || !is_ours(store, info->si_addr) || let_go(store) < 0)
    as_without_us(info);
  errno = saved;
}

/* Installs the handler of SIGBUS, but only in place of the default action, which would end the
 * application. */
static void take_signal(void) {
  struct sigaction ours = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  struct sigaction before;
  if (LIBC(sigaction)(SIGBUS, NULL, &before) != 0 || (before.sa_flags & SA_SIGINFO) ||
      before.sa_handler != SIG_DFL)
    return;
  program = before;
  LIBC(sigaction)(SIGBUS, &ours, NULL);
}

void torn_watch(void) {
  int saved = errno;
  if (!torn) {
    watching = 1;
    take_signal();
  }
  errno = saved;
}

int torn_apart(void) {
  return torn != 0;
}

void torn_settle(void) {
  struct journal *journal = &darshan_store.journal;
  if (torn != 1) return;
  torn = 2; /* 2: the loss is reported */
  DARSHAN_MESSAGE(&darshan_problems,
                  "cannot write the log: the records are lost, because another process truncated "
                  "the journal ",
                  journal->path);
  journal_remove(journal);
}

static void watch_on(void) {
  int saved = errno;
  if (watching && !(darshan_guard & GUARD_VFORK)) take_signal();
  errno = saved;
}

void torn_action_set(int result, int signal, const struct sigaction *action,
                     struct sigaction *old) {
  if (signal != SIGBUS || result != 0) return;
  if (old && (old->sa_flags & SA_SIGINFO) && old->sa_sigaction == on_bus_error) *old = program;
  if (action) watch_on();
}

sighandler_t torn_handler_set(int signal, sighandler_t before) {
  if (signal != SIGBUS || before == SIG_ERR) return before;
  watch_on();
  return before == (sighandler_t)(uintptr_t)on_bus_error ? SIG_DFL : before;
}
