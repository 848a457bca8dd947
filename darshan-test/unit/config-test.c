/* Settings: their sources, their precedence, and rejected values. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <config.h> /* autoconf's */

#include "../../runtime/format/log-format.h"
#include "../../runtime/job/config/config-settings.h"
#include "load-config.h"
#include "unit.h"

static void nothing_set_gives_the_defaults(void **state) {
  (void)state;
  struct loaded *loaded = LOAD("PATH=/bin", "HOME=/home/me");
  const struct darshan_config *c = &loaded->config;
  const char *folder =
      DARSHAN_DEFAULT_LOG_PATH[0] ? DARSHAN_DEFAULT_LOG_PATH : "/home/me/darshan-logs";
  assert_true(darshan_config_active(c));
  assert_true(c->job_tree);
  assert_false(c->nonmpi || c->launcher || c->left_out);
  assert_int_equal(c->sample, 1);
  assert_false(c->dump || c->internal_timing || c->no_reduction || c->dxt || c->mpi_files);
  assert_int_equal(c->logpath_dated, DARSHAN_DEFAULT_LOG_PATH[0] != '\0');
  assert_int_equal(c->modmem >> 20, DARSHAN_DEFAULT_MODMEM);
  assert_int_equal(c->namemem >> 20, DARSHAN_DEFAULT_NAMEMEM);
  assert_int_equal(c->mem_alignment, DARSHAN_DEFAULT_MEM_ALIGNMENT);
  assert_true(c->small_io_trigger < 0 && c->unaligned_io_trigger < 0);
  assert_null(c->logfile);
  assert_string_equal(c->hints ? c->hints : "", DARSHAN_LOG_HINTS);
  assert_null(c->user);
  assert_null(c->timezone);
  assert_string_equal(c->logpath, folder);
  assert_string_equal(c->mmap_logpath, "/tmp");
  assert_string_equal(c->exe, "prog");
  assert_string_equal(c->jobid_variable, DARSHAN_JOBID_VARIABLE);
  assert_false(c->has_jobid);
  assert_false(darshan_rank_excluded(c, 0));
  assert_int_equal(loaded->messages.count, 0);
  for (int id = 0; id < DARSHAN_MODULE_IDS; id++)
    assert_int_equal(darshan_module_on(c, id), id != DARSHAN_MOD_DXT_POSIX &&
                                                   id != DARSHAN_MOD_DXT_MPIIO &&
                                                   id != DARSHAN_MOD_APMPI);
}

/* Compares numbers with those that libc's strtod reads from the whole text, except for hexadecimal
 * numbers, infinities and NaN, which settings reject. */
static void numbers_are_read_as_strtod_does(void **state) {
  (void)state;
  static const char *const texts[] = {"1",      "0",
                                      "12.75",  "-3",
                                      "+4",     ".5",
                                      "5.",     "1e3",
                                      "1E-3",   "2.5e+2",
                                      "",       ".",
                                      "e5",     "1e",
                                      "1e+",    "1.2.3",
                                      "abc",    "12abc",
                                      "--1",    " 7 ",
                                      "1 2",    "1e5x",
                                      "00012",  "0.1",
                                      "0.3",    "123456789012345",
                                      "1e22",   "1.5e1",
                                      "-",      "+.e1",
                                      "1e-400", "0e999",
                                      "1e99999"};
  for (size_t i = 0; i < COUNT_OF(texts); i++) {
    struct darshan_slice slice = {texts[i], strlen(texts[i])};
    char *end;
    double expected = strtod(texts[i], &end), value = -12345;
    bool some = end != texts[i];
    while (*end == ' ')
      end++;
    bool valid = darshan_parse_number(slice, &value);
    if (valid != (some && *end == '\0')) fail_msg("\"%s\": valid is %d", texts[i], valid);
    if (valid && value != expected) fail_msg("\"%s\": %.17g", texts[i], value);
  }
}

