/* Reads settings from the configuration file and the environment, and derives the values that
 * depend on several settings. */
#include "config.h"

#include <config.h> /* autoconf's: the defaults of this build */
#include <string.h>

#include "../text/text.h"
#include "config-settings.h"
#include "log-format.h"

struct darshan_config darshan_config;

enum { CONFIG_FILE_LIMIT = 1 << 20 };

static struct darshan_slice slice_of(const char *string) {
  return (struct darshan_slice){string, string ? strlen(string) : 0};
}

static void set_defaults(struct darshan_config *config) {
  struct darshan_config_room *room = &config->room;
  memset(config, 0, offsetof(struct darshan_config, room));
  config->rank_exclude.range = room->rank_exclude;
  config->rank_include.range = room->rank_include;
  config->app_exclude.word = room->app_exclude;
  config->app_include.word = room->app_include;
  config->launchers.word = room->launchers;
  config->program_trees.word = room->program_trees;
  config->filter_calls.word = room->filter_calls;
  config->name_exclude.rule = room->name_exclude;
  config->name_include.rule = room->name_include;
  config->job_tree = true;
  config->collectives_meet = DARSHAN_APMPI_MEETS;
  config->modmem = (uint64_t)DARSHAN_DEFAULT_MODMEM << 20;
  config->namemem = (uint64_t)DARSHAN_DEFAULT_NAMEMEM << 20;
  config->mem_alignment = DARSHAN_DEFAULT_MEM_ALIGNMENT;
  config->sample = 1;
  config->small_io_trigger = config->unaligned_io_trigger = -1;
  config->logpath = DARSHAN_DEFAULT_LOG_PATH;
  config->logpath_dated = config->logpath[0] != '\0';
  config->mmap_logpath = "/tmp";
  config->jobid_variable = DARSHAN_JOBID_VARIABLE;
  config->hints = DARSHAN_LOG_HINTS[0] != '\0' ? DARSHAN_LOG_HINTS : NULL;
  for (int id = 0; id < DARSHAN_MODULE_IDS; id++)
    config->max_records[id] = DARSHAN_RECORDS;
  config->max_records[DARSHAN_MOD_POSIX] = config->max_records[DARSHAN_MOD_STDIO] =
      config->max_records[DARSHAN_MOD_H5F] = config->max_records[DARSHAN_MOD_H5D] =
          DARSHAN_FILE_RECORDS;
  config->max_records[DARSHAN_MOD_DXT_POSIX] = DARSHAN_DEFAULT_DXT_KIB;
  config->max_records[DARSHAN_MOD_DXT_MPIIO] = DARSHAN_DEFAULT_DXT_KIB;
  config->max_records[DARSHAN_MOD_HEATMAP] = 8;
  config->max_records[DARSHAN_MOD_BGQ] = 1;
}

/* Returns the value if this entry of the environment ("NAME=value") sets the variable, else
 * NULL. */
static const char *value_if(const char *entry, const char *variable) {
  for (; *variable != '\0'; entry++, variable++)
    if (*entry != *variable) return NULL;
  return *entry == '=' ? entry + 1 : NULL;
}

static const char *find_variable(char **envp, const char *variable) {
  for (; *envp != NULL; envp++) {
    const char *value = value_if(*envp, variable);
    if (value != NULL) return value;
  }
  return NULL;
}

/* Returns a bit for the first two letters of a name.  An environment has hundreds of entries, and
 * this bit rejects most of those that are not settings. */
static uint64_t initials(const char *name) {
  return name[0] == '\0' ? 0 : UINT64_C(1) << ((name[0] * 7 + name[1]) & 63);
}

/* Stores the value of setting i in values[i], in one pass over the environment.  The first of two
 * entries counts, as with getenv. */
