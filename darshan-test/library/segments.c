/* Prints the segments of all traces of a log. Exit status 2: the program was compiled for another
 * layout of segments than that of the library. Usage: segments LOG. */
#include <darshan-logutils.h>
#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (darshan_log_get_segment_size() != sizeof(segment_info)) {
    puts("compiled for another library");
    return 2;
  }
  void *log = argc > 1 ? darshan_log_open(argv[1]) : NULL;
  if (!log) return 1;
  for (int module = DARSHAN_MOD_DXT_POSIX; module <= DARSHAN_MOD_DXT_MPIIO; module++) {
    void *record = NULL; /* allocated by the library for each trace: their sizes differ */
    while (darshan_log_get_record(log, module, &record) == 1) {
      const struct dxt_file_record *trace = record;
      const segment_info *segment = (const segment_info *)(const void *)(trace + 1);
      for (int64_t n = trace->write_count + trace->read_count; n > 0; n--, segment++) {
        unsigned long thread = 0;
#if DARSHAN_DXT_THREADS
        thread = segment->pthread_id;
#endif
        printf("%d %" PRId64 " %" PRId64 " %.4f %.4f %lu\n", module, segment->offset,
               segment->length, segment->start_time, segment->end_time, thread);
      }
      darshan_free(record);
      record = NULL;
    }
  }
  darshan_log_close(log);
  return 0;
}
