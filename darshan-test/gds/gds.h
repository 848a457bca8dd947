/* Declares the part of cuFile's interface that the test programs use and, with -DHIP, that of
 * hipFile, which has the same functions under other names. It was written from their manuals, apart
 * from the runtime's own declarations, so that a mistake in those is noticed. */
#ifndef STANDIN_GDS_H
#define STANDIN_GDS_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#ifdef HIP
#define cuFileDriverOpen hipFileDriverOpen
#define cuFileDriverClose hipFileDriverClose
#define cuFileBufRegister hipFileBufRegister
#define cuFileBufDeregister hipFileBufDeregister
#define cuFileHandleRegister hipFileHandleRegister
#define cuFileHandleDeregister hipFileHandleDeregister
#define cuFileRead hipFileRead
#define cuFileWrite hipFileWrite
#define cuFileReadAsync hipFileReadAsync
#define cuFileWriteAsync hipFileWriteAsync
#define cuFileBatchIOSetUp hipFileBatchIOSetUp
#define cuFileBatchIOSubmit hipFileBatchIOSubmit
#define cuFileBatchIOGetStatus hipFileBatchIOGetStatus
#define cuFileBatchIODestroy hipFileBatchIODestroy
#endif

typedef void *gpu_file_t;
typedef void *gpu_batch_t;
typedef void *gpu_stream_t;
typedef enum { GPU_FILE_SUCCESS = 0, GPU_FILE_FAILED = 5001 } gpu_status_t;
typedef struct {
  gpu_status_t err;
  int driver_err;
} gpu_error_t;
typedef enum { GPU_FILE_OPAQUE_FD = 1, GPU_FILE_OPAQUE_WIN32 = 2 } gpu_handle_type_t;
typedef struct {
  gpu_handle_type_t type;
  union {
    int fd;
    void *handle;
  } handle;
  const void *fs_ops;
} gpu_descr_t;
typedef enum { GPU_FILE_READ = 0, GPU_FILE_WRITE = 1 } gpu_opcode_t;
typedef enum { GPU_FILE_BATCH = 1 } gpu_batch_mode_t;
typedef struct {
  gpu_batch_mode_t mode;
  union {
    struct {
      void *devPtr_base;
      off_t file_offset;
      off_t devPtr_offset;
      size_t size;
    } batch;
  } u;
  gpu_file_t fh;
  gpu_opcode_t opcode;
  void *cookie;
} gpu_io_params_t;
typedef enum { GPU_FILE_WAITING = 1, GPU_FILE_COMPLETE = 16 } gpu_io_status_t;
typedef struct {
  void *cookie;
  gpu_io_status_t status;
  size_t ret;
} gpu_io_events_t;

gpu_error_t cuFileDriverOpen(void);
gpu_error_t cuFileDriverClose(void);
#ifndef HIP
gpu_error_t cuFileDriverClose_v2(void);
#endif
gpu_error_t cuFileBufRegister(const void *base, size_t length, int flags);
gpu_error_t cuFileBufDeregister(const void *base);
gpu_error_t cuFileHandleRegister(gpu_file_t *fh, gpu_descr_t *descr);
void cuFileHandleDeregister(gpu_file_t fh);
ssize_t cuFileRead(gpu_file_t fh, void *base, size_t size, off_t file_offset, off_t base_offset);
ssize_t cuFileWrite(gpu_file_t fh, const void *base, size_t size, off_t file_offset,
                    off_t base_offset);
gpu_error_t cuFileReadAsync(gpu_file_t fh, void *base, size_t *size, off_t *file_offset,
                            off_t *base_offset, ssize_t *bytes, gpu_stream_t stream);
gpu_error_t cuFileWriteAsync(gpu_file_t fh, void *base, size_t *size, off_t *file_offset,
                             off_t *base_offset, ssize_t *bytes, gpu_stream_t stream);
gpu_error_t cuFileBatchIOSetUp(gpu_batch_t *batch, unsigned nr);
gpu_error_t cuFileBatchIOSubmit(gpu_batch_t batch, unsigned nr, gpu_io_params_t *params,
                                unsigned flags);
gpu_error_t cuFileBatchIOGetStatus(gpu_batch_t batch, unsigned min_nr, unsigned *nr,
                                   gpu_io_events_t *events, struct timespec *timeout);
void cuFileBatchIODestroy(gpu_batch_t batch);

#endif
