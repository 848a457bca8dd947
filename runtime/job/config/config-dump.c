/* Prints the effective settings in the syntax of a configuration file. */
#include <string.h>

#include "../../intercept/stack.h"
#include "../../intercept/sys/sys.h"
#include "../text/text.h"
#include "config-settings.h"

/* The line that is being composed, and the descriptor that it is written to. */
struct dump {
  int fd;
  struct darshan_text text;
  char line[DARSHAN_CONFIG_ARENA + 64];
};

static void flush(struct dump *dump) {
  darshan_text_add(&dump->text, "\n");
  const char *at = dump->line;
  size_t left = dump->text.length;
  while (left > 0) {
    ssize_t written = sys_write(dump->fd, at, left);
    if (written <= 0) break; /* best effort */
    at += written;
    left -= (size_t)written;
  }
  dump->text = darshan_text_in(dump->line, sizeof(dump->line));
}

/* Starts the line of this setting and returns its text. The line of a setting that a configuration
 * file cannot have is a comment. */
static struct darshan_text *begin(struct dump *dump, const struct darshan_setting *setting) {
  if (setting->directive == NULL) darshan_text_add(&dump->text, "# ");
  darshan_text_add(&dump->text, setting->directive ? setting->directive : setting->variable);
  darshan_text_add(&dump->text, " ");
  return &dump->text;
}

static void add_modules(struct darshan_text *text, const struct darshan_module_set *set) {
  const char *before = "";
  for (int id = 0; id < DARSHAN_MODULE_IDS; id++) {
    if (!darshan_module_set_has(set, id) || darshan_module_text(id) == NULL) continue;
    darshan_text_add(text, before);
    darshan_text_add(text, darshan_module_text(id));
    before = ",";
  }
}

static bool is_empty(const struct darshan_module_set *set) {
  for (int i = 0; i < DARSHAN_MODULE_IDS / 64; i++)
    if (set->bits[i] != 0) return false;
  return true;
}

/* Appends a fraction with at most six decimals, without trailing zeros. */
static void add_fraction(struct darshan_text *text, double value) {
  uint64_t millionths = (uint64_t)(value * 1e6 + 0.5);
  char digits[7] = "000000";
  darshan_text_unsigned(text, millionths / 1000000);
  millionths %= 1000000;
  for (int i = 5; i >= 0; i--, millionths /= 10)
    digits[i] = (char)('0' + millionths % 10);
  size_t length = 6;
  while (length > 0 && digits[length - 1] == '0')
    length--;
  if (length > 0) darshan_text_add(text, ".");
  darshan_text_bytes(text, digits, length);
}

static void dump_ranks(struct dump *dump, const struct darshan_setting *setting,
                       const struct darshan_rank_ranges *ranges) {
  if (ranges->count == 0) return;
  struct darshan_text *text = begin(dump, setting);
  for (int i = 0; i < ranges->count; i++) {
    if (i > 0) darshan_text_add(text, ",");
    darshan_text_signed(text, ranges->range[i].first);
    darshan_text_add(text, ":");
    if (ranges->range[i].last != INT64_MAX) darshan_text_signed(text, ranges->range[i].last);
  }
  flush(dump);
}

static void dump_words(struct dump *dump, const struct darshan_setting *setting,
                       const struct darshan_words *words) {
  if (words->count == 0) return;
  struct darshan_text *text = begin(dump, setting);
  for (int i = 0; i < words->count; i++) {
    if (i > 0) darshan_text_add(text, ",");
    darshan_text_add(text, words->word[i]);
  }
  flush(dump);
}

static void dump_names(struct dump *dump, const struct darshan_setting *setting,
                       const struct darshan_name_rules *rules) {
  for (int i = 0; i < rules->count; i++) {
    struct darshan_text *text = begin(dump, setting);
    darshan_text_add(text, rules->rule[i].pattern);
    darshan_text_add(text, " ");
    add_modules(text, &rules->rule[i].modules);
    flush(dump);
  }
}