static void memory_is_given_in_whole_mebibytes(void **state) {
  (void)state;
  static const struct {
    const char *value;
    int64_t mebibytes; /* -1: rejected with a message; the default stays */
  } rows[] = {{"DARSHAN_MODMEM=8", 8},     {"DARSHAN_MODMEM=1.5", 1},  {"DARSHAN_MODMEM=0.5", 0},
              {"DARSHAN_MODMEM=1e2", 100}, {"DARSHAN_MODMEM=-1", -1},  {"DARSHAN_MODMEM=8MB", -1},
              {"DARSHAN_MODMEM=x", -1},    {"DARSHAN_MODMEM=nan", -1}, {"DARSHAN_MODMEM=1e30", -1}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct loaded *loaded = LOAD(rows[i].value);
    bool refused = rows[i].mebibytes < 0;
    assert_int_equal(loaded->config.modmem, (refused ? DARSHAN_DEFAULT_MODMEM : rows[i].mebibytes)
                                                << 20);
    assert_int_equal(loaded->messages.count, refused);
  }
}

static void alignment_is_at_least_one(void **state) {
  (void)state;
  static const struct {
    const char *value;
    int64_t bytes;
  } rows[] = {{"DARSHAN_MEMALIGN=64", 64},
              {"DARSHAN_MEMALIGN=0", 1},
              {"DARSHAN_MEMALIGN=-5", 1},
              {"DARSHAN_MEMALIGN=0.9", 1},
              {"DARSHAN_MEMALIGN=?", 8}};
  for (size_t i = 0; i < COUNT_OF(rows); i++)
    assert_int_equal(LOAD(rows[i].value)->config.mem_alignment, rows[i].bytes);
  assert_int_equal(LOAD_FILE("MEMALIGN 16\n", NULL)->config.mem_alignment, 16);
  assert_int_equal(LOAD_FILE("MEM_ALIGNMENT 32\n", NULL)->config.mem_alignment, 32);
}

static void only_zero_switches_off(void **state) {
  (void)state;
  static const struct {
    const char *value;
    bool on;
  } rows[] = {{"", true}, {"1", true}, {"0", false}, {"00", true}, {"no", true}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char nonmpi[64], tree[64];
    snprintf(nonmpi, sizeof(nonmpi), "DARSHAN_ENABLE_NONMPI=%s", rows[i].value);
    snprintf(tree, sizeof(tree), "DARSHAN_JOB_TREE=%s", rows[i].value);
    struct loaded *loaded = LOAD(nonmpi, tree);
    assert_int_equal(loaded->config.nonmpi, rows[i].on);
    assert_int_equal(loaded->config.job_tree, rows[i].on);
  }
}

static void presence_is_enough_for_flags(void **state) {
  (void)state;
  static const char *const values[] = {"", "0", "1"};
  for (size_t i = 0; i < COUNT_OF(values); i++)
    for (int s = 0; s < DARSHAN_NUM_SETTINGS; s++) {
      const struct darshan_setting *setting = &darshan_settings[s];
      if (setting->kind != DARSHAN_SET_FLAG) continue;
      char variable[128];
      snprintf(variable, sizeof(variable), "%s=%s", setting->variable, values[i]);
      struct loaded *loaded = LOAD(variable);
      assert_true(*(bool *)((char *)&loaded->config + setting->offset));
      if (setting->directive == NULL) continue;
      loaded = LOAD_FILE(setting->directive, NULL);
      assert_true(*(bool *)((char *)&loaded->config + setting->offset));
      assert_int_equal(loaded->messages.count, 0);
    }
  assert_false(darshan_config_active(&LOAD("DARSHAN_DISABLE=0")->config));
  /* A longer or shorter name is another variable. */
  assert_true(darshan_config_active(&LOAD("DARSHAN_DISABLED=1", "DARSHAN_DISABL=1")->config));
}

