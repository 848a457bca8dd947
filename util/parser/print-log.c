/* Prints a log on standard output, for all parsers. */
#include "print-log.h"

#include "../reader/called.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int print_log(const char *program, const char *path, print_content *print, const void *options) {
  struct darshan_error error = {""};
  darshan_log *log = darshan_log_read(path, &error);
  if (!log) {
    fprintf(stderr, "%s: %s: %s\n", called_as(program), path, error.text);
    return 1;
  }
  struct output out;
  if (output_open(&out, STDOUT_FILENO) != 0) {
    fprintf(stderr, "%s: cannot read %s: out of memory\n", called_as(program), path);
    darshan_log_free(log);
    return 1;
  }
  int status = print(log, options, &out);
  int write_error = output_close(&out);
  if (write_error) {
    fprintf(stderr, "%s: cannot write to standard output: %s\n", called_as(program),
            strerror(write_error));
    status = 1;
  }
  darshan_log_free(log);
  return status;
}

/* Prints the comment lines before the records, for darshan-parser and darshan-dxt-parser: format,
 * job and regions of the log (print-log.h). Other programs read the keys, so the keys never
 * change. */

static const char rule[] = "# -------------------------------------------------------\n";

/* Prints two lines: `key` with the seconds since the epoch, and <key>_asci with the local date in
 * the form of ctime. The date is empty if its year is outside of ctime's range. */
static void print_time(struct output *out, const char *key, int64_t seconds) {
  char text[64] = "\n";
  struct tm parts;
  time_t moment = (time_t)seconds;
  output_printf(out, "# %s: %" PRId64 "\n", key, seconds);
  if (localtime_r(&moment, &parts) && parts.tm_year < 9999 - 1900 && parts.tm_year > -1900)
    asctime_r(&parts, text);
  output_printf(out, "# %s_asci: %s", key, text);
}

static void print_regions(struct output *out, const struct darshan_info *info, bool with_annex) {
  output_printf(out, "\n# log file regions\n%s", rule);
  output_printf(out, "# header: %zu bytes (uncompressed)\n", sizeof(struct darshan_header));
  output_printf(out, "# job data: %" PRIu64 " bytes (compressed)\n", info->job_length);
  output_printf(out, "# record table: %" PRIu64 " bytes (compressed)\n", info->name_length);
  for (int i = 0; i < info->num_modules; i++) {
    const struct darshan_module_region *module = &info->modules[i];
    if (module->id >= DARSHAN_MAX_MODULES && !with_annex) continue;
    if (module->name)
      output_printf(out, "# %s module: ", module->name);
    else
      output_printf(out, "# <UNKNOWN> module (id %d): ", module->id);
    output_printf(out, "%" PRIu64 " bytes (compressed), ver=%d\n", module->length, module->version);
  }
}

void preamble_print(struct output *out, const struct darshan_info *info, bool with_annex) {
  static const char *const compressions[] = {"ZLIB", "BZIP2", "NONE"};
  const struct darshan_job *job = &info->job;
  if (strncmp(info->version, "3.20", 4) == 0)
    output_text(out, "# WARNING: logs of format 3.20 were written by a single release whose\n"
                     "# WARNING: common access sizes, and maybe the counters before them, are\n"
                     "# WARNING: known to be wrong.\n");
  output_text(out, "# darshan log version: ");
  output_foreign(out, info->version);
  output_text(out, "\n");
  output_printf(out, "# compression method: %s\n", compressions[info->compression]);
  /* If a log has no mount table, upstream prints no command line. Scripts may rely on this
   * behaviour. */
  output_text(out, "# exe: ");
  output_foreign(out, info->num_mounts > 0 ? info->exe : "");
  output_printf(out, "\n# uid: %" PRId64 "\n", job->uid);
  output_printf(out, "# jobid: %" PRId64 "\n", job->jobid);
  print_time(out, "start_time", job->start_time_sec);
  print_time(out, "end_time", job->end_time_sec);
  output_printf(out, "# nprocs: %" PRId64 "\n", job->nprocs);
  output_printf(out, "# run time: %.4f\n", info->run_time);
  for (int i = 0; i < info->num_metadata; i++) {
    output_text(out, "# metadata: ");
    output_foreign(out, info->metadata[i].key);
    output_text(out, " = ");
    output_foreign(out, info->metadata[i].value);
    output_text(out, "\n");
  }
  print_regions(out, info, with_annex);
  output_printf(out, "\n# mounted file systems (mount point and fs type)\n%s", rule);
  for (int i = 0; i < info->num_mounts; i++) {
    output_text(out, "# mount entry:\t");
    output_foreign(out, info->mounts[i].path);
    output_text(out, "\t");
    output_foreign(out, info->mounts[i].type);
    output_text(out, "\n");
  }
}
