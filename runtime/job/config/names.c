/* Excludes names by system folder, MPI library, run directory and the user's patterns. */
#include "names.h"

#include <string.h>

#include "log-format.h"
#include "run.h"

/* Calls the built-in function by name, because the runtime is compiled without built-ins (it
 * defines functions of their names), and a call of memcmp would not be inlined. */
#define BEGINS_WITH(name, length, prefix)                                                          \
  ((length) >= sizeof(prefix) - 1 && __builtin_memcmp(name, prefix, sizeof(prefix) - 1) == 0)

/* Returns true if the name is below a system folder, otherwise false. The second letter leaves one
 * or two candidates. */
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

/* Returns true for files that a launcher shares with its ranks by PMIx, false for others. A thread
 * of the PMIx library opens them during MPI_Init, and the runtime ignores calls during MPI_Init
 * only in the thread that called it. */
static bool of_launcher(const struct darshan_config *config, const char *name, size_t length) {
  const char *folder = config->launcher_folder;
  if (folder == NULL) return false;
  size_t folder_length = strlen(folder);
  return folder_length > 1 && length > folder_length && memcmp(name, folder, folder_length) == 0 &&
         name[folder_length] == '/' && strstr(name + folder_length, "/pmix") != NULL;
}

/* Returns true if the name is that of a run directory (format/run.h), for example
 * darshan-run.0.zNt6Qt. */
static bool is_run_folder(const char *name, size_t length) {
  const char *end = name + length;
  if (!BEGINS_WITH(name, length, RUN_FOLDER)) return false;
  const char *at = name + sizeof(RUN_FOLDER) - 1, *number = at;
  while (at < end && *at >= '0' && *at <= '9')
    at++;
  if (at == number) return false;
  if (at < end && *at == 'p') at++;
  return at < end && *at == '.' && memchr(at + 1, '.', (size_t)(end - at) - 1) == NULL;
}

/* Returns true for files of a run directory, which no module records, and false for others. A
 * `darshan run` within another run is instrumented, and it reads the files that its own processes
 * wrote. folder: bytes of the name up to its last slash, inclusive. */
static bool of_a_run(const char *name, size_t folder, size_t length) {
  const char *start = folder > 1 ? memrchr(name, '/', folder - 1) : NULL;
  if (!start || !is_run_folder(start + 1, (size_t)(name + folder - start) - 2)) return false;
  const char *file = name + folder;
  size_t left = length - folder;
  return BEGINS_WITH(file, left, RUN_EVENTS) || BEGINS_WITH(file, left, RUN_PART) ||
         BEGINS_WITH(file, left, RUN_PACK) || BEGINS_WITH(file, left, RUN_NAME) ||
         BEGINS_WITH(file, left, RUN_CLOSED) || strstr(file, "_mmap-log-") != NULL;
}

/* Number of slots in the table of plain folders: hashes of folders whose files are excluded only by
 * their own names. A process opens many files of few folders. */
enum { PLAIN_FOLDERS = 64 };
static uint64_t plain_folders[PLAIN_FOLDERS];

static bool is_plain(uint64_t *place, uint64_t hash, const char *name, size_t folder) {
  if (__atomic_load_n(place, __ATOMIC_RELAXED) == hash) return true;
  if (darshan_may_hold_mpi_files(name, folder)) return false;
  const char *start = folder > 1 ? memrchr(name, '/', folder - 1) : NULL;
  if (start && is_run_folder(start + 1, (size_t)(name + folder - start) - 2)) return false;
  __atomic_store_n(place, hash, __ATOMIC_RELAXED);
  return true;
}

/* Returns true for internal files of MPI, unless a setting says that they are recorded. Returns
 * false for others. */
static bool of_mpi(const struct darshan_config *config, const char *name, size_t length) {
  return !config->mpi_files && (of_launcher(config, name, length) || darshan_is_mpi_file(name));
}

static bool is_not_the_programs(const struct darshan_config *config, const char *name,
                                size_t length, struct name_folder folder) {
  if (in_system_folder(name, length)) return true;
  if (folder.bytes && name[0] == '/' && !config->launcher_folder &&
      is_plain(&plain_folders[folder.hash % PLAIN_FOLDERS], folder.hash, name, folder.bytes))
    return !config->mpi_files && darshan_is_mpi_component(name + folder.bytes);
  return of_mpi(config, name, length) || of_a_run(name, folder.bytes, length);
}

static bool names_are_paths(int module_id) {
  return module_id != DARSHAN_MOD_HEATMAP && module_id != DARSHAN_MOD_APMPI &&
         module_id != DARSHAN_MOD_MDHIM;
}

static bool matches(const struct darshan_name_rules *rules, int module_id, const char *name) {
  for (int i = 0; i < rules->count; i++)
    if (darshan_module_set_has(&rules->rule[i].modules, module_id) &&
        pattern_found(&rules->rule[i].compiled, name))
      return true;
  return false;
}

bool darshan_name_excluded(const struct darshan_config *config, int module_id, const char *name,
                           size_t length) {
  return darshan_name_excluded_in(config, module_id, name, length, name_folder(name, length));
}

bool darshan_name_excluded_in(const struct darshan_config *config, int module_id, const char *name,
                              size_t length, struct name_folder folder) {
  bool path = names_are_paths(module_id);
  bool excluded = path && is_not_the_programs(config, name, length, folder);
  if (!excluded) excluded = matches(&config->name_exclude, module_id, name);
  if (!excluded) return false;
  /* Includes burst buffers of Cray machines, which are mounted below a system folder. */
  if (path && BEGINS_WITH(name, length, "/var/opt/cray/dws/mounts/")) return false;
  return !matches(&config->name_include, module_id, name);
}