static void environment_beats_file_beats_default(void **state) {
  (void)state;
  const char *file = "# comment\n\n  \t# another\nMODMEM\t7\nNAMEMEM   3  \r\nLOGPATH /file/logs\n"
                     "MMAP_LOGPATH /file/mmap\nLOGHINTS a=b;c=d\nJOBID MY_JOB\nJOB_TREE 0\n"
                     "DXT_SMALL_IO_TRIGGER .25\nDXT_UNALIGNED_IO_TRIGGER 0.75";
  const struct darshan_config *c = &LOAD_FILE(file, "MY_JOB=77.server")->config;
  assert_int_equal(c->modmem, 7 << 20);
  assert_int_equal(c->namemem, 3 << 20);
  assert_string_equal(c->logpath, "/file/logs");
  assert_string_equal(c->mmap_logpath, "/file/mmap");
  assert_string_equal(c->hints, "a=b;c=d");
  assert_true(c->has_jobid);
  assert_int_equal(c->jobid, 77);
  assert_false(c->job_tree);
  assert_true(c->small_io_trigger == .25 && c->unaligned_io_trigger == .75);

  c = &LOAD_FILE(file, "DARSHAN_MODMEM=9", "DARSHAN_LOGPATH=/env",
                 "DARSHAN_LOGHINTS=", "DARSHAN_JOBID=OTHER", "OTHER=-5", "MY_JOB=77",
                 "DARSHAN_LOGPATH=/second", "DARSHAN_DXT_SMALL_IO_TRIGGER=1")
           ->config;
  assert_int_equal(c->modmem, 9 << 20);
  assert_int_equal(c->namemem, 3 << 20);
  assert_string_equal(c->logpath, "/env");
  assert_string_equal(c->hints, "");
  assert_int_equal(c->jobid, -5);
  assert_true(c->small_io_trigger == 1);
}

static void job_id_is_the_number_at_the_start(void **state) {
  (void)state;
  static const struct {
    const char *value;
    bool valid;
    int64_t jobid;
  } rows[] = {{"123", true, 123},
              {" 45.pbs", true, 45},
              {"7_3", true, 7},
              {"-2", true, -2},
              {"job9", false, 0},
              {"", false, 0},
              {"99999999999999999999", false, 0}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char variable[128];
    snprintf(variable, sizeof(variable), "%s=%s", DARSHAN_JOBID_VARIABLE, rows[i].value);
    const struct darshan_config *c = &LOAD(variable)->config;
    assert_int_equal(c->has_jobid, rows[i].valid);
    if (rows[i].valid) assert_int_equal(c->jobid, rows[i].jobid);
  }
}

