/* What a log says about whom it comes from, made unreadable.
 *
 * The way of 3.5.0 hides the job's numbers, the command line and the names behind 32-bit
 * hashes; record ids stay hashes of the paths, so who guesses a path can see whether it is
 * there.  The strong way hides ids, mount points and hosts too, and nothing can be
 * guessed without the key.  Both leave every counter and every time as it is, but the
 * numbers of processes where the job's number is hidden, which is one of them without a
 * scheduler. */
#ifndef DARSHAN_CONVERT_HIDE_H
#define DARSHAN_CONVERT_HIDE_H

#include "darshan-read.h"

#include <stdbool.h>

struct hiding {
  bool jobid, uid, exe, names; /* what is hidden */
  bool strong;                 /* ids, mount points and hosts as well */
  uint32_t number;             /* the key of 3.5.0's way */
  uint64_t secret[2];          /* the key of the strong way */
};

enum { HIDDEN_MAX = 32 }; /* bytes that something hidden has at most, its NUL included */

/* The key as the options give it; NULL: 0, and a secret that nobody knows.  -1 after a
 * line: it is no number, which 3.5.0's way needs, or there is no chance to be had. */
int hide_key(struct hiding *hiding, const char *key);

uint64_t hide_id(const struct hiding *hiding, uint64_t id);
void hide_job(const struct hiding *hiding, struct darshan_job *job);
/* The following write text with its NUL; room: HIDDEN_MAX, and for a name also what its
 * mount point takes. */
void hide_exe(const struct hiding *hiding, const char *exe, char *out);
void hide_mount(const struct hiding *hiding, const char *path, char *out);
/* mount: of the log, NULL: none. */
void hide_name(const struct hiding *hiding, const char *name, const char *mount, char *out);
/* What stands behind a key of the metadata: value itself, or out (room bytes), where it
 * would tell a host, the job or a process. */
const char *hide_metadata(const struct hiding *hiding, const char *key, const char *value,
                          char *out, size_t room);
/* Names that say nothing about anybody stay: standard streams, heat maps, "<overflow>". */
bool hide_keeps(const char *name);

/* Ids, hosts and the like in a record of this module.  Threads in traces become numbers
 * from 1 on, in the order of the record: they are addresses of pthread_self. */
void hide_record(const struct hiding *hiding, const struct darshan_module *module, void *record);

#endif
