/* Wrappers of MPI's communication, expanded from calls.def. */
#include "../../mpi/mpi.h"
#include "../../mpi/wrap-mpi.h"
#include "apmpi-module.h"
#include "forms.h"

/* TALK_FORM makes a wrapper that costs one load and one branch if calls are not timed. MANNER: of
 * enum apmpi_manner; WHOM: of enum mpiwait_whom. */
#define WATCHED_FOR(MANNER)                                                                        \
  (APMPI_##MANNER == APMPI_WAITS ? APMPI_WATCH_CALLS | APMPI_WATCH_WAITS : APMPI_WATCH_CALLS)
#define TALK_FORM(symbol, params, args, COUNTER, bytes, MANNER, WHOM, meet)                        \
  SHOWN(symbol, params)                                                                            \
  int wrap_##symbol params {                                                                       \
    int(*real) params = (int(*) params)MPI_REAL(symbol);                                           \
    if (LIKELY(!apmpi_is_watched(WATCHED_FOR(MANNER)))) return real args;                          \
    const char *frame = __builtin_frame_address(0);                                                \
    struct apmpi_call call;                                                                        \
    if (!apmpi_begin(&call, APMPI_##COUNTER, APMPI_##MANNER, frame)) return real args;             \
    meet;                                                                                          \
    uint64_t t1 = ticks_now();                                                                     \
    int r = real args;                                                                             \
    uint64_t t2 = ticks_after(t1);                                                                 \
    int saved_errno = errno;                                                                       \
    apmpi_end(&call, APMPI_##COUNTER, MPIWAIT_##WHOM, r, call.counted &&r == 0 ? (bytes) : 0, t1,  \
              t2);                                                                                 \
    errno = saved_errno;                                                                           \
    return r;                                                                                      \
  }
#define BOTH_FORMS(name, params, args, COUNTER, bytes, MANNER, WHOM, meet)                         \
  TALK_FORM(name, params, args, COUNTER, bytes, MANNER, WHOM, meet)                                \
  TALK_FORM(P##name, params, args, COUNTER, bytes, MANNER, WHOM, meet)
#define TALK(name, params, args, COUNTER, bytes)                                                   \
  BOTH_FORMS(name, params, args, COUNTER, bytes, WAITS, SOME, NOTHING)
#define ASK(name, params, args, COUNTER, bytes)                                                    \
  BOTH_FORMS(name, params, args, COUNTER, bytes, ASKS, NOBODY, NOTHING)
#define BEGIN(name, params, args, COUNTER, bytes)                                                  \
  BOTH_FORMS(name, params, args, COUNTER, bytes, BEGINS, NOBODY, NOTHING)
#define JOIN(name, params, args, COUNTER, bytes)                                                   \
  BOTH_FORMS(name, params, args, COUNTER, bytes, WAITS, ALL, NOTHING)
#define MEET(name, params, args, COUNTER, bytes)                                                   \
  BOTH_FORMS(name, params, args, COUNTER, bytes, WAITS, ALL,                                       \
             if (UNLIKELY(call.meets)) apmpi_meet(&call, comm))

/* Messages */
#define SENDS(name, number, COUNTER)                                                               \
  TALK(name, (P_SENDS(number)), (A_SENDS), COUNTER, apmpi_with(dest, count, type))
#define BEGINS_SEND(name, number, COUNTER)                                                         \
  BEGIN(name, (P_SENDS(number), void *request), (A_SENDS, request), COUNTER,                       \
        apmpi_with(dest, count, type))
#define RECEIVES(name, number, COUNTER)                                                            \
  TALK(name, (P_RECEIVES(number), void *status), (A_RECEIVES, status), COUNTER,                    \
       apmpi_with(source, count, type))
#define BEGINS_RECEIVE(name, number, COUNTER)                                                      \
  BEGIN(name, (P_RECEIVES(number), void *request), (A_RECEIVES, request), COUNTER,                 \
        apmpi_with(source, count, type))
#define EXCHANGES(name, number, COUNTER)                                                           \
  TALK(name, (P_EXCHANGES(number)), (A_EXCHANGES), COUNTER, apmpi_with(dest, sendcount, sendtype))
#define REPLACES(name, number, COUNTER)                                                            \
  TALK(name, (P_REPLACES(number)), (A_REPLACES), COUNTER, apmpi_with(dest, count, type))

/* Collectives. If a buffer is MPI_IN_PLACE, its count and datatype are ignored. */
#define BROADCASTS(name, number, COUNTER, HOW)                                                     \
  HOW(name, (P_BROADCASTS(number) P_##HOW), (A_BROADCASTS A_##HOW), COUNTER,                       \
      apmpi_rooted(root, count, type))
#define GATHERS(name, number, COUNTER, HOW)                                                        \
  HOW(name, (P_ROOTED(number) P_##HOW), (A_ROOTED A_##HOW), COUNTER,                               \
      apmpi_in_place(sendbuf) ? apmpi_sized(recvcount, recvtype)                                   \
                              : apmpi_rooted(root, sendcount, sendtype))
#define GATHERS_PARTS(name, number, COUNTER, HOW)                                                  \
  HOW(name, (P_GATHERS_PARTS(number) P_##HOW), (A_GATHERS_PARTS A_##HOW), COUNTER,                 \
      apmpi_in_place(sendbuf) ? apmpi_sized(recvcounts[apmpi_rank(comm)], recvtype)                \
                              : apmpi_rooted(root, sendcount, sendtype))
#define SCATTERS(name, number, COUNTER, HOW)                                                       \
  HOW(name, (P_ROOTED(number) P_##HOW), (A_ROOTED A_##HOW), COUNTER,                               \
      apmpi_in_place(recvbuf) ? apmpi_sized(sendcount, sendtype)                                   \
                              : apmpi_rooted(root, recvcount, recvtype))
#define SCATTERS_PARTS(name, number, COUNTER, HOW)                                                 \
  HOW(name, (P_SCATTERS_PARTS(number) P_##HOW), (A_SCATTERS_PARTS A_##HOW), COUNTER,               \
      apmpi_in_place(recvbuf) ? apmpi_sized(sendcounts[apmpi_rank(comm)], sendtype)                \
                              : apmpi_rooted(root, recvcount, recvtype))
#define ALL_GATHER(name, number, COUNTER, HOW)                                                     \
  HOW(name, (P_ALL_GATHER(number) P_##HOW), (A_ALL_GATHER A_##HOW), COUNTER,                       \
      apmpi_in_place(sendbuf) ? apmpi_sized(recvcount, recvtype)                                   \
                              : apmpi_sized(sendcount, sendtype))
#define ALL_GATHER_PARTS(name, number, COUNTER, HOW)                                               \
  HOW(name, (P_ALL_GATHER_PARTS(number) P_##HOW), (A_ALL_GATHER_PARTS A_##HOW), COUNTER,           \
      apmpi_in_place(sendbuf) ? apmpi_sized(recvcounts[apmpi_rank(comm)], recvtype)                \
                              : apmpi_sized(sendcount, sendtype))
#define ALL_TO_ALL(name, number, COUNTER, HOW)                                                     \
  HOW(name, (P_ALL_GATHER(number) P_##HOW), (A_ALL_GATHER A_##HOW), COUNTER,                       \
      apmpi_peers(comm) * (apmpi_in_place(sendbuf) ? apmpi_sized(recvcount, recvtype)              \
                                                   : apmpi_sized(sendcount, sendtype)))
#define ALL_TO_ALL_PARTS(name, number, COUNTER, HOW)                                               \
  HOW(name, (P_ALL_TO_ALL(number, mpi_handle) P_##HOW), (A_ALL_TO_ALL A_##HOW), COUNTER,           \
      apmpi_in_place(sendbuf)                                                                      \
          ? apmpi_sized(apmpi_sum_of_##number(recvcounts, apmpi_peers(comm)), recvtype)            \
          : apmpi_sized(apmpi_sum_of_##number(sendcounts, apmpi_peers(comm)), sendtype))
#define ALL_TO_ALL_TYPES(name, number, COUNTER, HOW)                                               \
  HOW(name, (P_ALL_TO_ALL(number, const void *) P_##HOW), (A_ALL_TO_ALL A_##HOW), COUNTER,         \
      apmpi_in_place(sendbuf) ? apmpi_types_of_##number(recvcounts, recvtype, apmpi_peers(comm))   \
                              : apmpi_types_of_##number(sendcounts, sendtype, apmpi_peers(comm)))
#define REDUCES(name, number, COUNTER, HOW)                                                        \
  HOW(name, (P_REDUCES(number) P_##HOW), (A_REDUCES A_##HOW), COUNTER,                             \
      apmpi_rooted(root, count, type))
#define ALL_REDUCE(name, number, COUNTER, HOW)                                                     \
  HOW(name, (P_ALL_REDUCE(number) P_##HOW), (A_ALL_REDUCE A_##HOW), COUNTER,                       \
      apmpi_sized(count, type))
#define REDUCES_PARTS(name, number, COUNTER, HOW)                                                  \
  HOW(name, (P_REDUCES_PARTS(number) P_##HOW), (A_REDUCES_PARTS A_##HOW), COUNTER,                 \
      apmpi_sized(apmpi_sum_of_##number(recvcounts, apmpi_group(comm)), type))
#define NEIGHBOR_GATHERS(name, number) TALK(name, (P_ALL_GATHER(number)), (A_ALL_GATHER), NONE, 0)
#define NEIGHBOR_GATHERS_PARTS(name, number)                                                       \
  TALK(name, (P_ALL_GATHER_PARTS(number)), (A_ALL_GATHER_PARTS), NONE, 0)
#define NEIGHBOR_TO_ALL(name, number, type)                                                        \
  TALK(name, (P_ALL_TO_ALL(number, type)), (A_ALL_TO_ALL), NONE, 0)

/* One-sided communication. MPI_Get_accumulate counts the bytes of the result, because MPI_NO_OP
 * ignores the arguments of the origin. */
#define WINDOW_BYTES apmpi_with(target, count, type)
#define PUTS(name, number, COUNTER)                                                                \
  BEGIN(name, (const void *from, P_WINDOW(number), mpi_handle win), (from, A_WINDOW, win),         \
        COUNTER, WINDOW_BYTES)
#define GETS(name, number, COUNTER)                                                                \
  BEGIN(name, (void *into, P_WINDOW(number), mpi_handle win), (into, A_WINDOW, win), COUNTER,      \
        WINDOW_BYTES)
#define ACCUMULATES(name, number, COUNTER)                                                         \
  BEGIN(name, (const void *from, P_WINDOW(number), mpi_handle op, mpi_handle win),                 \
        (from, A_WINDOW, op, win), COUNTER, WINDOW_BYTES)
#define GETS_AND_ACCUMULATES(name, number, COUNTER)                                                \
  BEGIN(name,                                                                                      \
        (const void *from, number from_count, mpi_handle from_type, void *into, P_WINDOW(number),  \
         mpi_handle op, mpi_handle win),                                                           \
        (from, from_count, from_type, into, A_WINDOW, op, win), COUNTER, WINDOW_BYTES)

#include "calls.def"
