/* The wrappers of the POSIX module, made from calls.def. */
#include "posix.h"

#include <ftw.h>
#include <libc-statx.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../door/door.h"
#include "../../intercept/loader/library.h"
#include "../../intercept/signals/handlers.h"
#include "../../life/confine/confine.h"
#include "../../life/exec/exec.h"
#include "../../life/exec/unwatched.h"
#include "../../life/life.h"
#include "../../life/run/run.h"
#include "../../stacks/python/python-frames.h"
#include "../lustre/lustre.h"
#include "../process/usage.h"
#include "../sites/sites.h"

#include <libc-names.h>

struct epoll_event;
struct uring;
struct uring_setup;

#define CALLS "../modules/posix/calls.def"
#include "../../intercept/declare-slots.h"

#include "../../intercept/wrap.h"
#include "account.h"
#include "asynchronous/rings.h"
#include "mapped/mappings.h"

/* Macros that rows use in their column "find". */
#define ACTIVE                                                                                     \
  if (UNLIKELY(!darshan_hot.fd_limit)) FORWARD
/* Like FD, for a transfer: adds the bytes to those of excluded files (usage.h) if the file is
 * excluded. */
#define FD_MOVES(way, name, args)                                                                  \
  struct posix_file *f = posix_entry_behind(fd);                                                   \
  if (LIKELY((uintptr_t)f <= (uintptr_t)FD_EXCLUDED)) {                                            \
    if (LIKELY(f != FD_EXCLUDED)) FORWARD;                                                         \
    return usage_excluded_##way(REAL(name) args);                                                  \
  }
#define FD_READ(name, args) FD_MOVES(read, name, args)
#define FD_WRITE(name, args) FD_MOVES(written, name, args)
#define FD(fd)                                                                                     \
  struct posix_file *f = posix_file_behind(fd);                                                    \
  if (LIKELY(!f)) FORWARD
#define ACTION(sig, action)                                                                        \
  struct sigaction behind_door;                                                                    \
  if (darshan_hot.fd_limit && (unsigned)(sig) < NSIG) /* else libc refuses and reads nothing */    \
  action = handler_action(sig, action, &behind_door)
#define ACTION_SET(sig, action, old)                                                               \
  handler_reveal(r, old);                                                                          \
  torn_action_set(r, sig, action, old)
#define HANDLER(sig, handler)                                                                      \
  if (darshan_hot.fd_limit) handler = handler_door(sig, handler, 0)
#define HANDLER_SET(sig) r = torn_handler_set(sig, handler_behind(r))
/* Called after a call that may change the meaning of paths. */
#define ROOT_CHANGED                                                                               \
  if (r == 0) folder_changed();                                                                    \
  root_changed(r)
/* Called before nftw, which changes the working folder if FTW_CHDIR is set. */
#define WALK(flags)                                                                                \
  if ((flags)&FTW_CHDIR) folder_distrust()
#define WALKED(flags)                                                                              \
  if ((flags)&FTW_CHDIR) folder_trust_again()
/* Called before a mapping is made, which replaces mappings at the same addresses. */
#define MAPS(at, n, flags, fd)                                                                     \
  if (UNLIKELY(((flags)&MAP_FIXED) && mappings_may_hold(at, n))) mappings_leaving(at, n);          \
  FD(fd)
/* Forwards calls on memory ranges without mappings of files. Sets f to the file of the first
 * mapping in the range, which mapping_called releases. */
#define MAPPED(at, n)                                                                              \
  if (LIKELY(!mappings_may_hold(at, n))) FORWARD;                                                  \
  ACTIVE;                                                                                          \
  struct posix_file *f = mapping_hold(at)
#define ADVISES(at, n, advice)                                                                     \
  if (advice_populates(advice)) mappings_populating(at, n);                                        \
  mappings_dropping(at, n, advice)
#define MOVES(at, n, size, flags)                                                                  \
  va_list list;                                                                                    \
  va_start(list, flags);                                                                           \
  void *to = va_arg(list, void *);                                                                 \
  va_end(list);                                                                                    \
  MAPPED(at, (n) ? (n) : 1);                                                                       \
  mappings_moving(at, n, size)
#define MSYNCS(at, n)                                                                              \
  ACTIVE;                                                                                          \
  if (mappings_may_hold(at, n)) mappings_syncing(at, n)
#define FD_OR_NOT(fd)                                                                              \
  ACTIVE;                                                                                          \
  struct posix_file *f = posix_file_behind(fd)
#define COPY(in, out)                                                                              \
  struct posix_file *f = posix_file_behind(in), *g = posix_file_behind(out);                       \
  if (!f && !g) FORWARD
#define FD_GROWS(fd)                                                                               \
  FD(fd);                                                                                          \
  int64_t start = posix_next_place(fd)
#define AIO(cb)                                                                                    \
  ACTIVE;                                                                                          \
  struct posix_file *f = (cb) ? posix_file_behind((cb)->aio_fildes) : NULL;                        \
  if (!f) FORWARD
