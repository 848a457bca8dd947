/* Sends and receives messages between ranks by MPI, for the reduction of records. */
#include "init-finalize.h"

#include <string.h>
#include <time.h>

#include "../intercept/memory.h"
#include "../intercept/stack.h"
#include "../intercept/sys/sys.h"
#include "mpi.h"

/* Lets other processes run while this rank waits: MPI waits by polling, which on an oversubscribed
 * node takes the processor away from the rank that it waits for. Yields by sched_yield in the first
 * 50 us since `since` (ns); later sleeps for an eighth of the time waited so far, at most 0.5
 * ms. */
static void let_others_run(uint64_t since) {
  enum { YIELD_NS = 50000, LONGEST_NS = 500000 };
  uint64_t waited = clock_ns(CLOCK_MONOTONIC) - since;
  if (waited < YIELD_NS) {
    SYS1(SYS_sched_yield, 0);
    return;
  }
  struct timespec pause = {.tv_nsec = (long)(waited / 8 < LONGEST_NS ? waited / 8 : LONGEST_NS)};
  SYS2(SYS_nanosleep, &pause, NULL);
}

int mpi_wait_for(mpi_handle *request) {
  struct mpi_status_room status;
  uint64_t since = clock_ns(CLOCK_MONOTONIC);
  int done = 0;
  while (!done) {
    if (mpi_function(Test)(request, &done, &status)) return -1;
    if (!done) let_others_run(since);
  }
  return 0;
}

/* Sizes of the pieces of a message. The first packet begins with the length of the whole message.
 * Further pieces are small enough for MPI's counts, which are ints. */
enum { FIRST_PACKET = 8192, LARGEST_PIECE = 1 << 30, TAG = 0 };

struct packet {
  uint64_t length;
  char bytes[FIRST_PACKET - sizeof(uint64_t)];
};

/* Reserved memory of a rank for one message, for the case that memory runs out. Each rank must
 * receive the result and the offset at which it writes. Otherwise its journal would remain, or
 * other ranks would wait. */
struct hand {
  struct packet packet;
  char *reserve; /* RESERVE bytes of whole pages, or NULL */
};
enum { RESERVE = FIRST_PACKET, PAGE = 4096 };

static size_t first_part(size_t n) {
  const size_t room = sizeof(((struct packet *)0)->bytes);
  return n < room ? n : room;
}

static int send_piece(int to, const void *bytes, size_t n) {
  mpi_handle request = 0;
  if (!mpi_function(Isend) || !mpi_function(Test))
    return mpi_function(Send)(bytes, (int)n, mpi_constant(BYTE), to, TAG, mpi_library.comm) ? -1
                                                                                            : 0;
  if (mpi_function(Isend)(bytes, (int)n, mpi_constant(BYTE), to, TAG, mpi_library.comm, &request))
    return -1;
  return mpi_wait_for(&request);
}

static int receive_piece(int from, void *bytes, size_t n) {
  struct mpi_status_room status;
  mpi_handle request = 0;
  if (!mpi_function(Irecv) || !mpi_function(Test))
    return mpi_function(Recv)(bytes, (int)n, mpi_constant(BYTE), from, TAG, mpi_library.comm,
                              &status)
               ? -1
               : 0;
  if (mpi_function(Irecv)(bytes, (int)n, mpi_constant(BYTE), from, TAG, mpi_library.comm, &request))
    return -1;
  return mpi_wait_for(&request);
}

static int comm_send(struct rank_comm *comm, int to, const void *bytes, size_t n) {
  struct packet *packet = &((struct hand *)comm->context)->packet;
  size_t done = first_part(n);
  packet->length = n;
  if (done) memcpy(packet->bytes, bytes, done);
  if (send_piece(to, packet, sizeof(packet->length) + done) < 0) return -1;
  while (done < n) {
    size_t piece = n - done < LARGEST_PIECE ? n - done : LARGEST_PIECE;
    if (send_piece(to, (const char *)bytes + done, piece) < 0) return -1;
    done += piece;
  }
  return 0;
}

/* Receives the remaining pieces of a message of n bytes (done: bytes received so far) and discards
 * them, so that the sender does not wait for ever. The buffer is too small for a piece, so MPI
 * reports truncated messages, which is ignored. */
static void receive_nothing(int from, struct packet *packet, size_t done, size_t n) {
  for (; done < n; done += n - done < LARGEST_PIECE ? n - done : LARGEST_PIECE)
    receive_piece(from, packet, sizeof(*packet));
}

