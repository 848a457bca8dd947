/* Declares functions with large counts for an MPI library whose header lacks them. The references
 * are weak, like those of a program that tests whether the functions exist. */
#if MPI_VERSION < 4
#define HAS(name, ...) int name(__VA_ARGS__) __attribute__((weak));
#define MESSAGE(name, more)                                                                        \
  HAS(name, const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm more)
#define ROOTED(name, more)                                                                         \
  HAS(name, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int,           \
      MPI_Comm more)
#define ALL(name, more)                                                                            \
  HAS(name, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm more)
#define REDUCED(name, more)                                                                        \
  HAS(name, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm more)
#define NOTHING_MORE
#define REQUEST , MPI_Request *
MESSAGE(MPI_Send_c, NOTHING_MORE)
MESSAGE(MPI_Ssend_c, NOTHING_MORE)
MESSAGE(MPI_Rsend_c, NOTHING_MORE)
MESSAGE(MPI_Bsend_c, NOTHING_MORE)
MESSAGE(MPI_Isend_c, REQUEST)
MESSAGE(MPI_Issend_c, REQUEST)
MESSAGE(MPI_Irsend_c, REQUEST)
MESSAGE(MPI_Ibsend_c, REQUEST)
HAS(MPI_Recv_c, void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *)
HAS(MPI_Irecv_c, void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)
HAS(MPI_Sendrecv_c, const void *, MPI_Count, MPI_Datatype, int, int, void *, MPI_Count,
    MPI_Datatype, int, int, MPI_Comm, MPI_Status *)
HAS(MPI_Sendrecv_replace_c, void *, MPI_Count, MPI_Datatype, int, int, int, int, MPI_Comm,
    MPI_Status *)
HAS(MPI_Bcast_c, void *, MPI_Count, MPI_Datatype, int, MPI_Comm)
HAS(MPI_Ibcast_c, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request *)
ROOTED(MPI_Gather_c, NOTHING_MORE)
ROOTED(MPI_Igather_c, REQUEST)
ROOTED(MPI_Scatter_c, NOTHING_MORE)
ROOTED(MPI_Iscatter_c, REQUEST)
ALL(MPI_Allgather_c, NOTHING_MORE)
ALL(MPI_Iallgather_c, REQUEST)
ALL(MPI_Alltoall_c, NOTHING_MORE)
ALL(MPI_Ialltoall_c, REQUEST)
REDUCED(MPI_Allreduce_c, NOTHING_MORE)
REDUCED(MPI_Iallreduce_c, REQUEST)
REDUCED(MPI_Scan_c, NOTHING_MORE)
REDUCED(MPI_Iscan_c, REQUEST)
REDUCED(MPI_Exscan_c, NOTHING_MORE)
REDUCED(MPI_Iexscan_c, REQUEST)
HAS(MPI_Reduce_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm)
HAS(MPI_Ireduce_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm,
    MPI_Request *)
HAS(MPI_Gatherv_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count *,
    const MPI_Aint *, MPI_Datatype, int, MPI_Comm)
HAS(MPI_Scatterv_c, const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, void *,
    MPI_Count, MPI_Datatype, int, MPI_Comm)
HAS(MPI_Allgatherv_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count *,
    const MPI_Aint *, MPI_Datatype, MPI_Comm)
HAS(MPI_Alltoallv_c, const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, void *,
    const MPI_Count *, const MPI_Aint *, MPI_Datatype, MPI_Comm)
HAS(MPI_Alltoallw_c, const void *, const MPI_Count *, const MPI_Aint *, const MPI_Datatype *,
    void *, const MPI_Count *, const MPI_Aint *, const MPI_Datatype *, MPI_Comm)
HAS(MPI_Reduce_scatter_c, const void *, void *, const MPI_Count *, MPI_Datatype, MPI_Op, MPI_Comm)
HAS(MPI_Reduce_scatter_block_c, const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm)
HAS(MPI_Mrecv_c, void *, MPI_Count, MPI_Datatype, MPI_Message *, MPI_Status *)
ALL(MPI_Neighbor_allgather_c, NOTHING_MORE)
ALL(MPI_Neighbor_alltoall_c, NOTHING_MORE)
HAS(MPI_Neighbor_allgatherv_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count *,
    const MPI_Aint *, MPI_Datatype, MPI_Comm)
HAS(MPI_Neighbor_alltoallv_c, const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype,
    void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, MPI_Comm)
HAS(MPI_Neighbor_alltoallw_c, const void *, const MPI_Count *, const MPI_Aint *,
    const MPI_Datatype *, void *, const MPI_Count *, const MPI_Aint *, const MPI_Datatype *,
    MPI_Comm)
HAS(MPI_Igatherv_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count *,
    const MPI_Aint *, MPI_Datatype, int, MPI_Comm, MPI_Request *)
HAS(MPI_Iscatterv_c, const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, void *,
    MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request *)
HAS(MPI_Iallgatherv_c, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count *,
    const MPI_Aint *, MPI_Datatype, MPI_Comm, MPI_Request *)
HAS(MPI_Ialltoallv_c, const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, void *,
    const MPI_Count *, const MPI_Aint *, MPI_Datatype, MPI_Comm, MPI_Request *)
HAS(MPI_Ialltoallw_c, const void *, const MPI_Count *, const MPI_Aint *, const MPI_Datatype *,
    void *, const MPI_Count *, const MPI_Aint *, const MPI_Datatype *, MPI_Comm, MPI_Request *)
HAS(MPI_Ireduce_scatter_c, const void *, void *, const MPI_Count *, MPI_Datatype, MPI_Op, MPI_Comm,
    MPI_Request *)
HAS(MPI_Put_c, const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
    MPI_Win)
HAS(MPI_Get_c, void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win)
HAS(MPI_Accumulate_c, const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
    MPI_Op, MPI_Win)
HAS(MPI_Get_accumulate_c, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
    int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win)
#endif
