/* Declares functions that anonymize a log ("hide" in their names).
 *
 * The plain method, like 3.5.0, replaces job id, user, command line, names and hosts by 32-bit
 * hashes. Record ids stay hashes of the paths, so a guessed path can be checked. The strong method
 * also replaces record ids and mount points; without the key no guess can be checked. Both methods
 * keep counters and times, except pids (without a scheduler, the job id is a pid) and, in the
 * strong method, counters that are computed from names. */
#ifndef DARSHAN_CONVERT_HIDE_H
#define DARSHAN_CONVERT_HIDE_H

#include "darshan-read.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hiding {
  bool jobid, uid, exe, names; /* values to anonymize */
  bool strong;                 /* also replace ids and mount points */
  uint32_t number;             /* key of the plain method */
  uint64_t secret[2];          /* key of the strong method */
};

enum { HIDDEN_MAX = 32 }; /* longest hashed text in bytes, including the NUL */

/* Sets the key of the hashes. If key is NULL, the plain method uses 0 and the strong method a
 * random key. Returns 0. Returns -1 after a message if the key is empty, if the plain method gets a
 * key that is not a number, or if the system has no random bytes. */
int hide_key(struct hiding *hiding, const char *key);

/* Returns the id that replaces a record id: a hash with the strong method; the id itself with the
 * plain method, for 0, and for the ids of public names (hide_keeps). */
uint64_t hide_id(const struct hiding *hiding, uint64_t id);
/* Replaces user id and job id in a job record by hashes, each if it is to be anonymized. */
void hide_job(const struct hiding *hiding, struct darshan_job *job);
/* hide_exe writes the hash of a command line, and hide_mount that of a mount point, to `out`, which
 * has HIDDEN_MAX bytes. */
void hide_exe(const struct hiding *hiding, const char *exe, char *out);
void hide_mount(const struct hiding *hiding, const char *path, char *out);
/* Writes the anonymized name of a file. mount: its mount point, which the plain method keeps
 * readable; NULL: none. `out` has 2 * HIDDEN_MAX bytes and space for the mount point. */
void hide_name(const struct hiding *hiding, const char *name, const char *mount, char *out);
/* Returns the value of a metadata key for the new log: a hash in out (room bytes, at least
 * HIDDEN_MAX) if the value is a host, a name, the job or a process and this kind of value is
 * anonymized; otherwise `value` itself. */
const char *hide_metadata(const struct hiding *hiding, const char *key, const char *value,
                          char *out, size_t room);
/* Returns true if a name is public, so that it is not anonymized: standard streams, heat maps,
 * "<overflow>" and the like. */
bool hide_keeps(const char *name);

/* Replaces ids, hosts and similar values in a record of this module by hashes, as far as `hiding`
 * requests. Thread ids do not change here; convert.c replaces them. */
void hide_record(const struct hiding *hiding, const struct darshan_module *module, void *record);

/* Returns the hash of n bytes that 3.5.0 uses for names: Bob Jenkins' lookup3 ("hashlittle", public
 * domain). initial: the key. */
uint32_t hash_lookup3(const void *bytes, size_t n, uint32_t initial);

/* Returns the hash SipHash-2-4 of Aumasson and Bernstein. A reader of the log who does not have the
 * key cannot find a name by hashing guesses. */
uint64_t hash_siphash(const uint64_t key[2], const void *bytes, size_t n);

#endif
