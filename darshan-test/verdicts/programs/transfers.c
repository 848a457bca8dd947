/* Cases that differ in the sizes and offsets of transfers: transfers CASE [cured]. */
#include "case.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static char room[8 << 20];

static int opened(const char *name, int flags) {
  int fd = open(name, flags, 0644);
  must(fd >= 0, name);
  return fd;
}

static int made(const char *name) {
  return opened(name, O_CREAT | O_TRUNC | O_RDWR);
}

static void put(int fd, size_t size) {
  must(write(fd, room, size) == (ssize_t)size, "write"); /* blame: small-writes header-and-value */
}

static void take(int fd, size_t size, off_t at) {
  /* blame: small-reads random-reads backward-reads one-column read-again */
  must(pread(fd, room, size, at) == (ssize_t)size, "pread");
}

static void small_writes(bool cured) {
  int fd = made("values"), calls = 4000;
  for (int i = 0; i < (cured ? 1 : calls); i++)
    put(fd, cured ? 100u * (unsigned)calls : 100);
  close(fd);
}

static void small_reads(bool cured) {
  int fd = opened("input", O_RDONLY);
  size_t whole = 2 << 20, each = cured ? whole : 512;
  for (size_t at = 0; at < whole; at += each)
    take(fd, each, (off_t)at);
  close(fd);
}

static void byte_reads(bool cured) {
  int fd = opened("input", O_RDONLY);
  if (cured) take(fd, 4000, 0);
  for (int i = 0; !cured && i < 4000; i++)
    must(read(fd, room, 1) == 1, "read"); /* blame: byte-reads */
  close(fd);
}

static void copy_in_blocks(bool cured) {
  int from = opened("input", O_RDONLY), to = made("copy");
  size_t block = cured ? 1 << 20 : 512;
  for (size_t at = 0; at < 1 << 20; at += block) {
    take(from, block, (off_t)at);
    put(to, block);
  }
  close(from), close(to);
}

/* Writes 16 bytes of header and 8 of value with separate calls. */
static void header_and_value(bool cured) {
  int fd = made("values");
  for (int i = 0; i < 2000 && !cured; i++)
    put(fd, 16), put(fd, 8);
  if (cured) put(fd, 48000);
  close(fd);
}

static void gather_vectors(bool cured) {
  struct iovec parts[4] = {{room, 10}, {room + 10, 20}, {room + 30, 30}, {room + 60, 40}};
  int fd = made("values");
  for (int i = 0; i < 4000 && !cured; i++)
    must(writev(fd, parts, 4) == 100, "writev"); /* blame: gather-vectors */
  if (cured) put(fd, 400000);
  close(fd);
}

static void random_reads(bool cured) {
  int fd = opened("input", O_RDONLY);
  unsigned at = 7;
  for (off_t place = 0; cured && place < 64 << 20; place += 8 << 20)
    take(fd, 8 << 20, place);
  for (int i = 0; !cured && i < 3000; i++) {
    at = at * 1664525u + 1013904223u;
    take(fd, 4096, (off_t)((at >> 8) % 16384) * 4096);
  }
  close(fd);
}

static void random_writes(bool cured) {
  int fd = made("table");
  unsigned at = 7;
  for (int i = 0; i < 3000; i++) {
    at = at * 1664525u + 1013904223u;
    off_t place = (off_t)((at >> 8) % 2048) * 4096;
    if (!cured) must(pwrite(fd, room, 4096, place) == 4096, "pwrite"); /* blame: random-writes */
  }
  if (cured) put(fd, 8 << 20);
  close(fd);
}

static void backward_reads(bool cured) {
  int fd = opened("input", O_RDONLY);
  if (cured) take(fd, 8 << 20, 0);
  for (int i = 2047; !cured && i >= 0; i--)
    take(fd, 4096, (off_t)i * 4096);
  close(fd);
}

