/* Expands the rows of modules.def into limits of records and calls of the modules. */
#include "modules.h"

#include "records.h"

#include "../modules/apmpi/records.h"
#include "../modules/heatmap/records.h"

#define PREPARE(function) int function(void);
#define FORKED(function) void function(void);
#define ENDING(function) void function(void);
#define ENDED(function) void function(void);
#define PARTS(function) void function(struct log_content *content);
#define METADATA(key, function) uint64_t function(void);
#define LIBRARY_VERSION(key, function) const char *function(void);
#define SPAN(last, agree)                                                                          \
  double last(void);                                                                               \
  void agree(double seconds);
#define SPREAD(own, agree)                                                                         \
  int own(double times[2]);                                                                        \
  void agree(const double variances[2], int is_first);
#define JUMPED(inside, left)                                                                       \
  int inside(void);                                                                                \
  void left(modules_frame_left *is_left, const void *jump);
#define EXITING(function) void function(void);
#include "modules.def"

#define SHAPE(SYMBOL, type, of)                                                                    \
  [STORE_##SYMBOL] = {DARSHAN_MOD_##SYMBOL, DARSHAN_VERSION_##SYMBOL, sizeof(type), of},
const struct store_shape modules_shapes[STORE_MODULES] = {
#define RECORDS(SYMBOL, type, of, limit) SHAPE(SYMBOL, type, STORE_OF_##of)
#define ANNEX_RECORDS(SYMBOL, type, limit) SHAPE(SYMBOL, type, STORE_OF_ANNEX)
#include "modules.def"
};

/* Macros that a row may use for its limit. */
#define CONFIGURED(SYMBOL) config->max_records[DARSHAN_MOD_##SYMBOL]
#define LIMIT(SYMBOL) limits->records[STORE_##SYMBOL]
#define AT_MOST(most, value) ((value) < (most) ? (value) : (most))

void modules_limits(struct store_limits *limits, const struct darshan_config *config) {
  enum { USUAL_NAME = 256 }; /* assumed bytes of a name with its id */
  limits->name_bytes = config->namemem;
  limits->module_bytes = config->modmem;
#define RECORDS(SYMBOL, type, of, limit) limits->records[STORE_##SYMBOL] = (limit);
#include "modules.def"
  /* Follows the other limits, because limits of modules in the annex depend on them. */
#define ANNEX_RECORDS(SYMBOL, type, limit) limits->records[STORE_##SYMBOL] = (limit);
#include "modules.def"
  uint64_t names = 0;
  for (int i = 0; i < STORE_MODULES; i++) {
    int is_on = darshan_module_set_has(&config->modules, modules_shapes[i].module_id);
    if (modules_shapes[i].of == STORE_OF_LAYERS && !is_on) limits->records[i] = 0;
    limits->asked[i] = darshan_module_set_has(&config->records_asked, modules_shapes[i].module_id);
    if (limits->asked[i] && modules_shapes[i].of == STORE_OF_FILES && limits->records[i] > names)
      names = limits->records[i];
  }
  if (limits->name_bytes && limits->name_bytes < names * USUAL_NAME)
    limits->name_bytes = names * USUAL_NAME;
}

void modules_limit_rank(struct record_store *store, const struct darshan_config *config) {
  for (int i = 0; i < STORE_MODULES; i++)
    if (modules_shapes[i].of == STORE_OF_FILES &&
        !darshan_module_set_has(&config->records_asked, modules_shapes[i].module_id))
      store_lower_limit(store, (enum store_module)i, DARSHAN_RECORDS);
}

int modules_prepare(void) {
#define PREPARE(function)                                                                          \
  if (function() < 0) return -1;
#include "modules.def"
  return 0;
}

void modules_forked(void) {
#define FORKED(function) function();
#include "modules.def"
}

void modules_ending(void) {
#define ENDING(function) function();
#include "modules.def"
}

void modules_ended(void) {
#define ENDED(function) function();
#include "modules.def"
}

void modules_add_parts(struct log_content *content) {
#define PARTS(function) function(content);
#include "modules.def"
}

void modules_add_metadata(const struct modules_metadata *add, void *context) {
#define METADATA(key, function)                                                                    \
  if (function()) add->number(context, key, function());
#define LIBRARY_VERSION(key, function)                                                             \
  if (function()[0]) add->text(context, key, function());
#include "modules.def"
}

double modules_last(void) {
  double all = 0;
#define SPAN(last, agree)                                                                          \
  if (last() > all) all = last();
#include "modules.def"
  return all;
}

void modules_agree_on_last(double seconds) {
#define SPAN(last, agree) agree(seconds);
#include "modules.def"
}

int modules_times(double times[2]) {
#define SPREAD(own, agree)                                                                         \
  if (own(times)) return 1;
#include "modules.def"
  return 0;
}

void modules_agree_on_variances(const double variances[2], int is_first) {
#define SPREAD(own, agree) agree(variances, is_first);
#include "modules.def"
}

int modules_are_inside(void) {
#define JUMPED(inside, left)                                                                       \
  if (inside()) return 1;
#include "modules.def"
  return 0;
}

void modules_jumped(modules_frame_left *is_left, const void *jump) {
#define JUMPED(inside, left) left(is_left, jump);
#include "modules.def"
}

void modules_exiting(void) {
#define EXITING(function) function();
#include "modules.def"
}
