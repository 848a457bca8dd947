/* Counts reads, writes, seeks and flushes of file data. */
#include "posix.h"

#include "../../counting/size-bins.h"
#include "account.h"

/* Counters of reads and of writes must be adjacent, because one function serves both. */
static_assert(POSIX_WRITES == POSIX_READS + 1, "pairs");
static_assert(POSIX_BYTES_WRITTEN == POSIX_BYTES_READ + 1, "pairs");
static_assert(POSIX_MAX_BYTE_WRITTEN == POSIX_MAX_BYTE_READ + 1, "pairs");
static_assert(POSIX_CONSEC_WRITES == POSIX_CONSEC_READS + 1, "pairs");
static_assert(POSIX_SEQ_WRITES == POSIX_SEQ_READS + 1, "pairs");
static_assert(POSIX_MAX_WRITE_TIME_SIZE == POSIX_MAX_READ_TIME_SIZE + 1, "pairs");
static_assert(POSIX_SIZE_WRITE_0_100 == POSIX_SIZE_READ_0_100 + 10, "pairs");
static_assert(POSIX_F_WRITE_START_TIMESTAMP == POSIX_F_READ_START_TIMESTAMP + 1, "pairs");
static_assert(POSIX_F_WRITE_END_TIMESTAMP == POSIX_F_READ_END_TIMESTAMP + 1, "pairs");
static_assert(POSIX_F_WRITE_TIME == POSIX_F_READ_TIME + 1, "pairs");
static_assert(POSIX_F_MAX_WRITE_TIME == POSIX_F_MAX_READ_TIME + 1, "pairs");

/* Returns 1 if an address or offset is no multiple of the alignment (bytes, above 0), else 0. */
static inline int misaligned(uint64_t address, uint64_t alignment) {
  if (LIKELY((alignment & (alignment - 1)) == 0)) return (address & (alignment - 1)) != 0;
  return address % alignment != 0;
}

static inline ALWAYS_INLINE void count_pattern(struct posix_file *file, int op, int64_t bytes,
                                               int64_t offset) {
  int64_t *counters = file->record->counters;
  struct posix_values *values = file->aux->values;
  int64_t last = file->last_byte[op];
  int64_t end = offset + bytes - 1;
  counters[POSIX_SEQ_READS + op - 1] += offset > last;
  counters[POSIX_CONSEC_READS + op - 1] += offset == last + 1;
  int64_t stride = offset > last && last != 0 ? offset - last - 1 : 0;
  common_values_count(&values->stride, &darshan_scratch, &counters[POSIX_STRIDE1_STRIDE],
                      &counters[POSIX_STRIDE1_COUNT], stride);
  common_values_count(&values->access, &darshan_scratch, &counters[POSIX_ACCESS1_ACCESS],
                      &counters[POSIX_ACCESS1_COUNT], bytes);
  file->last_byte[op] = end;
  file->offset = offset + bytes;
  if (counters[POSIX_MAX_BYTE_READ + op - 1] < end) counters[POSIX_MAX_BYTE_READ + op - 1] = end;
}

static inline ALWAYS_INLINE void count_times(struct posix_file *file, int op, int64_t bytes,
                                             uint64_t t1, uint64_t t2) {
  double *times = file->record->fcounters;
  struct clock_span at = ticks_span(t1, t2);
  posix_note_start(file, POSIX_F_READ_START_TIMESTAMP + op - 1, at.start);
  times[POSIX_F_READ_END_TIMESTAMP + op - 1] = at.end;
  if (at.end - at.start >= times[POSIX_F_MAX_READ_TIME + op - 1]) {
    times[POSIX_F_MAX_READ_TIME + op - 1] = at.end - at.start;
    file->record->counters[POSIX_MAX_READ_TIME_SIZE + op - 1] = bytes;
  }
  posix_add_time(file, POSIX_F_READ_TIME + op - 1, op, at);
}

static inline ALWAYS_INLINE void count_all_else(struct posix_file *file, int op, int64_t bytes,
                                                int64_t offset, int memory_misaligned, uint64_t t1,
                                                uint64_t t2) {
  int64_t *counters = file->record->counters;
  counters[POSIX_READS + op - 1]++;
  counters[POSIX_BYTES_READ + op - 1] += bytes;
  counters[POSIX_SIZE_READ_0_100 + 10 * (op - 1) + size_bin(bytes)]++;
  counters[POSIX_MEM_NOT_ALIGNED] += memory_misaligned;
  counters[POSIX_RW_SWITCHES] += (int)file->last_operation == 3 - op;
  file->last_operation = (uint32_t)op;
  count_pattern(file, op, bytes, offset);
  count_times(file, op, bytes, t1, t2);
}

