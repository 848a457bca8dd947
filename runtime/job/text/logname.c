/* Builds the paths of logs and journals, and makes the folders of logs. */
#include "logname.h"

#include <errno.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../../counting/clock.h"
#include "../../intercept/sys/sys.h"
#include "record-id.h"
#include "text.h"

enum { DAY = 86400, MAX_USER = 8, MAX_EXE = 128, FOLDER_MODE = 0755, OPEN_MODE = 01777 };
static const char partial_end[] = ".darshan_partial";
static const char log_end[] = ".darshan";

/* Appends untrusted data to a file name. Replaces slashes, which lead to another folder, and
 * control bytes, which disturb a terminal. Appends at most `most` bytes, so that all parts together
 * stay below NAME_MAX. */
static void add_part(struct darshan_text *text, const char *part, size_t most) {
  for (size_t i = 0; i < most && part[i] != '\0'; i++) {
    bool bad = part[i] == '/' || (unsigned char)part[i] < ' ' || part[i] == 127;
    darshan_text_bytes(text, bad ? "_" : part + i, 1);
  }
}

static void add_number(struct darshan_text *text, const char *before, int64_t number) {
  darshan_text_add(text, before);
  darshan_text_signed(text, number);
}

/* Appends the start of a log's name: <user>_<program>_id<jobid> */
static void add_start(struct darshan_text *text, const struct darshan_config *config,
                      const struct darshan_log_identity *identity) {
  if (config->user != NULL)
    add_part(text, config->user, MAX_USER);
  else
    darshan_text_unsigned(text, sys_geteuid());
  darshan_text_add(text, "_");
  add_part(text, config->exe, MAX_EXE);
  add_number(text, "_id", identity->jobid);
}

/* Returns a number that no other process, on this or another node, is likely to generate: a hash of
 * the node's name, the time in microseconds and the salt. */
static uint64_t unique_number(uint64_t salt) {
  char node[sizeof(((struct utsname *)0)->nodename)];
  sys_nodename(node, sizeof(node));
  uint64_t microseconds = clock_ns(CLOCK_REALTIME) / 1000;
  return darshan_hash(node, strlen(node), microseconds + salt);
}

static void add_dated_folder(struct darshan_text *text, int64_t local_day) {
  struct darshan_date date = darshan_date_of_day(local_day);
  add_number(text, "/", date.year);
  add_number(text, "/", date.month);
  add_number(text, "/", date.day);
}

static bool has_given_name(const struct darshan_config *config,
                           const struct darshan_log_identity *identity) {
  return config->logfile != NULL && identity->naming != DARSHAN_NAME_MADE;
}

size_t darshan_partial_path(char *out, size_t room, const struct darshan_config *config,
                            const struct darshan_log_identity *identity) {
  struct darshan_text text = darshan_text_in(out, room);
  if (identity->part) {
    darshan_text_add(&text, identity->part);
    darshan_text_add(&text, partial_end);
    return darshan_text_length(&text);
  }
  if (has_given_name(config, identity)) {
    darshan_text_add(&text, config->logfile);
    add_number(&text, "-", identity->pid);
    darshan_text_add(&text, partial_end);
    return darshan_text_length(&text);
  }
  int64_t local = identity->start_time + darshan_utc_offset(config->timezone, identity->start_time);
  int64_t second = (local % DAY + DAY) % DAY, day = (local - second) / DAY;
  struct darshan_date date = darshan_date_of_day(day);
  darshan_text_add(&text, config->logpath);
  if (config->logpath_dated) add_dated_folder(&text, day);
  struct darshan_text folder = text;
  darshan_text_add(&text, "/");
  add_start(&text, config, identity);
  add_number(&text, "-", identity->pid);
  add_number(&text, "_", date.month);
  add_number(&text, "-", date.day);
  add_number(&text, "-", second);
  darshan_text_add(&text, "-");
  darshan_text_unsigned(&text, unique_number((uint64_t)sys_getpid() << 40));
  darshan_text_add(&text, partial_end);
  if (!text.overflow) return text.length;
  add_number(&folder, "/id", identity->jobid);
  darshan_text_add(&folder, partial_end);
  return darshan_text_length(&folder);
}

size_t darshan_final_path(char *out, size_t room, const struct darshan_config *config,
                          const struct darshan_log_identity *identity, const char *partial,
                          int64_t shutdown_seconds) {
  struct darshan_text text = darshan_text_in(out, room);
  size_t length = strlen(partial), end = sizeof(partial_end) - 1;
  if (identity->part) {
    darshan_text_add(&text, identity->part);
    return darshan_text_length(&text);
  }
  if (has_given_name(config, identity)) {
    darshan_text_add(&text, config->logfile);
    return darshan_text_length(&text);
  }
  if (length < end) return 0;
  darshan_text_bytes(&text, partial, length - end);
  add_number(&text, "_", shutdown_seconds + 1);
  darshan_text_add(&text, log_end);
  return darshan_text_length(&text);
}

size_t darshan_journal_path(char *out, size_t room, const struct darshan_config *config,
                            const struct darshan_log_identity *identity) {
  struct darshan_text text = darshan_text_in(out, room);
  darshan_text_add(&text, config->mmap_logpath);
  darshan_text_add(&text, "/");
  add_start(&text, config, identity);
  darshan_text_add(&text, "_mmap-log-");
  /* Processes of a node may start in the same microsecond; the pid distinguishes them. */
  darshan_text_unsigned(&text, identity->unique ? identity->unique
                                                : unique_number((uint64_t)identity->pid << 40));
  add_number(&text, "-", identity->rank);
  darshan_text_add(&text, log_end);
  return darshan_text_length(&text);
}

int darshan_dated_levels(const struct darshan_config *config) {
  return config->logpath_dated ? 3 : 0; /* a folder each for year, month and day */
}

/* Allows all users to write into this folder if they may write into its parent, as into /tmp;
 * ignores the umask. path ends in a slash and a name. */
static void open_like_parent(char *path) {
  struct stat above;
  char *slash = strrchr(path, '/');
  if (slash == NULL || slash == path) return;
  *slash = '\0';
  long result = SYS4(SYS_newfstatat, AT_FDCWD, path, &above, 0);
  *slash = '/';
  if (result == 0 && (above.st_mode & OPEN_MODE) == OPEN_MODE)
    SYS3(SYS_fchmodat, AT_FDCWD, path, OPEN_MODE);
}

static int count_folders(const char *path) {
  int count = 0;
  for (; *path != '\0'; path++)
    count += *path != '/' && (path[1] == '/' || path[1] == '\0');
  return count;
}

int darshan_make_folders(const char *path, int shared) {
  char folder[DARSHAN_PATH_ROOM];
  size_t length = strlen(path);
  if (length >= sizeof(folder)) return -ENAMETOOLONG;
  memcpy(folder, path, length + 1);
  while (length > 0 && folder[length] != '/')
    length--;
  folder[length] = '\0';
  /* Tests the last folder first, because it usually exists. */
  if (length == 0 || sys_faccess(folder, F_OK) == 0) return 0;
  for (size_t i = 1; i <= length; i++) {
    if (folder[i] != '/' && i != length) continue;
    folder[i] = '\0';
    int result = sys_mkdir(folder, FOLDER_MODE);
    if (result == 0 && (i == length ? 0 : count_folders(folder + i + 1)) < shared)
      open_like_parent(folder);
    /* mkdir of an existing folder may fail with another error if the parent is read-only or not
     * accessible. */
    if (result < 0 && result != -EEXIST && sys_faccess(folder, F_OK) < 0) return result;
    if (i != length) folder[i] = '/';
  }
  return 0;
}