/* Reads one column of a table of records of 4 KiB. */
static void one_column(bool cured) {
  int fd = opened("input", O_RDONLY);
  for (int i = 0; !cured && i < 3000; i++)
    take(fd, 8, (off_t)i * 4096);
  for (int i = 0; cured && i < 12; i++)
    take(fd, 1 << 20, (off_t)i << 20);
  close(fd);
}

static void read_again(bool cured) {
  int fd = opened("input", O_RDONLY);
  for (int step = 0; step < (cured ? 1 : 40); step++)
    for (off_t at = 0; at < 8 << 20; at += 1 << 20)
      take(fd, 1 << 20, at);
  close(fd);
}

/* Rewrites a restart file after each of many short steps. */
static void write_again(bool cured) {
  int fd = made("restart");
  for (int step = 0; step < 40; step++) {
    if (cured && step != 39) continue;
    for (off_t at = 0; at < 8 << 20; at += 1 << 20)
      must(pwrite(fd, room, 1 << 20, at) == 1 << 20, "pwrite"); /* blame: write-again */
  }
  close(fd);
}

/* Updates the count in a header after each block. */
static void header_each_block(bool cured) {
  int fd = made("blocks");
  for (int i = 0; i < 1500; i++) {
    must(pwrite(fd, room, 200000, 100 + (off_t)i * 200000) == 200000, "pwrite");
    /* blame: header-each-block */
    if (!cured || i == 1499) must(pwrite(fd, room, 100, 0) == 100, "pwrite");
  }
  close(fd);
}

/* Reads, increments and writes back counters one by one. */
static void update_in_place(bool cured) {
  int fd = opened("input", O_RDWR);
  for (int i = 0; !cured && i < 2000; i++) {
    take(fd, 256, (off_t)i * 256);
    must(pwrite(fd, room, 256, (off_t)i * 256) == 256, "pwrite");
  }
  if (cured) take(fd, 512000, 0), must(pwrite(fd, room, 512000, 0) == 512000, "pwrite");
  close(fd);
}

/* Copies the whole file for each change of 16 bytes; the fix saves only the overwritten bytes. */
static void copy_each_edit(bool cured) {
  int fd = opened("input", O_RDWR);
  int undo = made("input.undo");
  for (int edit = 0; edit < 30; edit++) {
    if (cured) {
      take(fd, 16, edit * 1000);
      put(undo, 16);
    } else {
      int copy = made("input.backup");
      take(fd, 8 << 20, 0);
      put(copy, 8 << 20);
      close(copy);
    }
    must(pwrite(fd, "sixteen bytes...", 16, edit * 1000) == 16, "pwrite");
  }
  close(fd), close(undo);
}

/* --- healthy ------------------------------------------------------------------ */

static void large_writes(bool cured) {
  (void)cured;
  int fd = made("bulk");
  for (int i = 0; i < 24; i++)
    put(fd, 4 << 20);
  close(fd);
}

static void large_reads(bool cured) {
  (void)cured;
  int fd = opened("input", O_RDONLY);
  for (int i = 0; i < 16; i++)
    take(fd, 4 << 20, (off_t)i << 22);
  close(fd);
}

static void large_random(bool cured) {
  (void)cured;
  int fd = opened("input", O_RDONLY);
  for (int i = 0; i < 16; i++)
    take(fd, 4 << 20, (off_t)(i * 7 % 16) << 22);
  close(fd);
}

static void odd_sizes(bool cured) {
  (void)cured;
  int fd = made("bulk");
  for (int i = 0; i < 100; i++)
    put(fd, (1 << 20) + 13);
  close(fd);
}

/* Reads 64 KiB at a time from the page cache, where this size is as good as any. cured: unused. */
static void blocks_64k(bool cured) {
  (void)cured;
  int fd = opened("input", O_RDONLY);
  for (off_t at = 0; at < 64 << 20; at += 65536)
    take(fd, 65536, at);
  close(fd);
}

