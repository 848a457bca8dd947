#include "backup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "durable.h"

/* Bytes that are copied at once. */
enum { BLOCK = 1 << 20 };

/* Copies all bytes between two descriptors. Returns 0, or -1 with errno. */
static int copy_bytes(int from, int to) {
  off_t offset = 0;
  char *block = malloc(BLOCK);
  int status = block ? 0 : -1;
  while (!status) {
    ssize_t got = pread(from, block, BLOCK, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      status = (int)got;
      break;
    }
    status = write_all(to, block, (size_t)got, offset);
    offset += got;
  }
  free(block);
  return status;
}

/* Copies a file with its permissions, because the copy may replace it later, and syncs the copy.
 * Returns 0, or -1 after a message. */
static int copy_file(const char *from_path, const char *to_path) {
  struct stat status;
  int from = open(from_path, O_RDONLY | O_CLOEXEC);
  if (from < 0) return complain("cannot open", from_path);
  int to = open(to_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int result = 0;
  if (to < 0 || fstat(from, &status) || copy_bytes(from, to) ||
      fchmod(to, status.st_mode & 07777) || sync_descriptor(to))
    result = complain("cannot write", to_path);
  if (to >= 0 && close(to) && !result) result = complain("cannot write", to_path);
  close(from);
  return result;
}

int backup_make(const char *path) {
  char *fresh = hidden_name(path, ".bck-new"), *backup = hidden_name(path, ".bck");
  int result = fresh && backup ? copy_file(path, fresh) : complain("no memory for", path);
  if (!result && (rename(fresh, backup) || sync_folder_of(path)))
    result = complain("cannot make", backup);
  free(fresh);
  free(backup);
  return result;
}

int backup_restore(const char *path) {
  char *fresh = hidden_name(path, ".bck-new"), *backup = hidden_name(path, ".bck");
  int result = fresh && backup ? 1 : complain("no memory for", path);
  if (result == 1 && unlink(fresh) && errno != ENOENT) result = complain("cannot remove", fresh);
  if (result == 1 && rename(backup, path)) {
    result = errno == ENOENT ? 0 : complain("cannot restore", path);
  } else if (result == 1 && sync_folder_of(path))
    result = complain("cannot restore", path);
  free(fresh);
  free(backup);
  return result;
}

int backup_remove(const char *path) {
  char *backup = hidden_name(path, ".bck");
  int result = 0;
  if (!backup || unlink(backup) || sync_folder_of(path))
    result = complain("cannot remove the backup of", path);
  free(backup);
  return result;
}
