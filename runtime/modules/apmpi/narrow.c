/* Large-count functions for an MPI library that has none.
 *
 * Programs ask by weak references whether a function exists, mpi4py does for every one.
 * Where ours is the only one, ours is the answer, so it must do the work: by the function
 * that takes an int, for counts that an int can hold. */
#include <limits.h>
#include <string.h>

#include "../../intercept/memory.h"
#include "../../intercept/sys.h"
#include "../../mpi/mpi.h"
#include "../../mpi/resolve.h"
#include "apmpi-module.h"
#include "forms.h"

enum {
  WRONG_COUNT = 2,  /* MPI_ERR_COUNT of every MPI */
  NO_MEMORY = 16,   /* its MPI_ERR_OTHER, or another error */
  LONGEST_NAME = 64 /* of a function */
};

static void *resolve_narrow(void **slot, const char *wide, const void *caller) {
  char name[LONGEST_NAME];
  size_t length = strlen(wide) - strlen("_c");
  memcpy(name, wide, length);
  name[length] = '\0';
  return mpi_resolve(slot, name, caller, NULL);
}

static int fits(int64_t number) {
  return number >= 0 && number <= INT_MAX;
}

/* --- arrays of counts and places --------------------------------------------------------- */

enum { MOST_ARRAYS = 4 };

struct narrowed {
  void *room; /* begins with what holds it (held.c) */
  size_t bytes;
  int n, used, result; /* ranks; arrays; 0 or the error of MPI */
};

/* The group that data is exchanged with; asked of the program's own communicator, and so
 * safe with a library that we do not know. */
static int ranks_of(mpi_handle comm, int own_group) {
  int between = 0, size = 0;
  if (!mpi_function(Comm_size) || !mpi_function(Comm_test_inter) || !mpi_function(Comm_remote_size))
    return -1;
  if (!own_group && mpi_function(Comm_test_inter)(comm, &between) != 0) return -1;
  int failed =
      between ? mpi_function(Comm_remote_size)(comm, &size) : mpi_function(Comm_size)(comm, &size);
  return failed ? -1 : size;
}

static struct narrowed narrowed_for(mpi_handle comm, int own_group) {
  struct narrowed to = {.n = ranks_of(comm, own_group)};
  if (to.n < 0) {
    to.result = NO_MEMORY;
    return to;
  }
  to.bytes = sizeof(struct apmpi_held) + MOST_ARRAYS * sizeof(int) * ((size_t)to.n + 1);
  to.room = private_memory(to.bytes);
  if (!to.room) to.result = NO_MEMORY;
  return to;
}

static int *narrow_array(struct narrowed *to, const void *wide_) {
  const int64_t *wide = wide_;
  if (!to->room || !wide) return NULL;
  int *out = (int *)((struct apmpi_held *)to->room + 1) + (size_t)to->used++ * (size_t)to->n;
  for (int i = 0; i < to->n; i++) {
    if (wide[i] < INT_MIN || wide[i] > INT_MAX) to->result = WRONG_COUNT;
    out[i] = (int)wide[i];
  }
  return out;
}

static int narrowed_end(const struct narrowed *to, int result) {
  if (to->room) sys_munmap(to->room, to->bytes);
  return result;
}

/* The library reads the arrays until the request is over. */
static int narrowed_begun(const struct narrowed *to, int result, const void *request) {
  if (result != 0) return narrowed_end(to, result);
  apmpi_hold(to->room, to->bytes, mpi_handle_at(request, 0));
  return result;
}

/* Only the root's arrays mean something: of its own group, or of two. */
static int is_root(int root, mpi_handle comm) {
  int rank = -1;
  if (root < 0) return root != (int)mpi_constant(PROC_NULL);
  return mpi_function(Comm_rank) && mpi_function(Comm_rank)(comm, &rank) == 0 && rank == root;
}

/* --- the functions ------------------------------------------------------------------------ */

/* call: with `found`, the function that takes ints */
#define NARROW_int(name, wide, narrow, call)
#define NARROW_int64_t(name, wide, narrow, call)                                                   \
  static int narrow_##name wide {                                                                  \
    static void *slot;                                                                             \
    void *known = __atomic_load_n(&slot, __ATOMIC_RELAXED);                                        \
    if (!known) known = resolve_narrow(&slot, #name, __builtin_return_address(0));                 \
    int(*found) narrow = (int(*) narrow)known;                                                     \
    call;                                                                                          \
  }
/* Counts that stand alone. */
#define IF_FIT(all_fit, args)                                                                      \
  if (!(all_fit)) return WRONG_COUNT;                                                              \
  return found args
