/* Modules with records in the journal: first those of the log, then those of the annex. */
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

/* Largest numbers of group records in a process: of program trees; of files with one folder and
 * extension past the limit; and of both and the overflow record. */
enum { GROUP_TREES_MOST = 256, GROUP_FOLDERS_MOST = 256, GROUP_MOST = 513 };
enum group_kind { GROUP_TREE = 1, GROUP_FOLDER, GROUP_OVERFLOW };

#define OVERFLOW_NAME "<overflow>"       /* further files past the limit */
#define OTHER_PATHS_NAME "<other paths>" /* operations on files without a record */
#define USAGE_NAME "<process>"           /* resource usage of the process */

#endif