static int receive_rest(int from, char *bytes, size_t done, size_t n) {
  while (done < n) {
    size_t piece = n - done < LARGEST_PIECE ? n - done : LARGEST_PIECE;
    if (receive_piece(from, bytes + done, piece) < 0) return -1;
    done += piece;
  }
  return 0;
}

/* Returns memory for a message, taken from the reserve if no memory can be mapped. Returns NULL if
 * the message does not fit there. The caller will unmap `length` bytes, so this function unmaps the
 * rest of the reserve. */
static char *message_memory(struct hand *hand, size_t length) {
  char *memory = private_memory(length);
  size_t pages = (length + PAGE - 1) & ~(size_t)(PAGE - 1);
  if (memory || !hand->reserve || pages > RESERVE) return memory;
  memory = hand->reserve;
  hand->reserve = NULL;
  /* Frees the whole rest, because the kernel never frees part of a huge page. */
  if (pages < RESERVE) sys_munmap(memory + pages, RESERVE - pages);
  return memory;
}

static int comm_receive(struct rank_comm *comm, int from, void **bytes, size_t *n) {
  struct packet *packet = &((struct hand *)comm->context)->packet;
  *bytes = NULL;
  *n = 0;
  if (receive_piece(from, packet, sizeof(*packet)) < 0) return -1;
  size_t length = packet->length, done = first_part(length);
  if (length == 0) return 0;
  char *memory = message_memory(comm->context, length);
  if (!memory) {
    receive_nothing(from, packet, done, length);
    return -1;
  }
  memcpy(memory, packet->bytes, done);
  if (receive_rest(from, memory, done, length) < 0) {
    sys_munmap(memory, length);
    return -1;
  }
  *bytes = memory;
  *n = length;
  return 0;
}

/* Returns -1: a job of one process has no other rank to send to. Its log is made like that of
 * several ranks, so that its records are shared records. */
static int send_to_nobody(struct rank_comm *comm, int to, const void *bytes, size_t n) {
  (void)comm, (void)to, (void)bytes, (void)n;
  return -1;
}
static int receive_from_nobody(struct rank_comm *comm, int from, void **bytes, size_t *n) {
  (void)comm, (void)from;
  *bytes = NULL;
  *n = 0;
  return -1;
}

/* The arguments of a call that must run on the application's stack. The reduction runs on a stack
 * of the runtime, which is too small for MPI. */
struct errand {
  struct rank_comm *comm;
  int rank;
  const void *bytes;
  void *received;
  size_t n;
  int result;
};

static void send_message(void *errand_) {
  struct errand *m = errand_;
  m->result = comm_send(m->comm, m->rank, m->bytes, m->n);
}

static void receive_message(void *errand_) {
  struct errand *m = errand_;
  m->result = comm_receive(m->comm, m->rank, &m->received, &m->n);
}

static int send_at_home(struct rank_comm *comm, int to, const void *bytes, size_t n) {
  struct errand errand = {comm, to, bytes, NULL, n, -1};
  stack_run_at_home(send_message, &errand);
  return errand.result;
}

static int receive_at_home(struct rank_comm *comm, int from, void **bytes, size_t *n) {
  struct errand errand = {comm, from, NULL, NULL, 0, -1};
  stack_run_at_home(receive_message, &errand);
  *bytes = errand.received;
  *n = errand.n;
  return errand.result;
}

int comm_mpi_open(struct rank_comm *comm) {
  int rank = 0, size = 1;
  if (mpi_state.size == 1 && mpi_library.flavour != MPI_UNKNOWN) {
    *comm = (struct rank_comm){.size = 1, .send = send_to_nobody, .receive = receive_from_nobody};
    return 0;
  }
  if (!mpi_state.has_comm || !mpi_function(Send) || !mpi_function(Recv)) return -1;
  if (mpi_function(Comm_rank)(mpi_library.comm, &rank) != 0 ||
      mpi_function(Comm_size)(mpi_library.comm, &size) != 0)
    return -1;
  /* Static, so that no allocation can fail: otherwise all other ranks would wait for this rank. */
  SELDOM static struct hand hand;
  if (!hand.reserve) hand.reserve = private_memory(RESERVE);
  *comm = (struct rank_comm){.rank = rank,
                             .size = size,
                             .context = &hand,
                             .send = send_at_home,
                             .receive = receive_at_home};
  return 0;
}
