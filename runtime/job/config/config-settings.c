/* Stores the value of a setting in its field; each kind of value has a function. */
#include "config-settings.h"

#include <string.h>

#include "../../intercept/sys/sys.h"

#define SETTING(SYMBOL, variable, directive, KIND, field)                                          \
  {variable, directive, DARSHAN_SET_##KIND, offsetof(struct darshan_config, field)},
const struct darshan_setting darshan_settings[DARSHAN_NUM_SETTINGS] = {
#include "settings.def"
};
#undef SETTING

/* The value of a setting, and the field in which it is stored. */
struct value {
  struct darshan_config *config;
  void *field;
  const char *name;                  /* of the setting */
  struct darshan_slice text, second; /* second: the modules, for a setting of two values */
  struct darshan_messages *messages;
};

static void complain(const struct value *value, const char *problem, struct darshan_slice detail) {
  darshan_message_add(value->messages, value->name, problem, detail.at, detail.length);
}

const char *darshan_config_keep(struct darshan_config *config, const char *name,
                                struct darshan_slice bytes, struct darshan_messages *messages) {
  if (bytes.length >= sizeof(config->room.arena) - config->arena_used) {
    darshan_message_add(messages, name, "is ignored: all settings together are too long", NULL, 0);
    return NULL;
  }
  char *at = config->room.arena + config->arena_used;
  memcpy(at, bytes.at, bytes.length);
  at[bytes.length] = '\0';
  config->arena_used += bytes.length + 1;
  return at;
}

static const char *keep(const struct value *value, struct darshan_slice bytes) {
  return darshan_config_keep(value->config, value->name, bytes, value->messages);
}

static void set_text(const struct value *value) {
  const char *kept = keep(value, value->text);
  if (kept != NULL) *(const char **)value->field = kept;
}

static void set_path(const struct value *value) {
  struct darshan_config *config = value->config;
  char *at = config->room.arena + config->arena_used;
  size_t room = sizeof(config->room.arena) - config->arena_used;
  if (value->text.at[0] == '/') {
    set_text(value);
    return;
  }
  ssize_t cwd = sys_getcwd(at, room); /* length of the path with its NUL */
  if (cwd <= 0 || at[0] != '/') {
    complain(value,
             "is ignored: the runtime cannot determine the current folder for the relative path",
             value->text);
    return;
  }
  at[cwd - 1] = '/';
  config->arena_used += (size_t)cwd;
  if (keep(value, value->text) != NULL)
    *(const char **)value->field = at;
  else
    config->arena_used -= (size_t)cwd;
}

/* Parses a number and stores it in *number. Returns true, or false, after adding a message, if the
 * text is not a number from `from` to `to`. */
static bool number_in(const struct value *value, double from, double to, double *number) {
  if (!darshan_parse_number(value->text, number))
    complain(value, "is not a number and is ignored", value->text);
  else if (!(*number >= from && *number <= to))
    complain(value, "is out of range and is ignored", value->text);
  else
    return true;
  return false;
}

static void set_mebibytes(const struct value *value) {
  double number;
  if (number_in(value, 0, 1 << 20, &number)) *(uint64_t *)value->field = (uint64_t)number << 20;
}

static void set_positive(const struct value *value) {
  double number;
  if (number_in(value, -1e18, 1e18, &number))
    *(int64_t *)value->field = number < 1 ? 1 : (int64_t)number;
}

static void set_fraction(const struct value *value) {
  double number;
  if (number_in(value, 0, 1, &number)) *(double *)value->field = number;
}

static void add_modules(const struct value *value, struct darshan_slice list,
                        struct darshan_module_set *set) {
  struct darshan_slice item;
  for (bool first = true; darshan_next_item(&list, ',', &item); first = false) {
    int id = darshan_module_named(item);
    if (first && item.length == 1 && item.at[0] == '*')
      memset(set, 0xff, sizeof(*set));
    else if (id < 0)
      complain(value, "names a module that does not exist", item);
    else
      set->bits[id / 64] |= UINT64_C(1) << (id % 64);
  }
}

static void add_words(const struct value *value) {
  struct darshan_words *words = value->field;
  struct darshan_slice list = value->text, item;
  while (darshan_next_item(&list, ',', &item)) {
    const char *kept = words->count < DARSHAN_CONFIG_WORDS ? keep(value, item) : NULL;
    if (kept == NULL) {
      complain(value, "has too many or too long entries; this entry and all after it are ignored",
               item);
      return;
    }
    words->word[words->count++] = kept;
  }
}

/* Parses one end of a range of ranks, the text from `at` to before `end`, and stores it in *rank: a
 * decimal number, or `otherwise` if the text is empty. Returns true, or false if the text is not a
 * rank. */
static bool parse_rank(const char *at, const char *end, int64_t otherwise, int64_t *rank) {
  *rank = otherwise;
  if (at == end) return true;
  for (*rank = 0; at < end; at++) {
    if (*at < '0' || *at > '9' || *rank > INT32_MAX) return false;
    *rank = *rank * 10 + (*at - '0');
  }
  return true;
}

static void add_ranks(const struct value *value) {
  struct darshan_rank_ranges *ranges = value->field;
  struct darshan_slice list = value->text, item;
  while (darshan_next_item(&list, ',', &item)) {
    const char *end = item.at + item.length, *colon = memchr(item.at, ':', item.length);
    int64_t first, last;
    bool all = item.length == 1 && item.at[0] == '*';
    bool valid = all || (parse_rank(item.at, colon ? colon : end, 0, &first) &&
                         parse_rank(colon ? colon + 1 : item.at, end, INT64_MAX, &last) &&
                         first <= last && item.length > (colon != NULL));
    if (!valid || ranges->count == DARSHAN_CONFIG_RANKS) {
      complain(value,
               valid ? "has too many entries; this entry is ignored"
                     : "has an entry that is not a range of ranks and is ignored",
               item);
      continue;
    }
    ranges->range[ranges->count].first = all ? 0 : first;
    ranges->range[ranges->count++].last = all ? INT64_MAX : last;
  }
}

static void set_quota(const struct value *value) {
  uint32_t *max_records = value->field;
  struct darshan_module_set set = {{0}};
  double number;
  if (!number_in(value, 0, UINT32_MAX, &number)) return;
  add_modules(value, value->second, &set);
  for (int id = 0; id < DARSHAN_MODULE_IDS; id++)
    if (darshan_module_set_has(&set, id)) max_records[id] = (uint32_t)number;
  for (int i = 0; i < DARSHAN_MODULE_IDS / 64; i++)
    value->config->records_asked.bits[i] |= set.bits[i];
}

static void add_names(const struct value *value) {
  struct darshan_name_rules *rules = value->field;
  struct darshan_slice list = value->text, item;
  struct darshan_module_set set = {{0}};
  add_modules(value, value->second, &set);
  while (darshan_next_item(&list, ',', &item)) {
    const char *kept = rules->count < DARSHAN_CONFIG_NAMES ? keep(value, item) : NULL;
    if (kept == NULL) {
      complain(value, "has too many or too long entries; this entry and all after it are ignored",
               item);
      return;
    }
    if (pattern_compile(&rules->rule[rules->count].compiled, kept) != 0) {
      complain(value, "has an entry that is not a regular expression and is ignored", item);
      continue;
    }
    rules->rule[rules->count].modules = set;
    rules->rule[rules->count++].pattern = kept;
  }
}

/* Returns true if a value that this kind of setting requires is missing, otherwise false. Adds a
 * message only if the setting needs two arguments: an empty value means that a setting is not
 * set. */
static bool incomplete(enum darshan_setting_kind kind, const struct value *value) {
  bool two = kind == DARSHAN_SET_QUOTA || kind == DARSHAN_SET_NAMES;
  if (two && (value->text.length == 0 || value->second.length == 0)) {
    complain(value, "needs two arguments and is ignored", value->text);
    return true;
  }
  return value->text.length == 0 && kind != DARSHAN_SET_FLAG && kind != DARSHAN_SET_SWITCH &&
         kind != DARSHAN_SET_CHOICE && kind != DARSHAN_SET_HINTS;
}

void darshan_setting_apply(struct darshan_config *config, const struct darshan_setting *setting,
                           const char *name, struct darshan_slice text, struct darshan_slice second,
                           struct darshan_messages *messages) {
  struct value value = {config, (char *)config + setting->offset, name, text, second, messages};
  if (incomplete(setting->kind, &value)) return;
  switch (setting->kind) {
  case DARSHAN_SET_FLAG:
    *(bool *)value.field = true;
    break;
  case DARSHAN_SET_SWITCH:
    *(bool *)value.field = !(text.length == 1 && text.at[0] == '0');
    break;
  case DARSHAN_SET_CHOICE:
    *(enum darshan_choice *)value.field =
        text.length == 1 && text.at[0] == '0' ? DARSHAN_CHOICE_NO : DARSHAN_CHOICE_YES;
    break;
  case DARSHAN_SET_TEXT:
    set_text(&value);
    break;
  case DARSHAN_SET_PATH:
    set_path(&value);
    break;
  case DARSHAN_SET_HINTS:
    set_text(&value);
    break;
  case DARSHAN_SET_MEBIBYTES:
    set_mebibytes(&value);
    break;
  case DARSHAN_SET_POSITIVE:
    set_positive(&value);
    break;
  case DARSHAN_SET_FRACTION:
    set_fraction(&value);
    break;
  case DARSHAN_SET_MODULES:
    add_modules(&value, text, value.field);
    break;
  case DARSHAN_SET_WORDS:
    add_words(&value);
    break;
  case DARSHAN_SET_RANKS:
    add_ranks(&value);
    break;
  case DARSHAN_SET_QUOTA:
    set_quota(&value);
    break;
  case DARSHAN_SET_NAMES:
    add_names(&value);
    break;
  }
}
