#include "modules.h"

#include "records.h"

#include "../modules/heatmap/heatmap-state.h"

#define PREPARE(function) int function(void);
#define FORKED(function) void function(void);
#define ENDING(function) void function(void);
#define ENDED(function) void function(void);
#define PARTS(function) void function(struct log_content *content);
#include "modules.def"

#define SHAPE(SYMBOL, type, of)                                                                    \
  [STORE_##SYMBOL] = {DARSHAN_MOD_##SYMBOL, DARSHAN_VERSION_##SYMBOL, sizeof(type), of},
const struct store_shape modules_shapes[STORE_MODULES] = {
#define RECORDS(SYMBOL, type, of, limit) SHAPE(SYMBOL, type, STORE_OF_##of)
#define ANNEX_RECORDS(SYMBOL, type, limit) SHAPE(SYMBOL, type, STORE_OF_ANNEX)
#include "modules.def"
};

/* What a row says of its limit. */
#define CONFIGURED(SYMBOL) config->max_records[DARSHAN_MOD_##SYMBOL]
#define LIMIT(SYMBOL) limits->records[STORE_##SYMBOL]
#define AT_MOST(most, value) ((value) < (most) ? (value) : (most))

void modules_limits(struct store_limits *limits, const struct darshan_config *config) {
#define RECORDS(SYMBOL, type, of, limit) limits->records[STORE_##SYMBOL] = (limit);
#include "modules.def"
  /* The annex, by the limits of the modules that it goes with. */
#define ANNEX_RECORDS(SYMBOL, type, limit) limits->records[STORE_##SYMBOL] = (limit);
#include "modules.def"
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