static void mapped(bool cured) {
  (void)cured;
  int fd = opened("input", O_RDONLY);
  char *map = mmap(NULL, 64 << 20, PROT_READ, MAP_SHARED, fd, 0);
  unsigned sum = 0;
  must(map != MAP_FAILED, "mmap");
  for (size_t i = 0; i < 64 << 20; i += 4096)
    sum += (unsigned char)map[i];
  must(sum != 0, "sum");
  close(fd);
}

/* Uses all pages of a mapped file that is not in memory, each once, in no order. */
static void mapped_at_random(bool cured) {
  enum { PAGES = 1 << 14, STEP = 6151, PAGE = 4096 };
  int fd = opened("input", O_RDONLY);
  must(fsync(fd) == 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0, "posix_fadvise");
  char *map = mmap(NULL, 64 << 20, PROT_READ, MAP_SHARED, fd, 0);
  unsigned sum = 0;
  must(map != MAP_FAILED, "mmap");
  must(madvise(map, 64 << 20, cured ? MADV_WILLNEED : MADV_RANDOM) == 0, "madvise");
  for (size_t i = 0; i < PAGES; i++)
    sum += (unsigned char)map[i * STEP % PAGES * PAGE];
  must(sum != 0, "sum");
  close(fd);
}

/* Maps the whole file for each value. */
static void map_again(bool cured) {
  enum { VALUES = 60000, STEP = 6151, PAGE = 4096 };
  size_t size = 64 << 20;
  int fd = opened("input", O_RDONLY);
  char *map = NULL;
  unsigned sum = 0;
  for (size_t i = 0; i < VALUES; i++) {
    if (!map) map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    must(map != MAP_FAILED, "mmap");
    sum += (unsigned char)map[i * STEP * PAGE % size];
    if (cured) continue;
    munmap(map, size); /* blame: map-again */
    map = NULL;
  }
  must(sum != 0, "sum");
  close(fd);
}

/* Reads a file through a window of 8 MiB that moves over it. cured: unused. */
static void map_windows(bool cured) {
  (void)cured;
  int fd = opened("input", O_RDONLY);
  unsigned sum = 0;
  for (off_t at = 0; at < 64 << 20; at += 8 << 20) {
    char *map = mmap(NULL, 8 << 20, PROT_READ, MAP_SHARED, fd, at);
    must(map != MAP_FAILED, "mmap");
    for (size_t i = 0; i < 8 << 20; i += 64)
      sum += (unsigned char)map[i];
    munmap(map, 8 << 20);
  }
  must(sum != 0, "sum");
  close(fd);
}