#define RELEASE(fd)                                                                                \
  struct posix_file *f = fd_release(fd);                                                           \
  if (!f) FORWARD;                                                                                 \
  if (UNLIKELY(posix_may_have_holes(f))) posix_look_for_holes(f, fd);                              \
  if (UNLIKELY(f->on_lustre)) lustre_closing(f->id, fd)
#define CLOSED(fd)                                                                                 \
  if (LIKELY(r == 0)) {                                                                            \
    posix_closed(f, t1, t2);                                                                       \
  } else {                                                                                         \
    posix_close_failed(f, fd, t1, t2);                                                             \
  }
/* Reads the mode, which is passed only if the call may create a file. */
#define OPEN_MODE(flags)                                                                           \
  mode_t mode = 0;                                                                                 \
  if (((flags)&O_CREAT) || ((flags)&O_TMPFILE) == O_TMPFILE) {                                     \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    mode = va_arg(list, mode_t);                                                                   \
    va_end(list);                                                                                  \
  }                                                                                                \
  ACTIVE
#define FCNTL(fd, command)                                                                         \
  va_list list;                                                                                    \
  va_start(list, command);                                                                         \
  void *extra = va_arg(list, void *);                                                              \
  va_end(list);                                                                                    \
  if (!posix_fcntl_may_count(command)) FORWARD;                                                    \
  struct posix_file *f = posix_file_behind(fd);                                                    \
  if (!posix_fcntl_counts(f, command)) FORWARD;                                                    \
  ACTIVE
#define LOCKED                                                                                     \
  if (r == 0) posix_locked(f, t1, t2)
#define LOCKF(fd, command)                                                                         \
  if (command == F_TEST) FORWARD;                                                                  \
  runtime_locks();                                                                                 \
  FD(fd)
#define SYSCALL_ARGUMENTS(by_number)                                                               \
  struct posix_call call = {.number = (by_number)};                                                \
  long *a = call.argument;                                                                         \
  va_list list;                                                                                    \
  va_start(list, by_number);                                                                       \
  for (int i = 0; i < 6; i++)                                                                      \
    a[i] = va_arg(list, long);                                                                     \
  va_end(list);                                                                                    \
  int forbids = filter_is_asked(by_number, a[0], a[1]);                                            \
  if (UNLIKELY(forbids)) {                                                                         \
    filter_coming(forbids);                                                                        \
    long answer = REAL(syscall)(by_number, a[0], a[1], a[2], a[3], a[4], a[5]);                    \
    filter_answered(forbids, filter_is_there(by_number, a[1], answer));                            \
    return answer;                                                                                 \
  }                                                                                                \
  if (UNLIKELY(by_number == SYS_exit_group || by_number == SYS_exit)) runtime_ends_by(by_number);  \
  ACTIVE;                                                                                          \
  posix_before_syscall(&call)
/* Reads prctl's arguments. Forwards all calls but those that install a filter. */
#define PRCTL(option)                                                                              \
  va_list list;                                                                                    \
  va_start(list, option);                                                                          \
  unsigned long a = va_arg(list, unsigned long), b = va_arg(list, unsigned long);                  \
  unsigned long c = va_arg(list, unsigned long), d = va_arg(list, unsigned long);                  \
  va_end(list);                                                                                    \
  int forbids = filter_is_asked(SYS_prctl, option, (long)a);                                       \
  if (LIKELY(!forbids)) FORWARD;                                                                   \
  filter_coming(forbids)
#define RING                                                                                       \
  ACTIVE;                                                                                          \
  int outermost = posix_ring_begin()
#define RING_MADE(ring)                                                                            \
  if (posix_ring_end(outermost) && r >= 0) ring_made_by_library(ring)
/* Finds a recorded ring by liburing's struct or by its descriptor. */
#define RING_OF(ring)                                                                              \
  struct ring *known = ring_of(ring);                                                              \
  if (LIKELY(!known)) FORWARD;                                                                     \
  ACTIVE
#define RING_OF_NUMBER(fd, flags)                                                                  \
  struct ring *known = ring_of_number(fd, ((flags)&ENTER_REGISTERED) != 0);                        \
  if (LIKELY(!known)) FORWARD;                                                                     \
  ACTIVE
#define RING_SUBMITS(ring)                                                                         \
  RING_OF(ring);                                                                                   \
  ring_submits_by_library(known, ring)
/* Reads all entries up to the ring's own tail, which the library has updated already if this call
 * submits entries. */
#define RING_WAITS(ring)                                                                           \
  RING_OF(ring);                                                                                   \
  ring_submits(known, RING_ALL)
#define RING_LOOK ring_look(known, t1, t2)
/* For functions in which applications wait for events, which may include those of rings. */
#define RINGS_LOOK                                                                                 \
  if (LIKELY(!rings_state.used)) FORWARD;                                                          \
  ACTIVE;                                                                                          \
  rings_look()
