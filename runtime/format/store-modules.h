/* The modules that keep records at run time: those of the log, then the annex. */
#ifndef DARSHAN_STORE_MODULES_H
#define DARSHAN_STORE_MODULES_H

enum store_module {
#define RECORDS(SYMBOL, type, of, limit) STORE_##SYMBOL,
#include "modules.def"
  STORE_FIRST_ANNEX,
  STORE_LAST_OF_LOG = STORE_FIRST_ANNEX - 1,
#define ANNEX_RECORDS(SYMBOL, type, limit) STORE_##SYMBOL,
#include "modules.def"
  STORE_MODULES
};

/* Records that stand for many files, in a process: for program files of a tree, for files past the
 * limit of one folder and ending, and the overflow. */
enum { GROUP_TREES_MOST = 256, GROUP_FOLDERS_MOST = 256, GROUP_MOST = 513 };
enum group_kind { GROUP_TREE = 1, GROUP_FOLDER, GROUP_OVERFLOW };

#define OVERFLOW_NAME "<overflow>"       /* stands for all files past the limit */
#define OTHER_PATHS_NAME "<other paths>" /* operations on files without a record */
#define USAGE_NAME "<process>"           /* what the kernel has accounted to it */

#endif