/* Has the kernel map all pages at once. cured: unused. */
static void map_at_once(bool cured) {
  (void)cured;
  int fd = opened("input", O_RDONLY);
  char *map = mmap(NULL, 64 << 20, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
  must(map != MAP_FAILED && map[4096] != 0, "mmap");
  munmap(map, 64 << 20);
  close(fd);
}

/* Has the kernel load files as a whole, and uses a few pages of each. */
static void map_whole(bool cured) {
  enum { FILES = 12 };
  size_t size = 32 << 20;
  unsigned sum = 0;
  for (int i = 0; i < FILES; i++) {
    char name[32];
    snprintf(name, sizeof name, "part%d", i);
    int fd = made(name), at_once = cured ? 0 : MAP_POPULATE;
    must(ftruncate(fd, (off_t)size) == 0, "ftruncate");
    char *map = mmap(NULL, size, PROT_READ, MAP_SHARED | at_once, fd, 0);
    must(map != MAP_FAILED, "mmap");
    for (size_t at = 0; at < size; at += size / 4)
      sum += (unsigned char)map[at];
    munmap(map, size);
    close(fd);
  }
  must(sum == 0, "sum");
}

/* Looks up blocks of a large file in any order, and computes with each. cured: unused. */
static void random_blocks(bool cured) {
  enum { BLOCKS = 1 << 16, CALLS = 80000 };
  (void)cured;
  int fd = made("blocks");
  must(ftruncate(fd, (off_t)BLOCKS * 4096) == 0, "ftruncate");
  unsigned long seed = 1;
  unsigned sum = 0;
  for (int i = 0; i < CALLS; i++) {
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    take(fd, 4096, (off_t)((seed >> 33) % BLOCKS) * 4096);
    for (int k = 0; k < 4096; k++)
      sum = sum * 31 + (unsigned char)room[k];
  }
  must(sum == 0, "sum");
  close(fd);
}

static void few_small(bool cured) {
  (void)cured;
  int fd = opened("input", O_RDONLY);
  for (int i = 0; i < 100; i++)
    take(fd, 100, i * 100);
  close(fd);
  usleep(400000);
}

/* Reads a header before each block; its cost is negligible. cured: unused. */
static void headers_among_bulk(bool cured) {
  (void)cured;
  int fd = opened("input", O_RDONLY);
  for (int i = 0; i < 16; i++)
    take(fd, 64, i * 1000), take(fd, 4 << 20, (off_t)i << 22);
  close(fd);
}

/* Reads the earlier records one by one for each new block: twice as many blocks take eight times as
 * long. */
static void search_from_start(bool cured) {
  enum { BLOCKS = 400, RECORD = 16, EACH = 500 };
  int fd = made("blocks");
  for (int i = 0; i < BLOCKS; i++) {
    put(fd, 64 << 10);
    for (int j = 0; !cured && j < i * i / EACH; j++)
      take(fd, RECORD, (off_t)j * RECORD);
  }
  close(fd);
}

/* Writes large blocks from unaligned memory. cured: unused. */
static void odd_buffers(bool cured) {
  (void)cured;
  int fd = made("blocks");
  for (int i = 0; i < 1200; i++)
    must(write(fd, room + 1, 128 << 10) == 128 << 10, "write");
  close(fd);
}

/* A disk image of 2 GiB has 1 MiB of data. */
static void read_holes(bool cured) {
  static char zeros[1 << 20];
  off_t size = (off_t)2 << 30, used = 0;
  int fd = made("image");
  must(ftruncate(fd, size) == 0, "ftruncate");
  memset(zeros, 1, sizeof zeros);
  must(pwrite(fd, zeros, sizeof zeros, (off_t)700 << 20) == (ssize_t)sizeof zeros, "pwrite");
  memset(zeros, 0, sizeof zeros);
  for (off_t at = 0; at < size; at += (off_t)sizeof zeros) {
    off_t next = cured ? lseek(fd, at, SEEK_DATA) : at;
    if (next < 0) break;
    at = next;
    /* blame: read-holes */
    must(pread(fd, room, sizeof zeros, at) == (ssize_t)sizeof zeros, "pread");
    used += memcmp(room, zeros, sizeof zeros) != 0;
  }
  must(used == 1, "used");
  close(fd);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"small-writes", small_writes},
      {"odd-buffers", odd_buffers},
      {"search-from-start", search_from_start},
      {"small-reads", small_reads},
      {"byte-reads", byte_reads},
      {"copy-in-blocks", copy_in_blocks},
      {"header-and-value", header_and_value},
      {"gather-vectors", gather_vectors},
      {"random-reads", random_reads},
      {"random-writes", random_writes},
      {"backward-reads", backward_reads},
      {"one-column", one_column},
      {"read-again", read_again},
      {"write-again", write_again},
      {"header-each-block", header_each_block},
      {"update-in-place", update_in_place},
      {"copy-each-edit", copy_each_edit},
      {"large-writes", large_writes},
      {"large-reads", large_reads},
      {"large-random", large_random},
      {"odd-sizes", odd_sizes},
      {"blocks-64k", blocks_64k},
      {"mapped", mapped},
      {"map-again", map_again},
      {"map-windows", map_windows},
      {"map-at-once", map_at_once},
      {"map-whole", map_whole},
      {"random-blocks", random_blocks},
      {"mapped-at-random", mapped_at_random},
      {"few-small", few_small},
      {"headers-among-bulk", headers_among_bulk},
      {"read-holes", read_holes},
      {NULL, NULL},
  };
  return run_case(argc, argv, cases);
}
