/* One call of each kind of wrapper around libc, which the test interrupts. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

void target_begin(void) {}
void target_end(void) {}

/* --- transfers, on the file that is open -------------------------------------- */

static char memory[400];

static void call_read(void) {
  must(read(data_fd, memory, 70));
}
static void to_the_front(void) {
  must(lseek(data_fd, 0, SEEK_SET));
}
static void to_a_hole(void) {
  must(lseek(data_fd, 2000, SEEK_SET));
}
static void call_write(void) {
  memset(memory, 'w', 70);
  must(write(data_fd, memory, 70));
}
static void call_pread(void) {
  must(pread(data_fd, memory, 130, 200));
}
static void call_pwrite(void) {
  memset(memory, 'w', 70);
  must(pwrite(data_fd, memory, 70, 2000));
}
static void call_readv(void) {
  struct iovec piece[2] = {{memory, 50}, {memory + 100, 40}};
  must(readv(data_fd, piece, 2));
}
static void call_writev(void) {
  memset(memory, 'w', sizeof(memory));
  struct iovec piece[2] = {{memory, 50}, {memory + 100, 40}};
  must(writev(data_fd, piece, 2));
}
static void call_lseek(void) {
  must(lseek(data_fd, 300, SEEK_SET));
}
static void call_fsync(void) {
  must(fsync(data_fd));
}
static void call_copy(void) {
  off_t from = 100, to = 3000;
  must(copy_file_range(data_fd, &from, data_fd, &to, 90, 0));
}

/* Makes system calls by number: one operation on a file, and one call without a file, as libraries
 * make it. */
static void call_by_number(void) {
  memset(memory, 'w', 70);
  must(syscall(SYS_pwrite64, data_fd, memory, 70L, 2000L));
  must(syscall(SYS_getpid));
}

/* --- descriptors --------------------------------------------------------------- */

static int second_fd = -1;

static void call_open_new(void) {
  must(open("new", O_RDWR | O_CREAT, 0600));
}
static void call_open_known(void) {
  must(open("data", O_RDWR));
}
static void call_open_missing(void) {
  if (open("missing", O_RDONLY) >= 0) _exit(93);
}
static void open_second(void) {
  second_fd = (int)must(open("data", O_RDWR));
}
static void call_close(void) {
  must(close(second_fd));
}
static void call_dup(void) {
  must(dup(data_fd));
}
static void call_dup2(void) {
  must(dup2(data_fd, second_fd));
}
static void call_fcntl(void) {
  must(fcntl(data_fd, F_DUPFD, 20));
}
static void call_growth(void) {
  char name[16];
  for (int i = 0; i < 40; i++) {
    snprintf(name, sizeof(name), "growth%d", i);
    must(open(name, O_RDWR | O_CREAT, 0600));
  }
}

/* --- attributes and mappings ---------------------------------------------------- */

static void call_stat(void) {
  struct stat st;
  must(stat("data", &st));
}
static void call_fstat(void) {
  struct stat st;
  must(fstat(data_fd, &st));
}
static void call_rename(void) {
  must(rename("other", "renamed"));
}
static void make_other(void) {
  must(close((int)must(open("other", O_WRONLY | O_CREAT, 0600))));
}
static void call_ftruncate(void) {
  must(ftruncate(data_fd, 4000));
}
static void call_mmap(void) {
  if (mmap(NULL, 1000, PROT_READ, MAP_SHARED, data_fd, 0) == MAP_FAILED) _exit(92);
}

/* --- streams --------------------------------------------------------------------- */

static FILE *stream;