enum { NO_BYTE = -1 }; /* value of last_byte after a transfer of zero bytes at offset 0 */

/* Slow path of count_transfer, with its arguments, for a file without an alignment or with an
 * unknown position. Counts the transfer and returns its offset; -1 if the file's position is
 * unknown and `offset` is POSIX_HERE. While the position is unknown, sequential and consecutive
 * accesses are counted by the transfers of this process alone. At a known offset, the comparison
 * with the previous access starts again. */
static __attribute__((noinline)) int64_t count_off_grid(struct posix_file *file, int op,
                                                        int64_t bytes, int64_t offset,
                                                        int memory_misaligned, uint64_t t1,
                                                        uint64_t t2) {
  int here = offset == POSIX_HERE;
  if (here) offset = file->adrift ? file->adrift : file->offset;
  if (offset >= 0 && file->last_byte[op] < NO_BYTE) file->last_byte[op] = 0;
  if (offset >= 0 && file->grid)
    file->record->counters[POSIX_FILE_NOT_ALIGNED] += misaligned((uint64_t)offset, file->grid);
  count_all_else(file, op, bytes, offset, memory_misaligned, t1, t2);
  if (offset >= 0) return offset;
  file->adrift = offset + bytes;
  posix_ext_locked(file, op == POSIX_READ ? POSIX_EXT_UNPLACED_READ : POSIX_EXT_UNPLACED_WRITTEN,
                   bytes);
  return -1;
}

/* Counts a transfer in the record of its file and moves the tracked position to its end. op:
 * POSIX_READ or POSIX_WRITE. memory_misaligned: 1 if the buffer is not aligned. Returns its offset;
 * -1 if the file's position is unknown and `offset` is POSIX_HERE. The caller holds the record's
 * lock. Inlined, because a constant op saves a fifth of the instructions. */
static inline ALWAYS_INLINE int64_t count_transfer(struct posix_file *file, int op, int64_t bytes,
                                                   int64_t offset, int memory_misaligned,
                                                   uint64_t t1, uint64_t t2) {
  if (UNLIKELY(file->alignment == 0))
    return count_off_grid(file, op, bytes, offset, memory_misaligned, t1, t2);
  if (offset == POSIX_HERE) offset = file->offset;
  file->record->counters[POSIX_FILE_NOT_ALIGNED] += misaligned((uint64_t)offset, file->alignment);
  count_all_else(file, op, bytes, offset, memory_misaligned, t1, t2);
  return offset;
}

static inline ALWAYS_INLINE void transferred(struct posix_file *file, int op, int64_t bytes,
                                             int64_t offset, const void *memory, uint64_t t1,
                                             uint64_t t2) {
  if (bytes < 0 || !posix_lock(file)) return;
  int unaligned = misaligned((uintptr_t)memory, posix_state.mem_alignment);
  offset = count_transfer(file, op, bytes, offset, unaligned, t1, t2);
  posix_unlock_transfer(file, op == POSIX_WRITE, bytes, offset, t1, t2);
}

void posix_read_done(struct posix_file *file, int64_t bytes, int64_t offset, const void *memory,
                     uint64_t t1, uint64_t t2) {
  transferred(file, POSIX_READ, bytes, offset, memory, t1, t2);
}

void posix_write_done(struct posix_file *file, int64_t bytes, int64_t offset, const void *memory,
                      uint64_t t1, uint64_t t2) {
  transferred(file, POSIX_WRITE, bytes, offset, memory, t1, t2);
}

static int64_t count_either(struct posix_file *file, int op, int64_t bytes, int64_t offset,
                            int memory_misaligned, uint64_t t1, uint64_t t2) {
  return count_transfer(file, op, bytes, offset, memory_misaligned, t1, t2);
}

