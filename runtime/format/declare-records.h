/* Declares enums and records from the rows and tables of all modules, or of ONE_MODULE alone (the
 * path of its module.def). Undefines ONE_MODULE. */
#include "base-record.h"

#define EACH_TABLE "declare-record.h"
#include "modules.def"
#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes) DARSHAN_DECLARE_##KIND(tag, SYMBOL)
#include "modules.def"
#undef ONE_MODULE
