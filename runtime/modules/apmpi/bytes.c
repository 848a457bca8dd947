/* Computes the bytes of MPI calls from their arguments: the bytes that this rank sends, or the size
 * of its receive buffer. For a collective call, only the rank's own part counts, so that no byte
 * counts twice in the sum over all ranks. */
#include "apmpi-module.h"

#include "../../mpi/mpi.h"

int64_t apmpi_sized(int64_t count, mpi_handle type) {
  int64_t sum;
  if (count <= 0 || !mpi_can_ask() || mpi_same(type, mpi_constant(DATATYPE_NULL))) return 0;
  int64_t bytes = mpi_type_bytes(type);
  return bytes > 0 && !__builtin_mul_overflow(bytes, count, &sum) ? sum : 0;
}

int64_t apmpi_with(int peer, int64_t count, mpi_handle type) {
  return peer == (int)mpi_constant(PROC_NULL) ? 0 : apmpi_sized(count, type);
}

int64_t apmpi_rooted(int root, int64_t count, mpi_handle type) {
  return root < 0 ? 0 : apmpi_sized(count, type);
}

int apmpi_in_place(const void *buffer) {
  return (uintptr_t)buffer == mpi_constant(IN_PLACE);
}

int apmpi_rank(mpi_handle comm) {
  int rank = 0;
  if (!mpi_can_ask() || mpi_function(Comm_rank)(comm, &rank) != 0) return 0;
  return rank;
}

int apmpi_group(mpi_handle comm) {
  return mpi_can_ask() ? mpi_comm_size(comm) : 0;
}

int apmpi_peers(mpi_handle comm) {
  int between = 0, size = 0;
  if (!mpi_can_ask() || !mpi_function(Comm_test_inter) || !mpi_function(Comm_remote_size)) return 0;
  if (mpi_function(Comm_test_inter)(comm, &between) != 0) return 0;
  if (!between) return mpi_comm_size(comm);
  return mpi_function(Comm_remote_size)(comm, &size) == 0 ? size : 0;
}

/* Returns 1 if a process of the MPI group `group` is not in the MPI group `world`, or if MPI
 * reports an error; else 0. */
static int has_strangers(mpi_handle group, mpi_handle world) {
  enum { AT_ONCE = 64 };
  int size = 0, ranks[AT_ONCE], there[AT_ONCE];
  if (mpi_function(Group_size)(group, &size) != 0) return 1;
  for (int from = 0; from < size; from += AT_ONCE) {
    int n = size - from < AT_ONCE ? size - from : AT_ONCE;
    for (int i = 0; i < n; i++)
      ranks[i] = from + i;
    if (mpi_function(Group_translate_ranks)(group, n, ranks, world, there) != 0) return 1;
    for (int i = 0; i < n; i++)
      if (there[i] == MPI_UNDEFINED_NUMBER) return 1;
  }
  return 0;
}

int apmpi_all_agreed(mpi_handle comm) {
  mpi_handle world = mpi_constant(COMM_WORLD), group = 0, of_world = 0;
  int between = 0, strangers = 1;
  if (mpi_same(comm, world)) return 1;
  if (!mpi_function(Comm_test_inter) || !mpi_function(Comm_group) || !mpi_function(Group_size) ||
      !mpi_function(Group_translate_ranks) || !mpi_function(Group_free))
    return 0;
  if (mpi_function(Comm_test_inter)(comm, &between) != 0 || between) return 0;
  if (mpi_function(Comm_group)(comm, &group) != 0) return 0;
  if (mpi_function(Comm_group)(world, &of_world) == 0) {
    strangers = has_strangers(group, of_world);
    mpi_function(Group_free)(&of_world);
  }
  mpi_function(Group_free)(&group);
  return !strangers;
}

#define SUMS(number)                                                                               \
  int64_t apmpi_sum_of_##number(const number *counts, int n) {                                     \
    int64_t sum = 0;                                                                               \
    for (int i = 0; i < n; i++)                                                                    \
      sum += counts[i];                                                                            \
    return sum;                                                                                    \
  }                                                                                                \
  int64_t apmpi_types_of_##number(const number *counts, const void *types, int n) {                \
    int64_t sum = 0;                                                                               \
    for (int i = 0; i < n; i++)                                                                    \
      sum += apmpi_sized(counts[i], mpi_handle_at(types, i));                                      \
    return sum;                                                                                    \
  }
SUMS(int)
SUMS(int64_t)
