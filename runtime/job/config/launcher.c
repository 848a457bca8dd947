/* Compares the program's name with launcher-names.def. */
#include "config.h"

#include <string.h>
#include <sys/auxv.h>

static const char *const names[] = {
#define LAUNCHER_NAME(name) name,
#define BESIDE_NAME(name)
#include "launcher-names.def"
#undef LAUNCHER_NAME
#undef BESIDE_NAME
};

static const char *const beside[] = {
#define LAUNCHER_NAME(name)
#define BESIDE_NAME(name) name,
#include "launcher-names.def"
#undef LAUNCHER_NAME
#undef BESIDE_NAME
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

/* Returns the name of the executed file without its folder, or NULL. For a script, argv[0] has only
 * the shell's name. */
static const char *executed(void) {
  const char *path = (const char *)getauxval(AT_EXECFN);
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

bool darshan_is_launcher(const char *program, const char *const *more, int count) {
  const char *name = executed();
  return (name && is_one(name, more, count)) || is_one(program, more, count);
}

bool darshan_is_beside_tasks(const char *program) {
  const char *name = executed();
  for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
    if ((name && is_named(name, beside[i])) || is_named(program, beside[i])) return true;
  return false;
}
