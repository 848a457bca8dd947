/* Ranks that wait for other ranks: waits KIND FOLDER. A rank writes the seconds that its calls
 * took, by its own clock, to FOLDER/took.RANK, and 1 if several threads may call MPI at a time.
 *
 * collectives, messages, requests, windows: the last rank is late before each call
 *
 * asks: calls of MPI_Test and MPI_Iprobe that return immediately, repeated until the message has
 * come
 *
 * threads: two threads of a rank wait at the same time */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LATE = 20000 /* microseconds */, TAG = 7 };
static int rank, size;
static double took;

/* Makes a call, and adds its seconds to `took`. */
#define TAKES(call)                                                                                \
  do {                                                                                             \
    double begun_ = MPI_Wtime();                                                                   \
    call;                                                                                          \
    took += MPI_Wtime() - begun_;                                                                  \
  } while (0)

/* Waits on the last rank. Returns whether this is the last rank. */
static int is_late(void) {
  if (rank == size - 1) usleep(LATE);
  return rank == size - 1;
}

/* Calls collectives to which the last rank comes late. */
static void collectives(void) {
  int value = rank, all[16];
  is_late();
  TAKES(MPI_Barrier(MPI_COMM_WORLD));
  is_late();
  TAKES(MPI_Bcast(&value, 1, MPI_INT, size - 1, MPI_COMM_WORLD));
  is_late();
  TAKES(MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  is_late();
  TAKES(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
  is_late();
  TAKES(PMPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, size - 1, MPI_COMM_WORLD));
}

/* Receives messages that the last rank sends late. */
static void messages(void) {
  int value = rank;
  MPI_Status status;
  if (is_late()) {
    for (int to = 0; to < size - 1; to++)
      TAKES(MPI_Send(&value, 1, MPI_INT, to, TAG, MPI_COMM_WORLD));
    usleep(LATE);
    for (int to = 0; to < size - 1; to++)
      TAKES(MPI_Ssend(&value, 1, MPI_INT, to, TAG, MPI_COMM_WORLD));
  } else {
    TAKES(MPI_Recv(&value, 1, MPI_INT, size - 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TAKES(MPI_Probe(size - 1, TAG, MPI_COMM_WORLD, &status));
    TAKES(MPI_Recv(&value, 1, MPI_INT, size - 1, TAG, MPI_COMM_WORLD, &status));
  }
}

/* Waits for requests whose messages the last rank sends late. */
static void requests(void) {
  int value[2] = {rank, rank};
  MPI_Request of[2];
  if (is_late()) {
    for (int to = 0; to < size - 1; to++)
      for (int i = 0; i < 2; i++)
        TAKES(MPI_Send(value, 1, MPI_INT, to, TAG, MPI_COMM_WORLD));
    return;
  }
  for (int i = 0; i < 2; i++)
    MPI_Irecv(&value[i], 1, MPI_INT, size - 1, TAG, MPI_COMM_WORLD, &of[i]);
  TAKES(MPI_Wait(&of[0], MPI_STATUS_IGNORE));
  TAKES(MPI_Waitall(2, of, MPI_STATUSES_IGNORE));
}

/* Uses windows with a last rank that is late. */
static void windows(void) {
  int mine = rank, value = -1;
  MPI_Win window;
  MPI_Win_create(&mine, sizeof(mine), sizeof(mine), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  is_late();
  TAKES(MPI_Win_fence(0, window));
  MPI_Get(&value, 1, MPI_INT, size - 1, 0, 1, MPI_INT, window);
  is_late();
  TAKES(MPI_Win_fence(0, window));
  MPI_Win_free(&window);
}

/* Calls MPI_Test and MPI_Iprobe until the message has come. The late rank sends without a call that
 * blocks. */
static void asks(void) {
  int value = rank, flag = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (is_late()) {
    for (int to = 0; to < size - 1; to++) {
      MPI_Isend(&value, 1, MPI_INT, to, TAG, MPI_COMM_WORLD, &request);
      for (flag = 0; !flag;)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    return;
  }
  while (!flag)
    MPI_Iprobe(size - 1, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Irecv(&value, 1, MPI_INT, size - 1, TAG, MPI_COMM_WORLD, &request);
  for (flag = 0; !flag;)
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

/* Receives a message with a tag; the function of a thread. */
static void *wait_for_tag(void *tag) {
  int value;
  MPI_Recv(&value, 1, MPI_INT, size - 1, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

/* Receives messages in two threads at the same time. */
static void threads(void) {
  int tags[2] = {TAG, TAG + 1};
  pthread_t thread;
  if (is_late()) {
    for (int to = 0; to < size - 1; to++)
      for (int i = 0; i < 2; i++)
        TAKES(MPI_Send(&rank, 1, MPI_INT, to, tags[i], MPI_COMM_WORLD));
    return;
  }
  double begun = MPI_Wtime();
  pthread_create(&thread, NULL, wait_for_tag, &tags[0]);
  wait_for_tag(&tags[1]);
  pthread_join(thread, NULL);
  took += MPI_Wtime() - begun; /* once, although both threads wait */
}

static const struct {
  const char *name;
  void (*run)(void);
} kinds[] = {{"collectives", collectives}, {"messages", messages}, {"requests", requests},
             {"windows", windows},         {"asks", asks},         {"threads", threads}};

int main(int argc, char **argv) {
  char path[4096];
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (strcmp(argv[1], kinds[i].name) == 0) kinds[i].run();
  snprintf(path, sizeof(path), "%s/took.%d", argv[2], rank);
  FILE *out = fopen(path, "w");
  if (!out || fprintf(out, "%.9f %d\n", took, provided == MPI_THREAD_MULTIPLE) < 0) return 1;
  fclose(out);
  MPI_Finalize();
  return 0;
}
