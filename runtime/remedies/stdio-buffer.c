/* The remedy stdio-buffer: gives streams of regular files a larger buffer, also where the program
 * switches the buffer off. `darshan try` applies it only to runs of one process, so nobody else
 * reads what a stream holds back; what it holds back is written before _exit and fork. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <libc-stream.h>

#include "../intercept/libc-direct.h"
#include "../intercept/real.h"
#include "../intercept/sys.h"
#include "remedies.h"

#define REMEDY "stdio-buffer"

enum { STREAMS = 64, FIRST_OWN = 3 /* descriptors of standard streams are left alone */ };

/* Streams with a buffer of ours. An element is never freed: once its stream is closed, libc uses
 * the address again for a new one. */
static struct held {
  FILE *file;
  void *buffer;
  int is_open; /* and has the buffer */
} streams[STREAMS];

#define SLOT(type, name, params)                                                                   \
  static type(*real_##name) params;                                                                \
  EXPORT type held_##name params __asm__(#name);
SLOT(int, setvbuf, (FILE * file, char *buffer, int mode, size_t size))
SLOT(void, setbuf, (FILE * file, char *buffer))
SLOT(void, setbuffer, (FILE * file, char *buffer, size_t size))
SLOT(void, setlinebuf, (FILE * file))
#undef SLOT
static int (*real_fflush)(FILE *file);
static FILE *(*below_fopen)(const char *path, const char *mode);
static FILE *(*below_fopen64)(const char *path, const char *mode);
static int (*below_fclose)(FILE *file);
static pid_t (*below_fork)(void);
static void (*below__exit)(int status);

/* Returns the stream's element; makes one if `make`; NULL without one. */
static struct held *held_of(FILE *file, int make) {
  for (int n = 0; n < STREAMS; n++) {
    FILE *none = NULL;
    if (__atomic_load_n(&streams[n].file, __ATOMIC_ACQUIRE) == file) return &streams[n];
    if (streams[n].file || !make) continue;
    if (__atomic_compare_exchange_n(&streams[n].file, &none, file, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return &streams[n];
  }
  return NULL;
}

static FILE *with_buffer(FILE *file) {
  size_t size = remedy_value(REMEDY);
  struct stat st;
  int fd = file ? stream_fd(file) : -1;
  if (fd < FIRST_OWN || sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) return file;
  struct held *held = held_of(file, 1);
  if (held && !held->buffer) {
    void *got = sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!sys_failed(got)) held->buffer = got;
  }
  if (held && held->buffer) held->is_open = REAL(setvbuf)(file, held->buffer, _IOFBF, size) == 0;
  return file;
}

static FILE *opened(const char *path, const char *mode) {
  return with_buffer(below_fopen(path, mode));
}

static FILE *opened64(const char *path, const char *mode) {
  return with_buffer(below_fopen64(path, mode));
}

static int closed(FILE *file) {
  struct held *held = held_of(file, 0);
  if (held) held->is_open = 0; /* before another stream can have the address */
  return below_fclose(file);
}

static void write_all(void) {
  for (int n = 0; n < STREAMS; n++)
    if (streams[n].is_open) REAL(fflush)(streams[n].file);
}

static pid_t forked(void) {
  write_all();
  return below_fork();
}

static void ended(int status) {
  write_all();
  below__exit(status);
}

const struct replacement stdio_replacements[] = {
    {REMEDY, "fopen", (void *)opened, (void **)&below_fopen},
    {REMEDY, "fopen64", (void *)opened64, (void **)&below_fopen64},
    {REMEDY, "fclose", (void *)closed, (void **)&below_fclose},
    {REMEDY, "fork", (void *)forked, (void **)&below_fork},
    {REMEDY, "_exit", (void *)ended, (void **)&below__exit},
    {REMEDY, "_Exit", (void *)ended, (void **)&below__exit},
    {NULL, NULL, NULL, NULL},
};

static int has_buffer(FILE *file) {
  const struct held *held = held_of(file, 0);
  return held && held->is_open;
}

int held_setvbuf(FILE *file, char *buffer, int mode, size_t size) {
  if (has_buffer(file)) return 0;
  return REAL(setvbuf)(file, buffer, mode, size);
}

void held_setbuf(FILE *file, char *buffer) {
  if (!has_buffer(file)) REAL(setbuf)(file, buffer);
}

void held_setbuffer(FILE *file, char *buffer, size_t size) {
  if (!has_buffer(file)) REAL(setbuffer)(file, buffer, size);
}

void held_setlinebuf(FILE *file) {
  if (!has_buffer(file)) REAL(setlinebuf)(file);
}