static void find_values(char **envp, const char *values[DARSHAN_NUM_SETTINGS]) {
  uint64_t ours = 0;
  for (int i = 0; i < DARSHAN_NUM_SETTINGS; i++) {
    values[i] = NULL;
    if (darshan_settings[i].variable != NULL) ours |= initials(darshan_settings[i].variable);
  }
  for (; *envp != NULL; envp++) {
    if (!(initials(*envp) & ours)) continue;
    for (int i = 0; i < DARSHAN_NUM_SETTINGS; i++) {
      const char *variable = darshan_settings[i].variable;
      const char *value = variable ? value_if(*envp, variable) : NULL;
      if (value == NULL) continue;
      if (values[i] == NULL) values[i] = value;
      break;
    }
  }
}

static bool next_word(struct darshan_slice *line, struct darshan_slice *word) {
  while (line->length > 0 && strchr(" \t\r", *line->at) != NULL)
    line->at++, line->length--;
  word->at = line->at;
  for (word->length = 0; line->length > 0 && strchr(" \t\r", *line->at) == NULL; word->length++)
    line->at++, line->length--;
  return word->length > 0;
}

static void apply_line(struct darshan_config *config, struct darshan_slice line,
                       struct darshan_messages *messages) {
  struct darshan_slice directive, first, second, more;
  if (!next_word(&line, &directive) || directive.at[0] == '#') return;
  next_word(&line, &first);
  next_word(&line, &second);
  if (next_word(&line, &more))
    darshan_message_add(messages, "the directive",
                        "has more than two arguments; the others are ignored", NULL, 0);
  for (int i = 0; i < DARSHAN_NUM_SETTINGS; i++) {
    const char *name = darshan_settings[i].directive;
    if (name == NULL || strlen(name) != directive.length ||
        memcmp(name, directive.at, directive.length) != 0)
      continue;
    darshan_setting_apply(config, &darshan_settings[i], name, first, second, messages);
    return;
  }
  darshan_message_add(messages, "the directive", "does not exist and is ignored", NULL, 0);
}

/* Stores whether logs go into a folder per day (dated), if a value has set the log folder since
 * config->logpath was the pointer `before`, even to an equal text. The folder of a configuration
 * file belongs to a centre and is dated; the folder of the environment belongs to the user and is
 * not dated. */
static void note_logpath(struct darshan_config *config, const char *before, bool dated) {
  if (config->logpath != before) config->logpath_dated = dated;
}

static void apply_file(struct darshan_config *config, struct darshan_messages *messages) {
  struct darshan_file file;
  int result = darshan_read_file(&file, config->config_path, CONFIG_FILE_LIMIT);
  if (result < 0) {
    DARSHAN_MESSAGE(messages, "cannot read DARSHAN_CONFIG_PATH ", config->config_path, ": ",
                    darshan_error_text(-result));
    return;
  }
  messages->file = config->config_path;
  struct darshan_slice rest = {file.bytes, file.length}, line;
  const char *before = config->logpath;
  for (const char *end = file.bytes; darshan_next_item(&rest, '\n', &line);) {
    for (; end <= line.at; end++) /* counts empty lines, which are not items */
      messages->line += end == file.bytes || end[-1] == '\n';
    apply_line(config, line, messages);
  }
  messages->line = 0;
  note_logpath(config, before, true);
  darshan_release_file(&file);
}

static void apply_environment(struct darshan_config *config, const char **values,
                              struct darshan_messages *messages) {
  /* A list of the environment replaces both lists of the file: EXCLUDE and INCLUDE. */
  if (values[DARSHAN_SETTING_APP_EXCLUDE] || values[DARSHAN_SETTING_APP_INCLUDE])
    config->app_exclude.count = config->app_include.count = 0;
  if (values[DARSHAN_SETTING_RANK_EXCLUDE] || values[DARSHAN_SETTING_RANK_INCLUDE])
    config->rank_exclude.count = config->rank_include.count = 0;
  if (values[DARSHAN_SETTING_MOD_DISABLE] || values[DARSHAN_SETTING_MOD_ENABLE])
    config->modules_disabled = config->modules_enabled = (struct darshan_module_set){{0}};
  const char *before = config->logpath;
  for (int i = 0; i < DARSHAN_NUM_SETTINGS; i++)
    if (values[i] != NULL)
      darshan_setting_apply(config, &darshan_settings[i], darshan_settings[i].variable,
                            slice_of(values[i]), (struct darshan_slice){NULL, 0}, messages);
  note_logpath(config, before, false);
}

