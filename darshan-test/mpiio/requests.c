/* Calls each function that waits for requests or tests them, for nonblocking writes of a file
 * together with a message. */
#include "program.h"

#include <unistd.h>

enum { WRITES = 3, ALL = WRITES + 1, BYTES = 200, MESSAGE = 1 /* MESSAGE: index of the message */ };

/* The writes to a file and the message that a rank waits for. */
struct waiting {
  struct target target;
  MPI_Request requests[ALL];
  MPI_Status statuses[ALL];
  int inbox, left; /* left: incomplete writes */
};

/* Begins the writes and the message. */
static void begin(struct waiting *w) {
  static int outbox = 7;
  MPI_Request sent;
  MPI_Offset mine = (MPI_Offset)rank * ROOM / 4;
  int write = 0;
  CHECK(MPI_Irecv(&w->inbox, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &w->requests[MESSAGE]));
  for (int i = 0; i < ALL; i++) {
    if (i == MESSAGE) continue;
    CHECK(MPI_File_iwrite_at(w->target.fh, mine + (MPI_Offset)write++ * BYTES, data, BYTES,
                             MPI_BYTE, &w->requests[i]));
    note(&w->target, "transfer 1 NB EXPLICIT %d %d %lld", BYTES, BYTES,
         (long long)(mine + (write - 1) * BYTES));
  }
  CHECK(MPI_Isend(&outbox, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &sent));
  CHECK(MPI_Wait(&sent, MPI_STATUS_IGNORE)); /* of no file */
  w->left = WRITES;
}

/* Writes a line about a wait that has writes. */
static void waited(struct waiting *w) {
  note(&w->target, "ext NB_WAITS 1");
}

/* Updates the number of incomplete writes. */
static void count_over(struct waiting *w) {
  w->left = 0;
  for (int i = 0; i < ALL; i++)
    w->left += i != MESSAGE && w->requests[i] != MPI_REQUEST_NULL;
}

/* Waits for each request alone. */
static void wait_each(struct waiting *w) {
  for (int i = 0; i < ALL; i++) {
    CHECK(MPI_Wait(&w->requests[i], i ? MPI_STATUS_IGNORE : &w->statuses[0]));
    if (i != MESSAGE) waited(w);
  }
}

/* Waits for all requests at once. */
static void wait_all(struct waiting *w) {
  CHECK(MPI_Waitall(ALL, w->requests, MPI_STATUSES_IGNORE));
  waited(w);
}

/* Waits for any request until all are complete. */
static void wait_any(struct waiting *w) {
  int index;
  for (int i = 0; i < ALL; i++) {
    if (w->left) waited(w);
    CHECK(MPI_Waitany(ALL, w->requests, &index, i ? MPI_STATUS_IGNORE : &w->statuses[0]));
    count_over(w);
  }
}

/* Waits for some requests until all are complete. */
static void wait_some(struct waiting *w) {
  int over = 0, n, indices[ALL];
  while (over < ALL) {
    if (w->left) waited(w);
    CHECK(MPI_Waitsome(ALL, w->requests, &n, indices, w->statuses));
    over += n;
    count_over(w);
  }
}

/* Tests each request until it is complete. */
static void test_each(struct waiting *w) {
  for (int i = 0; i < ALL; i++)
    for (int flag = 0; !flag;) {
      if (i != MESSAGE) waited(w);
      CHECK(MPI_Test(&w->requests[i], &flag, MPI_STATUS_IGNORE));
    }
}

/* Tests requests until all are complete, one at a time. A test of all of them that twice finds only
 * some complete ends the job in MPICH 4.0, with and without the runtime. */
static void test_all(struct waiting *w) {
  for (int i = 0; i < ALL; i++)
    for (int flag = 0; !flag;) {
      if (i != MESSAGE) waited(w);
      CHECK(MPI_Testall(1, &w->requests[i], &flag, MPI_STATUSES_IGNORE));
    }
}

/* Tests for any complete request until all are complete. */
static void test_any(struct waiting *w) {
  int index, flag;
  for (int over = 0; over < ALL;) {
    if (w->left) waited(w);
    CHECK(MPI_Testany(ALL, w->requests, &index, &flag, MPI_STATUS_IGNORE));
    over += flag;
    count_over(w);
  }
}

/* Tests for some complete requests until all are complete. */
static void test_some(struct waiting *w) {
  int over = 0, n, indices[ALL];
  while (over < ALL) {
    if (w->left) waited(w);
    CHECK(MPI_Testsome(ALL, w->requests, &n, indices, MPI_STATUSES_IGNORE));
    if (n > 0) over += n;
    count_over(w);
  }
}

/* Uses a file whose requests one function completes. name: of the file. end: the function. */
static void run(const char *name, void (*end)(struct waiting *)) {
  struct waiting w = {.target = {.name = name}};
  open_file(&w.target, MPI_MODE_CREATE | MPI_MODE_RDWR, 9);
  begin(&w);
  end(&w);
  note(&w.target, "most %d", WRITES);
  close_file(&w.target);
  covered(name);
}

/* Completes more requests in one call than the runtime has separate statuses for, so that their
 * numbers of bytes are unknown. */
static void many(void) {
  enum { MANY = 20 };
  struct target target = {.name = "many"};
  MPI_Request requests[MANY];
  open_file(&target, MPI_MODE_CREATE | MPI_MODE_RDWR, 9);
  for (int i = 0; i < MANY; i++) {
    MPI_Offset at = ((MPI_Offset)rank * MANY + i) * 8;
    CHECK(MPI_File_iwrite_at(target.fh, at, data, 8, MPI_BYTE, &requests[i]));
    note(&target, "transfer 1 NB EXPLICIT 8 -1 %lld", (long long)at);
  }
  CHECK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
  note(&target, "ext NB_WAITS 1");
  note(&target, "most %d", MANY);
  close_file(&target);
}

/* Frees requests before their completion, which the runtime then cannot see: their transfers must
 * count as begun, but never as done. */
static void freed(void) {
  struct target target = {.name = "MPI_Request_free"};
  MPI_Request request;
  open_file(&target, MPI_MODE_CREATE | MPI_MODE_RDWR, 9);
  CHECK(MPI_File_iwrite_at(target.fh, (MPI_Offset)rank * 8, data, 8, MPI_BYTE, &request));
  note(&target, "transfer 1 NB EXPLICIT 8 none %lld", (long long)rank * 8);
  CHECK(MPI_Request_free(&request));
  note(&target, "ext NB_FREED 1");
  note(&target, "most 1");
  close_file(&target);
  covered(target.name);
}

void all_requests(void) {
  run("MPI_Wait", wait_each);
  run("MPI_Waitall", wait_all);
  run("MPI_Waitany", wait_any);
  run("MPI_Waitsome", wait_some);
  run("MPI_Test", test_each);
  run("MPI_Testall", test_all);
  run("MPI_Testany", test_any);
  run("MPI_Testsome", test_some);
  many();
  freed();
}
