/* Cases of buffered streams in C: streams CASE [cured]. */
#include "case.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

static FILE *opened(const char *name, const char *mode) {
  FILE *stream = fopen(name, mode); /* blame: open-per-line file-per-result */
  must(stream != NULL, name);
  return stream;
}

static void getc_unbuffered(bool cured) {
  FILE *stream = opened("input", "r");
  if (!cured) setvbuf(stream, NULL, _IONBF, 0);
  for (int i = 0; i < 4000; i++)
    must(getc(stream) != EOF, "getc"); /* blame: getc-unbuffered */
  fclose(stream);
}

static void fread_unbuffered(bool cured) {
  double pair[2];
  FILE *stream = opened("input", "r");
  if (!cured) setbuf(stream, NULL);
  for (int i = 0; i < 4000; i++)
    must(fread(pair, sizeof pair, 1, stream) == 1, "fread"); /* blame: fread-unbuffered */
  fclose(stream);
}

/* Opens a device for the few random bytes of each line; cured: once. */
static void device_each(bool cured) {
  unsigned char token[16];
  FILE *tokens = opened("tokens", "w"), *device = NULL;
  for (int i = 0; i < 40000; i++) {
    if (!device) device = opened("/dev/urandom", "r");
    must(fread(token, sizeof token, 1, device) == 1, "fread");
    if (!cured) {
      fclose(device);
      device = NULL;
    }
    fprintf(tokens, "%02x%02x\n", token[0], token[1]);
  }
  if (device) fclose(device);
  fclose(tokens);
}

static void fprintf_unbuffered(bool cured) {
  FILE *stream = opened("table", "w");
  if (!cured) setbuf(stream, NULL);
  for (int i = 0; i < 3000; i++)
    fprintf(stream, "%d %g\n", i, i * 0.5); /* blame: fprintf-unbuffered */
  fclose(stream);
}

static void open_per_line(bool cured) {
  FILE *kept = cured ? opened("log", "a") : NULL;
  for (int i = 0; i < 600; i++) {
    FILE *stream = cured ? kept : opened("log", "a");
    fprintf(stream, "step %d\n", i);
    if (!cured) fclose(stream);
  }
  if (cured) fclose(kept);
}

static void flush_per_line(bool cured) {
  FILE *stream = opened("log", "w");
  for (int i = 0; i < 4000; i++) {
    fprintf(stream, "step %d: residual %g\n", i, 1.0 / (i + 1));
    if (!cured) fflush(stream); /* blame: flush-per-line */
  }
  fclose(stream);
}

/* Uses line buffering although no user reads the lines. */
static void line_buffered(bool cured) {
  FILE *stream = opened("log", "w");
  if (!cured) setvbuf(stream, NULL, _IOLBF, 0);
  for (int i = 0; i < 4000; i++)
    fprintf(stream, "step %d\n", i); /* blame: line-buffered */
  fclose(stream);
}

/* Looks up records in an index, in the order of the queries. */
static void seek_and_read(bool cured) {
  enum { RECORD = 64, RECORDS = 8 << 14, ASKED = 3000 };
  char record[RECORD];
  FILE *stream = opened("input", "r");
  unsigned at = 1;
  char *all = NULL;
  if (cured) {
    all = malloc((size_t)RECORD * RECORDS);
    must(all && fread(all, RECORD, RECORDS, stream) == RECORDS, "fread");
  }
  for (int i = 0; i < ASKED; i++) {
    at = at * 1664525u + 1013904223u;
    size_t place = (at >> 8) % RECORDS;
    if (cured) {
      memcpy(record, all + place * RECORD, RECORD);
      continue;
    }
    fseek(stream, (long)place * RECORD, SEEK_SET); /* blame: seek-and-read */
    must(fread(record, RECORD, 1, stream) == 1, "fread");
  }
  free(all);
  fclose(stream);
}

/* Uses one field of each record, and skips the others. */
static void skip_fields(bool cured) {
  enum { FIELD = 8, OTHERS = 40 };
  char field[FIELD], others[OTHERS];
  FILE *stream = opened("input", "r");
  while (fread(field, FIELD, 1, stream) == 1)
    if (cured ? fread(others, OTHERS, 1, stream) != 1
              : fseek(stream, OTHERS, SEEK_CUR) != 0) /* blame: skip-fields */
      break;
  fclose(stream);
}

/* Counts lines, a character at a time from the end. */
static void last_lines(bool cured) {
  FILE *stream = opened("input", "r");
  must(fseek(stream, 0, SEEK_END) == 0, "fseek");
  long at = ftell(stream), lines = 0;
  char *all = cured ? malloc((size_t)at) : NULL;
  rewind(stream);
  if (cured) must(all && fread(all, (size_t)at, 1, stream) == 1, "fread");
  while (at-- > 0) {
    if (!cured) must(fseek(stream, at, SEEK_SET) == 0, "fseek"); /* blame: last-lines */
    lines += (cured ? all[at] : fgetc(stream)) == '\n';
  }
  must(lines >= 0, "lines");
  free(all);
  fclose(stream);
}