static void modules_are_default_minus_disabled_plus_enabled(void **state) {
  (void)state;
  static const struct {
    const char *file, *first, *second;
    bool posix, stdio, dxt_posix, posix_ext;
    unsigned messages;
  } rows[] = {
      {NULL, "X=", NULL, true, true, false, true, 0},
      {NULL, "DARSHAN_MOD_DISABLE=STDIO,POSIX_EXT", NULL, true, false, false, false, 0},
      {NULL, "DARSHAN_MOD_DISABLE=*", NULL, false, false, false, false, 0},
      {NULL, "DARSHAN_MOD_DISABLE=*", "DARSHAN_MOD_ENABLE=POSIX", true, false, false, false, 0},
      {NULL, "DARSHAN_MOD_ENABLE=DXT_POSIX", NULL, true, true, true, true, 0},
      {NULL, "DARSHAN_MOD_ENABLE=*", NULL, true, true, true, true, 0},
      {NULL, "DXT_ENABLE_IO_TRACE=0", NULL, true, true, true, true, 0},
      {NULL, "DXT_ENABLE_IO_TRACE=", "DARSHAN_MOD_DISABLE=DXT_POSIX", true, true, false, true, 0},
      {NULL, "DARSHAN_MOD_DISABLE=posix", NULL, true, true, false, true, 1},
      {NULL, "DARSHAN_MOD_DISABLE=STDIO,*", NULL, true, false, false, true, 1},
      {NULL, "DARSHAN_MOD_DISABLE=STDIO,,POSIX,", NULL, false, false, false, true, 0},
      {"MOD_DISABLE POSIX\nMOD_DISABLE STDIO\n", NULL, NULL, false, false, false, true, 0},
      {"MOD_DISABLE POSIX\n", "DARSHAN_MOD_DISABLE=STDIO", NULL, true, false, false, true, 0},
      {"MOD_DISABLE POSIX\n", "DARSHAN_MOD_ENABLE=DXT_POSIX", NULL, true, true, true, true, 0},
      {"MOD_DISABLE\n", NULL, NULL, true, true, false, true, 0}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct loaded *loaded = LOAD_FILE(rows[i].file, rows[i].first, rows[i].second);
    const struct darshan_config *c = &loaded->config;
    if (darshan_module_on(c, DARSHAN_MOD_POSIX) != rows[i].posix ||
        darshan_module_on(c, DARSHAN_MOD_STDIO) != rows[i].stdio ||
        darshan_module_on(c, DARSHAN_MOD_DXT_POSIX) != rows[i].dxt_posix ||
        darshan_module_on(c, DARSHAN_MOD_POSIX_EXT) != rows[i].posix_ext ||
        loaded->messages.count != rows[i].messages)
      fail_msg("row %zu", i);
  }
}

static void ranks_are_numbers_and_ranges(void **state) {
  (void)state;
  enum { RANKS = 10 };
  static const struct {
    const char *exclude, *include;
    const char *expected; /* for ranks 0, 1, ...: x is excluded */
    unsigned messages;
  } rows[] = {{"7", "", ".......x..", 0},
              {"3:5", "", "...xxx....", 0},
              {":5", "", "xxxxxx....", 0},
              {"3:", "", "...xxxxxxx", 0},
              {"*", "", "xxxxxxxxxx", 0},
              {"*", "0,4:5", ".xxx..xxxx", 0},
              {"1,3,8:", "", ".x.x....xx", 0},
              {"", "2", "..........", 0},
              {"abc", "", "..........", 1},
              {"1,x,3", "", ".x.x......", 1},
              {"5:3", "", "..........", 1},
              {":", "", "..........", 1},
              {"-1", "", "..........", 1},
              {"1:2:3", "", "..........", 1},
              {"99999999999999999999", "", "..........", 1}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char exclude[64], include[64], found[RANKS + 1] = "";
    snprintf(exclude, sizeof(exclude), "DARSHAN_RANK_EXCLUDE=%s", rows[i].exclude);
    snprintf(include, sizeof(include), "DARSHAN_RANK_INCLUDE=%s", rows[i].include);
    struct loaded *loaded = LOAD_FILE("RANK_EXCLUDE 9\n", exclude, include);
    for (int rank = 0; rank < RANKS; rank++)
      found[rank] = darshan_rank_excluded(&loaded->config, rank) ? 'x' : '.';
    assert_string_equal(found, rows[i].expected);
    assert_int_equal(loaded->messages.count, rows[i].messages);
  }
  assert_true(darshan_rank_excluded(&LOAD_FILE("RANK_EXCLUDE 9\n", NULL)->config, 9));
}

