/* Calls the functions that have a form for large counts: collectives, those of neighbours and those
 * for messages. It is included once for each form, which FORM(name), COUNT and PLACE (the type of
 * displacements) of apmpi/forms.h select. */
static void FORM(collectives)(void) {
  int me = rank + 1, sum = size * (size + 1) / 2, result = 0, all[MOST_RANKS], sent[MOST_RANKS];
  COUNT counts[MOST_RANKS];
  PLACE places[MOST_RANKS], bytes[MOST_RANKS];
  MPI_Datatype types[MOST_RANKS];
  for (int i = 0; i < size; i++) {
    counts[i] = 1;
    places[i] = i;
    bytes[i] = i * (PLACE)sizeof(int);
    types[i] = MPI_INT;
    sent[i] = 100 * rank + i;
  }
  result = rank == 1 ? 77 : 0;
  CHECK(FORM(MPI_Bcast), (&result, 1, MPI_INT, 1, MPI_COMM_WORLD), result == 77);
  CHECK(FORM(MPI_Gather), (&me, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD),
        rank != 0 || all[others()] == size);
  CHECK(FORM(MPI_Gatherv), (&me, 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD),
        rank != 0 || all[others()] == size);
  CHECK(FORM(MPI_Scatter), (sent, 1, MPI_INT, &result, 1, MPI_INT, 0, MPI_COMM_WORLD),
        result == rank);
  CHECK(FORM(MPI_Scatterv), (sent, counts, places, MPI_INT, &result, 1, MPI_INT, 1, MPI_COMM_WORLD),
        result == 100 + rank);
  CHECK(FORM(MPI_Allgather), (&me, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD),
        all[0] == 1 && all[others()] == size);
  CHECK(FORM(MPI_Allgatherv), (&me, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD),
        all[0] == 1 && all[others()] == size);
  CHECK(FORM(MPI_Alltoall), (sent, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD),
        all[others()] == 100 * others() + rank);
  CHECK(FORM(MPI_Alltoallv),
        (sent, counts, places, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD),
        all[others()] == 100 * others() + rank);
  CHECK(FORM(MPI_Alltoallw),
        (sent, counts, bytes, types, all, counts, bytes, types, MPI_COMM_WORLD),
        all[others()] == 100 * others() + rank);
  CHECK(FORM(MPI_Reduce), (&me, &result, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD),
        rank != 0 || result == sum);
  CHECK(FORM(MPI_Allreduce), (&me, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), result == sum);
  CHECK(FORM(MPI_Reduce_scatter), (sent, &result, counts, MPI_INT, MPI_MAX, MPI_COMM_WORLD),
        result == 100 * others() + rank);
  CHECK(FORM(MPI_Reduce_scatter_block), (sent, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD),
        result == 100 * others() + rank);
  CHECK(FORM(MPI_Scan), (&me, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        result == me * (me + 1) / 2);
  result = 0;
  CHECK(FORM(MPI_Exscan), (&me, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        rank == 0 || result == me * (me - 1) / 2);
}

/* Calls the neighbourhood collectives and checks their results, with all ranks in a ring: each has
 * two neighbours, which are the same rank if there are two ranks. */
static void FORM(neighbours)(void) {
  int around = 1, me = rank, sent[2] = {10 * rank, 10 * rank + 1}, got[2] = {-1, -1};
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  COUNT counts[2] = {1, 1};
  PLACE places[2] = {0, 1};
  MPI_Aint bytes[2] = {0, sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &ring);
  CHECK(FORM(MPI_Neighbor_allgather), (&me, 1, MPI_INT, got, 1, MPI_INT, ring),
        got[0] == left && got[1] == right);
  got[0] = got[1] = -1;
  CHECK(FORM(MPI_Neighbor_allgatherv), (&me, 1, MPI_INT, got, counts, places, MPI_INT, ring),
        got[0] == left && got[1] == right);
  CHECK(FORM(MPI_Neighbor_alltoall), (sent, 1, MPI_INT, got, 1, MPI_INT, ring),
        got[0] / 10 == left && got[1] / 10 == right);
  got[0] = got[1] = -1;
  CHECK(FORM(MPI_Neighbor_alltoallv),
        (sent, counts, places, MPI_INT, got, counts, places, MPI_INT, ring),
        got[0] / 10 == left && got[1] / 10 == right);
  got[0] = got[1] = -1;
  CHECK(FORM(MPI_Neighbor_alltoallw), (sent, counts, bytes, types, got, counts, bytes, types, ring),
        got[0] / 10 == left && got[1] / 10 == right);
  MPI_Comm_free(&ring);
  calls++;
}

/* Calls the functions for messages and checks the received data: each even rank sends to the next
 * odd rank, one call after another. A rank without a partner does nothing. */
static void FORM(messages)(void) {
  int partner = rank ^ 1, value = rank, got = -1, n;
  MPI_Status status;
  MPI_Message message;
  if (partner >= size) return;
  if (rank % 2 == 0) {
    CHECK(FORM(MPI_Send), (&value, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD), 1);
    CHECK(FORM(MPI_Ssend), (&value, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD), 1);
    CHECK(FORM(MPI_Bsend), (&value, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD), 1);
    MPI_Recv(&got, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    calls++;
    CHECK(FORM(MPI_Rsend), (&value, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD), 1);
    MPI_Recv(&got, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    calls++;
  } else {
    MPI_Request request;
    for (int i = 0; i < 3; i++)
      CHECK(FORM(MPI_Recv), (&got, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD, &status),
            got == partner && MPI_Get_count(&status, MPI_INT, &n) == 0 && n == 1);
    MPI_Irecv(&got, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD, &request);
    MPI_Send(&value, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD); /* ready */
    MPI_Wait(&request, &status);
    MPI_Send(&value, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD); /* the message arrived */
    calls += 3;
  }
  CHECK(FORM(MPI_Sendrecv),
        (&value, 1, MPI_INT, partner, TAG, &got, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD, &status),
        got == partner && status.MPI_SOURCE == partner);
  got = rank;
  CHECK(FORM(MPI_Sendrecv_replace),
        (&got, 1, MPI_INT, partner, TAG, partner, TAG, MPI_COMM_WORLD, &status), got == partner);
  MPI_Bsend(&value, 1, MPI_INT, partner, TAG, MPI_COMM_WORLD);
  MPI_Mprobe(partner, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  calls += 2;
  CHECK(FORM(MPI_Mrecv), (&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE), got == partner);
}

static void CALLS(void) {
  FORM(collectives)();
  FORM(neighbours)();
  FORM(messages)();
}

#undef FORM
#undef COUNT
#undef PLACE
#undef CALLS