/* Writes 48 MB through the usual buffer of 4 KiB; cured: through one of 4 MiB. */
static void bulk_stream(bool cured) {
  static char block[3000], room[4 << 20]; /* glibc ignores the size without a buffer */
  FILE *stream = opened("bulk", "w");
  if (cured) setvbuf(stream, room, _IOFBF, sizeof room);
  for (int i = 0; i < 16000; i++)
    must(fwrite(block, sizeof block, 1, stream) == 1, "fwrite"); /* blame: bulk-stream */
  fclose(stream);
}

/* Rewinds and reads the whole table again for each query. */
static void parse_again(bool cured) {
  char line[80];
  FILE *stream = opened("input", "r");
  for (int question = 0; question < (cured ? 1 : 40); question++) {
    rewind(stream);
    while (fread(line, sizeof line, 1, stream) == 1) /* blame: parse-again */
      continue;
  }
  fclose(stream);
}

/* Makes a new file for each result; cured: one file for all. */
static void file_per_result(bool cured) {
  char name[40];
  FILE *one = cured ? opened("results", "w") : NULL;
  if (!cured) must(mkdir("results.d", 0755) == 0, "mkdir");
  for (int i = 0; i < 1200; i++) {
    snprintf(name, sizeof name, "results.d/%d.txt", i);
    FILE *stream = cured ? one : opened(name, "w");
    fprintf(stream, "%d %g\n", i, i * 0.25);
    if (!cured) fclose(stream);
  }
  if (cured) fclose(one);
}

/* --- healthy ------------------------------------------------------------------ */

static void million_fprintf(bool cured) {
  (void)cured;
  FILE *stream = opened("table", "w");
  for (int i = 0; i < 1000000; i++)
    fprintf(stream, "%d\n", i);
  fclose(stream);
}

static void getc_buffered(bool cured) {
  (void)cured;
  FILE *stream = opened("input", "r");
  unsigned sum = 0;
  for (int c; (c = getc(stream)) != EOF;)
    sum += (unsigned)c;
  must(sum != 0, "sum");
  fclose(stream);
}

static void characters(bool cured) {
  static char block[1 << 16];
  FILE *stream = opened("input", "r");
  unsigned sum = 0;
  size_t n;
  if (!cured)
    for (int c; (c = fgetc(stream)) != EOF;) /* blame: characters */
      sum += (unsigned char)c;
  while ((n = fread(block, 1, sizeof block, stream)) > 0)
    for (size_t i = 0; i < n; i++)
      sum += (unsigned char)block[i];
  must(sum != 0, "sum");
  fclose(stream);
}

static void wide_characters(bool cured) {
  static char block[1 << 16];
  FILE *stream = opened("input", "r");
  unsigned sum = 0;
  size_t n;
  if (!cured)
    for (wint_t c; (c = fgetwc(stream)) != WEOF;) /* blame: wide-characters */
      sum += c;
  while ((n = fread(block, 1, sizeof block, stream)) > 0)
    for (size_t i = 0; i < n; i++)
      sum += (unsigned char)block[i];
  must(sum != 0, "sum");
  fclose(stream);
}

/* Saves a state of 8 MiB again and again, each time in a new file that replaces the old one. cured:
 * unused. */
static void state_renamed(bool cured) {
  static char state[8 << 20];
  (void)cured;
  for (int step = 0; step < 60; step++) {
    state[step] = (char)step;
    FILE *stream = opened("state.new", "w");
    must(fwrite(state, sizeof state, 1, stream) == 1, "fwrite");
    must(fclose(stream) == 0 && rename("state.new", "state") == 0, "rename");
  }
}

static void lines_in(bool cured) {
  (void)cured;
  char line[256];
  FILE *stream = opened("input", "r");
  while (fgets(line, sizeof line, stream))
    continue;
  fclose(stream);
}

static void fwrite_large(bool cured) {
  static char block[8 << 20];
  (void)cured;
  FILE *stream = opened("bulk", "w");
  for (int i = 0; i < 16; i++)
    must(fwrite(block, sizeof block, 1, stream) == 1, "fwrite");
  fclose(stream);
}

/* Reads a few lines of settings, then computes. cured: unused. */
static void settings(bool cured) {
  (void)cured;
  char line[100];
  FILE *stream = opened("input", "r");
  for (int i = 0; i < 20; i++)
    must(fgets(line, sizeof line, stream) != NULL, "fgets");
  fclose(stream);
  usleep(300000);
}

