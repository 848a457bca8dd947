/* Saves a finished log in its own file. Saves a part of a run in the file that parts share, or in
 * another folder if the run directory has no space. */
#ifndef DARSHAN_SAVE_H
#define DARSHAN_SAVE_H

#include "../job/config/config.h"
#include "../job/text/logname.h"
#include "compose.h"
#include <stdint.h>
#include <sys/types.h>

/* The errno of the first failed step of saving a log since the caller set this variable to 0, for
 * the message; 0 if no step failed or the reason is unknown. */
extern int log_error __attribute__((visibility("hidden")));
/* Stores the errno in log_error if result is negative (-errno) and log_error is 0. Returns the
 * result. */
int log_step(int result);

/* The first and the last step of log_save, for a log that several processes write. log_create makes
 * a file at a temporary path, with missing folders, and returns its descriptor or -errno.
 * log_finish closes the file. If result is 0, it renames the file and stores the new path in final.
 * If result is not 0, or closing or renaming fails, it removes the file. It returns 0, or -1 if
 * there is no log. config, identity and begun_ns (see log_save) decide the new path. */
int log_create(const struct darshan_config *config, const char *partial);
int log_finish(int fd, int result, const struct darshan_config *config,
               const struct darshan_log_identity *identity, const char *partial, uint64_t begun_ns,
               char *final);

/* Saves the draft: writes it under a temporary name and then renames the file; never replaces a
 * file. If a seccomp filter forbids renameat2 or pwrite64, writes the file under its final name.
 * final receives the path (DARSHAN_PATH_ROOM bytes). begun_ns: the CLOCK_MONOTONIC time when
 * finalization began. Returns 0 or -1. */
int log_save(const struct log_draft *draft, const struct darshan_config *config,
             const struct darshan_log_identity *identity, uint64_t begun_ns, char *final);

/* Saves a part in another folder if the run directory has no space for it: in the folder of the
 * logs or, if that fails, in a folder in memory. The run directory gets a symbolic link with the
 * part's name. If both fail, saves a log of the process alone. Returns 0, or -1 if nothing was
 * saved or the draft is not a part. */
int log_save_elsewhere(const struct log_draft *draft, const struct darshan_log_identity *identity,
                       uint64_t begun_ns, char *final);
/* Removes the log at path, which this process wrote last, and the link to it. Returns 0, or -errno
 * if the log cannot be removed. */
int log_take_back(const char *path);

/* Appends the draft as this process's part (run_state.parts is its number) to the file that the
 * parts of a run share. For the short processes of compilers and scripts, a separate file would
 * cost more than all other work of the runtime at the end of a process, because a disk's file
 * system takes 0.1 to 0.5 ms to create, rename and remove it. Returns 0, or -1 if the part must
 * become a separate file: it has more than 256 KiB, the first program of the run wrote it, the run
 * directory is not on a local file system, a merger has locked the shared file, the run already has
 * its log, or the write failed. */
int log_save_packed(const struct log_draft *draft);
/* Returns 1 if this process appended its last draft to the shared file, so that a merger will
 * certainly read it. Otherwise returns 0. */
int log_is_packed(void);
/* Returns 1 while the log of this process's run is not made, so that the run accepts parts. The
 * caller knows that the run directory exists. */
int log_run_is_open(void);

/* Makes a log of the journal of a process that has ended (adopt.c): reads the journal at path if it
 * still is the file (dev, ino), writes the log that process pid could not write, and removes the
 * journal. Returns 0, or -1 if the journal stays. */
int log_adopt(const char *path, dev_t dev, ino_t ino, int64_t pid,
              const struct darshan_config *config);

#endif
