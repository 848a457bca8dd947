/* The log of all ranks, from where records are in this process. */
#include "ranks.h"

#include <string.h>

#include "../job/runtime.h"
#include "../job/text.h"
#include "../modules/heatmap/heatmap.h"
#include "ranks/reduce.h"
#include "round.h"
#include "write.h"

static int content(void *context, const struct facts *agreed, struct log_content *content) {
  heatmap_set_end(agreed->times.last);
  int result = log_content_here(content, NULL, 0);
  *(unsigned *)context |= log_gaps();
  return result;
}

/* Which nodes, as far as there is room in the metadata. */
static void add_hosts(struct darshan_job *job, const struct facts *agreed) {
  enum { HOSTS_ROOM = 256 };
  char line[HOSTS_ROOM], number[16];
  struct darshan_text text = darshan_text_in(line, sizeof(line)), count;
  size_t used = strlen(job->metadata);
  count = darshan_text_in(number, sizeof(number));
  darshan_text_unsigned(&count, agreed->num_hosts);
  if (agreed->num_hosts == FACTS_HOSTS) darshan_text_add(&count, "+");
  used = darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "nodes", number);
  for (uint32_t i = 0; i < agreed->num_hosts; i++) {
    if (text.length + FACTS_HOST_ROOM + sizeof(",...") > sizeof(line)) {
      darshan_text_add(&text, ",...");
      break;
    }
    if (i > 0) darshan_text_add(&text, ",");
    darshan_text_add(&text, agreed->hosts[i].name);
  }
  darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "hosts", line);
}

static size_t job(void *context, const struct facts *agreed, char *out) {
  struct darshan_job *job = &darshan_rt.job;
  *(unsigned *)context = agreed->gaps;
  job->start_time_sec = agreed->times.start_sec;
  job->start_time_nsec = agreed->times.start_nsec;
  job->end_time_sec = agreed->times.end_sec;
  job->end_time_nsec = agreed->times.end_nsec;
  add_hosts(job, agreed);
  return log_job_bytes(out);
}

static uint64_t record_bytes(const struct record_store *store) {
  uint64_t bytes = 0;
  for (int i = 0; i < STORE_MODULES; i++)
    bytes += (uint64_t)store->regions[i].count * store->regions[i].record_size;
  return bytes;
}

int log_write_ranks(struct rank_comm *comm) {
  struct record_store *store = &darshan_rt.store;
  uint64_t begun = clock_ns(CLOCK_MONOTONIC);
  log_end_now(&darshan_rt.job);
  log_round_times(store);
  const char *names = store->frame ? store_all_names(store) : NULL;
  unsigned gaps = log_gaps(); /* at the root in the end those of all ranks */
  struct reduce_source source = {
      .rank = darshan_rt.mpi.rank,
      .nprocs = darshan_rt.job.nprocs,
      .keep_ranks = darshan_rt.config.no_reduction,
      .limits = reduce_default_limits,
      .host = darshan_rt.mpi.host,
      .names = names ? names : "",
      .names_length = names ? store->names.used : 0,
      .bytes = record_bytes(store),
      .gaps = &gaps,
      .times = {darshan_rt.job.start_time_sec, darshan_rt.job.start_time_nsec,
                darshan_rt.job.end_time_sec, darshan_rt.job.end_time_nsec, heatmap_end()},
      .context = &gaps,
      .content = content,
      .job = job,
      .config = &darshan_rt.config,
      .identity = runtime_identity(),
      .begun_ns = begun,
      .final_path = darshan_rt.log_path};
  int result = reduce_all(comm, &source);
  if (result < 0)
    log_note_failure();
  else if (comm->rank == 0)
    log_note_name(&source.identity);
  if (result == 0) log_note_gaps(comm->rank == 0 ? gaps | log_gaps() : 0);
  darshan_rt.write_cost_ns = clock_ns(CLOCK_MONOTONIC) - begun;
  return result;
}