static void programs_are_chosen_by_the_first_word(void **state) {
  (void)state;
  static const struct {
    const char *program, *exclude, *include, *file;
    bool excluded;
  } rows[] = {{"/usr/bin/git status", "DARSHAN_APP_EXCLUDE=^git,/git$", NULL, NULL, true},
              {"git", "DARSHAN_APP_EXCLUDE=^git,/git$", NULL, NULL, true},
              {"/opt/app /usr/bin/git", "DARSHAN_APP_EXCLUDE=^git,/git$", NULL, NULL, false},
              {"./sim", "DARSHAN_APP_EXCLUDE=.*", "DARSHAN_APP_INCLUDE=sim|mesh", NULL, false},
              {"./tool", "DARSHAN_APP_EXCLUDE=.*", "DARSHAN_APP_INCLUDE=sim|mesh", NULL, true},
              {"./tool", NULL, "DARSHAN_APP_INCLUDE=sim", NULL, false},
              {"./tool", NULL, NULL, "APP_EXCLUDE sh,tool\n", true},
              {"./tool", NULL, NULL, "APP_EXCLUDE sh\nAPP_EXCLUDE tool\n", true},
              {"./tool", "DARSHAN_APP_EXCLUDE=x", NULL, "APP_EXCLUDE tool\n", false},
              {"./tool", "DARSHAN_APP_INCLUDE=x", NULL, "APP_EXCLUDE tool\n", false},
              {"./tool", "DARSHAN_APP_EXCLUDE=(,tool", NULL, NULL, true}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    const char *first = rows[i].exclude ? rows[i].exclude : rows[i].include;
    const char *second = rows[i].exclude ? rows[i].include : NULL;
    struct loaded *loaded = load_config((const char *const[LOAD_VARIABLES]){first, second},
                                        rows[i].file, rows[i].program);
    if (loaded->config.app_excluded != rows[i].excluded) fail_msg("row %zu", i);
    assert_int_equal(darshan_config_active(&loaded->config), !rows[i].excluded);
  }
}

static void record_limits_per_module(void **state) {
  (void)state;
  struct loaded *loaded = LOAD_FILE("MAX_RECORDS 10 *\nMAX_RECORDS 5000 POSIX,STDIO\n"
                                    "MAX_RECORDS 6000 STDIO\n",
                                    NULL);
  assert_int_equal(loaded->config.max_records[DARSHAN_MOD_POSIX], 5000);
  assert_int_equal(loaded->config.max_records[DARSHAN_MOD_STDIO], 6000);
  assert_int_equal(loaded->config.max_records[DARSHAN_MOD_H5D], 10);
  assert_int_equal(loaded->messages.count, 0);
  static const char *const bad[] = {"MAX_RECORDS", "MAX_RECORDS 5", "MAX_RECORDS x POSIX",
                                    "MAX_RECORDS -1 POSIX", "MAX_RECORDS 5 POSIXX"};
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    loaded = LOAD_FILE(bad[i], NULL);
    assert_int_equal(loaded->config.max_records[DARSHAN_MOD_POSIX], DARSHAN_FILE_RECORDS);
    assert_int_equal(loaded->messages.count, 1);
  }
}

static void log_folder_is_found_in_order(void **state) {
  (void)state;
  if (DARSHAN_DEFAULT_LOG_PATH[0] != '\0') skip(); /* this build has no log folder below HOME */
  assert_string_equal(LOAD("HOME=/h")->config.logpath, "/h/darshan-logs");
  assert_string_equal(LOAD("HOME=")->config.logpath, "/tmp");
  assert_string_equal(LOAD("HOME=relative")->config.logpath, "/tmp");
  assert_string_equal(LOAD("DARSHAN_MMAP_LOGPATH=/m")->config.logpath, "/m");
  assert_string_equal(LOAD("HOME=/h", "DARSHAN_LOGPATH=/l")->config.logpath, "/l");
  assert_string_equal(LOAD("HOME=/h", "DARSHAN_LOGPATH=")->config.logpath, "/h/darshan-logs");
}

static void relative_paths_are_of_the_start(void **state) {
  (void)state;
  char cwd[4096], expected[8192];
  assert_non_null(getcwd(cwd, sizeof(cwd)));
  const struct darshan_config *c =
      &LOAD("DARSHAN_LOGPATH=logs", "DARSHAN_LOGFILE=a/b", "DARSHAN_MMAP_LOGPATH=.")->config;
  snprintf(expected, sizeof(expected), "%s/logs", cwd);
  assert_string_equal(c->logpath, expected);
  snprintf(expected, sizeof(expected), "%s/a/b", cwd);
  assert_string_equal(c->logfile, expected);
  snprintf(expected, sizeof(expected), "%s/.", cwd);
  assert_string_equal(c->mmap_logpath, expected);
}

