/* Calls every function that an APMPI record counts, on two ranks or more, and writes down in FOLDER
 * how often it called each one and with how many bytes. With -DLARGE it calls the functions with
 * large counts. Usage: calls FOLDER. */
#include "expected.h"

#include "forms.h"

enum { TAG = 3, MOST_RANKS = 16, ROOM = 2 << 20 };

static int rank, size, left, right;
static char from[ROOM], into[ROOM];

/* Broadcasts messages of each size class: of its largest size in bytes and of one byte more. */
static void sizes(void) {
  static const int some[] = {0, 1, 256, 257, 1024, 1025, 8192, 8193, 262144, 262145, 1048576, ROOM};
  for (int i = 0; i < (int)(sizeof(some) / sizeof(some[0])); i++)
    CALL(BCAST, some[i], FORM(MPI_Bcast)(from, some[i], MPI_BYTE, 0, MPI_COMM_WORLD));
}

/* Sends `count` ints to the right neighbour in a ring of ranks by the blocking function `send`, and
 * receives as many from the left one; rank 0 sends first. name: the function's name in the records.
 * */
static void blocking(int (*send)(const void *, COUNT, MPI_Datatype, int, int, MPI_Comm),
                     const char *name, int count) {
  if (rank == 0) expect(name, 4L * count, send(from, count, MPI_INT, right, TAG, MPI_COMM_WORLD));
  CALL(RECV, 4L * count,
       FORM(MPI_Recv)(into, count, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  if (rank != 0) expect(name, 4L * count, send(from, count, MPI_INT, right, TAG, MPI_COMM_WORLD));
}

/* Sends a message by MPI_Rsend, after the other rank has begun to receive. */
static void ready(void) {
  MPI_Request request;
  CALL(IRECV, 8, FORM(MPI_Irecv)(into, 1, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, &request));
  CALL(BARRIER, 0, MPI_Barrier(MPI_COMM_WORLD));
  CALL(RSEND, 8, FORM(MPI_Rsend)(from, 1, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD));
  CALL(WAIT, 0, MPI_Wait(&request, MPI_STATUS_IGNORE));
  CALL(IRECV, 8, FORM(MPI_Irecv)(into, 1, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, &request));
  CALL(BARRIER, 0, MPI_Barrier(MPI_COMM_WORLD));
  MPI_Request sent;
  CALL(IRSEND, 8, FORM(MPI_Irsend)(from, 1, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &sent));
  CALL(WAIT, 0, MPI_Wait(&request, MPI_STATUS_IGNORE));
  CALL(WAIT, 0, MPI_Wait(&sent, MPI_STATUS_IGNORE));
}

/* Exchanges messages by MPI_Sendrecv and the like. Messages to MPI_PROC_NULL have no bytes; a
 * receive counts the size of its buffer. */
static void exchanges(void) {
  MPI_Status status;
  CALL(SENDRECV, 400,
       FORM(MPI_Sendrecv)(from, 100, MPI_INT, right, TAG, into, 400, MPI_INT, left, TAG,
                          MPI_COMM_WORLD, &status));
  CALL(SENDRECV, 0,
       FORM(MPI_Sendrecv)(from, 100, MPI_INT, MPI_PROC_NULL, TAG, into, 400, MPI_INT, MPI_PROC_NULL,
                          TAG, MPI_COMM_WORLD, &status));
  CALL(
      SENDRECV_REPLACE, 12,
      FORM(MPI_Sendrecv_replace)(into, 3, MPI_INT, right, TAG, left, TAG, MPI_COMM_WORLD, &status));
  CALL(SEND, 0, FORM(MPI_Send)(from, 10, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD));
  CALL(RECV, 0,
       FORM(MPI_Recv)(into, 10, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* Probes for a message with each function, and receives it. */
static void probes(void) {
  MPI_Request request;
  MPI_Status status;
  int flag = 0;
  CALL(ISEND, 20, FORM(MPI_Isend)(from, 5, MPI_INT, right, TAG, MPI_COMM_WORLD, &request));
  CALL(PROBE, 0, MPI_Probe(left, TAG, MPI_COMM_WORLD, &status));
  CALL(IPROBE, 0, MPI_Iprobe(left, TAG, MPI_COMM_WORLD, &flag, &status));
  CALL(RECV, 40, FORM(MPI_Recv)(into, 10, MPI_INT, left, TAG, MPI_COMM_WORLD, &status));
  CALL(WAITALL, 0, MPI_Waitall(1, &request, MPI_STATUSES_IGNORE));
}

/* Begins four messages and completes them. way: number, from 0 to 7, of the function that waits for
 * or tests the requests. */
static void requests(int way) {
  MPI_Request all[4];
  MPI_Status statuses[4];
  int n = 0, flag = 0, index, indices[4];
  CALL(IRECV, 4, FORM(MPI_Irecv)(into, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &all[0]));
  CALL(IRECV, 4,
       FORM(MPI_Irecv)(into + 8, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &all[1]));
  CALL(ISSEND, 4, FORM(MPI_Issend)(from, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &all[2]));
  CALL(IBSEND, 4, FORM(MPI_Ibsend)(from, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &all[3]));
  switch (way) {
  case 0:
    for (int i = 0; i < 4; i++)
      CALL(WAIT, 0, MPI_Wait(&all[i], &statuses[0]));
    break;
  case 1:
    CALL(WAITALL, 0, MPI_Waitall(4, all, statuses));
    break;
  case 2:
    for (int i = 0; i < 4; i++)
      CALL(WAITANY, 0, MPI_Waitany(4, all, &index, &statuses[0]));
    break;
  case 3:
    for (int done = 0; done < 4; done += n)
      CALL(WAITSOME, 0, MPI_Waitsome(4, all, &n, indices, statuses));
    break;
  case 4:
    for (int i = 0; i < 4; i++)
      for (flag = 0; !flag;)
        CALL(TEST, 0, MPI_Test(&all[i], &flag, &statuses[0]));
    break;
  case 5:
    while (!flag)
      CALL(TESTALL, 0, MPI_Testall(4, all, &flag, statuses));
    break;
  case 6:
    for (int done = 0; done < 4; done += flag)
      CALL(TESTANY, 0, MPI_Testany(4, all, &index, &flag, &statuses[0]));
    break;
  default:
    for (int done = 0; done < 4; done += n)
      CALL(TESTSOME, 0, MPI_Testsome(4, all, &n, indices, statuses));
    break;
  }
}

static COUNT counts[MOST_RANKS], same[MOST_RANKS];
static PLACE places[MOST_RANKS], at[MOST_RANKS], offsets[MOST_RANKS];
static int total;
static MPI_Datatype types[MOST_RANKS];

/* Fills the counts and places of collectives in which ranks have parts of different sizes. */
static void parts(void) {
  for (int i = 0; i < size; i++) {
    counts[i] = i + 1;
    places[i] = total;
    same[i] = 2;
    at[i] = 2 * i;
    offsets[i] = 8 * i;
    types[i] = MPI_INT;
    total += i + 1;
  }
}

/* Returns the size of this rank's part in a collective, in bytes. */
static long own(void) {
  return 4L * (rank + 1);
}

/* Calls each blocking collective. */
static void collectives(void) {
  MPI_Comm world = MPI_COMM_WORLD;
  int root = size - 1;
  CALL(GATHER, 40, FORM(MPI_Gather)(from, 10, MPI_INT, into, 10, MPI_INT, root, world));
  CALL(GATHER, 40,
       FORM(MPI_Gather)(rank == root ? MPI_IN_PLACE : from, rank == root ? 0 : 10,
                        rank == root ? MPI_DATATYPE_NULL : MPI_INT, into, 10, MPI_INT, root,
                        world));
  CALL(GATHERV, own(),
       FORM(MPI_Gatherv)(from, rank + 1, MPI_INT, into, counts, places, MPI_INT, root, world));
  CALL(GATHERV, own(),
       FORM(MPI_Gatherv)(rank == root ? MPI_IN_PLACE : from, rank + 1, MPI_INT, into, counts,
                         places, MPI_INT, root, world));
  CALL(SCATTER, 16, FORM(MPI_Scatter)(from, 4, MPI_INT, into, 4, MPI_INT, 0, world));
  CALL(SCATTER, 16,
       FORM(MPI_Scatter)(from, 4, MPI_INT, rank == 0 ? MPI_IN_PLACE : into, 4, MPI_INT, 0, world));
  CALL(SCATTERV, own(),
       FORM(MPI_Scatterv)(from, counts, places, MPI_INT, into, rank + 1, MPI_INT, 0, world));
  CALL(SCATTERV, own(),
       FORM(MPI_Scatterv)(from, counts, places, MPI_INT, rank == 0 ? MPI_IN_PLACE : into, rank + 1,
                          MPI_INT, 0, world));
  CALL(ALLGATHER, 24, FORM(MPI_Allgather)(from, 3, MPI_DOUBLE, into, 3, MPI_DOUBLE, world));
  CALL(ALLGATHER, 24,
       FORM(MPI_Allgather)(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, into, 3, MPI_DOUBLE, world));
  CALL(ALLGATHERV, own(),
       FORM(MPI_Allgatherv)(from, rank + 1, MPI_INT, into, counts, places, MPI_INT, world));
  CALL(ALLGATHERV, own(),
       FORM(MPI_Allgatherv)(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, into, counts, places, MPI_INT,
                            world));
  CALL(ALLTOALL, 8L * size, FORM(MPI_Alltoall)(from, 2, MPI_INT, into, 2, MPI_INT, world));
  CALL(ALLTOALL, 8L * size,
       FORM(MPI_Alltoall)(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, into, 2, MPI_INT, world));
  CALL(ALLTOALLV, 8L * size,
       FORM(MPI_Alltoallv)(from, same, at, MPI_INT, into, same, at, MPI_INT, world));
  CALL(ALLTOALLV, 8L * size,
       FORM(MPI_Alltoallv)(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, into, same, at, MPI_INT,
                           world));
  CALL(ALLTOALLW, 8L * size,
       FORM(MPI_Alltoallw)(from, same, offsets, types, into, same, offsets, types, world));
  CALL(ALLTOALLW, 8L * size,
       FORM(MPI_Alltoallw)(MPI_IN_PLACE, NULL, NULL, NULL, into, same, offsets, types, world));
  CALL(REDUCE, 400, FORM(MPI_Reduce)(from, into, 100, MPI_INT, MPI_SUM, root, world));
  CALL(ALLREDUCE, 800, FORM(MPI_Allreduce)(from, into, 100, MPI_DOUBLE, MPI_SUM, world));
  CALL(REDUCE_SCATTER, 4L * total,
       FORM(MPI_Reduce_scatter)(from, into, counts, MPI_INT, MPI_SUM, world));
  CALL(SCAN, 4, FORM(MPI_Scan)(from, into, 1, MPI_INT, MPI_SUM, world));
  CALL(EXSCAN, 4, FORM(MPI_Exscan)(from, into, 1, MPI_INT, MPI_SUM, world));
}

/* Makes collective calls in their nonblocking form: begins all, then waits for them together. */
static void begun(void) {
  MPI_Comm world = MPI_COMM_WORLD;
  enum { MANY = 16 };
  static char results[MANY][ROOM / 16];
  MPI_Request all[MANY];
  int n = 0;
#define BEGUN(name, bytes, call) (CALL(name, bytes, call), n++)
  BEGUN(IBARRIER, 0, MPI_Ibarrier(world, &all[n]));
  BEGUN(IBCAST, 36, FORM(MPI_Ibcast)(results[n], 9, MPI_INT, 0, world, &all[n]));
  BEGUN(IGATHER, 40,
        FORM(MPI_Igather)(from, 10, MPI_INT, results[n], 10, MPI_INT, 0, world, &all[n]));
  BEGUN(IGATHERV, own(),
        FORM(MPI_Igatherv)(from, rank + 1, MPI_INT, results[n], counts, places, MPI_INT, 0, world,
                           &all[n]));
  BEGUN(ISCATTER, 16,
        FORM(MPI_Iscatter)(from, 4, MPI_INT, results[n], 4, MPI_INT, 0, world, &all[n]));
  BEGUN(ISCATTERV, own(),
        FORM(MPI_Iscatterv)(from, counts, places, MPI_INT, results[n], rank + 1, MPI_INT, 0, world,
                            &all[n]));
  BEGUN(ISCAN, 4, FORM(MPI_Iscan)(from, results[n], 1, MPI_INT, MPI_SUM, world, &all[n]));
  BEGUN(IEXSCAN, 4, FORM(MPI_Iexscan)(from, results[n], 1, MPI_INT, MPI_SUM, world, &all[n]));
  BEGUN(IALLGATHER, 24,
        FORM(MPI_Iallgather)(from, 3, MPI_DOUBLE, results[n], 3, MPI_DOUBLE, world, &all[n]));
  BEGUN(IALLGATHERV, own(),
        FORM(MPI_Iallgatherv)(from, rank + 1, MPI_INT, results[n], counts, places, MPI_INT, world,
                              &all[n]));
  BEGUN(IREDUCE, 400,
        FORM(MPI_Ireduce)(from, results[n], 100, MPI_INT, MPI_SUM, 0, world, &all[n]));
  BEGUN(IALLREDUCE, 800,
        FORM(MPI_Iallreduce)(from, results[n], 100, MPI_DOUBLE, MPI_SUM, world, &all[n]));
  BEGUN(IREDUCE_SCATTER, 4L * total,
        FORM(MPI_Ireduce_scatter)(from, results[n], counts, MPI_INT, MPI_SUM, world, &all[n]));
  BEGUN(IALLTOALL, 8L * size,
        FORM(MPI_Ialltoall)(from, 2, MPI_INT, results[n], 2, MPI_INT, world, &all[n]));
  BEGUN(
      IALLTOALLV, 8L * size,
      FORM(MPI_Ialltoallv)(from, same, at, MPI_INT, results[n], same, at, MPI_INT, world, &all[n]));
  BEGUN(IALLTOALLW, 8L * size,
        FORM(MPI_Ialltoallw)(from, same, offsets, types, results[n], same, offsets, types, world,
                             &all[n]));
  CALL(WAITALL, 0, MPI_Waitall(n, all, MPI_STATUSES_IGNORE));
}

/* Calls each function that reads or writes memory of another rank. */
static void windows(void) {
  int *memory, one = 1, zero = 0, got;
  MPI_Win win;
  MPI_Group world, to, of;
  MPI_Win_allocate(4096, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  CALL(WIN_FENCE, 0, MPI_Win_fence(0, win));
  CALL(PUT, 16, FORM(MPI_Put)(from, 4, MPI_INT, right, 0, 4, MPI_INT, win));
  CALL(GET, 32, FORM(MPI_Get)(into, 8, MPI_INT, right, 8, 8, MPI_INT, win));
  CALL(ACCUMULATE, 4, FORM(MPI_Accumulate)(&one, 1, MPI_INT, right, 20, 1, MPI_INT, MPI_SUM, win));
  CALL(WIN_FENCE, 0, MPI_Win_fence(0, win));
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &right, &to);
  MPI_Group_incl(world, 1, &left, &of);
  CALL(WIN_POST, 0, MPI_Win_post(of, 0, win));
  CALL(WIN_START, 0, MPI_Win_start(to, 0, win));
  CALL(PUT, 0, FORM(MPI_Put)(from, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, win));
  CALL(WIN_COMPLETE, 0, MPI_Win_complete(win));
  if (rank == 0) {
    int flag = 0;
    while (!flag)
      CALL(WIN_TEST, 0, MPI_Win_test(win, &flag));
  } else {
    CALL(WIN_WAIT, 0, MPI_Win_wait(win));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect("BARRIER", 0, MPI_SUCCESS);
  CALL(WIN_LOCK, 0, MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
  CALL(GET_ACCUMULATE, 8,
       FORM(MPI_Get_accumulate)(NULL, 0, MPI_INT, into, 2, MPI_INT, right, 30, 2, MPI_INT,
                                MPI_NO_OP, win));
  CALL(FETCH_AND_OP, 0, MPI_Fetch_and_op(&one, &got, MPI_INT, right, 40, MPI_SUM, win));
  CALL(COMPARE_AND_SWAP, 0, MPI_Compare_and_swap(&one, &zero, &got, MPI_INT, right, 50, win));
  CALL(WIN_FLUSH, 0, MPI_Win_flush(right, win));
  CALL(WIN_FLUSH_LOCAL, 0, MPI_Win_flush_local(right, win));
  CALL(WIN_UNLOCK, 0, MPI_Win_unlock(right, win));
  MPI_Win_lock_all(0, win);
  CALL(WIN_FLUSH_ALL, 0, MPI_Win_flush_all(win));
  CALL(WIN_FLUSH_LOCAL_ALL, 0, MPI_Win_flush_local_all(win));
  CALL(WIN_SYNC, 0, MPI_Win_sync(win));
  CALL(WIN_UNLOCK_ALL, 0, MPI_Win_unlock_all(win));
  MPI_Group_free(&world);
  MPI_Group_free(&to);
  MPI_Group_free(&of);
  MPI_Win_free(&win);
}

/* Makes calls with a datatype that has holes: only the bytes of its data count. Calls with a count
 * of 0 query no datatype. */
static void datatypes(void) {
  MPI_Datatype sparse;
  MPI_Type_vector(3, 1, 5, MPI_DOUBLE, &sparse);
  MPI_Type_commit(&sparse);
  CALL(BCAST, 48, FORM(MPI_Bcast)(from, 2, sparse, 0, MPI_COMM_WORLD));
  CALL(BCAST, 0, FORM(MPI_Bcast)(NULL, 0, sparse, 0, MPI_COMM_WORLD));
  MPI_Type_free(&sparse);
}

int main(int argc, char **argv) {
  static char room[65536];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2 || size > MOST_RANKS || size < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  MPI_Buffer_attach(room, sizeof(room));
  sizes();
  blocking(FORM(MPI_Send), "SEND", 64);
  blocking(FORM(MPI_Ssend), "SSEND", 65);
  blocking(FORM(MPI_Bsend), "BSEND", 300);
  ready();
  exchanges();
  probes();
  for (int way = 0; way < 8; way++)
    requests(way);
  parts();
  collectives();
  begun();
  windows();
  datatypes();
  write_expected(argv[1], rank);
  MPI_Finalize();
  return 0;
}
