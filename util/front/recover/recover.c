/* The subcommand recover, and the recovery after `darshan run` (recover.h). */
#define _GNU_SOURCE
#include "recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../runtime/records/in-place.h"
#include "../../reader/called.h"
#include "../commands.h"
#include "../message.h"

/* BY_THE_WAY, MOST_BY_THE_WAY: limits of recover_by_the_way, in directory entries and logs. */
enum { USAGE = 2, HOUR = 3600, DAY = 24 * HOUR, BY_THE_WAY = 4096, MOST_BY_THE_WAY = 64 };

static const char usage[] =
    "usage: darshan recover [-o DIR] [--dry-run] [--yes] [--all-users] [FOLDER...]\n"
    "  makes the logs of processes that were killed from the journals that they left, and\n"
    "  removes the journals; prints a line for each log.  Skips processes that still run.\n"
    "  FOLDER          where journals are [DARSHAN_MMAP_LOGPATH, else /tmp; and " IN_PLACE_FOLDER
    "]\n"
    "  -o DIR          where logs go [the folder that darshan run was given, else\n"
    "                  DARSHAN_LOGPATH, else darshan-logs in the home folder]\n"
    "  -n, --dry-run   only print what would be done\n"
    "  -y, --yes       do not ask; on a terminal, recover prints what it would do and asks\n"
    "  --all-users     recover the logs of all users, each with its owner's rights; root only\n"
    "  -h, --help\n"
    "  Exit status: 0; 1 if a log could not be made, or the answer was not yes; 2 for a usage\n"
    "  error\n";

struct command {
  struct recovery recovery;
  struct path_list folders; /* where journals are */
  int all_users, yes;       /* 1: --all-users; 1: --yes */
};

/* Recovers the files in a folder. most_entries: limit of the entries that are read; most_logs: of
 * the logs in recovery->logs. */
static void recover_folder(struct recovery *recovery, const char *folder, size_t most_entries,
                           size_t most_logs) {
  struct orphans orphans;
  memset(&orphans, 0, sizeof(orphans));
  orphans_find(&orphans, folder, most_entries);
  for (size_t i = 0; i < orphans.count && recovery->logs.count < most_logs; i++) {
    recover_orphan(recovery, &orphans.all[i]);
    fflush(stdout);
  }
  orphans_free(&orphans);
}

/* Recovers the files of this process's user. Returns the exit status. */
static int recover_own(struct command *command) {
  alive_init(&command->recovery.alive);
  for (size_t i = 0; i < command->folders.count; i++)
    recover_folder(&command->recovery, command->folders.paths[i], SIZE_MAX, SIZE_MAX);
  alive_free(&command->recovery.alive);
  path_list_free(&command->recovery.logs);
  return command->recovery.failed || ferror(stdout) || fflush(stdout) ? 1 : 0;
}

/* Switches this process to a user permanently, because files in a shared folder may be a trap for
 * root. Returns 0, or -1 with errno set. */
static int become(uid_t uid) {
  const struct passwd *user = getpwuid(uid);
  gid_t group = user ? user->pw_gid : (gid_t)uid;
  if (user ? initgroups(user->pw_name, group) : setgroups(0, NULL)) return -1;
  if (user ? setenv("HOME", user->pw_dir, 1) : unsetenv("HOME")) return -1;
  return setresgid(group, group, group) < 0 || setresuid(uid, uid, uid) < 0 ? -1 : 0;
}

/* Recovers the files of another user, in a child process with that user's rights. Returns 0, or
 * nonzero after a message. */
static int recover_of(struct command *command, uid_t uid) {
  int status = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    if (become(uid) == 0) _exit(recover_own(command));
    say("cannot recover the logs of user %u: cannot switch to this user: %s", (unsigned)uid,
        strerror(errno));
    _exit(1);
  }
  if (child < 0)
    say("cannot recover the logs of user %u: cannot start a process: %s", (unsigned)uid,
        strerror(errno));
  while (child > 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  return child < 0 || status != 0;
}

/* Collects the ids of all users who own a journal or run directory in the folders. */
static void find_users(const struct path_list *folders, struct id_table *users) {
  char path[PATH_MAX];
  struct stat st;
  int is_new;
  for (size_t i = 0; i < folders->count; i++) {
    DIR *dir = opendir(folders->paths[i]);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
      if (!orphans_is_named(entry->d_name)) continue;
      int n = snprintf(path, sizeof(path), "%s/%s", folders->paths[i], entry->d_name);
      if (n < PATH_MAX && lstat(path, &st) == 0) id_table_get(users, st.st_uid, &is_new);
    }
    if (dir) closedir(dir);
  }
}

static int recover_all(struct command *command) {
  struct id_table users;
  int status = 0;
  id_table_init(&users, 1);
  find_users(&command->folders, &users);
  for (size_t i = 0; i < users.count; i++)
    if (recover_of(command, (uid_t)users.keys[i])) status = 1;
  id_table_free(&users);
  return status;
}

/* On a terminal, prints what would be done and asks the user for confirmation. Returns 1 to
 * continue, 0 if the user did not confirm. */
