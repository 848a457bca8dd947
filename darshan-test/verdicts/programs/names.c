/* Operations on names: opening, looking up, listing, making and removing. */
#include "case.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 1200 }; /* of the folder "many" */

static void name_of(char *name, size_t room, int i) {
  snprintf(name, room, "many/%d", i);
}

/* Looks up each part in a search path. */
static void failed_access(bool cured) {
  char name[60];
  for (int i = 0; i < (cured ? 6 : 1500); i++) {
    snprintf(name, sizeof name, "path%d/part%d", i % 6, cured ? 0 : i / 6);
    must(access(name, R_OK) != 0, "access"); /* blame: failed-access */
  }
}

static void failed_open(bool cured) {
  char name[60];
  for (int i = 0; i < (cured ? 5 : 1500); i++) {
    snprintf(name, sizeof name, "lib%d/module%d.py", i % 5, i);
    must(open(name, O_RDONLY) < 0, "open"); /* blame: failed-open */
  }
}

/* Polls for the file of another program. */
static void stat_poll(bool cured) {
  struct stat there;
  for (int i = 0; i < (cured ? 2 : 1500); i++)
    must(stat("input", &there) == 0, "stat"); /* blame: stat-poll */
}

/* Waits for files of its child; cured: sleeps between two look-ups. */
static void wait_for_files(bool cured) {
  enum { STEPS = 4 };
  char name[40];
  struct stat there;
  pid_t child = fork();
  for (int i = 0; child == 0 && i < STEPS; i++) {
    usleep(150000);
    snprintf(name, sizeof name, "step%d", i);
    must(creat(name, 0644) >= 0, name);
  }
  if (child == 0) _exit(0);
  for (int i = 0; i < STEPS; i++) {
    snprintf(name, sizeof name, "step%d", i);
    while (stat(name, &there)) /* blame: wait-for-files */
      if (cured) usleep(5000);
  }
  must(child > 0 && waitpid(child, NULL, 0) == child, "waitpid");
}

/* Maps the file for each look-up; cured: once. */
static void map_each(bool cured) {
  long sum = 0;
  char *map = NULL;
  for (int i = 0; i < 8000; i++) {
    if (!map || !cured) {
      int fd = open("input", O_RDONLY); /* blame: map-each */
      map = mmap(NULL, 16 << 20, PROT_READ, MAP_PRIVATE, fd, 0);
      must(fd >= 0 && map != MAP_FAILED && close(fd) == 0, "mmap");
    }
    for (int j = 0; j < 8; j++)
      sum += map[((size_t)i * 8 + (size_t)j) * 7919 * 4096 % (16 << 20)];
    if (!cured) munmap(map, 16 << 20);
  }
  must(sum != 1, "sum");
}

/* Like ls -l: stats each name although only the type of the entry is needed. */
static void stat_each_entry(bool cured) {
  int files = 0;
  char name[300];
  struct dirent *entry;
  DIR *folder = opendir("many");
  must(folder != NULL, "many");
  while ((entry = readdir(folder))) {
    struct stat there = {.st_mode = S_IFREG};
    snprintf(name, sizeof name, "many/%s", entry->d_name);
    if (cured)
      files += entry->d_type == DT_REG;
    else
      files += stat(name, &there) == 0 && S_ISREG(there.st_mode); /* blame: stat-each-entry */
  }
  closedir(folder);
  must(files >= FILES, "files");
}

/* Makes the folder of each record, and resolves its name. */
static void place_each(bool cured) {
  char name[32], real[PATH_MAX] = "";
  for (int i = 0; i < 100000; i++) {
    if (cured && i >= 4) continue;
    snprintf(name, sizeof name, "placed%d", i % 4);
    must(mkdir(name, 0700) == 0 || errno == EEXIST, name); /* blame: place-each */
    must(realpath(name, real) != NULL, name);              /* blame: place-each */
  }
}