static void many_problems_make_one_line(void **state) {
  (void)state;
  char line[512];
  struct loaded *loaded = LOAD_FILE("NO_SUCH x\nMODMEM 1 2 3\nNAME_EXCLUDE ( POSIX\n",
                                    "DARSHAN_MODMEM=a\nb", "DARSHAN_RANK_EXCLUDE=z");
  assert_int_equal(loaded->messages.count, 5);
  size_t length = darshan_messages_line(&loaded->messages, line, sizeof(line));
  assert_ptr_equal(strstr(line, "darshan_library_warning: /tmp/darshan-config-"), line);
  assert_non_null(
      strstr(line, ", line 1: the directive does not exist and is ignored (and 4 more)\n"));
  assert_int_equal(length, strlen(line));

  /* The file may contain text that its reader must not see. */
  loaded = LOAD_FILE("MODMEM 1\n\n\nSMALL_IO_TRIGGER secret\n", NULL);
  darshan_messages_line(&loaded->messages, line, sizeof(line));
  assert_null(strstr(line, "secret"));
  assert_non_null(strstr(line, ", line 4: the directive does not exist and is ignored\n"));

  loaded = LOAD("DARSHAN_MODMEM=a\nb");
  darshan_messages_line(&loaded->messages, line, sizeof(line));
  assert_string_equal(
      line, "darshan_library_warning: DARSHAN_MODMEM is not a number and is ignored: a?b\n");
  loaded = LOAD("DARSHAN_CONFIG_PATH=/does/not/exist", "DARSHAN_MODMEM=6");
  darshan_messages_line(&loaded->messages, line, sizeof(line));
  assert_string_equal(line,
                      "darshan_library_warning: cannot read DARSHAN_CONFIG_PATH /does/not/exist: "
                      "No such file or directory\n");
  assert_int_equal(loaded->config.modmem, 6 << 20);
  assert_int_equal(darshan_messages_line(&LOAD("A=b")->messages, line, sizeof(line)), 0);
}

static void too_much_is_refused_not_cut(void **state) {
  (void)state;
  char *variable = malloc(2 * DARSHAN_CONFIG_ARENA);
  int at = sprintf(variable, "DARSHAN_LOGPATH=/");
  memset(variable + at, 'x', DARSHAN_CONFIG_ARENA);
  variable[at + DARSHAN_CONFIG_ARENA] = '\0';
  struct loaded *loaded = LOAD(variable, "HOME=/h", "DARSHAN_MMAP_LOGPATH=/m");
  assert_int_equal(loaded->messages.count, 1);
  assert_string_equal(loaded->config.mmap_logpath, "/m");

  at = sprintf(variable, "DARSHAN_APP_EXCLUDE=");
  for (int i = 0; i < 2 * DARSHAN_CONFIG_WORDS; i++)
    at += sprintf(variable + at, "word%d,", i);
  loaded = LOAD(variable);
  assert_int_equal(loaded->config.app_exclude.count, DARSHAN_CONFIG_WORDS);
  assert_int_equal(loaded->messages.count, 1);

  at = sprintf(variable, "DARSHAN_RANK_EXCLUDE=");
  for (int i = 0; i <= DARSHAN_CONFIG_RANKS; i++)
    at += sprintf(variable + at, "%d,", i);
  loaded = LOAD(variable);
  assert_int_equal(loaded->config.rank_exclude.count, DARSHAN_CONFIG_RANKS);
  assert_int_equal(loaded->messages.count, 1);
  free(variable);
}

