/* Remedies that `darshan try` applies to one run, below the wrappers: a remedy replaces a real
 * function, so the wrapper that calls it records the program's I/O with the remedy. Only
 * libdarshan-try.so contains this folder; libdarshan.so is made of the same objects without it. */
#ifndef DARSHAN_REMEDIES_H
#define DARSHAN_REMEDIES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct library;
struct stat;

/* Names of remedies in DARSHAN_TRY. If no value is explained, any value above 0 switches the remedy
 * on. */
#define CHUNK_CACHE "chunk-cache"   /* its value is the size of the cache in bytes */
#define SIEVE_BUFFER "sieve-buffer" /* the value is the size of the buffer in bytes */
#define PAGE_BUFFER "page-buffer"   /* its value is the size of the buffer in bytes */
#define STDIO_BUFFER "stdio-buffer" /* the value is the size of the buffer in bytes */
#define FLUSH_DELAY "flush-delay"   /* its value is the size of the buffer in bytes */
#define JOIN_WRITES "join-writes"   /* its value is the size of the buffer in bytes */
#define NEXT_FILE "next-file"       /* the value is 1 */
#define SQLITE_CACHE "sqlite-cache" /* its value is the size of the cache in bytes */
#define FILL_TIME "fill-time"       /* the value is 1 */
#define DURABILITY "durability"
#define COLLECTIVE_BUFFERING "collective-buffering"
#define NO_DATA_SIEVING "no-data-sieving"
#define AGGREGATORS "aggregators" /* its value is the number of aggregators */

/* Returns the value of a remedy, a decimal number, in the environment variable DARSHAN_TRY
 * ("name=value;name=value"), as it was at the first call; 0 if the variable does not name the
 * remedy, which is then off. Only `darshan try` sets the variable. */
uint64_t remedy_value(const char *name);

/* Returns the path of the file that lists the files of the remedy next-file: their paths, each with
 * a NUL at its end. It is the value that the environment variable DARSHAN_TRY_NAMES had at the
 * first call of this function or of remedy_value; "" if it was not set or is too long. */
const char *remedy_names(void);

/* A function of libc or MPI that a remedy replaces. Several remedies may replace the same function:
 * each calls the replacement before it, and the first calls the library. */
struct replacement {
  const char *name; /* of the replaced function */
  void *instead;    /* the remedy's function, which wrappers call in its place */
  void **real;      /* receives the function that `instead` must call */
};

/* The replacements of each remedy; a row without a name ends each array. */
extern const struct replacement durability_replacements[];
extern const struct replacement stream_replacements[];
extern const struct replacement signal_replacements[];
extern const struct replacement limit_replacements[];
extern const struct replacement flush_replacements[];
extern const struct replacement open_replacements[];
extern const struct replacement read_ahead_replacements[];
extern const struct replacement join_writes_replacements[];

enum { FIRST_OWN = 3 }; /* descriptors below are the standard streams, which no remedy serves */

/* Called after the program opened a regular file as fd with these flags of open. Each function
 * applies its remedy to the descriptor if DARSHAN_TRY names the remedy: advice_opened calls
 * posix_fadvise with the remedy's value, unless the file is open only for writing;
 * next_file_opened makes the kernel read the next file of a list; read_ahead_opened serves reads
 * from a buffer; join_writes_opened joins small writes. st: of the file. stream: the stream of libc
 * that opened the file, whose own writes no remedy sees, or NULL. */
void advice_opened(int fd, int flags);
void next_file_opened(int fd, int flags);
void read_ahead_opened(int fd, int flags, const struct stat *st);
void join_writes_opened(int fd, int flags, const struct stat *st, const FILE *stream);

/* Advises the kernel to read the whole file into the page cache (POSIX_FADV_WILLNEED). Errors are
 * ignored. */
void advice_need(int fd);

/* Ends the remedy next-file for good, because the process uses inotify or fanotify, which would
 * show that the remedy opens files. */
void next_file_stop(void);

/* read_ahead_stop and join_writes_stop end their remedy for all descriptors, also for those that
 * are opened later. read_ahead_stop sets the kernel's positions; join_writes_stop writes the
 * delayed bytes. Called before the process first calls vfork or clone (the child shares this
 * memory, so a descriptor that it closes would also count as closed in the parent), before it uses
 * inotify or io_uring, and if a list of files is full; join_writes_stop also at exit and before the
 * size of files is limited. */
void read_ahead_stop(void);
void join_writes_stop(void);

/* Sets the kernel's positions of all descriptors that read-ahead serves, and stops serving them,
 * because the process opened a file that shows the positions (/proc/self/fdinfo). Descriptors that
 * are opened later are served again. */
void read_ahead_shown(void);

/* Writes all bytes that join-writes has delayed to their descriptors, without taking a lock, when a
 * signal ends the process. Errors are not reported. Async-signal-safe. */
void join_writes_save(void);

/* Returns `size` bytes of zeroed memory for a buffer, which is never freed; NULL if out of memory.
 * Returns NULL also if the process has a limit of its address space or data (RLIMIT_AS,
 * RLIMIT_DATA), because the program may need all memory that the limit allows, or of the size of
 * files (RLIMIT_FSIZE), because the write that exceeds the limit must be the one that fails. */
void *remedy_memory(size_t size);

/* Returns 1 if n bytes at this address can belong to a program. Returns 0 for other addresses,
 * which the remedy must not access; the kernel refuses them with EFAULT. Does not check whether the
 * pages are mapped. */
static inline int is_address(const void *at, size_t n) {
#if defined(__aarch64__)
  enum { LOWEST = 1 << 16, BITS = 48 };
#else
  enum { LOWEST = 1 << 16, BITS = 47 };
#endif
  uintptr_t first = (uintptr_t)at;
  return first >= LOWEST && first < (uintptr_t)1 << BITS && n < (uintptr_t)1 << BITS;
}

/* Returns 1 if the descriptor refers to a file that the kernel generates, such as /proc/self/comm,
 * else 0. In such a file each write is a command, and each read may return other bytes, so no
 * remedy applies. */
int is_kernel_file(int fd);

/* Returns 1 if the system call of this number uses no descriptor and starts no process, else 0. */
int is_harmless_call(long number);

/* Any function of libc with up to six arguments that are integers or addresses. */
typedef long any_function(long, long, long, long, long, long);

/* Returns the function to call in place of function `name` of an HDF5 library: that of a remedy, or
 * `real`, the library's own function, if no remedy replaces it. */
void *hdf5_function(const struct library *library, const char *name, void *real);

#endif