static int ask(struct command *command) {
  char answer[16] = "";
  if (command->yes || command->recovery.dry_run || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return 1;
  command->recovery.dry_run = 1;
  int failed = command->all_users ? recover_all(command) : recover_own(command);
  command->recovery.dry_run = 0;
  command->recovery.failed = (size_t)failed;
  if (!command->all_users && !command->recovery.planned) {
    if (!failed) puts("nothing to recover");
    return 0;
  }
  fputs("make these logs and remove what they are made of? [y/N] ", stdout);
  fflush(stdout);
  if (!fgets(answer, sizeof(answer), stdin)) putchar('\n');
  answer[strcspn(answer, "\r\n")] = '\0';
  command->recovery.failed = 0;
  return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}

static void add_default_folders(struct path_list *folders) {
  const char *set = getenv("DARSHAN_MMAP_LOGPATH");
  path_list_add(folders, set && *set ? set : "/tmp");
  if (strcmp(folders->paths[0], IN_PLACE_FOLDER) != 0) path_list_add(folders, IN_PLACE_FOLDER);
}

static int check_folders(const struct path_list *folders) {
  for (size_t i = 0; i < folders->count; i++) {
    if (access(folders->paths[i], R_OK | X_OK) == 0) continue;
    say("cannot read the folder %s: %s", say_path(folders->paths[i]), strerror(errno));
    return -1;
  }
  return 0;
}

static int parse(struct command *command, int argc, char **argv) {
  static const struct option names[] = {
      {"output", required_argument, NULL, 'o'}, {"dry-run", no_argument, NULL, 'n'},
      {"yes", no_argument, NULL, 'y'},          {"all-users", no_argument, NULL, 'a'},
      {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
  int code;
  while ((code = getopt_long(argc, argv, "o:nyh", names, NULL)) != -1) {
    if (code == 'o') command->recovery.output = optarg;
    if (code == 'n') command->recovery.dry_run = 1;
    if (code == 'y') command->yes = 1;
    if (code == 'a') command->all_users = 1;
    if (code == 'h' || code == '?') {
      fputs(usage, code == 'h' ? stdout : stderr);
      return code == 'h' ? written(stdout, "darshan", 0) : USAGE;
    }
  }
  return -1;
}

int command_recover(int argc, char **argv) {
  struct command command;
  memset(&command, 0, sizeof(command));
  int status = parse(&command, argc, argv);
  if (status >= 0) return status;
  if (command.all_users && geteuid() != 0) {
    say("cannot use --all-users: only root may");
    return USAGE;
  }
  for (int i = optind; i < argc; i++)
    path_list_add(&command.folders, argv[i]);
  if (check_folders(&command.folders) < 0) return 1;
  if (!command.folders.count) add_default_folders(&command.folders);
  if (!merger_exists())
    status = 1;
  else if (ask(&command))
    status = command.all_users ? recover_all(&command) : recover_own(&command);
  else
    status = command.recovery.planned || command.recovery.failed || command.all_users;
  path_list_free(&command.folders);
  return status;
}

/* --- after a run --- */

/* Returns 1 if this process is a rank: recovery would delay all ranks of its job. Otherwise returns
 * 0. */
static int in_a_job(void) {
  static const char *const ranks[] = {
#define LAUNCHER(name, rank, size, first, job, step, again, unique) rank,
#include "../../../runtime/job/config/launchers.def"
#undef LAUNCHER
  };
  for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
    if (getenv(ranks[i])) return 1;
  return 0;
}

/* Returns 1 at most once a day per user and folder. Stores the time in a file; if that file belongs
 * to another user, returns 0. */
static int is_due(const char *folder) {
  char path[PATH_MAX];
  struct stat st;
  struct timespec now;
  if (snprintf(path, sizeof(path), "%s/darshan-recovered.%u", folder, (unsigned)geteuid()) >=
      PATH_MAX)
    return 0;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0) {
    close(fd);
    return 1;
  }
  fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  clock_gettime(CLOCK_REALTIME, &now);
  int due = fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && S_ISREG(st.st_mode) &&
            (now.tv_sec - st.st_mtim.tv_sec >= DAY || st.st_mtim.tv_sec > now.tv_sec + DAY);
  if (due) futimens(fd, NULL);
  if (fd >= 0) close(fd);
  return due;
}

void recover_by_the_way(const char *folder) {
  struct recovery recovery;
  if (in_a_job() || !is_due(folder)) return;
  memset(&recovery, 0, sizeof(recovery));
  recovery.quiet = 1;
  recovery.min_age_ns = HOUR * (int64_t)1000000000;
  alive_init(&recovery.alive);
  recover_folder(&recovery, folder, BY_THE_WAY, MOST_BY_THE_WAY);
  alive_free(&recovery.alive);
  if (recovery.logs.count)
    say("wrote %zu log%s of processes that were killed earlier to %s", recovery.logs.count,
        recovery.logs.count == 1 ? "" : "s", say_path(recovery.folder));
  path_list_free(&recovery.logs);
}
