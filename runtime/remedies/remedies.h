/* Remedies that `darshan try` applies for one run, below the wrappers: a remedy replaces a real
 * function, so the wrapper above it records what the program does with the remedy. Only
 * libdarshan-try.so has this folder; libdarshan.so is made of the same objects without it. */
#ifndef DARSHAN_REMEDIES_H
#define DARSHAN_REMEDIES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct library;
struct stat;

#define CHUNK_CACHE "chunk-cache"   /* its value is the size of the cache in bytes */
#define SIEVE_BUFFER "sieve-buffer" /* the values of both are the size of the buffer in bytes */
#define PAGE_BUFFER "page-buffer"
#define STDIO_BUFFER "stdio-buffer" /* the values of both are the size of the buffer in bytes */
#define FLUSH_DELAY "flush-delay"
#define JOIN_WRITES "join-writes"   /* its value is the size of the buffer in bytes */
#define SQLITE_CACHE "sqlite-cache" /* its value is the size of the cache in bytes */
#define FILL_TIME "fill-time"       /* the values of both are 1 */
#define DURABILITY "durability"
#define COLLECTIVE_BUFFERING "collective-buffering"
#define NO_DATA_SIEVING "no-data-sieving"
#define AGGREGATORS "aggregators" /* its value is their number */

/* Returns the value of a remedy in DARSHAN_TRY ("name=value;name=value"); 0 if the variable does
 * not name it. Only `darshan try` sets the variable. */
uint64_t remedy_value(const char *name);

/* A function of libc that a remedy replaces. Several remedies may replace the same function: each
 * calls the one before it, and the first calls libc. */
struct replacement {
  const char *name;
  void *instead;
  void **real; /* receives the function that `instead` has to call */
};

/* Each ends with a row without a name. */
extern const struct replacement durability_replacements[];
extern const struct replacement stream_replacements[];
extern const struct replacement signal_replacements[];
extern const struct replacement limit_replacements[];
extern const struct replacement flush_replacements[];
extern const struct replacement open_replacements[];
extern const struct replacement read_ahead_replacements[];
extern const struct replacement join_writes_replacements[];

enum { FIRST_OWN = 3 }; /* standard descriptors are left alone */

/* Called after the program opened a regular file as fd with these flags of open. Each function
 * applies its remedy to the descriptor if DARSHAN_TRY names the remedy: gives advice to the kernel;
 * serves reads from a buffer; joins small writes. stream: the stream of libc that opened the file,
 * whose own writes no remedy sees, or NULL. */
void advice_opened(int fd, int flags);
void read_ahead_opened(int fd, int flags, const struct stat *st);
void join_writes_opened(int fd, int flags, const struct stat *st, const FILE *stream);

/* Stop the remedy for all descriptors; join_writes_stop first writes the delayed bytes. Called
 * before the process first calls vfork or clone: the child shares this memory, so a descriptor that
 * it closes would count as closed here. */
void read_ahead_stop(void);
void join_writes_stop(void);

/* Writes the positions of all descriptors that read-ahead serves to the kernel, and serves them no
 * more, because the process opened a file that shows them (/proc/self/fdinfo). */
void read_ahead_shown(void);

/* Writes all delayed bytes to their descriptors. Async-signal-safe. */
void join_writes_save(void);

/* Returns memory for a buffer; NULL if out of memory, or if the process has a limit of its address
 * space or data (RLIMIT_AS, RLIMIT_DATA): the program may need all memory that the limit leaves.
 * Returns NULL also if the size of files is limited (RLIMIT_FSIZE), because the write that exceeds
 * the limit must be the one that fails. The memory is never freed. */
void *remedy_memory(size_t size);

/* Returns 1 if n bytes at this address can belong to a program, else 0: the kernel refuses other
 * addresses with EFAULT, and the remedy must not access them. Does not check whether the pages are
 * mapped. */
static inline int is_address(const void *at, size_t n) {
#if defined(__aarch64__)
  enum { LOWEST = 1 << 16, BITS = 48 };
#else
  enum { LOWEST = 1 << 16, BITS = 47 };
#endif
  uintptr_t first = (uintptr_t)at;
  return first >= LOWEST && first < (uintptr_t)1 << BITS && n < (uintptr_t)1 << BITS;
}

/* Returns 1 if the descriptor refers to a file that the kernel makes, such as /proc/self/comm, else
 * 0. In these files each write is a command, and each read may return other bytes, so no remedy
 * applies. */
int is_kernel_file(int fd);

/* Returns 1 if the system call of this number uses no descriptor and starts no process, else 0. */
int is_harmless_call(long number);

/* Any function of libc with up to six arguments that are integers or addresses. */
typedef long any_function(long, long, long, long, long, long);

/* Returns the function to call in place of function `name` of an HDF5 library: that of a remedy, or
 * `real` if no remedy replaces it. */
void *hdf5_function(const struct library *library, const char *name, void *real);

#endif