/* Resizes and maps a file again for each record; cured: doubles its size when it is full. */
static void map_grown(bool cured) {
  int fd = open("store", O_CREAT | O_RDWR | O_TRUNC, 0644);
  char *store = NULL;
  off_t used = 0, room = 0;
  for (int i = 0; i < 60000; i++, used += 8) {
    if (used + 8 > room) {
      if (store) munmap(store, (size_t)room);
      room = cured && room ? 2 * room : used + 8;
      must(ftruncate(fd, room) == 0, "store"); /* blame: map-grown */
      store = mmap(NULL, (size_t)room, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      must(store != MAP_FAILED, "store");
    }
    store[used] = (char)i; /* blame: map-grown */
  }
  must(ftruncate(fd, used) == 0, "store");
  close(fd);
}

/* Lists the folder to find the next free number. */
static void list_each_time(bool cured) {
  for (int i = 0; i < (cured ? 1 : 200); i++) {
    DIR *folder = opendir("many"); /* blame: list-each-time */
    must(folder != NULL, "many");
    while (readdir(folder)) /* blame: list-each-time */
      continue;
    closedir(folder);
  }
}

/* Returns the number of files in a tree of 150 folders, which another program has made. */
static int walk(void) {
  int files = 0;
  char name[300];
  struct dirent *entry;
  for (int i = 0; i < 150; i++) {
    snprintf(name, sizeof name, "walked/%d", i);
    DIR *folder = opendir(name); /* blame: walk-again */
    must(folder != NULL, name);
    while ((entry = readdir(folder))) /* blame: walk-again */
      files += entry->d_type == DT_REG;
    closedir(folder);
  }
  return files;
}

static void made_by_a_shell(const char *script) {
  int status = 1;
  pid_t other = fork();
  if (other == 0) {
    unsetenv("LD_PRELOAD");
    execl("/bin/sh", "sh", "-c", script, (char *)NULL);
    _exit(1);
  }
  must(other > 0 && waitpid(other, &status, 0) == other && status == 0, script);
}

static void make_tree(void) {
  made_by_a_shell("i=0; while [ $i -lt 150 ]; do mkdir -p walked/$i; "
                  ": > walked/$i/a; : > walked/$i/b; i=$((i + 1)); done");
}

/* Lists the folder of all steps sixty times to find the last step. */
static void list_large(bool cured) {
  made_by_a_shell("mkdir -p steps && cd steps && seq 5000 | xargs touch");
  for (int i = 0; i < (cured ? 1 : 60); i++) {
    int steps = 0;
    DIR *folder = opendir("steps"); /* blame: list-large */
    must(folder != NULL, "steps");
    while (readdir(folder)) /* blame: list-large */
      steps++;
    closedir(folder);
    must(steps == 5002, "steps");
  }
}

/* Walks the whole tree to find new files. */
static void walk_again(bool cured) {
  make_tree();
  for (int i = 0; i < (cured ? 1 : 12); i++)
    must(walk() == 300, "files");
}

static void read_many(bool cured) {
  char name[40], bytes[4096];
  int one = cured ? open("input", O_RDONLY) : -1;
  static char all[1200 * 1000];
  if (cured) must(read(one, all, sizeof all) == (ssize_t)sizeof all, "read");
  for (int i = 0; !cured && i < FILES; i++) {
    name_of(name, sizeof name, i);
    int fd = open(name, O_RDONLY); /* blame: read-many */
    must(fd >= 0 && read(fd, bytes, sizeof bytes) > 0, name);
    close(fd);
  }
}

static void write_many(bool cured) {
  char name[40], bytes[1000] = "a small result";
  static char all[FILES * 1000];
  must(mkdir("new", 0755) == 0, "mkdir");
  if (cured) {
    int fd = open("new/all", O_CREAT | O_WRONLY, 0644);
    must(write(fd, all, sizeof all) == (ssize_t)sizeof all, "write");
    close(fd);
  }
  for (int i = 0; !cured && i < FILES; i++) {
    snprintf(name, sizeof name, "new/%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0644); /* blame: write-many */
    must(fd >= 0 && write(fd, bytes, sizeof bytes) > 0, name);
    close(fd);
  }
}

static void open_per_record(bool cured) {
  char record[120] = "record";
  int kept = cured ? open("records", O_CREAT | O_APPEND | O_WRONLY, 0644) : -1;
  for (int i = 0; i < 500; i++) {
    /* blame: open-per-record */
    int fd = cured ? kept : open("records", O_CREAT | O_APPEND | O_WRONLY, 0644);
    must(fd >= 0 && write(fd, record, sizeof record) > 0, "records");
    if (!cured) close(fd);
  }
}

/* Uses a file as a lock: creates and removes it 600 times; cured: once. */
static void lock_file(bool cured) {
  int fd = -1;
  for (int i = 0; i < 600; i++) {
    /* blame: lock-file */
    if (!cured || i == 0) fd = open("lock", O_CREAT | O_EXCL | O_WRONLY, 0644);
    must(fd >= 0, "lock");
    if (!cured || i == 599) must(close(fd) == 0 && unlink("lock") == 0, "unlink");
  }
}

static void folder_each(bool cured) {
  char name[60];
  must(mkdir("tree", 0755) == 0, "mkdir");
  for (int i = 0; i < (cured ? 1 : 500); i++) {
    snprintf(name, sizeof name, "tree/%d", i);
    must(mkdir(name, 0755) == 0, name);
    strcat(name, "/value");
    int fd = open(name, O_CREAT | O_WRONLY, 0644);
    must(fd >= 0 && write(fd, "1\n", 2) == 2 && close(fd) == 0, name);
  }
}

static void touch_each(bool cured) {
  char name[40];
  for (int i = 0; i < (cured ? 10 : FILES); i++) {
    name_of(name, sizeof name, i);
    /* blame: touch-each */
    must(chmod(name, 0640) == 0 && utimensat(AT_FDCWD, name, NULL, 0) == 0, name);
  }
}

static void remove_many(bool cured) {
  char name[40];
  for (int i = 0; i < (cured ? 1 : FILES); i++) {
    name_of(name, sizeof name, i);
    must(unlink(name) == 0, name); /* blame: remove-many */
  }
}

/* Queries the file offset two million times. */
static void tell_each(bool cured) {
  int fd = open("input", O_RDONLY);
  off_t at = 0;
  for (int i = 0; i < (cured ? 1000 : 2000000); i++)
    at += lseek(fd, 0, SEEK_CUR); /* blame: tell-each */
  must(fd >= 0 && at == 0, "lseek");
  close(fd);
}

static void truncate_each(bool cured) {
  char status[60] = "running";
  int kept = cured ? open("status", O_CREAT | O_WRONLY, 0644) : -1;
  for (int i = 0; i < 500; i++) {
    /* blame: truncate-each */
    int fd = cured ? kept : open("status", O_CREAT | O_TRUNC | O_WRONLY, 0644);
    must(fd >= 0 && pwrite(fd, status, sizeof status, 0) > 0, "status");
    if (!cured) close(fd);
  }
}

/* --- healthy ------------------------------------------------------------------ */

static void list_once(bool cured) {
  (void)cured;
  list_each_time(true);
  usleep(200000);
}

static void open_some(bool cured) {
  (void)cured;
  static char block[1 << 20];
  for (int i = 0; i < 20; i++) {
    int fd = open("input", O_RDONLY);
    must(fd >= 0 && pread(fd, block, sizeof block, (off_t)i << 20) == 1 << 20, "input");
    close(fd);
  }
}

/* Walks the tree once. cured: unused. */
static void walk_once(bool cured) {
  (void)cured;
  make_tree();
  must(walk() == 300, "files");
}

/* Checks each file once like a build tool, and then works. cured: unused. */
static void stat_once(bool cured) {
  (void)cured;
  stat_each_entry(false);
  usleep(300000);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"failed-access", failed_access},
      {"failed-open", failed_open},
      {"stat-poll", stat_poll},
      {"wait-for-files", wait_for_files},
      {"map-each", map_each},
      {"stat-each-entry", stat_each_entry},
      {"place-each", place_each},
      {"map-grown", map_grown},
      {"list-each-time", list_each_time},
      {"read-many", read_many},
      {"write-many", write_many},
      {"open-per-record", open_per_record},
      {"lock-file", lock_file},
      {"folder-each", folder_each},
      {"touch-each", touch_each},
      {"remove-many", remove_many},
      {"tell-each", tell_each},
      {"truncate-each", truncate_each},
      {"list-once", list_once},
      {"open-some", open_some},
      {"stat-once", stat_once},
      {"walk-again", walk_again},
      {"list-large", list_large},
      {"walk-once", walk_once},
      {NULL, NULL},
  };
  return run_case(argc, argv, cases);
}
