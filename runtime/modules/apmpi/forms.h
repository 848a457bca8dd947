/* Parameters and arguments of MPI calls that have the same form, such as SENDS (MPI_Send,
 * MPI_Ssend,
 * ...): P_SENDS(type of counts) is the list of parameters, A_SENDS that of their names. wrappers.c
 * makes the macros of calls.def of them. P_BEGIN and A_BEGIN add the request of a non-blocking
 * call; P_MEET and A_MEET add nothing. */

#define P_MEET
#define P_BEGIN , void *request
#define A_MEET
#define A_BEGIN , request

#define P_SENDS(number)                                                                            \
  const void *buf, number count, mpi_handle type, int dest, int tag, mpi_handle comm
#define A_SENDS buf, count, type, dest, tag, comm
#define P_RECEIVES(number)                                                                         \
  void *buf, number count, mpi_handle type, int source, int tag, mpi_handle comm
#define A_RECEIVES buf, count, type, source, tag, comm
#define P_EXCHANGES(number)                                                                        \
  const void *sendbuf, number sendcount, mpi_handle sendtype, int dest, int sendtag,               \
      void *recvbuf, number recvcount, mpi_handle recvtype, int source, int recvtag,               \
      mpi_handle comm, void *status
#define A_EXCHANGES                                                                                \
  sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,      \
      comm, status
#define P_REPLACES(number)                                                                         \
  void *buf, number count, mpi_handle type, int dest, int sendtag, int source, int recvtag,        \
      mpi_handle comm, void *status
#define A_REPLACES buf, count, type, dest, sendtag, source, recvtag, comm, status

#define P_BROADCASTS(number) void *buffer, number count, mpi_handle type, int root, mpi_handle comm
#define A_BROADCASTS buffer, count, type, root, comm
#define P_ALL_GATHER(number)                                                                       \
  const void *sendbuf, number sendcount, mpi_handle sendtype, void *recvbuf, number recvcount,     \
      mpi_handle recvtype, mpi_handle comm
#define A_ALL_GATHER sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
#define P_ROOTED(number)                                                                           \
  const void *sendbuf, number sendcount, mpi_handle sendtype, void *recvbuf, number recvcount,     \
      mpi_handle recvtype, int root, mpi_handle comm
#define A_ROOTED sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
#define P_GATHERS_PARTS(number)                                                                    \
  const void *sendbuf, number sendcount, mpi_handle sendtype, void *recvbuf,                       \
      const number *recvcounts, const void *displs, mpi_handle recvtype, int root, mpi_handle comm
#define A_GATHERS_PARTS                                                                            \
  sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm
#define P_SCATTERS_PARTS(number)                                                                   \
  const void *sendbuf, const number *sendcounts, const void *displs, mpi_handle sendtype,          \
      void *recvbuf, number recvcount, mpi_handle recvtype, int root, mpi_handle comm
#define A_SCATTERS_PARTS                                                                           \
  sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm
#define P_ALL_GATHER_PARTS(number)                                                                 \
  const void *sendbuf, number sendcount, mpi_handle sendtype, void *recvbuf,                       \
      const number *recvcounts, const void *displs, mpi_handle recvtype, mpi_handle comm
#define A_ALL_GATHER_PARTS sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm
/* type: an array of datatypes if every rank has its own */
#define P_ALL_TO_ALL(number, type)                                                                 \
  const void *sendbuf, const number *sendcounts, const void *sdispls, type sendtype,               \
      void *recvbuf, const number *recvcounts, const void *rdispls, type recvtype, mpi_handle comm
#define A_ALL_TO_ALL                                                                               \
  sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm

#define P_REDUCES(number)                                                                          \
  const void *sendbuf, void *recvbuf, number count, mpi_handle type, mpi_handle op, int root,      \
      mpi_handle comm
#define A_REDUCES sendbuf, recvbuf, count, type, op, root, comm
#define P_ALL_REDUCE(number)                                                                       \
  const void *sendbuf, void *recvbuf, number count, mpi_handle type, mpi_handle op, mpi_handle comm
#define A_ALL_REDUCE sendbuf, recvbuf, count, type, op, comm
#define P_REDUCES_PARTS(number)                                                                    \
  const void *sendbuf, void *recvbuf, const number *recvcounts, mpi_handle type, mpi_handle op,    \
      mpi_handle comm
#define A_REDUCES_PARTS sendbuf, recvbuf, recvcounts, type, op, comm

#define P_WINDOW(number)                                                                           \
  number count, mpi_handle type, int target, intptr_t at, number target_count,                     \
      mpi_handle target_type
#define A_WINDOW count, type, target, at, target_count, target_type
