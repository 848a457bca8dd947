/* Calls that wait for the device: fsync and its relatives, explicit and implicit. */
#include "case.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int made(const char *name, int flags) {
  int fd = open(name, O_CREAT | O_TRUNC | O_RDWR | flags, 0644);
  must(fd >= 0, name);
  return fd;
}

static void put(int fd, const void *bytes, size_t size) {
  must(write(fd, bytes, size) == (ssize_t)size, "write"); /* blame: o-sync */
}

/* Syncs a journal after each record, although an interrupted run starts over. */
static void fsync_each(bool cured) {
  char record[1000] = "record";
  int fd = made("journal", 0);
  for (int i = 0; i < 300; i++) {
    put(fd, record, sizeof record);
    if (!cured) must(fsync(fd) == 0, "fsync"); /* blame: fsync-each */
  }
  must(fsync(fd) == 0 && close(fd) == 0, "fsync");
}

static void fdatasync_each(bool cured) {
  static char block[65536];
  int fd = made("state", 0);
  for (int i = 0; i < 250; i++) {
    put(fd, block, sizeof block);
    if (!cured || i % 50 == 49) must(fdatasync(fd) == 0, "fdatasync"); /* blame: fdatasync-each */
  }
  close(fd);
}

/* Opens with O_SYNC, copied from a manual, "to be safe". */
static void o_sync(bool cured) {
  char line[200] = "a line of a log";
  int fd = made("log", cured ? 0 : O_SYNC);
  for (int i = 0; i < 300; i++)
    put(fd, line, sizeof line);
  if (cured) must(fsync(fd) == 0, "fsync");
  close(fd);
}

static void o_dsync(bool cured) {
  static char page[4096];
  int fd = made("pages", cured ? 0 : O_DSYNC);
  for (int i = 0; i < 300; i++)
    must(pwrite(fd, page, sizeof page, (off_t)i * 4096) == 4096, "pwrite"); /* blame: o-dsync */
  if (cured) must(fdatasync(fd) == 0, "fdatasync");
  close(fd);
}

/* Saves the settings after each step: writes a new file, syncs and renames it. */
static void save_each_step(bool cured) {
  char state[3000] = "state";
  for (int step = 0; step < 200; step++) {
    if (cured && step % 50 != 49) continue;
    int fd = made("state.new", 0);
    put(fd, state, sizeof state);
    must(fsync(fd) == 0 && close(fd) == 0, "fsync"); /* blame: save-each-step */
    must(rename("state.new", "state") == 0, "rename");
  }
}

/* Appends results under a lock, which is held while the next result is computed. */
static void append_locked(bool cured) {
  const struct timespec computing = {0, 10000000};
  int fd = open("results", O_CREAT | O_APPEND | O_WRONLY, 0644);
  must(fd >= 0, "results");
  for (int i = 0; i < 50; i++) {
    if (cured) nanosleep(&computing, NULL);
    must(flock(fd, LOCK_EX) == 0, "flock");
    if (!cured) nanosleep(&computing, NULL);
    put(fd, "result\n", 7);
    must(flock(fd, LOCK_UN) == 0, "flock");
  }
  close(fd);
}

static void lock_held(bool cured) {
  pid_t other = fork();
  append_locked(cured);
  if (other == 0) exit(0);
  must(waitpid(other, NULL, 0) == other, "waitpid");
}

static void msync_each(bool cured) {
  size_t pages = 256;
  int fd = made("mapped", 0);
  must(ftruncate(fd, (off_t)pages * 4096) == 0, "ftruncate");
  char *map = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  must(map != MAP_FAILED, "mmap");
  for (size_t i = 0; i < pages; i++) {
    map[i * 4096] = 1;
    if (!cured) must(msync(map + i * 4096, 4096, MS_SYNC) == 0, "msync"); /* blame: msync-each */
  }
  must(msync(map, pages * 4096, MS_SYNC) == 0, "msync");
  munmap(map, pages * 4096);
  close(fd);
}

