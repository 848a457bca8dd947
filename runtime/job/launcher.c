#include "launcher.h"

#include <string.h>
#include <sys/auxv.h>

static const char *const names[] = {
#define LAUNCHER_NAME(name) name,
#include "launcher-names.def"
#undef LAUNCHER_NAME
};

static bool is_named(const char *program, const char *name) {
  size_t length = strlen(name);
  return strncmp(program, name, length) == 0 && (program[length] == '\0' || program[length] == '.');
}

static bool is_one(const char *program, const char *const *more, int count) {
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (is_named(program, names[i])) return true;
  for (int i = 0; i < count; i++)
    if (is_named(program, more[i])) return true;
  return false;
}

bool darshan_is_launcher(const char *program, const char *const *more, int count) {
  /* Some are scripts: then argv names the shell, and this the script. */
  const char *path = (const char *)getauxval(AT_EXECFN);
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (path && is_one(slash ? slash + 1 : path, more, count)) return true;
  return is_one(program, more, count);
}