#define FORM(form, name, number, more, more_args, all_fit)                                         \
  NARROW_##number(name, (P_##form(int64_t) more), (P_##form(int) more),                            \
                  IF_FIT(all_fit, (A_##form more_args)))

#define TALK(name, params, args, COUNTER, bytes)
#define MEET(name, params, args, COUNTER, bytes)
#define BEGIN(name, params, args, COUNTER, bytes)
#define COMMA ,
#define SENDS(name, number, COUNTER) FORM(SENDS, name, number, , , fits(count))
#define BEGINS_SEND(name, number, COUNTER)                                                         \
  FORM(SENDS, name, number, COMMA void *request, COMMA request, fits(count))
#define RECEIVES(name, number, COUNTER)                                                            \
  FORM(RECEIVES, name, number, COMMA void *status, COMMA status, fits(count))
#define BEGINS_RECEIVE(name, number, COUNTER)                                                      \
  FORM(RECEIVES, name, number, COMMA void *request, COMMA request, fits(count))
#define EXCHANGES(name, number, COUNTER)                                                           \
  FORM(EXCHANGES, name, number, , , fits(sendcount) && fits(recvcount))
#define REPLACES(name, number, COUNTER) FORM(REPLACES, name, number, , , fits(count))
#define BROADCASTS(name, number, COUNTER, HOW)                                                     \
  FORM(BROADCASTS, name, number, P_##HOW, A_##HOW, fits(count))
#define REDUCES(name, number, COUNTER, HOW)                                                        \
  FORM(REDUCES, name, number, P_##HOW, A_##HOW, fits(count))
#define ALL_REDUCE(name, number, COUNTER, HOW)                                                     \
  FORM(ALL_REDUCE, name, number, P_##HOW, A_##HOW, fits(count))
#define GATHERS(name, number, COUNTER, HOW)                                                        \
  FORM(ROOTED, name, number, P_##HOW, A_##HOW, fits(sendcount) && fits(recvcount))
#define SCATTERS(name, number, COUNTER, HOW) GATHERS(name, number, COUNTER, HOW)
#define ALL_GATHER(name, number, COUNTER, HOW)                                                     \
  FORM(ALL_GATHER, name, number, P_##HOW, A_##HOW, fits(sendcount) && fits(recvcount))
#define ALL_TO_ALL(name, number, COUNTER, HOW) ALL_GATHER(name, number, COUNTER, HOW)

#define WINDOW_FIT fits(count) && fits(target_count)
#define WINDOW(name, number, before, before_args, after, after_args, all_fit)                      \
  NARROW_##number(name, (before(int64_t), P_WINDOW(int64_t) after),                                \
                  (before(int), P_WINDOW(int) after),                                              \
                  IF_FIT(all_fit, (before_args, A_WINDOW after_args)))
#define FROM(number) const void *from
#define INTO(number) void *into
#define FROM_INTO(number) const void *from, number from_count, mpi_handle from_type, void *into
#define PUTS(name, number, COUNTER)                                                                \
  WINDOW(name, number, FROM, from, COMMA mpi_handle win, COMMA win, WINDOW_FIT)
#define GETS(name, number, COUNTER)                                                                \
  WINDOW(name, number, INTO, into, COMMA mpi_handle win, COMMA win, WINDOW_FIT)
#define ACCUMULATES(name, number, COUNTER)                                                         \
  WINDOW(name, number, FROM, from, COMMA mpi_handle op COMMA mpi_handle win, COMMA op COMMA win,   \
         WINDOW_FIT)
#define GETS_AND_ACCUMULATES(name, number, COUNTER)                                                \
  WINDOW(name, number, FROM_INTO, from COMMA from_count COMMA from_type COMMA into,                \
         COMMA mpi_handle op COMMA mpi_handle win, COMMA op COMMA win,                             \
         WINDOW_FIT &&fits(from_count))

/* Counts in arrays. */
#define ENDS_MEET(to, args) return narrowed_end(&to, to.result ? to.result : found args)
#define ENDS_BEGIN(to, args) return narrowed_begun(&to, to.result ? to.result : found args, request)
#define GATHERS_PARTS(name, number, COUNTER, HOW)                                                  \
  NARROW_##number(name, (P_GATHERS_PARTS(int64_t) P_##HOW), (P_GATHERS_PARTS(int) P_##HOW), {      \
    struct narrowed to = narrowed_for(comm, 0);                                                    \
    int root_here = is_root(root, comm);                                                           \
    int *counts = root_here ? narrow_array(&to, recvcounts) : NULL;                                \
    int *places = root_here ? narrow_array(&to, displs) : NULL;                                    \
    if (!fits(sendcount)) to.result = WRONG_COUNT;                                                 \
    ENDS_##HOW(to, (sendbuf, (int)sendcount, sendtype, recvbuf, counts, places, recvtype, root,    \
                    comm A_##HOW));                                                                \
  })
#define SCATTERS_PARTS(name, number, COUNTER, HOW)                                                 \
  NARROW_##number(name, (P_SCATTERS_PARTS(int64_t) P_##HOW), (P_SCATTERS_PARTS(int) P_##HOW), {    \
    struct narrowed to = narrowed_for(comm, 0);                                                    \
    int root_here = is_root(root, comm);                                                           \
    int *counts = root_here ? narrow_array(&to, sendcounts) : NULL;                                \
    int *places = root_here ? narrow_array(&to, displs) : NULL;                                    \
    if (!fits(recvcount)) to.result = WRONG_COUNT;                                                 \
    ENDS_##HOW(to, (sendbuf, counts, places, sendtype, recvbuf, (int)recvcount, recvtype, root,    \
                    comm A_##HOW));                                                                \
  })
#define ALL_GATHER_PARTS(name, number, COUNTER, HOW)                                               \
  NARROW_##number(name, (P_ALL_GATHER_PARTS(int64_t) P_##HOW), (P_ALL_GATHER_PARTS(int) P_##HOW),  \
                  {                                                                                \
                    struct narrowed to = narrowed_for(comm, 0);                                    \
                    int *counts = narrow_array(&to, recvcounts);                                   \
                    int *places = narrow_array(&to, displs);                                       \
                    if (!fits(sendcount)) to.result = WRONG_COUNT;                                 \
                    ENDS_##HOW(to, (sendbuf, (int)sendcount, sendtype, recvbuf, counts, places,    \
                                    recvtype, comm A_##HOW));                                      \
                  })
#define EVERY_WAY(name, number, type, HOW)                                                         \
  NARROW_##number(name, (P_ALL_TO_ALL(int64_t, type) P_##HOW), (P_ALL_TO_ALL(int, type) P_##HOW),  \
                  {                                                                                \
                    struct narrowed to = narrowed_for(comm, 0);                                    \
                    int in_place = apmpi_in_place(sendbuf);                                        \
                    int *counts = in_place ? NULL : narrow_array(&to, sendcounts);                 \
                    int *places = in_place ? NULL : narrow_array(&to, sdispls);                    \
                    int *counts_in = narrow_array(&to, recvcounts);                                \
                    int *places_in = narrow_array(&to, rdispls);                                   \
                    ENDS_##HOW(to, (sendbuf, counts, places, sendtype, recvbuf, counts_in,         \
                                    places_in, recvtype, comm A_##HOW));                           \
                  })
