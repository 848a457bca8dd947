/* A stand-in for libcufile or, with -DHIP, libhipfile. The program's own memory serves as memory of
 * the GPU. A batch is executed when the program queries its status, and a stream at
 * synchronize_stream. Each transfer first sleeps for STANDIN_DELAY microseconds. STANDIN_PATH
 * selects how bytes are moved. compat: by pread and pwrite in the calling thread. threads: the same
 * in another thread, as the real libraries do for large requests. direct: by a mapping of the file,
 * which stands for a path without reads of the kernel. */
#include "gds.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A registered file. */
struct file {
  int fd;
};
/* One transfer. */
struct move {
  struct file *file;
  char *memory;
  size_t size;
  off_t offset;
  int writes;
  ssize_t moved;
  void *cookie;
  ssize_t *told;
};
enum { MOST = 64 };
/* Transfers that wait to be executed. */
struct batch {
  struct move moves[MOST];
  unsigned count;
};

static const gpu_error_t success = {GPU_FILE_SUCCESS, 0}, failed = {GPU_FILE_FAILED, 0};
static struct batch stream;

/* Returns the value of STANDIN_PATH; "direct" if it is not set. */
static const char *path(void) {
  const char *path = getenv("STANDIN_PATH");
  return path ? path : "direct";
}

/* Executes a transfer by a system call; the function of a thread. move_: the transfer. */
static void *copy(void *move_) {
  struct move *move = move_;
  move->moved = move->writes ? pwrite(move->file->fd, move->memory, move->size, move->offset)
                             : pread(move->file->fd, move->memory, move->size, move->offset);
  return NULL;
}

/* Executes a transfer by a mapping of the file. */
static void map(struct move *move) {
  struct stat status;
  size_t end = (size_t)move->offset + move->size;
  int can = move->writes ? PROT_READ | PROT_WRITE : PROT_READ;
  move->moved = -1;
  if (fstat(move->file->fd, &status) != 0) return;
  if (move->writes && (size_t)status.st_size < end && ftruncate(move->file->fd, (off_t)end)) return;
  if (!move->writes && (size_t)status.st_size < end) end = (size_t)status.st_size;
  char *bytes = mmap(NULL, end, can, MAP_SHARED, move->file->fd, 0);
  if (bytes == MAP_FAILED) return;
  move->moved = (ssize_t)(end - (size_t)move->offset);
  if (move->writes)
    memcpy(bytes + move->offset, move->memory, (size_t)move->moved);
  else
    memcpy(move->memory, bytes + move->offset, (size_t)move->moved);
  munmap(bytes, end);
}

/* Executes a transfer as STANDIN_PATH says. */
static void run(struct move *move) {
  const char *delay = getenv("STANDIN_DELAY");
  pthread_t thread;
  if (delay) usleep((useconds_t)atoi(delay));
  if (strcmp(path(), "direct") == 0)
    map(move);
  else if (strcmp(path(), "compat") == 0)
    copy(move);
  else if (pthread_create(&thread, NULL, copy, move) == 0)
    pthread_join(thread, NULL);
  if (move->told) *move->told = move->moved;
}

/* Executes all transfers of a batch. */
static void run_all(struct batch *batch) {
  for (unsigned i = 0; i < batch->count; i++)
    run(&batch->moves[i]);
}

gpu_error_t cuFileDriverOpen(void) {
  usleep(1000);
  return success;
}
gpu_error_t cuFileDriverClose(void) {
  return success;
}
#ifndef HIP
gpu_error_t cuFileDriverClose_v2(void) {
  return success;
}
#endif
gpu_error_t cuFileBufRegister(const void *base, size_t length, int flags) {
  return base && length && flags == 0 ? success : failed;
}
gpu_error_t cuFileBufDeregister(const void *base) {
  return base ? success : failed;
}

