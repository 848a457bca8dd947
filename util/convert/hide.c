/* Anonymizes a log (hide.h). */
#include "hide.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "apmpi.h"
#include "output.h"
#include "records.h"

/* The kind of a hashed value is part of the hash, so that equal values of two kinds have different
 * hashes. */
enum kind {
  KIND_ID = 1,
  KIND_NAME,
  KIND_MOUNT,
  KIND_HOST,
  KIND_JOB,
  KIND_EXE,
  KIND_BYTES,
  KIND_PROCESS
};

static const char *const kept_prefixes[] = {"<STDIN>", "<STDOUT>", "<STDERR>", "heatmap:"};
/* Names whose ids are public, so hashing them would hide nothing. */
static const char *const kept_names[] = {"<STDIN>",
                                         "<STDOUT>",
                                         "<STDERR>",
                                         "heatmap:POSIX",
                                         "heatmap:MPIIO",
                                         "heatmap:STDIO",
                                         "heatmap:DFS",
                                         "heatmap:DAOS",
                                         "heatmap:MPIWAIT",
                                         "heatmap:epochs",
                                         "heatmap:batches",
                                         "heatmap:processors",
                                         "<overflow>",
                                         "<application>",
                                         "APMPI",
                                         "darshan-bgq-record",
                                         "darshan-apmpi-header"};
/* FIRST_OF_OURS: index of "<overflow>"; from there on, hide_keeps compares whole names. The
 * prefixes cover the names before. */
enum { KEPT_NAMES = sizeof(kept_names) / sizeof(kept_names[0]), FIRST_OF_OURS = 12 };

bool hide_keeps(const char *name) {
  for (size_t i = 0; i < sizeof(kept_prefixes) / sizeof(kept_prefixes[0]); i++)
    if (strncmp(name, kept_prefixes[i], strlen(kept_prefixes[i])) == 0) return true;
  for (size_t i = FIRST_OF_OURS; i < KEPT_NAMES; i++)
    if (strcmp(name, kept_names[i]) == 0) return true;
  return false;
}

/* Returns true for the record id of a public name. */
static bool is_kept_id(uint64_t id) {
  static uint64_t kept[KEPT_NAMES];
  for (size_t i = 0; i < KEPT_NAMES; i++) {
    if (!kept[i]) kept[i] = darshan_id_of_name(kept_names[i], strlen(kept_names[i]));
    if (kept[i] == id) return true;
  }
  return false;
}

int hide_key(struct hiding *hiding, const char *key) {
  static const uint64_t halves[2][2] = {{1, 2}, {3, 4}};
  if (!key && hiding->strong) {
    ssize_t n = getrandom(hiding->secret, sizeof(hiding->secret), 0);
    return n == (ssize_t)sizeof(hiding->secret)
               ? 0
               : convert_say("cannot make a random key: %s; use --key", strerror(errno));
  }
  if (!key) return 0;
  if (!*key)
    return convert_say(
        "--key or --key-file: the key is empty"); /* for example from an unset variable */
  for (int i = 0; i < 2; i++)
    hiding->secret[i] = hash_siphash(halves[i], key, strlen(key));
  char *end;
  errno = 0;
  hiding->number = (uint32_t)strtoll(key, &end, 10);
  bool is_number = *key && !*end && errno == 0;
  return is_number || hiding->strong
             ? 0
             : convert_say("--key %s: must be a number, or use --obfuscate=strong", key);
}

/* Returns the hash of n bytes with the strong method's key. */
static uint64_t keyed(const struct hiding *hiding, enum kind kind, const void *bytes, size_t n) {
  uint64_t key[2] = {hiding->secret[0], hiding->secret[1] ^ (uint64_t)kind};
  return hash_siphash(key, bytes, n);
}

uint64_t hide_id(const struct hiding *hiding, uint64_t id) {
  if (!hiding->strong || id == 0 || is_kept_id(id)) return id; /* 0: no id */
  return keyed(hiding, KIND_ID, &id, sizeof(id));
}

/* Returns the number that replaces a job id, user id or pid: 32 bits or fewer, never negative. */
static int64_t hide_number(const struct hiding *hiding, int64_t value) {
  if (hiding->strong) return (int64_t)(keyed(hiding, KIND_JOB, &value, sizeof(value)) >> 33);
  return hash_lookup3(&value, sizeof(value), hiding->number);
}

void hide_job(const struct hiding *hiding, struct darshan_job *job) {
  if (hiding->uid) job->uid = hide_number(hiding, job->uid);
  if (hiding->jobid && job->jobid != 0) job->jobid = hide_number(hiding, job->jobid);
}

/* Writes the hash of a string to out, which has HIDDEN_MAX bytes: 16 hexadecimal digits with the
 * strong method, a decimal number with the plain one. */
