/* Finds the run of a process by the value of DARSHAN_ENABLE_NONMPI, or names a new run. */
#include "run-state.h"

#include <string.h>
#include <sys/vfs.h>

#include "../intercept/loader/loader.h"
#include "../intercept/sys/sys.h"
#include "../records/in-place.h"
#include "record-id.h"
#include "text/text.h"

struct run_state run_state;

static const char variable[] = "DARSHAN_ENABLE_NONMPI=";
/* The environment entry DARSHAN_ENABLE_NONMPI=RUN_DIRECTORY. It replaces the entry in the
 * application's environment, so it must not be freed. */
static char entry[sizeof(variable) + RUN_ROOM];

static char **find_entry(char **envp) {
  for (; *envp; envp++)
    if (strncmp(*envp, variable, sizeof(variable) - 1) == 0) return envp;
  return NULL;
}

/* Returns the root process's pid in the path of a run directory, darshan-run.PID.UNIQUE; -1 if the
 * path has another form. *has_peers: 1 if a "p" follows the pid, because a launcher started several
 * root processes. */
static pid_t top_of(const char *folder, int *has_peers) {
  const char *name = strrchr(folder, '/');
  int64_t pid = 0;
  if (folder[0] != '/' || strlen(folder) >= RUN_ROOM) return -1;
  if (strncmp(++name, RUN_FOLDER, sizeof(RUN_FOLDER) - 1) != 0) return -1;
  name += sizeof(RUN_FOLDER) - 1;
  if (*name < '0' || *name > '9') return -1;
  for (; *name >= '0' && *name <= '9' && pid < INT32_MAX; name++)
    pid = 10 * pid + *name - '0';
  name += *has_peers = *name == 'p';
  return *name == '.' && pid <= INT32_MAX ? (pid_t)pid : -1;
}

/* Returns true for -c and combinations like -lc: the next argument is the command. */
static int is_command(const char *option) {
  return option[0] == '-' && option[1] != '-' && strchr(option, 'c');
}

/* Returns 1 for a shell that reads commands from a terminal: each of its commands is a run, and the
 * shell belongs to none. Otherwise returns 0. */
static int is_login(const struct darshan_config *config, int argc, char **argv) {
  static const char *const shells[] = {"sh",  "bash", "dash", "zsh",  "ksh",
                                       "ash", "mksh", "tcsh", "fish", "csh"};
  enum { GET_ATTRIBUTES = 0x5401 /* TCGETS */ };
  const char *name = config->exe + (config->exe[0] == '-');
  char attributes[64]; /* struct termios of the kernel has 36 */
  int is_shell = 0;
  for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
    is_shell |= strcmp(name, shells[i]) == 0;
  for (int i = 1; i < argc; i++)
    if (argv[i][0] != '-' || is_command(argv[i])) return 0;
  return is_shell && SYS3(SYS_ioctl, 0, GET_ATTRIBUTES, attributes) >= 0;
}

/* Returns the folder that gets the run directory: the folder of the journals or, if its file system
 * does not allow mapping journals, a folder in memory that does. Returns the folder of the journals
 * if neither does. */
static const char *base_of(const struct darshan_config *config) {
  struct statfs fs;
  if (SYS2(SYS_statfs, config->mmap_logpath, &fs) < 0 || in_place(fs.f_type))
    return config->mmap_logpath;
  return SYS2(SYS_statfs, IN_PLACE_FOLDER, &fs) == 0 && in_place(fs.f_type) ? IN_PLACE_FOLDER
                                                                            : config->mmap_logpath;
}

/* Returns the start of a process in clock ticks since boot; it distinguishes processes with the
 * same pid. Returns 0 if the process's stat file cannot be read. */