/* Returns the value of the first variable of a comma-separated list that is set and not empty, or
 * NULL. */
static const char *first_of(char **envp, const char *variables) {
  struct darshan_slice list = slice_of(variables), name;
  while (darshan_next_item(&list, ',', &name))
    for (char **entry = envp; *entry != NULL; entry++) {
      if (strncmp(*entry, name.at, name.length) != 0 || (*entry)[name.length] != '=') continue;
      if ((*entry)[name.length + 1] != '\0') return *entry + name.length + 1;
      break;
    }
  return NULL;
}

/* Applies the variables that were configured at build time (doc/configure.md).  DARSHAN_LOGPATH
 * overrides them; the variable for the user's name overrides LOGNAME. */
static void apply_variables_of_the_build(struct darshan_config *config, char **envp,
                                         const char **values, struct darshan_messages *messages) {
  const char *folder = values[DARSHAN_SETTING_LOGPATH], *before = config->logpath;
  const struct darshan_slice none = {NULL, 0};
  const struct darshan_setting *setting = &darshan_settings[DARSHAN_SETTING_LOGPATH];
  folder = folder && folder[0] ? NULL : first_of(envp, DARSHAN_LOG_PATH_VARIABLES);
  if (folder)
    darshan_setting_apply(config, setting, "--with-log-path-by-env", slice_of(folder), none,
                          messages);
  note_logpath(config, before, false);
  const char *user = first_of(envp, DARSHAN_USER_VARIABLE);
  setting = &darshan_settings[DARSHAN_SETTING_USER];
  if (user)
    darshan_setting_apply(config, setting, "--with-username-env", slice_of(user), none, messages);
}

static bool matches_any(const struct darshan_words *words, const char *name, const char *string,
                        struct darshan_messages *messages) {
  bool found = false;
  for (int i = 0; i < words->count && !found; i++) {
    struct pattern compiled;
    if (pattern_compile(&compiled, words->word[i]) != 0) {
      struct darshan_slice pattern = slice_of(words->word[i]);
      darshan_message_add(messages, name,
                          "has an entry that is not a regular expression and is ignored",
                          pattern.at, pattern.length);
      continue;
    }
    found = pattern_found(&compiled, string);
    pattern_release(&compiled);
  }
  return found;
}

struct launcher_row {
  const char *name;        /* of the launcher */
  const char *rank, *size; /* environment variables with rank and number of ranks; size may be "" */
  int64_t first;           /* number of the first rank */
  const char *name_parts[3]; /* environment variables whose values make the launch's name */
};

static bool is_launched_by(struct darshan_config *config, char **envp,
                           const struct launcher_row *row) {
  const char *rank = find_variable(envp, row->rank);
  const char *size = rank && row->size[0] ? find_variable(envp, row->size) : NULL;
  int64_t number, of = 0;
  if (!rank || !darshan_parse_leading_integer(rank, &number)) return false;
  if (row->size[0] && (!size || !darshan_parse_leading_integer(size, &of))) return false;
  number -= row->first;
  if (number < 0 || number > INT32_MAX || (row->size[0] && number >= of)) return false;
  config->launched_rank = number;
  config->launched_size = of;
  config->launched_by = row->name;
  return true;
}

/* Returns the launch's name: "JOB", "JOB.STEP" or "JOB.STEP.AGAIN", each part cut to MOST bytes; ""
 * if the launcher names none or the memory for settings is full. */
