/* Declares functions that parse and store the values of settings. Only config.c and the other files
 * of this folder use them. */
#ifndef DARSHAN_SETTINGS_H
#define DARSHAN_SETTINGS_H

#include "config.h"

enum darshan_setting_kind {
  DARSHAN_SET_FLAG,   /* bool: on if the setting is present, with any value */
  DARSHAN_SET_SWITCH, /* bool: off if the value is "0", else on */
  DARSHAN_SET_CHOICE, /* enum darshan_choice: DARSHAN_CHOICE_NO for "0", else _YES */
  DARSHAN_SET_TEXT,   /* const char *; an empty value counts as not set */
  DARSHAN_SET_PATH,   /* like TEXT, but made absolute, because the application may change its folder
                       */
  DARSHAN_SET_HINTS,  /* const char *; an empty value counts as set */
  DARSHAN_SET_MEBIBYTES, /* uint64_t, stored in bytes */
  DARSHAN_SET_POSITIVE,  /* int64_t; a value below 1 counts as 1 */
  DARSHAN_SET_FRACTION,  /* double from 0 to 1 */
  DARSHAN_SET_MODULES,   /* struct darshan_module_set; further values add to it */
  DARSHAN_SET_WORDS,     /* struct darshan_words; further values add to it */
  DARSHAN_SET_RANKS,     /* struct darshan_rank_ranges; further values add to it */
  DARSHAN_SET_QUOTA,     /* uint32_t[DARSHAN_MODULE_IDS]; its arguments are a number and modules */
  DARSHAN_SET_NAMES /* struct darshan_name_rules; its arguments are patterns and modules; further
                       values add to it */
};

#define SETTING(SYMBOL, variable, directive, KIND, field) DARSHAN_SETTING_##SYMBOL,
enum darshan_setting_id {
#include "settings.def"
  DARSHAN_NUM_SETTINGS
};
#undef SETTING

struct darshan_setting {
  const char *variable;  /* name in the environment, or NULL */
  const char *directive; /* name in the configuration file, or NULL */
  enum darshan_setting_kind kind;
  size_t offset; /* of the field in struct darshan_config */
};
extern const struct darshan_setting darshan_settings[DARSHAN_NUM_SETTINGS];

struct darshan_slice { /* a range of bytes in a value, without a NUL */
  const char *at;      /* NULL: no value */
  size_t length;
};

/* Removes the first item that is not empty from a list, and stores it in *item. Returns true, or
 * false at the end of the list. */
bool darshan_next_item(struct darshan_slice *list, char separator, struct darshan_slice *item);

/* Parses a decimal number such as 12, -0.5 or 1e3, independent of the locale. The slice may have
 * spaces around the number and nothing else. Returns true, or false if it is not a number. */
bool darshan_parse_number(struct darshan_slice text, double *value);
/* Parses the integer at the start of a string. Returns true, or false if there is none or it is too
 * large. */
bool darshan_parse_leading_integer(const char *text, int64_t *value);

/* Stores a value in its field. Adds a message, and ignores the value, if it is invalid. Does
 * nothing if the kind needs a value and the value is empty. name: the setting's name for messages,
 * as the user wrote it; second: the second argument of a directive. */
void darshan_setting_apply(struct darshan_config *config, const struct darshan_setting *setting,
                           const char *name, struct darshan_slice value,
                           struct darshan_slice second, struct darshan_messages *messages);

/* Returns the id of a module by its printed name, -1 if there is no such module.
 * darshan_module_text returns the name of an id, or NULL. */
int darshan_module_named(struct darshan_slice name);
const char *darshan_module_text(int id);

/* Copies bytes to the memory of the settings, adds a NUL, and returns the copy. Returns NULL and
 * adds a message about the setting `name` if that memory is full. */
const char *darshan_config_keep(struct darshan_config *config, const char *name,
                                struct darshan_slice bytes, struct darshan_messages *messages);

#endif