/* Fills a mapping of 160 MiB, whose size one write of a byte sets, and synchronizes it once. cured:
 * unused. */
static void msync_once(bool cured) {
  (void)cured;
  const size_t size = 160 << 20;
  int fd = open("pixels", O_RDWR | O_CREAT | O_TRUNC, 0644);
  must(fd >= 0, "open");
  must(pwrite(fd, "", 1, (off_t)size - 1) == 1, "pwrite");
  char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  must(map != MAP_FAILED, "mmap");
  memset(map, 'p', size);
  must(msync(map, size, MS_SYNC) == 0, "msync");
  must(munmap(map, size) == 0 && close(fd) == 0, "close");
}

/* Inserts without a transaction: each insert is a transaction. */
static void sqlite_autocommit(bool cured) {
  sqlite3 *db;
  must(sqlite3_open("results.db", &db) == SQLITE_OK, "open");
  must(!sqlite3_exec(db, "create table t(i integer, v real)", NULL, NULL, NULL), "create");
  if (cured) must(!sqlite3_exec(db, "begin", NULL, NULL, NULL), "begin");
  for (int i = 0; i < 60; i++)
    must(!sqlite3_exec(db, "insert into t values(1, 2.5)", NULL, NULL, NULL), "insert");
  if (cured) must(!sqlite3_exec(db, "commit", NULL, NULL, NULL), "commit");
  sqlite3_close(db);
}

/* --- healthy ------------------------------------------------------------------ */

/* Syncs a checkpoint of 64 MB once, as fsync is meant to be used. cured: unused. */
static void checkpoint(bool cured) {
  static char block[4 << 20];
  (void)cured;
  int fd = made("checkpoint", 0);
  for (int i = 0; i < 16; i++)
    put(fd, block, sizeof block);
  must(fsync(fd) == 0 && close(fd) == 0, "fsync");
}

/* Appends 57 KiB of records to a queue at a time, and syncs each of these groups. cured: unused. */
static void queue(bool cured) {
  static char group[57 * 1024];
  (void)cured;
  int fd = made("queue", O_APPEND);
  for (int i = 0; i < 40; i++) {
    put(fd, group, sizeof group);
    must(fdatasync(fd) == 0, "fdatasync");
  }
  close(fd);
}

/* Appends entries to a journal, and syncs it once for each group of eight. cured: unused. */
static void group_commit(bool cured) {
  static char entries[128 << 10];
  (void)cured;
  int fd = made("journal", O_APPEND);
  for (int i = 0; i < 880; i++) {
    put(fd, entries, sizeof entries);
    if (i % 8 == 7) must(fdatasync(fd) == 0, "fdatasync");
  }
  must(close(fd) == 0, "close");
}

static void sqlite_transaction(bool cured) {
  (void)cured;
  sqlite3 *db;
  must(sqlite3_open("results.db", &db) == SQLITE_OK, "open");
  must(!sqlite3_exec(db, "create table t(i integer, v text); begin", NULL, NULL, NULL), "begin");
  for (int i = 0; i < 50000; i++)
    must(!sqlite3_exec(db, "insert into t values(1, 'a short text')", NULL, NULL, NULL), "row");
  must(!sqlite3_exec(db, "commit", NULL, NULL, NULL), "commit");
  sqlite3_close(db);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"fsync-each", fsync_each},
      {"fdatasync-each", fdatasync_each},
      {"o-sync", o_sync},
      {"o-dsync", o_dsync},
      {"save-each-step", save_each_step},
      {"msync-each", msync_each},
      {"msync-once", msync_once},
      {"lock-held", lock_held},
      {"sqlite-autocommit", sqlite_autocommit},
      {"checkpoint", checkpoint},
      {"group-commit", group_commit},
      {"queue", queue},
      {"sqlite-transaction", sqlite_transaction},
      {NULL, NULL},
  };
  return run_case(argc, argv, cases);
}
