/* Loads configurations for unit tests. */
#include "load-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

static void write_file(const char *path, const char *content) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(content, 1, strlen(content), file), strlen(content));
  assert_int_equal(fclose(file), 0);
}

struct loaded *load_config(const char *const variables[LOAD_VARIABLES], const char *file,
                           const char *program) {
  static struct loaded loaded;
  char path[] = "/tmp/darshan-config-XXXXXX", entry[64];
  char *envp[LOAD_VARIABLES + 2], *argv[] = {strdup(program), NULL};
  int n = 0;
  darshan_config_release(&loaded.config);
  /* No older value may remain in the result. */
  memset(&loaded.config, 0x5a, sizeof(loaded.config));
  memset(&loaded.messages, 0, sizeof(loaded.messages));
  if (file != NULL) {
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_file(path, file);
    snprintf(entry, sizeof(entry), "DARSHAN_CONFIG_PATH=%s", path);
    envp[n++] = strdup(entry);
  }
  for (int i = 0; i < LOAD_VARIABLES && variables[i] != NULL; i++)
    envp[n++] = strdup(variables[i]);
  envp[n] = NULL;
  darshan_config_load(&loaded.config, envp, 1, argv, &loaded.messages);
  /* The program may change its environment. */
  for (int i = 0; i < n; i++) {
    memset(envp[i], '!', strlen(envp[i]));
    free(envp[i]);
  }
  free(argv[0]);
  if (file != NULL) unlink(path);
  return &loaded;
}