#define ALL_TO_ALL_PARTS(name, number, COUNTER, HOW) EVERY_WAY(name, number, mpi_handle, HOW)
#define ALL_TO_ALL_TYPES(name, number, COUNTER, HOW) EVERY_WAY(name, number, const void *, HOW)
#define REDUCES_PARTS(name, number, COUNTER, HOW)                                                  \
  NARROW_##number(name, (P_REDUCES_PARTS(int64_t) P_##HOW), (P_REDUCES_PARTS(int) P_##HOW), {      \
    struct narrowed to = narrowed_for(comm, 1);                                                    \
    int *counts = narrow_array(&to, recvcounts);                                                   \
    ENDS_##HOW(to, (sendbuf, recvbuf, counts, type, op, comm A_##HOW));                            \
  })

#include "calls.def"

/* --- which of them ------------------------------------------------------------------------ */

#undef NARROW_int
#undef NARROW_int64_t
#undef FORM
#undef WINDOW
#undef EVERY_WAY
#undef GATHERS_PARTS
#undef SCATTERS_PARTS
#undef ALL_GATHER_PARTS
#undef REDUCES_PARTS
#define NARROW_int(symbol)
#define NARROW_int64_t(symbol)                                                                     \
  if (strcmp(name, #symbol) == 0) return (void *)&narrow_##symbol;
#define FORM(form, name, number, more, more_args, all_fit) NARROW_##number(name)
#define WINDOW(name, number, before, before_args, after, after_args, all_fit) NARROW_##number(name)
#define EVERY_WAY(name, number, type, HOW) NARROW_##number(name)
#define GATHERS_PARTS(name, number, COUNTER, HOW) NARROW_##number(name)
#define SCATTERS_PARTS(name, number, COUNTER, HOW) NARROW_##number(name)
#define ALL_GATHER_PARTS(name, number, COUNTER, HOW) NARROW_##number(name)
#define REDUCES_PARTS(name, number, COUNTER, HOW) NARROW_##number(name)

void *apmpi_narrow(const char *name) {
  if (name[0] == 'P') name++;
#include "calls.def"
  return NULL;
}