static const char *launch_of(struct darshan_config *config, char **envp,
                             const struct launcher_row *row, struct darshan_messages *messages) {
  enum { PARTS = sizeof(row->name_parts) / sizeof(row->name_parts[0]), MOST = 96 };
  char text[PARTS * (MOST + 1)];
  size_t length = 0;
  for (int i = 0; i < PARTS; i++) {
    const char *part = row->name_parts[i][0] ? find_variable(envp, row->name_parts[i]) : NULL;
    size_t more = part ? strnlen(part, MOST) : 0;
    if (!more) continue;
    if (i > 0) text[length++] = '.';
    memcpy(text + length, part, more);
    length += more;
  }
  if (length == 0) return "";
  const char *kept = darshan_config_keep(config, row->name_parts[0],
                                         (struct darshan_slice){text, length}, messages);
  return kept ? kept : "";
}

static void decide_launch(struct darshan_config *config, char **envp,
                          struct darshan_messages *messages) {
  static const struct launcher_row launchers[] = {
#define LAUNCHER(name, rank, size, first, job, step, again, unique)                                \
  {name, rank, size, first, {job, step, again}},
#include "launchers.def"
#undef LAUNCHER
  };
  config->launch = "";
  for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
    if (is_launched_by(config, envp, &launchers[i])) {
      config->launch = launch_of(config, envp, &launchers[i], messages);
      return;
    }
}

static void decide_program(struct darshan_config *config, const char *command,
                           struct darshan_messages *messages) {
  const char *space = strchr(command, ' ');
  struct darshan_slice word = {command, space ? (size_t)(space - command) : strlen(command)};
  const char *slash = NULL;
  for (const char *at = command; *at != '\0'; at++)
    if (*at == '/') slash = at;
  struct darshan_slice last = slice_of(slash ? slash + 1 : command);
  const char *exe = last.length ? darshan_config_keep(config, "argv", last, messages) : NULL;
  config->exe = exe ? exe : "unknown";
  config->app_excluded = darshan_is_beside_tasks(config->exe);
  if (config->app_excluded || config->app_exclude.count == 0) return;
  const char *program = darshan_config_keep(config, "APP_EXCLUDE", word, messages);
  config->app_excluded = program != NULL &&
                         matches_any(&config->app_exclude, "APP_EXCLUDE", program, messages) &&
                         !matches_any(&config->app_include, "APP_INCLUDE", program, messages);
}

/* Switches off the modules that are not part of this build. Adds a message if MOD_ENABLE names one
 * of them. */
static void leave_out_of_the_build(struct darshan_config *config,
                                   struct darshan_messages *messages) {
#define LOW(SYMBOL) | (DARSHAN_MOD_##SYMBOL < 64 ? UINT64_C(1) << DARSHAN_MOD_##SYMBOL % 64 : 0)
#define HIGH(SYMBOL) | (DARSHAN_MOD_##SYMBOL < 64 ? 0 : UINT64_C(1) << DARSHAN_MOD_##SYMBOL % 64)
  static const uint64_t without[DARSHAN_MODULE_IDS / 64] = {0 DARSHAN_MODULES_WITHOUT(LOW),
                                                            0 DARSHAN_MODULES_WITHOUT(HIGH)};
#undef LOW
#undef HIGH
  for (int id = 0; id < DARSHAN_MODULE_IDS; id++) {
    if (!(without[id / 64] >> (id % 64) & 1)) continue;
    const char *name = darshan_module_text(id);
    config->modules.bits[id / 64] &= ~(UINT64_C(1) << (id % 64));
    if (name && darshan_module_set_has(&config->modules_enabled, id) &&
        config->modules_enabled.bits[0] != UINT64_MAX)
      darshan_message_add(messages, "MOD_ENABLE", "names a module that this build never records",
                          name, strlen(name));
  }
}

