/* Repeats rounds of nonblocking collectives with large counts, many of which are in progress at
 * once. Checks that the received data are right, and that the runtime's copies of the counts take
 * bounded memory. Prints nothing, and writes down its calls in FOLDER. Usage: begun FOLDER. */
#include <string.h>
#include <unistd.h>

#include "expected.h"
#include "large.h"

enum { RANKS = 3, TOGETHER = 40, ROUNDS = 60, WARM = 10, CALLS = 6, OF_CALL = 8 };

static int rank;

/* Ends the job with status 3 if something is not right. */
static void check(int right) {
  if (!right) MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Returns the value that rank `sender` sends to rank `receiver` in the call with this number; all
 * values differ. */
static int word(int call, int sender, int receiver) {
  return 1000 * call + 10 * sender + receiver;
}

/* Returns the resident memory of the process, in pages. */
static long pages(void) {
  char line[128] = "";
  FILE *file = fopen("/proc/self/statm", "r");
  check(file && fgets(line, sizeof(line), file));
  fclose(file);
  return atol(line);
}

/* The program may not change these arrays before the calls are complete, so each call in progress
 * has its own. */
static int from[TOGETHER][CALLS][RANKS], into[TOGETHER][CALLS][OF_CALL];
static MPI_Count ones[RANKS], own[RANKS];
static MPI_Aint places[RANKS], offsets[RANKS];
static MPI_Datatype types[RANKS];
/* The counters of the calls, and the bytes that each call counts. */
static const char *const names[CALLS] = {"IGATHERV",        "ISCATTERV",  "IALLGATHERV",
                                         "IREDUCE_SCATTER", "IALLTOALLV", "IALLTOALLW"};
static const long bytes[CALLS] = {4, 4, 4, 4 * RANKS, 4 * RANKS, 4 * RANKS};

/* Begins a call with arrays of its own. call: its index. of, to: the arrays of all calls. Returns
 * the error code of MPI. */
static int begin(int call, int (*of)[RANKS], int (*to)[OF_CALL], MPI_Request *request) {
  MPI_Comm world = MPI_COMM_WORLD;
  const int *a = of[call];
  int *b = to[call];
  switch (call) {
  case 0:
    return MPI_Igatherv_c(a, 1, MPI_INT, b, ones, places, MPI_INT, 0, world, request);
  case 1:
    return MPI_Iscatterv_c(a, ones, places, MPI_INT, b, 1, MPI_INT, 0, world, request);
  case 2:
    return MPI_Iallgatherv_c(a, 1, MPI_INT, b, ones, places, MPI_INT, world, request);
  case 3:
    return MPI_Ireduce_scatter_c(a, b, ones, MPI_INT, MPI_SUM, world, request);
  case 4:
    return MPI_Ialltoallv_c(a, ones, places, MPI_INT, b, ones, places, MPI_INT, world, request);
  default:
    return MPI_Ialltoallw_c(a, ones, offsets, types, b, ones, offsets, types, world, request);
  }
}

/* Checks the received data of each call. */
static void check_results(int (*to)[OF_CALL]) {
  int sum = 0;
  for (int i = 0; i < RANKS; i++) {
    if (rank == 0) check(to[0][i] == word(0, i, 0));
    check(to[2][i] == word(2, i, 0));
    check(to[4][i] == word(4, i, rank) && to[5][i] == word(5, i, rank));
    sum += word(3, i, rank);
  }
  check(to[1][0] == word(1, 0, rank) && to[3][0] == sum);
}

/* Begins all calls many times, waits for them together, and checks the data. */
static void round_of_all(void) {
  static MPI_Request all[TOGETHER * CALLS];
  memset(into, 0, sizeof(into));
  for (int i = 0; i < TOGETHER; i++)
    for (int call = 0; call < CALLS; call++) {
      for (int to = 0; to < RANKS; to++)
        from[i][call][to] = word(call, rank, call == 0 || call == 2 ? 0 : to);
      expect(names[call], bytes[call], begin(call, from[i], into[i], &all[i * CALLS + call]));
    }
  CALL(WAITALL, 0, MPI_Waitall(TOGETHER * CALLS, all, MPI_STATUSES_IGNORE));
  for (int i = 0; i < TOGETHER; i++)
    check_results(into[i]);
}

/* Checks that a count that does not fit into an int is refused by the runtime's own function. The
 * runtime has this function for MPI libraries without large counts. */
static void too_many(void) {
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_VERSION >= 4) return;
  for (int i = 0; i < RANKS; i++)
    own[i] = (MPI_Count)1 << 40;
  check(MPI_Ireduce_scatter_c(from, into, own, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request) != 0);
}

int main(int argc, char **argv) {
  int size;
  long before = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(argc == 2 && size == RANKS);
  for (int i = 0; i < RANKS; i++) {
    ones[i] = 1;
    places[i] = i;
    offsets[i] = (MPI_Aint)sizeof(int) * i;
    types[i] = MPI_INT;
  }
  for (int i = 0; i < ROUNDS; i++) {
    round_of_all();
    if (i == WARM) before = pages();
  }
  check(pages() < before + ROUNDS * TOGETHER);
  too_many();
  write_expected(argv[1], rank);
  MPI_Finalize();
  return 0;
}