static void hide_text(const struct hiding *hiding, enum kind kind, const char *text, char *out) {
  if (hiding->strong)
    snprintf(out, HIDDEN_MAX, "%016" PRIx64, keyed(hiding, kind, text, strlen(text)));
  else
    snprintf(out, HIDDEN_MAX, "%" PRIu32, hash_lookup3(text, strlen(text), hiding->number));
}

void hide_exe(const struct hiding *hiding, const char *exe, char *out) {
  hide_text(hiding, KIND_EXE, exe, out);
}

/* Writes the hash of a mount point's path. "/" stays, because it reveals nothing. */
void hide_mount(const struct hiding *hiding, const char *path, char *out) {
  *out++ = '/';
  *out = '\0';
  if (strcmp(path, "/") != 0) hide_text(hiding, KIND_MOUNT, path, out);
}

void hide_name(const struct hiding *hiding, const char *name, const char *mount, char *out) {
  if (mount && hiding->strong) {
    hide_mount(hiding, mount, out);
    out += strlen(out);
    if (out[-1] != '/') *out++ = '/';
  } else if (mount) { /* 3.5.0 writes two slashes for files on the root */
    out = stpcpy(stpcpy(out, mount), "/");
  }
  hide_text(hiding, KIND_NAME, name, out);
}

/* Writes a list of host names, separated by commas, with each name hashed; "..." does not change.
 * Omits the names from the first on that does not fit into out, which has `room` bytes. */
static void hide_hosts(const struct hiding *hiding, const char *hosts, char *out, size_t room) {
  char host[256], hidden[HIDDEN_MAX];
  size_t used = 0;
  for (out[0] = '\0'; *hosts; hosts += *hosts == ',') {
    size_t n = strcspn(hosts, ",");
    snprintf(host, sizeof(host), "%.*s", n < sizeof(host) ? (int)n : 0, hosts);
    hide_text(hiding, KIND_HOST, host, hidden);
    hosts += n;
    /* "..." stands for further hosts. */
    const char *text = strcmp(host, "...") == 0 ? host : hidden;
    if (used + strlen(text) + 2 > room) return;
    used += (size_t)snprintf(out + used, room - used, "%s%s", used ? "," : "", text);
  }
}

/* Metadata that would reveal anonymized values. Without a scheduler, the job id is the pid of the
 * first process. */
static const struct {
  const char *key;
  enum kind kind;
} telling[] = {{"hosts", KIND_HOST},          {"host", KIND_HOST},
               {"launch", KIND_JOB},          {"pid", KIND_PROCESS},
               {"fork_parent", KIND_PROCESS}, {"not_found", KIND_NAME},
               {"not_found_2", KIND_NAME},    {"not_found_by", KIND_NAME},
               {"not_found_3", KIND_NAME},    {"not_found_4", KIND_NAME}};

const char *hide_metadata(const struct hiding *hiding, const char *key, const char *value,
                          char *out, size_t room) {
  enum kind kind = 0;
  for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
    if (strcmp(key, telling[i].key) == 0) kind = telling[i].kind;
  int is_name = kind == KIND_HOST || kind == KIND_NAME;
  if (kind == 0 || (is_name ? !hiding->names : !hiding->jobid) || room < HIDDEN_MAX) return value;
  if (kind == KIND_HOST)
    hide_hosts(hiding, value, out, room);
  else if (kind == KIND_JOB || kind == KIND_NAME)
    hide_text(hiding, kind, value, out);
  else
    snprintf(out, room, "%" PRId64, hide_number(hiding, strtoll(value, NULL, 10)));
  return out;
}

/* Hashes the bytes of a field of fixed size, unless all are 0, which means "unknown". */
static void hide_bytes(const struct hiding *hiding, unsigned char *bytes, size_t n) {
  uint64_t words[2];
  bool any = false;
  for (size_t i = 0; i < n; i++)
    any |= bytes[i] != 0;
  if (!any) return;
  words[0] = keyed(hiding, KIND_BYTES, bytes, n);
  words[1] = keyed(hiding, KIND_BYTES, words, sizeof(words[0]));
  memcpy(bytes, words, n < sizeof(words) ? n : sizeof(words));
}

/* Hashes the string in a field of fixed size, which may lack a NUL. */
static void hide_field(const struct hiding *hiding, enum kind kind, char *field, size_t size) {
  char text[128], hidden[HIDDEN_MAX];
  snprintf(text, sizeof(text), "%.*s", (int)size, field);
  if (!text[0]) return;
  hide_text(hiding, kind, text, hidden);
  memset(field, 0, size);
  memcpy(field, hidden, strnlen(hidden, size - 1));
}

