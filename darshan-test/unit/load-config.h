/* Loads a configuration from a few variables and optionally a file. */
#ifndef DARSHAN_TEST_LOAD_CONFIG_H
#define DARSHAN_TEST_LOAD_CONFIG_H

#include "../../runtime/job/config/config.h"

enum { LOAD_VARIABLES = 16 };

struct loaded {
  struct darshan_config config;
  struct darshan_messages messages;
};

/* Loads a configuration from variables, a list that ends with NULL, and the contents of a
 * configuration file (NULL: none). program: argv[0]. The next call reuses the storage of the
 * result. */
struct loaded *load_config(const char *const variables[LOAD_VARIABLES], const char *file,
                           const char *program);

#define LOAD(...) load_config((const char *const[LOAD_VARIABLES]){__VA_ARGS__}, NULL, "/x/prog")
#define LOAD_FILE(file, ...)                                                                       \
  load_config((const char *const[LOAD_VARIABLES]){__VA_ARGS__}, (file), "/x/prog")

#endif
