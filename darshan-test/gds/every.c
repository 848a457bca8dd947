/* Calls every wrapped function of cuFile, or of hipFile with -DHIP, with one file for each kind of
 * call. Prints what a record must have: file, counter, number. With -DBY_NAME it opens the library
 * that the first argument names, and gets each function by dlsym, as kvikio and ctypes do. With
 * -DPLUGIN it is a library, whose function `every` does all. */
#include "gds.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef BY_NAME
static void *library;
#define TEXT_(word) #word
#define TEXT(word) TEXT_(word)
/* Returns a function of the opened library. Ends the program with status 2 if there is none. */
#define F(name) ((__typeof__(&name))(uintptr_t)asked(TEXT(name)))
static void *asked(const char *name) {
  void *found = dlsym(library, name);
  if (!found) exit(2);
  return found;
}
#else
#define F(name) name
#endif
void synchronize_stream(void);

enum { BLOCK = 64 << 10, BLOCKS = 8 };
static char memory[BLOCK * BLOCKS];

static void must(int done, int line) {
  if (!done) {
    fprintf(stderr, "every.c:%d failed\n", line);
    exit(1);
  }
}
/* Ends the program if something is not right. line: of this file, for the message. */
#define MUST(condition) must(condition, __LINE__)
#define DONE(call) must((call).err == GPU_FILE_SUCCESS, __LINE__)

/* Prints what the record of a file must have. name: of the file. */
static void say(const char *name, const char *counter, long number) {
  printf("%s %s %ld\n", name, counter, number);
}

/* A file that is open and registered. */
struct opened {
  const char *name;
  int fd;
  gpu_file_t fh;
};

/* Creates a file, opens it and registers its descriptor. */
static struct opened begin(const char *name) {
  struct opened opened = {name, open(name, O_RDWR | O_CREAT, 0600), NULL};
  gpu_descr_t descr = {.type = GPU_FILE_OPAQUE_FD, .handle = {.fd = opened.fd}};
  MUST(opened.fd >= 0);
  DONE(F(cuFileHandleRegister)(&opened.fh, &descr));
  say(name, "OPENS", 1);
  return opened;
}
/* Removes the registration of a file, and closes it. */
static void end(const struct opened *opened) {
  F(cuFileHandleDeregister)(opened->fh);
  close(opened->fd);
}

/* Prints what a record must have for a transfer. counter: of calls. size, offset: bytes. */
static void moved(const struct opened *opened, const char *counter, int writes, size_t size,
                  off_t offset) {
  say(opened->name, counter, 1);
  say(opened->name, writes ? "BYTES_WRITTEN" : "BYTES_READ", (long)size);
  say(opened->name, writes ? "SIZE_WRITE" : "SIZE_READ", (long)size);
  if (size % 4096 || offset % 4096) say(opened->name, "UNALIGNED", 1);
}

/* Makes synchronous reads and writes, one of them unaligned, and two registrations that must fail:
 * of a file and of a buffer. Prints what it did. */
static void now(void) {
  struct opened file = begin("now.dat");
  gpu_descr_t wrong = {.type = GPU_FILE_OPAQUE_FD, .handle = {.fd = -1}};
  gpu_file_t none;
  for (int i = 0; i < BLOCKS; i++) {
    MUST(F(cuFileWrite)(file.fh, memory, BLOCK, (off_t)i * BLOCK, (off_t)i * BLOCK) == BLOCK);
    moved(&file, "WRITES", 1, BLOCK, 0);
  }
  MUST(F(cuFileRead)(file.fh, memory, 100, 5000, 0) == 100);
  moved(&file, "READS", 0, 100, 5000);
  MUST(F(cuFileRead)(file.fh, memory, BLOCK, BLOCK, 0) == BLOCK);
  moved(&file, "READS", 0, BLOCK, BLOCK);
  MUST(F(cuFileHandleRegister)(&none, &wrong).err != GPU_FILE_SUCCESS);
  MUST(F(cuFileBufRegister)(NULL, 0, 1).err != GPU_FILE_SUCCESS);
  end(&file);
}

/* Makes reads and writes in a stream of the GPU. */
static void streamed(void) {
  struct opened file = begin("stream.dat");
  size_t size = BLOCK;
  off_t offset = 0, zero = 0;
  ssize_t bytes[2];
  DONE(F(cuFileWriteAsync)(file.fh, memory, &size, &offset, &zero, &bytes[0], NULL));
  moved(&file, "NB_WRITES", 1, size, 0);
  F(synchronize_stream)();
  DONE(F(cuFileReadAsync)(file.fh, memory, &size, &offset, &zero, &bytes[1], NULL));
  moved(&file, "NB_READS", 0, size, 0);
  F(synchronize_stream)();
  MUST(bytes[0] == BLOCK && bytes[1] == BLOCK);
  end(&file);
}

/* Makes reads and writes of two files in a batch. */
static void batch(void) {
  struct opened files[2] = {begin("batch-1.dat"), begin("batch-2.dat")};
  gpu_batch_t batch;
  gpu_io_params_t params[4];
  gpu_io_events_t events[4];
  DONE(F(cuFileBatchIOSetUp)(&batch, 4));
  for (int writes = 1; writes >= 0; writes--) {
    unsigned nr = 4;
    memset(params, 0, sizeof(params));
    for (int i = 0; i < 4; i++) {
      params[i].mode = GPU_FILE_BATCH;
      params[i].fh = files[i % 2].fh;
      params[i].opcode = writes ? GPU_FILE_WRITE : GPU_FILE_READ;
      params[i].u.batch.devPtr_base = memory;
      params[i].u.batch.file_offset = (off_t)(i / 2) * BLOCK;
      params[i].u.batch.size = BLOCK;
    }
    DONE(F(cuFileBatchIOSubmit)(batch, 4, params, 0));
    DONE(F(cuFileBatchIOGetStatus)(batch, 4, &nr, events, NULL));
    for (int i = 0; i < 4; i++) {
      MUST(events[i].ret == BLOCK);
      moved(&files[i % 2], writes ? "BATCH_WRITES" : "BATCH_READS", writes, BLOCK, 0);
    }
  }
  F(cuFileBatchIODestroy)(batch);
  end(&files[0]);
  end(&files[1]);
}

#ifdef PLUGIN
int every(const char *unused);
int every(const char *unused) {
  (void)unused;
#else
int main(int argc, char **argv) {
#ifdef BY_NAME
  MUST(argc > 1 && (library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) != NULL);
#endif
  (void)argc;
  (void)argv;
#endif
  DONE(F(cuFileDriverOpen)());
  DONE(F(cuFileBufRegister)(memory, sizeof(memory), 0));
  say("<driver>", "BUFFERS", 1);
  say("<driver>", "BUFFER_BYTES", sizeof(memory));
  now();
  streamed();
  batch();
  DONE(F(cuFileBufDeregister)(memory));
  DONE(F(cuFileDriverClose)());
#ifndef HIP
  DONE(F(cuFileDriverClose_v2)());
#endif
  return 0;
}
