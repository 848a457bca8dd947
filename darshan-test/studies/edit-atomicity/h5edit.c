/* h5edit: executes a file of commands on an HDF5 file; by default all of them or none. --atomic
 * no|yes|inc|delta selects how the file is protected during the edit, as README.md describes. Ends
 * with 0 if all commands were executed, 1 if something failed, 2 on wrong usage. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup.h"
#include "durable.h"
#include "editor.h"
#include "undo-driver.h"

/* Most bytes of a file of commands. */
enum { LARGEST_COMMANDS = 64 << 20 };

/* Prints which command failed, and the state of the file. done: number of commands before it.
 * Returns 1, the exit status. */
static int failed(const char *path, size_t done, const char *state) {
  fprintf(stderr, "h5edit: %s: command %zu failed; %s\n", path, done + 1, state);
  return 1;
}

/* Edits without a backup. Like the following functions, returns the exit status: 0, or 1 after a
 * message. */
static int edit_no(const char *path, const struct commands *commands) {
  long done = editor_execute(path, H5P_DEFAULT, commands->items, commands->count);
  if (done == (long)commands->count) return sync_file(path) ? 1 : 0;
  return failed(path, done < 0 ? 0 : (size_t)done, "the file has no backup");
}

/* Edits with one backup, which is removed at the end. Returns the exit status. */
static int edit_yes(const char *path, const struct commands *commands) {
  if (backup_make(path)) return 1;
  long done = editor_execute(path, H5P_DEFAULT, commands->items, commands->count);
  if (done == (long)commands->count && !sync_file(path)) return backup_remove(path) ? 1 : 0;
  return failed(path, done < 0 ? 0 : (size_t)done,
                backup_restore(path) == 1 ? "the file is as it was" : "its backup is kept");
}

/* Edits with a backup that is renewed after every command, so that finished commands are not lost.
 * Returns the exit status. */
static int edit_inc(const char *path, const struct commands *commands) {
  for (size_t i = 0; i < commands->count; i++) {
    if (backup_make(path)) return 1;
    /* The file is closed first, because a copy of an open file may be inconsistent. */
    if (editor_execute(path, H5P_DEFAULT, &commands->items[i], 1) == 1 && !sync_file(path))
      continue;
    return failed(path, i,
                  backup_restore(path) == 1 ? "those before it are done" : "its backup is kept");
  }
  return commands->count && backup_remove(path) ? 1 : 0;
}

/* Edits with a journal of the overwritten bytes. Returns the exit status. */
static int edit_delta(const char *path, const struct commands *commands) {
  struct undo *undo = undo_begin(path);
  if (!undo) return 1;
  hid_t access = undo_driver_access(undo);
  long done = access < 0 ? -1 : editor_execute(path, access, commands->items, commands->count);
  if (access >= 0) H5Pclose(access);
  if (done == (long)commands->count && !sync_file(path)) return undo_commit(undo) ? 1 : 0;
  undo_abandon(undo);
  return failed(path, done < 0 ? 0 : (size_t)done,
                undo_recover(path) == 1 ? "the file is as it was" : "its journal is kept");
}

static const struct level {
  const char *name;
  int (*edit)(const char *path, const struct commands *commands);
} levels[] = {{"no", edit_no}, {"yes", edit_yes}, {"inc", edit_inc}, {"delta", edit_delta}};

/* Locks the file against other editors, because a second editor would treat the first one's backup
 * as stale. Returns 0, or -1 after a message. The lock ends with the process; HDF5's own lock is of
 * another kind and does not conflict. */
static int lock_file(const char *path) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  struct stat locked, named;
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return complain("cannot open", path);
  if (fcntl(fd, F_OFD_SETLK, &all)) {
    fprintf(stderr, "h5edit: %s is being edited\n", path);
    return -1;
  }
  /* Another editor may have renamed its backup to the file between open and lock. */
  if (fstat(fd, &locked) || stat(path, &named)) return complain("cannot open", path);
  if (locked.st_ino == named.st_ino && locked.st_dev == named.st_dev) return 0;
  close(fd);
  return lock_file(path);
}

/* Restores the file from the backup or journal of an editor that was killed, if there is one.
 * Returns 0, or -1 after a message. */
static int recover(const char *path) {
  int from_backup = backup_restore(path), from_journal = undo_recover(path);
  if (from_backup == 1 || from_journal == 1)
    fprintf(stderr, "h5edit: %s: restored after an edit that did not end\n", path);
  return from_backup < 0 || from_journal < 0 ? -1 : 0;
}

/* Returns the content of a file as a string, which the caller frees; NULL after a message, also if
 * it is larger than LARGEST_COMMANDS. */
static char *read_text(const char *path) {
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  char *text = NULL;
  if (fd >= 0 && !fstat(fd, &status) && status.st_size <= LARGEST_COMMANDS)
    text = calloc((size_t)status.st_size + 1, 1);
  if (!text || read_all(fd, text, (size_t)status.st_size, 0)) {
    complain("cannot read", path);
    free(text);
    text = NULL;
  }
  if (fd >= 0) close(fd);
  return text;
}

/* Checks all commands of a file, and executes them at a level of protection. Returns the exit
 * status. */
static int edit(const struct level *level, const char *path, const char *commands_path) {
  struct commands commands = {NULL, 0};
  struct mistake mistake;
  char *text = read_text(commands_path);
  if (!text) return 1;
  int status = commands_parse(text, &commands, &mistake);
  if (!status) status = editor_check(path, &commands, &mistake);
  if (status == -1)
    fprintf(stderr, "h5edit: %s:%zu:%zu: %s; nothing was changed\n", commands_path, mistake.line,
            mistake.column, mistake.text);
  if (status == -2) fprintf(stderr, "h5edit: %s is not an HDF5 file that can be read\n", path);
  status = status ? 1 : level->edit(path, &commands);
  commands_free(&commands);
  free(text);
  return status;
}

static int usage(void) {
  fputs("usage: h5edit [--atomic no|yes|inc|delta] [--no-sync] FILE COMMANDS\n"
        "       h5edit --recover FILE\n",
        stderr);
  return 2;
}

/* Returns the level of protection with this name; NULL if there is none. */
static const struct level *level_named(const char *name) {
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    if (!strcmp(levels[i].name, name)) return &levels[i];
  return NULL;
}

int main(int argc, char **argv) {
  static const struct option options[] = {{"atomic", required_argument, NULL, 'a'},
                                          {"no-sync", no_argument, NULL, 'n'},
                                          {"recover", no_argument, NULL, 'r'},
                                          {NULL, 0, NULL, 0}};
  const struct level *level = level_named("yes");
  int recover_only = 0;
  for (int letter; (letter = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    if (letter == 'a') level = level_named(optarg);
    if (letter == 'n') durable = 0;
    if (letter == 'r') recover_only = 1;
    if (letter == '?' || !level) return usage();
  }
  if (argc - optind != 2 - recover_only) return usage();
  /* Backups are in the folder of the file itself, not of a link to it. */
  char path[PATH_MAX];
  if (!realpath(argv[optind], path)) return complain("cannot find", argv[optind]), 1;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  if (lock_file(path) || recover(path)) return 1;
  return recover_only ? 0 : edit(level, path, argv[optind + 1]);
}
