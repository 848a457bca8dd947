/* Saves a part outside the run directory and links to it, or saves it as a log (log_save_elsewhere
 * in save.h). */
#include "save.h"

#include <string.h>

#include "../intercept/sys/sys.h"
#include "../job/config/config.h"
#include "../job/run-state.h"
#include "../job/runtime.h"
#include "../job/text/text.h"
#include "../records/after-chroot.h"
#include "../records/in-place.h"

static char
    linked[RUN_PART_ROOM]; /* path of the link to the file that was written last; empty: none */

/* Writes the path of a part in another folder: FOLDER/darshan-run.PID.NUMBER.part.PID.START.N. The
 * name contains the run's name, because several runs may use the folder. Returns 0, or -1 if the
 * path is too long. */
static int name_there(char *out, size_t room, const char *folder) {
  struct darshan_text text = darshan_text_in(out, room);
  darshan_text_add(&text, folder);
  darshan_text_add(&text, strrchr(run_state.folder, '/'));
  darshan_text_add(&text, ".");
  darshan_text_add(&text, strrchr(run_state.part, '/') + 1);
  return darshan_text_length(&text) ? 0 : -1;
}

static int save_in(const char *folder, const struct log_draft *draft,
                   const struct darshan_log_identity *identity, uint64_t begun_ns, char *final) {
  char there[DARSHAN_PATH_ROOM];
  struct darshan_log_identity part = *identity;
  part.part = there;
  if (name_there(there, sizeof(there), folder) < 0 ||
      darshan_make_folders(there, darshan_dated_levels(&darshan_config)) < 0 ||
      log_save(draft, &darshan_config, &part, begun_ns, final) < 0)
    return -1;
  if (SYS3(SYS_symlinkat, there, AT_FDCWD, run_state.part) < 0) {
    outside_unlink(there);
    return -1;
  }
  memcpy(linked, run_state.part, sizeof(linked));
  return 0;
}

int log_save_elsewhere(const struct log_draft *draft, const struct darshan_log_identity *identity,
                       uint64_t begun_ns, char *final) {
  struct darshan_log_identity own = *identity;
  linked[0] = '\0';
  if (!identity->part) return -1;
  if (!outside_is_active() &&
      (save_in(darshan_config.logpath, draft, identity, begun_ns, final) == 0 ||
       save_in(IN_PLACE_FOLDER, draft, identity, begun_ns, final) == 0))
    return 0;
  own.part = NULL;
  return log_save(draft, &darshan_config, &own, begun_ns, final);
}

int log_take_back(const char *path) {
  if (linked[0]) outside_unlink(linked);
  linked[0] = '\0';
  return outside_unlink(path);
}