static void open_stream(void) {
  stream = fopen("data", "r+");
  if (!stream) _exit(91);
}
static void fill_stream(void) {
  open_stream();
  if (getc(stream) != 'b') _exit(90);
}
static void at_a_hole(void) {
  open_stream();
  if (fseek(stream, 2000, SEEK_SET) != 0) _exit(86);
}
/* The number of small calls after which the next one is not measured (modules/stdio/quick.h). */
enum { UNTIL_QUICK = 40 };
static void read_quickly(void) {
  open_stream();
  for (int i = 0; i < UNTIL_QUICK; i++)
    if (getc(stream) == EOF) _exit(90);
}
static void call_getc(void) {
  if (getc(stream) == EOF) _exit(90);
}
static void write_quickly(void) {
  at_a_hole();
  for (int i = 0; i < UNTIL_QUICK; i++)
    if (putc('q', stream) == EOF) _exit(90);
}
static void call_putc(void) {
  if (putc('q', stream) == EOF) _exit(90);
}
static void call_getline(void) {
  char *line = NULL;
  size_t room = 0;
  if (getdelim(&line, &room, 'b', stream) < 0) _exit(83);
}
static void call_fputs(void) {
  if (fputs("a short text", stream) < 0) _exit(85);
}
static void call_fopen(void) {
  if (!fopen("data", "r+")) _exit(89);
}
static void call_fopen_new(void) {
  if (!fopen("new", "w")) _exit(88);
}
static void call_fread(void) {
  if (fread(memory, 10, 7, stream) != 7) _exit(87);
}
static void call_fwrite(void) {
  memset(memory, 'w', 70);
  if (fwrite(memory, 10, 7, stream) != 7) _exit(85);
}
static void call_fprintf(void) {
  if (fprintf(stream, "%s %d", "wide", 70) != 7) _exit(84);
}
static void call_fgets(void) {
  if (!fgets(memory, 50, stream)) _exit(83);
}
static void call_fseek(void) {
  if (fseek(stream, 400, SEEK_SET) != 0) _exit(82);
}
static void write_stream(void) {
  at_a_hole();
  call_fwrite();
}
static void call_fflush(void) {
  if (fflush(stream) != 0) _exit(81);
}
static void call_fclose(void) {
  if (fclose(stream) != 0) _exit(80);
}

/* --- processes --------------------------------------------------------------------- */

static void call_fork(void) {
  pid_t child = (pid_t)must(fork());
  if (child == 0) {
    if (pwrite(data_fd, "fork", 4, 7000) != 4) _exit(1);
    _exit(0);
  }
  while (waitpid(child, NULL, 0) < 0)
    if (errno != EINTR) _exit(79);
}
static void call_exec_failed(void) {
  static char name[] = "data";
  char *argv[] = {name, NULL};
  if (execv("data", argv) != -1) _exit(78);
}
static void call_exec(void) {
  static char name[] = "true";
  char *argv[] = {name, NULL};
  execv("/bin/true", argv);
}
static void call_exit(void) {
  exit(0);
}
static void call_exit_now(void) {
  _exit(0);
}

const struct kind target_kinds[] = {{"read", to_the_front, call_read, 0},
                                    {"write", to_a_hole, call_write, 0},
                                    {"pread", NULL, call_pread, 0},
                                    {"pwrite", NULL, call_pwrite, 0},
                                    {"readv", to_the_front, call_readv, 0},
                                    {"writev", to_a_hole, call_writev, 0},
                                    {"lseek", NULL, call_lseek, 0},
                                    {"fsync", NULL, call_fsync, 0},
                                    {"copy", NULL, call_copy, 0},
                                    {"by-number", NULL, call_by_number, 0},
                                    {"open-new", NULL, call_open_new, 0},
                                    {"open-known", NULL, call_open_known, 0},
                                    {"open-missing", NULL, call_open_missing, 0},
                                    {"close", open_second, call_close, 0},
                                    {"dup", NULL, call_dup, 0},
                                    {"dup2", open_second, call_dup2, 0},
                                    {"fcntl", NULL, call_fcntl, 0},
                                    {"stat", NULL, call_stat, 0},
                                    {"fstat", NULL, call_fstat, 0},
                                    {"rename", make_other, call_rename, 0},
                                    {"ftruncate", NULL, call_ftruncate, 0},
                                    {"mmap", NULL, call_mmap, 0},
                                    {"fopen", NULL, call_fopen, 0},
                                    {"fopen-new", NULL, call_fopen_new, 0},
                                    {"fread", fill_stream, call_fread, 0},
                                    {"fwrite", at_a_hole, call_fwrite, 0},
                                    {"fprintf", at_a_hole, call_fprintf, 0},
                                    {"fgets", open_stream, call_fgets, 0},
                                    {"getc", read_quickly, call_getc, 0},
                                    {"putc", write_quickly, call_putc, 0},
                                    {"fread-small", read_quickly, call_fread, 0},
                                    {"fgets-small", read_quickly, call_fgets, 0},
                                    {"getdelim-small", read_quickly, call_getline, 0},
                                    {"fwrite-small", write_quickly, call_fwrite, 0},
                                    {"fputs-small", write_quickly, call_fputs, 0},
                                    {"fseek", open_stream, call_fseek, 0},
                                    {"fflush", write_stream, call_fflush, 0},
                                    {"fclose", write_stream, call_fclose, 0},
                                    {"fork", NULL, call_fork, 0},
                                    {"exec-failed", NULL, call_exec_failed, 0},
                                    {"growth", NULL, call_growth, 0},
                                    {"first", NULL, call_open_new, 1},
                                    {"exec", NULL, call_exec, 0},
                                    {"exit", NULL, call_exit, 0},
                                    {"exit-now", NULL, call_exit_now, 0},
                                    {NULL, NULL, NULL, 0}};
