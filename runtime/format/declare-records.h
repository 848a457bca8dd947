/* Declares enums and records from the rows and tables of modules: of ONE_MODULE (the
 * path of its module.def), if that is defined, which it is not any more then. */
#include "base-record.h"

#define EACH_TABLE "declare-record.h"
#include "modules.def"
#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes) DARSHAN_DECLARE_##KIND(tag, SYMBOL)
#include "modules.def"
#undef ONE_MODULE