static void hide_lustre(const struct hiding *hiding, struct darshan_lustre_head *head) {
  struct darshan_lustre_component *components = (void *)(head + 1);
  for (int64_t i = 0; i < head->num_comps; i++)
    hide_field(hiding, KIND_NAME, components[i].pool_name, sizeof(components[i].pool_name));
}

static void hide_daos(const struct hiding *hiding, struct darshan_daos_record *record) {
  hide_bytes(hiding, record->pool_uuid, sizeof(record->pool_uuid));
  hide_bytes(hiding, record->cont_uuid, sizeof(record->cont_uuid));
  record->oid_hi = keyed(hiding, KIND_ID, &record->oid_hi, sizeof(record->oid_hi));
  record->oid_lo = keyed(hiding, KIND_ID, &record->oid_lo, sizeof(record->oid_lo));
}

/* Hashes the ids of a site's files. The number of files is estimated from the number of bits that
 * are set: sets as many of the lowest bits instead, because a guessed id could be checked by its
 * bit. */
static void hide_site(const struct hiding *hiding, struct darshan_sites_record *site) {
  enum { FILES = 4, BITS = 64 };
  static const int lists[] = {SITES_FILE1_BY_CALLS, SITES_FILE1_BY_BYTES};
  for (int i = 0; i < 2 * FILES; i++) {
    int64_t *file = &site->counters[lists[i / FILES] + i % FILES];
    *file = (int64_t)hide_id(hiding, (uint64_t)*file);
  }
  int number = __builtin_popcountll((uint64_t)site->counters[SITES_FILE_BITS]);
  if (number > 0) site->counters[SITES_FILE_BITS] = (int64_t)(UINT64_MAX >> (BITS - number));
}

/* Replaces what the strong method also replaces in a record: ids, pools and containers, and
 * counters that are computed from names. */
static void hide_strongly(const struct hiding *hiding, const struct darshan_module *module,
                          void *record) {
  struct darshan_base_record *base = record;
  base->id = hide_id(hiding, base->id);
  if (module->kind == DARSHAN_KIND_FILE_COUNTERS) {
    uint64_t *file = (uint64_t *)(base + 1);
    *file = hide_id(hiding, *file);
  } else if (module->kind == DARSHAN_KIND_LUSTRE) {
    hide_lustre(hiding, record);
  } else if (module->kind == DARSHAN_KIND_DFS) {
    struct darshan_dfs_record *dfs = record;
    hide_bytes(hiding, dfs->pool_uuid, sizeof(dfs->pool_uuid));
    hide_bytes(hiding, dfs->cont_uuid, sizeof(dfs->cont_uuid));
  } else if (module->kind == DARSHAN_KIND_DAOS) {
    hide_daos(hiding, record);
  }
  if (module->id ==
      DARSHAN_MOD_GROUP) { /* a guessed name could be checked by its bit in the sketch */
    int64_t *counters = ((struct darshan_group_record *)record)->counters;
    memset(&counters[GROUP_SKETCH_00], 0,
           (GROUP_NUM_COUNTERS - GROUP_SKETCH_00) * sizeof(*counters));
    counters[GROUP_SEEN] = counters[GROUP_FILES];
  }
  if (module->id == DARSHAN_MOD_SITES) hide_site(hiding, record);
  if (module->id == DARSHAN_MOD_POSIX) {
    struct darshan_posix_record *posix = record;
    int64_t *from = &posix->counters[POSIX_RENAMED_FROM];
    if (*from != 0 && *from != -1) *from = (int64_t)hide_id(hiding, (uint64_t)*from);
  }
}

/* Hashes pids like the job id, because the job id may be a pid. */
static void hide_process(const struct hiding *hiding, struct darshan_process_record *process) {
  static const int numbers[] = {PROCESS_PID, PROCESS_PARENT, PROCESS_LAUNCH};
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
    int64_t *number = &process->counters[numbers[i]];
    if (*number != 0 && *number != -1) *number = hide_number(hiding, *number);
  }
}

void hide_record(const struct hiding *hiding, const struct darshan_module *module, void *record) {
  if (hiding->jobid && module->id == DARSHAN_MOD_PROCESS) hide_process(hiding, record);
  if (hiding->strong) hide_strongly(hiding, module, record);
  if (hiding->names && module->kind == DARSHAN_KIND_DXT) {
    struct darshan_dxt_head *head = record;
    hide_field(hiding, KIND_HOST, head->hostname, sizeof(head->hostname));
  }
  if (hiding->names && module->kind == DARSHAN_KIND_APMPI) {
    struct darshan_apmpi_record *rank = record;
    if (((struct darshan_apmpi_head *)record)->magic != APMPI_MAGIC)
      hide_field(hiding, KIND_HOST, rank->processor, sizeof(rank->processor));
  }
}