gpu_error_t cuFileHandleRegister(gpu_file_t *fh, gpu_descr_t *descr) {
  struct stat status;
  if (descr->type != GPU_FILE_OPAQUE_FD || fstat(descr->handle.fd, &status) != 0) return failed;
  struct file *file = malloc(sizeof(*file));
  if (!file) return failed;
  file->fd = descr->handle.fd;
  *fh = file;
  return success;
}
void cuFileHandleDeregister(gpu_file_t fh) {
  free(fh);
}

/* Executes a transfer, and returns the number of moved bytes. */
static ssize_t now(gpu_file_t fh, void *memory, size_t size, off_t offset, int writes) {
  struct move move = {fh, memory, size, offset, writes, 0, NULL, NULL};
  run(&move);
  return move.moved;
}
ssize_t cuFileRead(gpu_file_t fh, void *base, size_t size, off_t file_offset, off_t base_offset) {
  return now(fh, (char *)base + base_offset, size, file_offset, 0);
}
ssize_t cuFileWrite(gpu_file_t fh, const void *base, size_t size, off_t file_offset,
                    off_t base_offset) {
  return now(fh, (char *)(size_t)base + base_offset, size, file_offset, 1);
}

/* Adds a transfer to a batch; fails if the batch is full. */
static gpu_error_t add(struct batch *batch, struct move move) {
  if (batch->count == MOST) return failed;
  batch->moves[batch->count++] = move;
  return success;
}
gpu_error_t cuFileReadAsync(gpu_file_t fh, void *base, size_t *size, off_t *file_offset,
                            off_t *base_offset, ssize_t *bytes, gpu_stream_t unused) {
  (void)unused;
  char *memory = (char *)base + *base_offset;
  return add(&stream, (struct move){fh, memory, *size, *file_offset, 0, 0, NULL, bytes});
}
gpu_error_t cuFileWriteAsync(gpu_file_t fh, void *base, size_t *size, off_t *file_offset,
                             off_t *base_offset, ssize_t *bytes, gpu_stream_t unused) {
  (void)unused;
  char *memory = (char *)base + *base_offset;
  return add(&stream, (struct move){fh, memory, *size, *file_offset, 1, 0, NULL, bytes});
}

/* Executes the transfers that wait in the stream, like cudaStreamSynchronize after real GPU work.
 * */
void synchronize_stream(void);
void synchronize_stream(void) {
  run_all(&stream);
  stream.count = 0;
}

gpu_error_t cuFileBatchIOSetUp(gpu_batch_t *batch, unsigned nr) {
  *batch = nr <= MOST ? calloc(1, sizeof(struct batch)) : NULL;
  return *batch ? success : failed;
}
gpu_error_t cuFileBatchIOSubmit(gpu_batch_t batch, unsigned nr, gpu_io_params_t *params,
                                unsigned flags) {
  gpu_error_t result = flags ? failed : success;
  for (unsigned i = 0; i < nr && result.err == GPU_FILE_SUCCESS; i++)
    result =
        add(batch,
            (struct move){params[i].fh,
                          (char *)params[i].u.batch.devPtr_base + params[i].u.batch.devPtr_offset,
                          params[i].u.batch.size, params[i].u.batch.file_offset,
                          params[i].opcode == GPU_FILE_WRITE, 0, params[i].cookie, NULL});
  return result;
}
gpu_error_t cuFileBatchIOGetStatus(gpu_batch_t batch_, unsigned min_nr, unsigned *nr,
                                   gpu_io_events_t *events, struct timespec *timeout) {
  struct batch *batch = batch_;
  (void)timeout;
  if (*nr < batch->count || min_nr > batch->count) return failed;
  run_all(batch);
  for (*nr = 0; *nr < batch->count; ++*nr)
    events[*nr] = (gpu_io_events_t){batch->moves[*nr].cookie, GPU_FILE_COMPLETE,
                                    (size_t)batch->moves[*nr].moved};
  batch->count = 0;
  return success;
}
void cuFileBatchIODestroy(gpu_batch_t batch) {
  free(batch);
}