void posix_vector(struct posix_file *file, enum posix_operation operation, int64_t bytes,
                  int64_t offset, const struct iovec *iov, int n, uint64_t t1, uint64_t t2) {
  if (bytes < 0 || !posix_lock(file)) return;
  int unaligned = 0;
  for (int i = 0; i < n; i++)
    unaligned |= misaligned((uintptr_t)iov[i].iov_base, posix_state.mem_alignment);
  offset = count_either(file, operation, bytes, offset, unaligned, t1, t2);
  posix_unlock_transfer(file, operation == POSIX_WRITE, bytes, offset, t1, t2);
}

void posix_copied(struct posix_file *in, struct posix_file *out, int64_t bytes, int64_t in_offset,
                  int64_t out_offset, int counter, uint64_t t1, uint64_t t2) {
  struct posix_file *side[2] = {in, out};
  int64_t offset[2] = {in_offset, out_offset};
  /* If both files are recorded, half of the time counts as read and half as write; otherwise a copy
   * would count twice as long as it took. */
  uint64_t middle = in && out ? t1 + (t2 - t1) / 2 : 0;
  uint64_t from[2] = {t1, middle ? middle : t1}, to[2] = {middle ? middle : t2, t2};
  if (bytes < 0) return;
  record_make_room(STORE_POSIX_EXT);
  for (int i = 0; i < 2; i++) {
    if (!side[i] || !posix_lock(side[i])) continue;
    int64_t at = count_either(side[i], i == 0 ? POSIX_READ : POSIX_WRITE, bytes, offset[i], 0,
                              from[i], to[i]);
    posix_ext_locked(side[i], counter, 1);
    posix_unlock_transfer(side[i], i == 1, bytes, at, from[i], to[i]);
  }
}

/* Returns the offset at which a pwritev2 with these arguments wrote `bytes` bytes (negative: it
 * failed); POSIX_HERE: at the file's position. With RWF_APPEND the call writes at the end of the
 * file, whatever its offset argument is. */
int64_t posix_write_place(int fd, int64_t offset, int flags, int64_t bytes) {
  enum { APPEND = 0x10 /* RWF_APPEND */ };
  struct stat st;
  if (!(flags & APPEND)) return offset == -1 ? POSIX_HERE : offset;
  if (bytes < 0 || sys_fstat(fd, &st) < 0) return POSIX_HERE;
  return st.st_size - bytes;
}

int64_t posix_next_place(int fd) {
  struct stat st;
  if ((SYS3(SYS_fcntl, fd, F_GETFL, 0) & O_APPEND) && sys_fstat(fd, &st) == 0) return st.st_size;
  return SYS3(SYS_lseek, fd, 0, SEEK_CUR);
}

void posix_grew(struct posix_file *file, int fd, int64_t start, uint64_t t1, uint64_t t2) {
  int64_t end = start < 0 ? -1 : SYS3(SYS_lseek, fd, 0, SEEK_CUR);
  if (end > start) posix_write_done(file, end - start, start, NULL, t1, t2);
}

void posix_set_adrift(struct posix_file *file, int appends) {
  if (!file->adrift) {
    file->grid = file->alignment;
    file->adrift = POSIX_ADRIFT;
  }
  file->alignment = 0;
  file->appends = appends != 0;
}

void posix_anchored(struct posix_file *file) {
  if (!file->adrift) return;
  file->adrift = 0;
  file->alignment = file->grid;
  for (int op = POSIX_READ; op <= POSIX_WRITE; op++)
    if (file->last_byte[op] < NO_BYTE) file->last_byte[op] = 0;
}

void posix_seeked(struct posix_file *file, int64_t offset, uint64_t t1, uint64_t t2) {
  if (offset < 0 || !posix_lock(file)) return;
  file->record->counters[POSIX_SEEKS]++;
  file->offset = offset;
  if (UNLIKELY(file->adrift != 0) && !file->appends) posix_anchored(file);
  posix_add_meta_time(file, t1, t2);
  posix_unlock_other(file, SITE_SEEK, t1, t2);
}

void posix_synced(struct posix_file *file, int counter, uint64_t t1, uint64_t t2) {
  record_make_room(STORE_POSIX_EXT);
  if (!posix_lock(file)) return;
  struct clock_span at = ticks_span(t1, t2);
  file->record->counters[counter]++;
  posix_add_time(file, POSIX_F_WRITE_TIME, POSIX_WRITE, at);
  posix_ext_time_locked(file, POSIX_EXT_F_FSYNC_TIME, t1, t2);
  posix_unlock_other(file, SITE_SYNC, t1, t2);
}
