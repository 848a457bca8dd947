/* Writes the text of the job region: command line, mount table and metadata. */
#include "jobtext.h"

#include <string.h>

#include "text.h"

enum {
  MAX_MOUNTS = 64,
  MAX_TYPE = 31,
  MAX_MOUNT_POINT = 255,
  MAX_ENTRY = 256, /* limit of a mount entry with its newline, type, tab and mount point */
  MOUNTS_LIMIT = 1 << 20
};

struct slice {
  const char *at;
  size_t length;
};

static bool is(struct slice slice, const char *string) {
  return slice.length == strlen(string) && memcmp(slice.at, string, slice.length) == 0;
}

/* Returns true for the types of file systems that the log omits, because they store no lasting user
 * data. Returns false for others. */
static bool is_pseudo(struct slice type) {
  static const char names[][16] = {"tmpfs",      "proc",      "sysfs",      "devpts", "binfmt_misc",
                                   "fusectl",    "debugfs",   "securityfs", "nfsd",   "none",
                                   "rpc_pipefs", "hugetlbfs", "cgroup"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (is(type, names[i])) return true;
  return false;
}

/* Removes the bytes up to the separator, or all bytes if it is missing, from text. Returns them
 * without the separator. */
static struct slice take(struct slice *text, char separator) {
  const char *end = memchr(text->at, separator, text->length);
  struct slice taken = {text->at, end ? (size_t)(end - text->at) : text->length};
  size_t gone = taken.length + (end != NULL);
  text->at += gone;
  text->length -= gone;
  return taken;
}

/* Copies a field of the mount table, at most `most` bytes, to out without a NUL, and decodes its
 * escaped white space (\040 and the like). Returns its length, or 0 if the field cannot be stored:
 * it is too long, is not UTF-8 or has white space, at which readers would split it. */
static size_t unescape(char *out, size_t most, struct slice field) {
  size_t length = 0;
  for (size_t i = 0; i < field.length; i++) {
    const char *at = field.at + i;
    bool octal = field.length - i >= 4 && at[0] == '\\' && at[1] >= '0' && at[1] <= '3' &&
                 at[2] >= '0' && at[2] <= '7' && at[3] >= '0' && at[3] <= '7';
    char c = octal ? (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0')) : *at;
    if (c == ' ' || length == most) return 0;
    out[length++] = c;
    if (octal) i += 3;
  }
  return darshan_utf8_clean(out, length) ? length : 0;
}

/* Writes "\n<type>\t<mount point>" for a line "device point type options ...". Returns its length,
 * or 0 if the entry must not be stored. Sets *nfs to true if the file system is NFS. */
static size_t mount_entry(char out[MAX_ENTRY], struct slice line, bool *nfs) {
  take(&line, ' ');
  struct slice point = take(&line, ' '), type = take(&line, ' ');
  if (is_pseudo(type)) return 0;
  *nfs = is(type, "nfs");
  size_t type_length = unescape(out + 1, MAX_TYPE, type);
  if (type_length == 0) return 0;
  out[0] = '\n';
  out[1 + type_length] = '\t';
  size_t left = MAX_ENTRY - 3 - type_length;
  size_t point_length =
      unescape(out + 2 + type_length, left < MAX_MOUNT_POINT ? left : MAX_MOUNT_POINT, point);
  return point_length == 0 ? 0 : 2 + type_length + point_length;
}

/* Returns true if the entries so far include this entry; each begins with a newline. */
static bool has_entry(struct slice entries, const char *entry, size_t length) {
  while (entries.length > 0) {
    take(&entries, '\n');
    const char *end = memchr(entries.at, '\n', entries.length);
    size_t written = end ? (size_t)(end - entries.at) : entries.length;
    if (written + 1 == length && memcmp(entries.at, entry + 1, written) == 0) return true;
  }
  return false;
}

/* Appends the mount table, NFS last because a node may have hundreds of NFS mounts. Leaves out
 * entries that do not fit, entries that are already there, and entries after MAX_MOUNTS. Adds the
 * entry "unknown /" if there is none. */
static void add_mounts(struct darshan_text *text, struct slice table) {
  const char *start = text->bytes + text->length;
  int count = 0;
  for (int pass = 0; pass < 2; pass++) {
    struct slice rest = table;
    while (rest.length > 0 && count < MAX_MOUNTS) {
      char entry[MAX_ENTRY];
      bool nfs = false;
      size_t length = mount_entry(entry, take(&rest, '\n'), &nfs);
      struct slice written = {start, (size_t)(text->bytes + text->length - start)};
      /* Skips an entry that does not fit; a shorter entry may still fit. */
      if (length == 0 || nfs != pass || length >= text->room - text->length ||
          has_entry(written, entry, length))
        continue;
      darshan_text_bytes(text, entry, length);
      count++;
    }
  }
  /* Adds an entry, because readers show no command line if no entry follows it. */
  if (count == 0) darshan_text_add(text, "\nunknown\t/");
}

/* Appends the arguments, separated by blanks, and truncates them so that a mount entry fits behind
 * them. */
static void add_cmdline(struct darshan_text *text, struct slice cmdline) {
  static const char truncated[] = "<TRUNCATED>";
  size_t room = text->room - 1 - MAX_ENTRY, mark = sizeof(truncated) - 1;
  /* An application that sets its title leaves NULs at the end. */
  while (cmdline.length > 0 && cmdline.at[cmdline.length - 1] == '\0')
    cmdline.length--;
  bool cut = cmdline.length > room;
  darshan_text_bytes(text, cmdline.at, cut ? room : cmdline.length);
  for (size_t i = 0; i < text->length; i++)
    if (text->bytes[i] == '\0') text->bytes[i] = ' ';
  if (cut) memcpy(text->bytes + room - mark, truncated, mark);
  darshan_utf8_make_clean(text->bytes, text->length);
}

size_t darshan_job_text_from(char *out, size_t room, const char *cmdline, size_t cmdline_length,
                             const char *mounts, size_t mounts_length) {
  struct darshan_text text = darshan_text_in(out, room);
  add_cmdline(&text, (struct slice){cmdline, cmdline_length});
  add_mounts(&text, (struct slice){mounts, mounts_length});
  return text.length;
}

size_t darshan_job_text(char *out, size_t room, bool with_mounts) {
  /* If /proc is not mounted, the command line and the mounts stay empty. */
  struct darshan_file cmdline = {.bytes = ""}, mounts = {.bytes = ""};
  darshan_read_file(&cmdline, "/proc/self/cmdline", room);
  if (with_mounts) darshan_read_file(&mounts, "/proc/self/mounts", MOUNTS_LIMIT);
  size_t length =
      darshan_job_text_from(out, room, cmdline.bytes, cmdline.length, mounts.bytes, mounts.length);
  if (cmdline.mapped) darshan_release_file(&cmdline);
  if (mounts.mapped) darshan_release_file(&mounts);
  return length;
}

size_t darshan_metadata_add(char *metadata, size_t room, size_t used, const char *key,
                            const char *value) {
  size_t key_length = strlen(key), value_length = strlen(value);
  if (used + key_length + value_length + 3 > room) return used; /* '=', newline, NUL */
  struct darshan_text text = darshan_text_in(metadata + used, room - used);
  darshan_text_bytes(&text, key, key_length);
  darshan_text_add(&text, "=");
  darshan_text_bytes(&text, value, value_length);
  darshan_utf8_make_clean(text.bytes + key_length + 1, value_length);
  darshan_text_add(&text, "\n");
  return used + text.length;
}

void darshan_metadata_drop(char *metadata, const char *key) {
  size_t length = strlen(key);
  for (char *line = metadata; *line;) {
    char *next = line + strcspn(line, "\n");
    next += *next == '\n';
    if (strncmp(line, key, length) == 0 && line[length] == '=')
      memmove(line, next, strlen(next) + 1);
    else
      line = next;
  }
}
