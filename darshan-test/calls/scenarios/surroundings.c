/* The environment that the library must not change, and limits that it must respect. */
#include "../calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A library makes calls, the last of them while it is unloaded; this happens three times. */
SCENARIO(load_and_unload) {
  char plugin[512];
  const char *path = in_dir("file");
  long length = sys_readlink("/proc/self/exe", plugin, sizeof plugin - 32);
  CHECK(length > 0);
  plugin[length] = '\0';
  strcpy(strrchr(plugin, '/') + 1, "plugin.so");
  for (int i = 0; i < 3; i++) {
    void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (!library) raw_print(2, dlerror());
    CHECK(library != NULL);
    int (*plugin_write)(const char *) = (int (*)(const char *))dlsym(library, "plugin_write");
    CHECK(plugin_write && plugin_write(path) == 0);
    CHECK(dlclose(library) == 0);
    for (int k = 0; k < 2; k++) { /* the second iteration happens during the unloading */
      model_open(path, 0644);
      model_write(path, 10, NULL);
      model_close(path);
    }
  }
  CHECK(raw_size(path) == 60);
  /* Offset and memory alignment of appended bytes are not compared. */
  static const char *const place[] = {"POSIX_MAX_BYTE_WRITTEN", "POSIX_SEQ_WRITES",
                                      "POSIX_CONSEC_WRITES",    "POSIX_FILE_NOT_ALIGNED",
                                      "POSIX_MEM_NOT_ALIGNED",  "POSIX_STRIDE1_STRIDE",
                                      "POSIX_STRIDE1_COUNT"};
  for (size_t i = 0; i < sizeof place / sizeof place[0]; i++)
    expect_any(path, place[i]);
}

/* A child program and this process list their open descriptors: the lists are the same with and
 * without the runtime. */
SCENARIO(descriptors_of_a_child) {
  char self[512] = {0};
  CHECK(sys_readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  int fd = open(in_dir("file"), O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0);
  model_open(in_dir("file"), 0644);
  pid_t child = fork();
  if (child == 0) {
    execl(self, self, "--descriptors", (char *)NULL);
    _exit(1);
  }
  reap(child, 0);
  raw_print(1, "and in this process:\n");
  print_descriptors();
}

/* Writes the i-th name of a file to `path`: 16 detours, each through the folder 0 or 1, as the bits
 * of i say. The case needs many names; as many files would take much longer. */
static void detour(char *path, const char *name, int i) {
  char *end = path + sprintf(path, "%s", test_dir);
  for (int bit = 0; bit < 16; bit++)
    end += sprintf(end, "/%d/..", i >> bit & 1);
  sprintf(end, "/%s", name);
}

/* Uses a file under twenty thousand names, more than the default limit of 16,384: writes and reads
 * 3 bytes under each. Then writes 7 bytes to a stream under each of 3,000 names. */
SPECIAL(many_files) {
  char path[600];
  CHECK(sys_mkdir(in_dir("0"), 0755) == 0 && sys_mkdir(in_dir("1"), 0755) == 0);
  for (int i = 0; i < 20000; i++) {
    detour(path, "file", i);
    int fd = open(path, O_CREAT | O_RDWR, 0644);
    CHECK(fd >= 0 && write(fd, buffer, 3) == 3 && pread(fd, buffer, 3, 0) == 3 && close(fd) == 0);
    CHECK(access(path, R_OK) == 0);
  }
  for (int i = 0; i < 3000; i++) {
    detour(path, "stream", i);
    FILE *stream = fopen(path, "w");
    CHECK(stream && fwrite(buffer, 1, 7, stream) == 7 && fclose(stream) == 0);
  }
}

/* Uses enough files to exceed the space of a small journal folder. */
SPECIAL(some_files) {
  char path[600];
  for (int i = 0; i < 900; i++) {
    snprintf(path, sizeof path, "%s/file-%06d", test_dir, i);
    int fd = open(path, O_CREAT | O_RDWR, 0644);
    CHECK(fd >= 0 && write(fd, buffer, 3) == 3 && close(fd) == 0);
  }
  CHECK(printf("output\n") == 7);
  expect_sum("POSIX_OPENS", 900);
  expect_sum("POSIX_BYTES_WRITTEN", 2700);
}

/* Uses one file by descriptor and one by stream, for tests of settings. */
SPECIAL(two_files) {
  int fd = open(in_dir("file"), O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0 && write(fd, buffer + 1, 100) == 100 && close(fd) == 0);
  FILE *stream = fopen(in_dir("stream"), "w");
  CHECK(stream && fwrite(buffer, 1, 7, stream) == 7 && fclose(stream) == 0);
  CHECK(printf("output\n") == 7);
}

/* Files of the system have no records and add no bytes. */
SCENARIO(system_files) {
  int fd = open("/etc/passwd", O_RDONLY);
  CHECK(fd >= 0 && read(fd, buffer, 10) == 10 && close(fd) == 0);
  int null = open("/dev/null", O_WRONLY);
  CHECK(null == fd && write(null, buffer, 700) == 700);
  FILE *stream = fopen("/proc/self/status", "r");
  CHECK(stream && fgetc(stream) == 'N' && fclose(stream) == 0);
  CHECK(close(null) == 0);
  /* The descriptor number of an excluded file passes to a recorded file, and back. */
  const char *path = in_dir("file");
  fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(fd == null && write(fd, buffer, 10) == 10);
  model_open(path, 0644);
  model_write(path, 10, buffer);
  sys_close(fd);
  CHECK(open("/dev/null", O_WRONLY) == fd && write(fd, buffer, 700) == 700);
}