/* Does not use ACTIVE, because a process without memory for records stores its exit status, too. */
#define ENDS(status)                                                                               \
  run_note_status(status);                                                                         \
  runtime_finish();                                                                                \
  FORWARD
#define STARTS                                                                                     \
  run_grows();                                                                                     \
  posix_hand_on()
#define STARTED                                                                                    \
  if (UNLIKELY(sites_on)) sites_count_start()
/* If the application passes NULL for the pid or the status, the call gets a variable of the
 * runtime. */
#define SPAWN(pid, look)                                                                           \
  pid_t own = 0, *child = pid ? pid : &own;                                                        \
  enum exec_kind kind = look;                                                                      \
  char *const *given = kind == EXEC_FAILS ? envp : exec_environment(envp);                         \
  STARTS
#define SPAWNED                                                                                    \
  if (r == 0 && kind != EXEC_FAILS) run_spawned(*child, envp);                                     \
  if (UNLIKELY(sites_on) && r == 0) sites_count_start();                                           \
  environment_done()
#define WAITS                                                                                      \
  struct run_waiting waiting;                                                                      \
  run_waits(&waiting)
#define WAIT(status)                                                                               \
  int own = 0, *ended = status ? status : &own;                                                    \
  WAITS
#define REAPED                                                                                     \
  run_reaped(r, *ended, &waiting);                                                                 \
  if (UNLIKELY(sites_on) && r > 0) sites_count_wait()
#define WAITED(what, options)                                                                      \
  if (r == 0 && what && !((options)&WNOWAIT))                                                      \
  run_told(what->si_pid, what->si_code, what->si_status, &waiting)
/* Ends recording before an exec. given: the environment for the next program. */
#define EXEC(look, envp)                                                                           \
  char *const *given = envp;                                                                       \
  int has_to_say = runtime_has_something_to_say();                                                 \
  if (LIKELY(!has_to_say) && !environment_preloads(envp)) FORWARD;                                 \
  enum exec_kind kind = look;                                                                      \
  if (kind == EXEC_FAILS) FORWARD;                                                                 \
  given = exec_environment(envp);                                                                  \
  if (has_to_say) runtime_before_exec(kind == EXEC_WATCHED, envp, posix_hand_on_by_exec)
#define EXEC_FAILED                                                                                \
  environment_done();                                                                              \
  if (has_to_say) runtime_exec_failed()
/* Like EXEC, for functions that use libc's environment. If the program needs another environment,
 * calls "by" instead. */
#define EXEC_HERE(look, by, args)                                                                  \
  EXEC(look, __environ);                                                                           \
  if (UNLIKELY(given != __environ)) {                                                              \
    int failed = REAL(by) args;                                                                    \
    EXEC_FAILED;                                                                                   \
    return failed;                                                                                 \
  }

#define CLOSES_LIBRARY                                                                             \
  deepbind_look();                                                                                 \
  python_closing()

/* Macros that rows use in their column "event". */
#define LIBRARY_CLOSED                                                                             \
  library_closed();                                                                                \
  python_closed();                                                                                 \
  sites_forget_stacks()
#define OPENED(dirfd, path, flags, mode) posix_opened(r, dirfd, path, flags, mode, t1, t2)
#define READ_HERE(memory) posix_read_done(f, r, POSIX_HERE, memory, t1, t2)
#define WRITE_HERE(memory) posix_write_done(f, r, POSIX_HERE, memory, t1, t2)
#define READ_AT(memory, at) posix_read_done(f, r, at, memory, t1, t2)
#define WRITE_AT(memory, at) posix_write_done(f, r, at, memory, t1, t2)
#define READ_VECTOR(iov, n, at) posix_vector(f, POSIX_READ, r, at, iov, n, t1, t2)
#define WRITE_VECTOR(iov, n, at) posix_vector(f, POSIX_WRITE, r, at, iov, n, t1, t2)
#define GREW(fd) posix_grew(f, fd, start, t1, t2)
#define STAT(dirfd, path) posix_stated(r, dirfd, path, r == 0 ? st->st_mode : 0, t1, t2)
#define FSTAT posix_fstated(f, r, r == 0 ? st->st_mode : 0, t1, t2)
#define LINK_READ(dirfd) posix_link_read(r, most, dirfd, path, t1, t2)
#define RESOLVED posix_resolved(r != NULL, AT_FDCWD, path, t1, t2)
#define EXT_PATH(dirfd, path, counter) posix_path_event(r, dirfd, path, POSIX_EXT_##counter, t1, t2)
#define EXT_FD(counter)                                                                            \
  if (r == 0) posix_ext(f, POSIX_EXT_##counter, 1, POSIX_EXT_F_META_TIME, t1, t2)

/* daemon(3) either leaves the standard streams unchanged or redirects them to /dev/null. */
#define DAEMON_BECAME                                                                              \
  daemon_became(r);                                                                                \
  if (r == 0 && !keep_streams) posix_standard_replaced()

#include "calls.def"
