/* Uses descriptors, streams, a folder and a child process, without any library except libc, and
 * prints "all is well" if the results are right. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 5000 };

/* Reads and writes with a descriptor. Returns 0; 1 if a result is wrong. */
static int descriptors(void) {
  char bytes[64] = "hello";
  struct iovec vector[2] = {{bytes, 5}, {bytes, 7}};
  struct stat st;
  int fd = open("descriptor.dat", O_CREAT | O_RDWR | O_TRUNC, 0644);
  int bad = write(fd, bytes, 5) != 5;
  bad |= writev(fd, vector, 2) != 12;
  bad |= pread(fd, bytes, sizeof(bytes), 0) != 17;
  bad |= lseek(fd, 0, SEEK_SET) != 0;
  bad |= fstat(fd, &st) != 0 || st.st_size != 17;
  bad |= fsync(fd) != 0;
  bad |= close(fd) != 0;
  bad |= stat("descriptor.dat", &st) != 0;
  bad |= rename("descriptor.dat", "renamed.dat") != 0;
  return bad;
}

/* Reads and writes characters one by one: with macros, which call the C library only at the end of
 * a buffer, and with functions. Returns 0; 1 if a result is wrong. */
static int streams(void) {
  char *line = NULL, word[32];
  size_t room = 0;
  int number = 0;
  FILE *file = fopen("stream.dat", "w+");
  int bad = fprintf(file, "word %d\n", 42) != 8;
  for (int i = 0; i < SIZE; i++)
    putc_unlocked('a', file);
  for (int i = 0; i < SIZE; i++)
    putc('b', file);
  bad |= fputs("\nlast line\n", file) < 0;
  rewind(file);
  bad |= fscanf(file, "%31s %d", word, &number) != 2 || number != 42;
  bad |= getc(file) != '\n';
  bad |= getline(&line, &room, file) != 2 * SIZE + 1;
  bad |= fseek(file, 8, SEEK_SET) != 0;
  for (int i = 0; i < SIZE; i++)
    bad |= getc_unlocked(file) != 'a';
  bad |= fclose(file) != 0;
  free(line);
  return bad;
}

/* Creates, reads and removes a folder. Returns 0; 1 if a result is wrong. */
static int folders(void) {
  int entries = 0;
  int bad = mkdir("folder", 0755) != 0 || creat("folder/file", 0644) < 0;
  DIR *folder = opendir("folder");
  while (folder && readdir(folder))
    entries++;
  bad |= !folder || closedir(folder) != 0 || entries != 3;
  bad |= unlink("folder/file") != 0 || rmdir("folder") != 0;
  return bad;
}

/* Starts a program by vfork and exec. Returns 0; 1 if a result is wrong. */
static int processes(void) {
  int status = -1;
  pid_t pid = vfork();
  if (pid == 0) {
    execl("/bin/true", "true", (char *)NULL);
    _exit(9);
  }
  return pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
}

int main(void) {
  int bad = descriptors() | streams() | folders() | processes();
  printf("%s\n", bad ? "something is wrong" : "all is well");
  return bad;
}