/* Returns the settings as darshan_config_dump writes them. The caller frees the text. */
static char *dump_of(const struct darshan_config *config) {
  enum { ROOM = 65536 };
  char *text = calloc(1, ROOM);
  FILE *file = tmpfile();
  assert_non_null(file);
  darshan_config_dump(config, fileno(file));
  rewind(file);
  assert_true(fread(text, 1, ROOM - 1, file) > 0);
  fclose(file);
  return text;
}

static void a_dump_is_a_configuration_file(void **state) {
  (void)state;
  static const char file[] =
      "DUMP_CONFIG\nINTERNAL_TIMING\nDISABLE_SHARED_REDUCTION\nLOGPATH_DATED\nJOB_TREE 0\n"
      "MPI_FILES 1\nMODMEM 7\nNAMEMEM 2\nMEMALIGN 128\nJOBID J\nLOGPATH /l\nMMAP_LOGPATH "
      "/m\nLOGHINTS a=1;b=2\n"
      "MOD_DISABLE STDIO,H5F\nMOD_ENABLE DXT_POSIX\nDXT_SMALL_IO_TRIGGER 0.125\n"
      "DXT_UNALIGNED_IO_TRIGGER 1\nAPP_EXCLUDE a,b+\nAPP_INCLUDE c\nRANK_EXCLUDE 1,3:5,7:\n"
      "RANK_INCLUDE 4\nMAX_RECORDS 99 POSIX,H5D\nNAME_EXCLUDE \\.tmp$,^/x POSIX,MPI-IO\n"
      "NAME_INCLUDE keep *\n";
  struct loaded *loaded = LOAD_FILE(file, "J=12", "HOME=/h", "LOGNAME=me", "TZ=UTC");
  assert_int_equal(loaded->messages.count, 0);
  char *first = dump_of(&loaded->config);
  loaded = LOAD_FILE(first, "J=12", "HOME=/h", "LOGNAME=me", "TZ=UTC");
  assert_int_equal(loaded->messages.count, 0);
  char *second = dump_of(&loaded->config);
  /* Only the name of the configuration file may differ. */
  char *path = strstr(first, "CONFIG_PATH"), *other = strstr(second, "CONFIG_PATH");
  assert_non_null(path);
  assert_memory_equal(first, second, (size_t)(path - first));
  assert_string_equal(strchr(path, '\n'), strchr(other, '\n'));
  static const char *const lines[] = {"\nMODMEM 7\n",
                                      "\nDXT_SMALL_IO_TRIGGER 0.125\n",
                                      "\nRANK_EXCLUDE 1:1,3:5,7:\n",
                                      "\nNAME_EXCLUDE ^/x POSIX,MPI-IO\n",
                                      "\nMAX_RECORDS 99 POSIX,H5D\n",
                                      "\n# LOGNAME me\n",
                                      "\n# job id 12\n",
                                      "\nAPP_EXCLUDE a,b+\n",
                                      "\nDUMP_CONFIG \n"};
  for (size_t i = 0; i < COUNT_OF(lines); i++)
    if (strstr(first, lines[i]) == NULL) fail_msg("no %s in %s", lines[i], first);
  free(first);
  free(second);
}

/* Returns a number below the limit; the seed is fixed, so every run tests the same values. */
static unsigned random_below(unsigned limit) {
  static uint64_t seed = 42;
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(seed >> 33) % limit;
}

/* Reads files of directives with the arguments of other directives, in any order, which must not
 * crash. */