/* Writes a line for each different limit of records, with all modules that have this limit. */
static void dump_quota(struct dump *dump, const struct darshan_setting *setting,
                       const uint32_t *max_records) {
  for (int id = 0; id < DARSHAN_MODULE_IDS; id++) {
    struct darshan_module_set same = {{0}};
    bool first = darshan_module_text(id) != NULL;
    for (int other = 0; other < DARSHAN_MODULE_IDS; other++) {
      if (max_records[other] != max_records[id] || darshan_module_text(other) == NULL) continue;
      first = first && other >= id;
      same.bits[other / 64] |= UINT64_C(1) << (other % 64);
    }
    if (!first) continue;
    struct darshan_text *text = begin(dump, setting);
    darshan_text_unsigned(text, max_records[id]);
    darshan_text_add(text, " ");
    add_modules(text, &same);
    flush(dump);
  }
}

static void dump_string(struct dump *dump, const struct darshan_setting *setting,
                        const char *string) {
  if (string == NULL) return;
  darshan_text_add(begin(dump, setting), string);
  flush(dump);
}

static void dump_number(struct dump *dump, const struct darshan_setting *setting, uint64_t value) {
  darshan_text_unsigned(begin(dump, setting), value);
  flush(dump);
}

static void dump_bool(struct dump *dump, const struct darshan_setting *setting, bool value) {
  if (setting->kind == DARSHAN_SET_SWITCH) {
    dump_number(dump, setting, value);
  } else if (value) {
    begin(dump, setting);
    flush(dump);
  }
}

static void dump_setting(struct dump *dump, const struct darshan_config *config,
                         const struct darshan_setting *setting) {
  const void *field = (const char *)config + setting->offset;
  switch (setting->kind) {
  case DARSHAN_SET_FLAG:
  case DARSHAN_SET_SWITCH:
    dump_bool(dump, setting, *(const bool *)field);
    break;
  case DARSHAN_SET_TEXT:
  case DARSHAN_SET_PATH:
  case DARSHAN_SET_HINTS:
    dump_string(dump, setting, *(const char *const *)field);
    break;
  case DARSHAN_SET_MEBIBYTES:
    dump_number(dump, setting, *(const uint64_t *)field >> 20);
    break;
  case DARSHAN_SET_POSITIVE:
    if (*(const int64_t *)field > 0)
      dump_number(dump, setting, (uint64_t)(*(const int64_t *)field));
    break;
  case DARSHAN_SET_CHOICE:
    if (*(const enum darshan_choice *)field != DARSHAN_CHOICE_OPEN)
      dump_number(dump, setting, *(const enum darshan_choice *)field == DARSHAN_CHOICE_YES);
    break;
  case DARSHAN_SET_FRACTION:
    if (*(const double *)field < 0) break;
    add_fraction(begin(dump, setting), *(const double *)field);
    flush(dump);
    break;
  case DARSHAN_SET_MODULES:
    if (is_empty(field)) break;
    add_modules(begin(dump, setting), field);
    flush(dump);
    break;
  case DARSHAN_SET_WORDS:
    dump_words(dump, setting, field);
    break;
  case DARSHAN_SET_RANKS:
    dump_ranks(dump, setting, field);
    break;
  case DARSHAN_SET_QUOTA:
    dump_quota(dump, setting, field);
    break;
  case DARSHAN_SET_NAMES:
    dump_names(dump, setting, field);
    break;
  }
}

struct request {
  const struct darshan_config *config;
  int fd;
};

static void write_dump(void *request_) {
  const struct request *request = request_;
  const struct darshan_config *config = request->config;
  struct dump dump;
  dump.fd = request->fd;
  dump.text = darshan_text_in(dump.line, sizeof(dump.line));
  darshan_text_add(&dump.text, "# darshan: effective settings");
  flush(&dump);
  for (int i = 0; i < DARSHAN_NUM_SETTINGS; i++) {
    const struct darshan_setting *setting = &darshan_settings[i];
    bool repeats = i > 0 && setting->offset == darshan_settings[i - 1].offset;
    if (!repeats) dump_setting(&dump, config, setting);
  }
  darshan_text_add(&dump.text, "# job id ");
  if (config->has_jobid)
    darshan_text_signed(&dump.text, config->jobid);
  else
    darshan_text_add(&dump.text, "not set: the process id is taken");
  flush(&dump);
  darshan_text_add(&dump.text, "# modules that are on: ");
  add_modules(&dump.text, &config->modules);
  flush(&dump);
}

/* Prints the settings that have a value (config.h). Runs on a stack of the runtime, because a line
 * may be as long as all settings together. */
void darshan_config_dump(const struct darshan_config *config, int fd) {
  struct request request = {config, fd};
  stack_run(write_dump, &request);
}
