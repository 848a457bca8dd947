/* Cases for changes of the working folder by calls other than chdir. Relative names must still
 * resolve to the right files. */
#include "calls.h"

#include <fts.h>
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void new_file(const char *name, const char *path) {
  int fd = C(open(name, O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0);
  model_open(path, 0644);
  CHECK(C(close(fd)) == 0);
  model_close(path);
}

/* Creates a folder with one file, and looks up a relative name in the folder above. */
static void prepare(void) {
  CHECK(sys_mkdir(in_dir("folder"), 0755) == 0);
  raw_file(in_dir("folder/there"), 1);
  new_file("before", in_dir("before"));
}

static int visit(const char *path, const struct stat *st, int kind, struct FTW *at) {
  (void)st;
  if (kind == FTW_F && !strcmp(path + at->base, "there")) new_file("new", in_dir("folder/new"));
  return 0;
}
#define NFTW_CASE(name, type)                                                                      \
  CASE(name) {                                                                                     \
    prepare();                                                                                     \
    CHECK(C(name("folder", (type)visit, 4, FTW_CHDIR)) == 0);                                      \
    new_file("after", in_dir("after"));                                                            \
    CHECK(C(name("missing", (type)visit, 4, FTW_CHDIR)) == -1 && errno == ENOENT);                 \
  }
NFTW_CASE(nftw, __nftw_func_t)
NFTW_CASE(nftw64, __nftw64_func_t)

static char *const roots[] = {(char *)"folder", NULL};

/* Walks until it meets a file. The walk has then changed into the file's folder, and a relative
 * name is opened there. prefix: of the functions, fts or fts64. types: the type of an entry. */
#define WALK(prefix, types)                                                                        \
  types *entry;                                                                                    \
  prepare();                                                                                       \
  __typeof__(prefix##_open(roots, FTS_PHYSICAL, NULL)) walk =                                      \
      prefix##_open(roots, FTS_PHYSICAL, NULL);                                                    \
  CHECK(walk != NULL);                                                                             \
  while ((entry = C(prefix##_read(walk))) && entry->fts_info != FTS_F)                             \
    ;                                                                                              \
  CHECK(entry != NULL);                                                                            \
  new_file("new", in_dir("folder/new"))

#define FTS_READ_CASE(name, prefix, types)                                                         \
  CASE(name) {                                                                                     \
    WALK(prefix, types);                                                                           \
  }
FTS_READ_CASE(fts_read, fts, FTSENT)
FTS_READ_CASE(fts64_read, fts64, FTSENT64)

#define FTS_CHILDREN_CASE(name, prefix)                                                            \
  CASE(name) {                                                                                     \
    prepare();                                                                                     \
    __typeof__(prefix##_open(roots, FTS_PHYSICAL, NULL)) walk =                                    \
        prefix##_open(roots, FTS_PHYSICAL, NULL);                                                  \
    CHECK(walk != NULL && C(prefix##_read(walk)) != NULL);                                         \
    CHECK(C(name(walk, 0)) != NULL);                                                               \
    new_file("after", in_dir("after"));                                                            \
    CHECK(C(name(walk, -1)) == NULL && errno == EINVAL);                                           \
  }
FTS_CHILDREN_CASE(fts_children, fts)
FTS_CHILDREN_CASE(fts64_children, fts64)

#define FTS_CLOSE_CASE(name, prefix, types)                                                        \
  CASE(name) {                                                                                     \
    WALK(prefix, types);                                                                           \
    CHECK(C(name(walk)) == 0);                                                                     \
    new_file("after", in_dir("after"));                                                            \
  }
FTS_CLOSE_CASE(fts_close, fts, FTSENT)
FTS_CLOSE_CASE(fts64_close, fts64, FTSENT64)

/* Runs in a thread: gets its own working folder, and opens a relative name there. */
static void *elsewhere(void *unused) {
  int alone = unshare(CLONE_FS);
  permitted(alone);
  CHECK(alone == 0 && chdir("folder") == 0);
  new_file("new", in_dir("folder/new"));
  return unused;
}
CASE(unshare) {
  pthread_t thread;
  prepare();
  CHECK(pthread_create(&thread, NULL, elsewhere, NULL) == 0 && pthread_join(thread, NULL) == 0);
  new_file("after", in_dir("after"));
  CHECK(C(unshare(-1)) == -1 && errno == EINVAL);
}

/* Only the failure is tested, because a successful call of setns needs privileges. */
CASE(setns) {
  prepare();
  int none = C(setns(-1, 0));
  permitted(none);
  CHECK(none == -1 && errno == EBADF);
  new_file("after", in_dir("after"));
}
extern int pivot_root(const char *, const char *);
CASE(pivot_root) {
  prepare();
  CHECK(C(pivot_root("missing", "missing")) == -1);
  new_file("after", in_dir("after"));
}