static void no_file_does_harm(void **state) {
  (void)state;
  static const char *const pieces[] = {
      " ", " ",     "\n", "\n", "\t", "*", ",",   ":",  "7",    "3:5", "POSIX", "H5F", "abc",
      "(", "[a-z]", "#",  "/",  "-",  ".", "1e9", "\r", "\xff", "0.5", "x,y",   "4:",  ":"};
  enum { DIRECTIVE_ONE_IN = 3 };
  for (int round = 0; round < 2000; round++) {
    char file[8192];
    size_t at = 0;
    for (unsigned parts = random_below(80); parts > 0; parts--) {
      const char *name = darshan_settings[random_below(DARSHAN_NUM_SETTINGS)].directive;
      bool piece = name == NULL || random_below(DIRECTIVE_ONE_IN) > 0;
      at += (size_t)sprintf(file + at, piece ? "%s" : "\n%s ",
                            piece ? pieces[random_below(COUNT_OF(pieces))] : name);
    }
    file[at] = '\0';
    const struct darshan_config *c = &LOAD_FILE(file, "HOME=/h")->config;
    assert_true(c->logpath[0] == '/' && c->mmap_logpath[0] == '/');
    assert_true(c->mem_alignment >= 1 && c->arena_used <= sizeof(c->room.arena));
    assert_true(c->small_io_trigger <= 1 && c->unaligned_io_trigger <= 1);
    for (int i = 0; i < c->rank_exclude.count; i++)
      assert_true(c->rank_exclude.range[i].first <= c->rank_exclude.range[i].last);
    free(dump_of(c));
  }
}

static void errno_stays(void **state) {
  (void)state;
  static struct darshan_config config;
  struct darshan_messages messages = {0};
  char *envp[] = {"DARSHAN_CONFIG_PATH=/does/not/exist", "DARSHAN_LOGPATH=relative", NULL};
  errno = 77;
  darshan_config_load(&config, envp, 0, NULL, &messages);
  assert_int_equal(errno, 77);
  assert_string_equal(config.exe, "unknown");
}

static void every_setting_is_documented(void **state) {
  (void)state;
  const char *source = getenv("srcdir");
  char path[4096], quoted[128];
  snprintf(path, sizeof(path), "%s/doc/environment.md", source ? source : ".");
  FILE *file = fopen(path, "r");
  if (file == NULL) fail_msg("cannot open %s", path);
  static char text[65536];
  assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
  fclose(file);
  for (int i = 0; i < DARSHAN_NUM_SETTINGS; i++) {
    const char *names[] = {darshan_settings[i].variable, darshan_settings[i].directive};
    for (size_t n = 0; n < COUNT_OF(names); n++) {
      if (names[n] == NULL) continue;
      snprintf(quoted, sizeof(quoted), "`%s", names[n]);
      char *found = strstr(text, quoted);
      /* The name must end after the match: text about MODMEMORY does not document MODMEM. */
      while (found != NULL && strchr("`= ", found[strlen(quoted)]) == NULL)
        found = strstr(found + 1, quoted);
      if (found == NULL) fail_msg("%s is not in %s", names[n], path);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_set_gives_the_defaults),
      cmocka_unit_test(numbers_are_read_as_strtod_does),
      cmocka_unit_test(memory_is_given_in_whole_mebibytes),
      cmocka_unit_test(alignment_is_at_least_one),
      cmocka_unit_test(only_zero_switches_off),
      cmocka_unit_test(presence_is_enough_for_flags),
      cmocka_unit_test(environment_beats_file_beats_default),
      cmocka_unit_test(job_id_is_the_number_at_the_start),
      cmocka_unit_test(modules_are_default_minus_disabled_plus_enabled),
      cmocka_unit_test(ranks_are_numbers_and_ranges),
      cmocka_unit_test(programs_are_chosen_by_the_first_word),
      cmocka_unit_test(record_limits_per_module),
      cmocka_unit_test(log_folder_is_found_in_order),
      cmocka_unit_test(relative_paths_are_of_the_start),
      cmocka_unit_test(many_problems_make_one_line),
      cmocka_unit_test(too_much_is_refused_not_cut),
      cmocka_unit_test(a_dump_is_a_configuration_file),
      cmocka_unit_test(no_file_does_harm),
      cmocka_unit_test(errno_stays),
      cmocka_unit_test(every_setting_is_documented),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