static void decide_modules(struct darshan_config *config, struct darshan_messages *messages) {
  struct darshan_module_set off = config->modules_disabled;
  if (!DARSHAN_APMPI_BY_DEFAULT) /* APMPI records no files */
    off.bits[0] |= UINT64_C(1) << DARSHAN_MOD_APMPI;
  if (!config->dxt)
    off.bits[0] |= UINT64_C(1) << DARSHAN_MOD_DXT_POSIX | UINT64_C(1) << DARSHAN_MOD_DXT_MPIIO;
  for (int i = 0; i < DARSHAN_MODULE_IDS / 64; i++)
    config->modules.bits[i] = ~off.bits[i] | config->modules_enabled.bits[i];
  leave_out_of_the_build(config, messages);
}

static void decide_logpath(struct darshan_config *config, struct darshan_messages *messages) {
  static const char below_home[] = "/darshan-logs";
  if (config->dated_wanted != DARSHAN_CHOICE_OPEN)
    config->logpath_dated = config->dated_wanted == DARSHAN_CHOICE_YES;
  else /* so that the dump, and a configuration file made from it, show the limit */
    config->dated_wanted = config->logpath_dated ? DARSHAN_CHOICE_YES : DARSHAN_CHOICE_NO;
  if (config->logpath[0] != '\0') return;
  config->logpath = config->mmap_logpath;
  if (config->home == NULL || config->home[0] != '/') return;
  const char *start = darshan_config_keep(config, "HOME", slice_of(config->home), messages);
  if (start == NULL) return;
  config->arena_used--; /* removes the NUL, so that the next string continues this one */
  if (darshan_config_keep(config, "HOME", slice_of(below_home), messages) != NULL)
    config->logpath = start;
}

void darshan_config_load(struct darshan_config *config, char **envp, int argc, char **argv,
                         struct darshan_messages *messages) {
  const char *values[DARSHAN_NUM_SETTINGS];
  set_defaults(config);
  messages->line = 0;
  find_values(envp, values);
  const char *command = argc > 0 && argv != NULL && argv[0] != NULL ? argv[0] : "";
  if (values[DARSHAN_SETTING_DISABLE] != NULL) {
    config->disabled = true;
    config->exe = "unknown";
    return;
  }
  if (values[DARSHAN_SETTING_CONFIG_PATH] != NULL) {
    const struct darshan_setting *setting = &darshan_settings[DARSHAN_SETTING_CONFIG_PATH];
    darshan_setting_apply(config, setting, setting->variable,
                          slice_of(values[DARSHAN_SETTING_CONFIG_PATH]),
                          (struct darshan_slice){NULL, 0}, messages);
    if (config->config_path != NULL) apply_file(config, messages);
  }
  apply_environment(config, values, messages);
  apply_variables_of_the_build(config, envp, values, messages);
  const char *jobid = find_variable(envp, config->jobid_variable);
  config->has_jobid = jobid != NULL && darshan_parse_leading_integer(jobid, &config->jobid);
  config->left_out = config->has_jobid && !darshan_job_in_sample(config, config->jobid);
  decide_launch(config, envp, messages);
  decide_modules(config, messages);
  decide_logpath(config, messages);
  decide_program(config, command, messages);
  config->launcher =
      darshan_is_launcher(config->exe, config->launchers.word, config->launchers.count);
}

static bool in_ranges(const struct darshan_rank_ranges *ranges, int64_t rank) {
  for (int i = 0; i < ranges->count; i++)
    if (rank >= ranges->range[i].first && rank <= ranges->range[i].last) return true;
  return false;
}

bool darshan_rank_excluded(const struct darshan_config *config, int64_t rank) {
  return in_ranges(&config->rank_exclude, rank) && !in_ranges(&config->rank_include, rank);
}

static void release_rules(struct darshan_name_rules *rules) {
  for (int i = 0; i < rules->count; i++)
    pattern_release(&rules->rule[i].compiled);
  rules->count = 0;
}

void darshan_config_release(struct darshan_config *config) {
  release_rules(&config->name_exclude);
  release_rules(&config->name_include);
}