static uint64_t birth_of(pid_t pid) {
  enum { FIELD = 22 - 2 }; /* counted from the field after the name */
  char path[32], text[512];
  struct darshan_text name = darshan_text_in(path, sizeof(path));
  darshan_text_add(&name, "/proc/");
  darshan_text_signed(&name, pid);
  darshan_text_add(&name, "/stat");
  int fd = sys_open(path, O_RDONLY, 0);
  ssize_t n = fd < 0 ? 0 : sys_read(fd, text, sizeof(text) - 1);
  if (fd >= 0) sys_close(fd);
  text[n > 0 ? n : 0] = '\0';
  const char *at = strrchr(text, ')');
  for (int i = 0; at && i < FIELD; i++)
    if ((at = strchr(at + 1, ' ')) == NULL) return 0;
  uint64_t value = 0;
  for (at = at ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
    value = 10 * value + (uint64_t)(*at - '0');
  return value;
}

/* Returns the number of this process's PID namespace; 0 if /proc does not tell it. Reads it from
 * the text of the link, "pid:[NUMBER]": stat of the link would make an inode for the namespace,
 * which takes three times as long. */
uint64_t pid_namespace(void) {
  static const char link[] = "/proc/self/ns/pid";
  struct stat st;
  char text[32];
  uint64_t number = 0;
  ssize_t n = sys_readlink(link, text, sizeof(text) - 1);
  text[n > 0 ? n : 0] = '\0';
  const char *at = strchr(text, '[');
  for (at = at ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
    number = 10 * number + (uint64_t)(*at - '0');
  if (number && *at == ']') return number;
  return SYS4(SYS_newfstatat, AT_FDCWD, link, &st, 0) == 0 ? st.st_ino : 0;
}

void run_know_place(void) {
  char name[sizeof(((struct utsname *)0)->nodename)];
  sys_nodename(name, sizeof(name));
  size_t length = strcspn(name, ".");
  memset(run_state.host, 0, sizeof(run_state.host));
  memcpy(run_state.host, name, length < RUN_HOST ? length : RUN_HOST);
  run_state.names = pid_namespace();
}

/* Returns a number that, with the pid, distinguishes a process from all others that may use the
 * same folder: a hash of its start time, its PID namespace and its host. */
static uint64_t number_of(pid_t pid) {
  struct {
    uint64_t birth, names;
    char host[RUN_HOST];
  } who = {birth_of(pid), run_state.names, {0}};
  memcpy(who.host, run_state.host, sizeof(who.host));
  return darshan_hash((const char *)&who, sizeof(who), 0);
}

static int name_files(void) {
  size_t n = strlen(run_state.folder);
  _Static_assert(sizeof(run_state.events) >= RUN_ROOM + sizeof("/" RUN_EVENTS), "they fit");
  memcpy(run_state.events, run_state.folder, n);
  memcpy(run_state.events + n, "/" RUN_EVENTS, sizeof("/" RUN_EVENTS));
  memcpy(run_state.closed, run_state.folder, n);
  memcpy(run_state.closed + n, "/" RUN_CLOSED, sizeof("/" RUN_CLOSED));
  memcpy(run_state.packed, run_state.folder, n);
  memcpy(run_state.packed + n, "/" RUN_PACK, sizeof("/" RUN_PACK));
  return 1;
}

/* Names a new run. The name is the same in every program that this process executes, with any
 * environment, and in all processes that one launcher started on this node. Returns 1, or -1 if the
 * path is too long. self: pid of this process. */
static int name_run(const struct darshan_config *config, pid_t self) {
  int has_peers = config->launched_size > 1;
  if (has_peers) self = (pid_t)SYS1(SYS_getppid, 0);
  struct darshan_text text = darshan_text_in(run_state.folder, sizeof(run_state.folder));
  darshan_text_add(&text, base_of(config));
  darshan_text_add(&text, "/" RUN_FOLDER);
  darshan_text_signed(&text, self);
  darshan_text_add(&text, has_peers ? "p." : ".");
  darshan_text_unsigned(&text, number_of(self));
  if (!darshan_text_length(&text)) {
    run_state.folder[0] = '\0';
    return -1;
  }
  run_state.top = self;
  run_state.has_peers = has_peers;
  run_state.is_first = 1;
  return name_files();
}

static void announce(char **place, const char *value) {
  memcpy(entry, variable, sizeof(variable) - 1);
  memcpy(entry + sizeof(variable) - 1, value, strlen(value) + 1);
  *place = entry;
}

int run_find(const struct darshan_config *config, int argc, char **argv, char **envp) {
  pid_t self = sys_getpid();
  char **place = config->nonmpi ? find_entry(envp) : NULL;
  const char *value = place ? *place + sizeof(variable) - 1 : NULL;
  pid_t top = value ? top_of(value, &run_state.has_peers) : -1;
  /* A static program that contains this library cannot find the merger. It writes its own log,
   * unless the `darshan` command makes the run's log. */
  int may_merge = loader_is_there();
  int member = top >= 0 && config->job_tree && (top == 0 || may_merge);
  if (!member && config->nonmpi && !config->has_jobid && !darshan_job_in_sample(config, self)) {
    if (place && config->job_tree)
      announce(place, "0"); /* its descendants must not be recorded either */
    return 0;
  }
  if (!value || !config->job_tree) return 1;
  run_know_place();
  if (member) {
    memcpy(run_state.folder, value, strlen(value) + 1);
    run_state.top = top;
    return name_files();
  }
  run_state.is_login = may_merge && is_login(config, argc, argv);
  if (may_merge && !run_state.is_login && name_run(config, self) >= 0)
    announce(place, run_state.folder);
  return 1;
}

void run_find_forked(const struct darshan_config *config, pid_t self) {
  run_state.is_first = 0;
  if (run_state.folder[0] || run_state.is_login)
    run_know_place(); /* after the fork, the namespace may differ */
  if (run_state.is_login) name_run(config, self);
  run_state.is_login = 0;
}

int run_is_found_by(const char *value) {
  int has_peers;
  if (strcmp(value, run_state.folder) == 0) return 1;
  return run_state.is_first && strcmp(value, "0") != 0 && top_of(value, &has_peers) < 0;
}