static void *answer(void *unused) {
  usleep(500000);
  fclose(opened("pipe", "w"));
  return unused;
}

/* Reads from a fifo; the wait is for the other program, not for I/O. cured: unused. */
static void fifo(bool cured) {
  (void)cured;
  pthread_t other;
  must(mkfifo("pipe", 0600) == 0, "mkfifo");
  must(pthread_create(&other, NULL, answer, NULL) == 0, "thread");
  FILE *stream = opened("pipe", "r");
  while (getc(stream) != EOF)
    continue;
  fclose(stream);
  pthread_join(other, NULL);
}

/* --- healthy, written when the rules were settled ----------------------------- */

/* A lexer reads single characters from a stream with a large buffer. cured: unused. */
static void getc_of_a_large_buffer(bool cured) {
  (void)cured;
  FILE *stream = opened("input", "r");
  int letter, lines = 0;
  static char large[4 << 20]; /* glibc ignores the size with NULL */
  must(setvbuf(stream, large, _IOFBF, sizeof large) == 0, "setvbuf");
  while ((letter = getc(stream)) != EOF)
    lines += letter == '\n';
  fclose(stream);
  must(lines > 0, "lines");
}

/* Flushes each of few lines, because a user follows them. cured: unused. */
static void log_of_few_lines(bool cured) {
  (void)cured;
  FILE *stream = opened("log", "w");
  setvbuf(stream, NULL, _IOLBF, 0);
  for (int i = 0; i < 40; i++) {
    fprintf(stream, "epoch %d: loss %g\n", i, 1.0 / (i + 1));
    usleep(10000);
  }
  fclose(stream);
}

/* A parser looks ahead and steps back within the buffered block. cured: unused. */
static void steps_within_the_buffer(bool cured) {
  (void)cured;
  char word[8];
  FILE *stream = opened("input", "r");
  for (int i = 0; i < 30000; i++) {
    must(fread(word, sizeof word, 1, stream) == 1, "fread");
    if (i % 3 == 0) must(fseek(stream, -4, SEEK_CUR) == 0, "fseek");
  }
  fclose(stream);
}

/* Flushes important data once per checkpoint. cured: unused. */
static void flush_at_checkpoints(bool cured) {
  (void)cured;
  FILE *stream = opened("state", "w");
  for (int step = 0; step < 150; step++) {
    for (int i = 0; i < 250; i++)
      fprintf(stream, "%d %d %g\n", step, i, i * 0.25);
    must(fflush(stream) == 0, "fflush");
    usleep(2000);
  }
  fclose(stream);
}

/* Reads the output of another program line by line; the wait is for that program's work. cured:
 * unused. */
static void read_of_a_program(bool cured) {
  (void)cured;
  char line[200];
  int lines = 0;
  FILE *stream = popen("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i + 1)); done", "r");
  must(stream != NULL, "popen");
  while (fgets(line, sizeof line, stream))
    lines++;
  must(pclose(stream) == 0 && lines == 3000, "pclose");
}

/* Seeks to each record of fixed size although the records are read in order. cured: unused. */
static void seek_to_where_it_is(bool cured) {
  enum { RECORD = 4096 };
  (void)cured;
  char record[RECORD];
  FILE *stream = opened("input", "r");
  for (long i = 0; i < 1000; i++) {
    must(fseek(stream, i * RECORD, SEEK_SET) == 0, "fseek");
    must(fread(record, sizeof record, 1, stream) == 1, "fread");
  }
  fclose(stream);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"getc-unbuffered", getc_unbuffered},
      {"fread-unbuffered", fread_unbuffered},
      {"device-each", device_each},
      {"fprintf-unbuffered", fprintf_unbuffered},
      {"open-per-line", open_per_line},
      {"flush-per-line", flush_per_line},
      {"line-buffered", line_buffered},
      {"seek-and-read", seek_and_read},
      {"skip-fields", skip_fields},
      {"last-lines", last_lines},
      {"bulk-stream", bulk_stream},
      {"parse-again", parse_again},
      {"file-per-result", file_per_result},
      {"million-fprintf", million_fprintf},
      {"getc-buffered", getc_buffered},
      {"characters", characters},
      {"wide-characters", wide_characters},
      {"state-renamed", state_renamed},
      {"lines-in", lines_in},
      {"fwrite-large", fwrite_large},
      {"settings", settings},
      {"fifo", fifo},
      {"getc-of-a-large-buffer", getc_of_a_large_buffer},
      {"log-of-few-lines", log_of_few_lines},
      {"steps-within-the-buffer", steps_within_the_buffer},
      {"flush-at-checkpoints", flush_at_checkpoints},
      {"read-of-a-program", read_of_a_program},
      {"seek-to-where-it-is", seek_to_where_it_is},
      {NULL, NULL},
  };
  return run_case(argc, argv, cases);
}
