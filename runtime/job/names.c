#include "names.h"

#include <string.h>

#include "../intercept/stack.h"
#include "log-format.h"

/* __builtin_: in the runtime, which is built without builtins because it defines
 * functions of their names, a plain call of such a function stays a call. */
#define BEGINS_WITH(name, length, prefix)                                                          \
  ((length) >= sizeof(prefix) - 1 && __builtin_memcmp(name, prefix, sizeof(prefix) - 1) == 0)

/* Folders of the system.  The second letter leaves one or two candidates. */
static bool in_system_folder(const char *name, size_t length) {
  if (length < 5 || name[0] != '/') return false;
  switch (name[1]) {
  case 'b':
    return BEGINS_WITH(name, length, "/bin/") || BEGINS_WITH(name, length, "/boot/");
  case 'd':
    return BEGINS_WITH(name, length, "/dev/");
  case 'e':
    return BEGINS_WITH(name, length, "/etc/");
  case 'l':
    return BEGINS_WITH(name, length, "/lib/");
  case 'o':
    return BEGINS_WITH(name, length, "/opt/");
  case 'p':
    return BEGINS_WITH(name, length, "/proc/");
  case 's':
    return BEGINS_WITH(name, length, "/sys/") || BEGINS_WITH(name, length, "/sbin/");
  case 'u':
    return BEGINS_WITH(name, length, "/usr/");
  case 'v':
    return BEGINS_WITH(name, length, "/var/");
  default:
    return false;
  }
}

/* What a launcher shares with its ranks by PMIx.  A thread of that library opens it
 * during MPI_Init, where only what the program's own thread opens is known to be none of
 * the program's files. */
static bool of_launcher(const struct darshan_config *config, const char *name, size_t length) {
  const char *folder = config->launcher_folder;
  if (folder == NULL) return false;
  size_t folder_length = strlen(folder);
  return folder_length > 1 && length > folder_length && memcmp(name, folder, folder_length) == 0 &&
         name[folder_length] == '/' && strstr(name + folder_length, "/pmix") != NULL;
}

static bool names_are_paths(int module_id) {
  return module_id != DARSHAN_MOD_HEATMAP && module_id != DARSHAN_MOD_APMPI &&
         module_id != DARSHAN_MOD_MDHIM;
}

struct match {
  const struct darshan_name_rules *rules;
  int module_id;
  const char *name;
  bool found;
};

static void look_for_match(void *match_) {
  struct match *match = match_;
  const struct darshan_name_rules *rules = match->rules;
  for (int i = 0; i < rules->count && !match->found; i++)
    if (darshan_module_set_has(&rules->rule[i].modules, match->module_id))
      match->found = regexec(&rules->rule[i].compiled, match->name, 0, NULL, 0) == 0;
}

/* libc's matcher takes 12 KiB of stack and more.  Where that cannot be had, names
 * match nothing: too much is recorded then, not too little. */
static bool matches(const struct darshan_name_rules *rules, int module_id, const char *name) {
  struct match match = {rules, module_id, name, false};
  if (rules->count > 0) stack_run(look_for_match, &match);
  return match.found;
}

bool darshan_name_excluded(const struct darshan_config *config, int module_id, const char *name,
                           size_t length) {
  bool path = names_are_paths(module_id);
  bool excluded = path && (in_system_folder(name, length) || of_launcher(config, name, length));
  if (!excluded) excluded = matches(&config->name_exclude, module_id, name);
  if (!excluded) return false;
  /* Burst buffers of Cray machines are mounted below a system folder. */
  if (path && BEGINS_WITH(name, length, "/var/opt/cray/dws/mounts/")) return false;
  return !matches(&config->name_include, module_id, name);
}

static void compile_again(void *rules_) {
  struct darshan_name_rules *rules = rules_;
  int kept = 0;
  for (int i = 0; i < rules->count; i++) {
    rules->rule[kept] = rules->rule[i];
    /* The old one is not freed: its lock may be held for ever. */
    kept += regcomp(&rules->rule[kept].compiled, rules->rule[i].pattern, REG_EXTENDED) == 0;
  }
  rules->count = kept;
}

void darshan_names_after_fork(struct darshan_config *config) {
  if (config->name_exclude.count) stack_run_anyway(compile_again, &config->name_exclude);
  if (config->name_include.count) stack_run_anyway(compile_again, &config->name_include);
}

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* The high bit of every byte that equals b; false alarms only above a true one. */
static uint64_t bytes_equal(uint64_t word, unsigned char b) {
  uint64_t difference = word ^ EACH_BYTE(b);
  return (difference - EACH_BYTE(1)) & ~difference & EACH_BYTE(0x80);
}

/* Whether one of eight bytes is '/' and the one behind it '/' or '.', which differ in
 * the lowest bit only. */
static bool suspicious(const char *bytes) {
  uint64_t word, next;
  __builtin_memcpy(&word, bytes, 8);
  __builtin_memcpy(&next, bytes + 1, 8);
  return (bytes_equal(word, '/') & bytes_equal(next | EACH_BYTE('.' ^ '/'), '/')) != 0;
}

bool darshan_may_need_cleaning(const char *path, size_t length) {
  size_t i = 0;
  for (; i + 9 <= length; i += 8)
    if (suspicious(path + i)) return true;
  if (length >= 9) return i + 1 < length && suspicious(path + length - 9);
  for (; i + 1 < length; i++)
    if (path[i] == '/' && (path[i + 1] == '/' || path[i + 1] == '.')) return true;
  return false;
}

/* Appends path to out, which holds length bytes, without what is to be cleaned
 * away; the room suffices.  Returns the new length. */
static size_t append_clean(char *out, size_t length, const char *path, size_t path_length) {
  for (size_t i = 0; i < path_length; i++) {
    bool after_slash = length > 0 && out[length - 1] == '/';
    if (after_slash && path[i] == '/') continue;
    if (after_slash && path[i] == '.' && i + 1 < path_length && path[i + 1] == '/') continue;
    out[length++] = path[i];
  }
  return length;
}

/* The same, at once where nothing is to be cleaned. */
static size_t append(char *out, size_t length, const char *path, size_t path_length) {
  if (darshan_may_need_cleaning(path, path_length))
    return append_clean(out, length, path, path_length);
  memcpy(out + length, path, path_length);
  return length + path_length;
}

size_t darshan_clean_path(char *out, size_t room, const char *cwd, size_t cwd_length,
                          const char *path) {
  size_t path_length = strlen(path), length = 0;
  bool relative = path[0] != '/';
  if (path_length + (relative ? cwd_length + 1 : 0) >= room) return 0;
  if (relative) {
    length = append(out, 0, cwd, cwd_length);
    /* A folder that was opened as "x/." keeps its dot only as long as it is last. */
    if (length >= 2 && out[length - 1] == '.' && out[length - 2] == '/') length--;
    if (length == 0 || out[length - 1] != '/') out[length++] = '/';
  }
  if (relative && path[0] == '.') { /* its first "./" follows our slash */
    length = append_clean(out, length, path, path_length);
  } else {
    length = append(out, length, path, path_length);
  }
  out[length] = '\0';
  return length;
}

const char *darshan_without_driver(const char *path) {
  const char *colon = strchr(path, ':');
  if (!colon || colon - path < 2 || memchr(path, '/', (size_t)(colon - path))) return path;
  return colon + 1;
}
