/* The frame of a log of format 3.41: header, job region, annex. doc/log-format.md describes it. All
 * numbers are in the byte order of the writer. */
#ifndef DARSHAN_LOG_FORMAT_H
#define DARSHAN_LOG_FORMAT_H

#include <assert.h>
#include <stdint.h>

#define DARSHAN_LOG_VERSION "3.41"
#define DARSHAN_LOG_MAGIC INT64_C(6567223)
#define DARSHAN_MAX_MODULES 64     /* slots in the header's map */
#define DARSHAN_MAX_MODULES_OLD 16 /* slots before 3.41 */
#define DARSHAN_JOB_METADATA_LEN 1024
#define DARSHAN_JOB_REGION_MAX 4096 /* bytes that readers accept, decompressed */
#define DARSHAN_NAME_MAX 4095       /* bytes of a record name, without the NUL */

#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes) DARSHAN_MOD_##SYMBOL = id,
enum darshan_module_id {
#include "modules.def"
};
#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes) DARSHAN_VERSION_##SYMBOL = version,
enum { /* newest version of each module's records */
#include "modules.def"
       DARSHAN_VERSION_LUSTRE_COMP =
           DARSHAN_VERSION_LUSTRE /* a component has the layout version of its record */
};
#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes)                                        \
  static_assert((id) >= 0 && (id) < DARSHAN_MAX_MODULES, "the id of " name);
#define ANNEX_MODULE(id, SYMBOL, name, tag, version, KIND, bytes)                                  \
  static_assert((id) >= DARSHAN_MAX_MODULES, "the id of " name);
#include "modules.def"

enum darshan_compression { DARSHAN_ZLIB = 0, DARSHAN_BZIP2 = 1, DARSHAN_UNCOMPRESSED = 2 };

struct darshan_region { /* a range of bytes in the file; len 0: no data */
  uint64_t off;
  uint64_t len; /* compressed length, as stored */
};

struct darshan_header {
  char version[8];
  int64_t magic;
  uint8_t comp_type;
  uint8_t padding[7];
  uint64_t partial_flag; /* bit i: module i is partial */
  struct darshan_region names;
  struct darshan_region modules[DARSHAN_MAX_MODULES];
  uint32_t module_versions[DARSHAN_MAX_MODULES];
};
static_assert(sizeof(struct darshan_header) == 1328, "format");

struct darshan_header_old { /* 3.00 to 3.21 */
  char version[8];
  int64_t magic;
  uint8_t comp_type;
  uint8_t padding[3];
  uint32_t partial_flag;
  struct darshan_region names;
  struct darshan_region modules[DARSHAN_MAX_MODULES_OLD];
  uint32_t module_versions[DARSHAN_MAX_MODULES_OLD];
};
static_assert(sizeof(struct darshan_header_old) == 360, "format");

struct darshan_job { /* the command line and the mount table follow as text */
  int64_t uid;
  int64_t start_time_sec;
  int64_t start_time_nsec;
  int64_t end_time_sec;
  int64_t end_time_nsec;
  int64_t nprocs;
  int64_t jobid;
  char metadata[DARSHAN_JOB_METADATA_LEN];
};
static_assert(sizeof(struct darshan_job) == 1080, "format");

struct darshan_job_old { /* 3.00 to 3.21 */
  int64_t uid;
  int64_t start_time;
  int64_t end_time;
  int64_t nprocs;
  int64_t jobid;
  char metadata[DARSHAN_JOB_METADATA_LEN];
};
static_assert(sizeof(struct darshan_job_old) == 1064, "format");

/* The annex: blocks after the last region, where older readers ignore them. The trailer in the last
 * bytes of the file tells where it begins. */
#define DARSHAN_ANNEX_MAGIC "DshAnnex"
#define DARSHAN_ANNEX_VERSION 1

struct darshan_annex_block { /* followed by stored_len bytes */
  uint32_t module;           /* a module id >= 64 */
  uint32_t version;          /* record version of that module */
  uint32_t comp_type;        /* enum darshan_compression */
  uint32_t flags;            /* bit 0: records are missing */
  uint64_t stored_len;
  uint64_t raw_len;
};
static_assert(sizeof(struct darshan_annex_block) == 32, "format");

struct darshan_annex_trailer {
  char magic[8];
  uint32_t version;
  uint32_t num_blocks;
  uint64_t offset;   /* of the first block, from the start of the file */
  uint64_t length;   /* of all blocks */
  uint32_t checksum; /* CRC-32 of the annex bytes; 0 if bit 0 of flags is set */
  uint32_t flags;    /* bit 0: live journal, no checksum */
};
static_assert(sizeof(struct darshan_annex_trailer) == 40, "format");

/* The last failed lookups of a process (names that do not exist). They are at the start of the last
 * page of its journal; the annex trailer is at the end of that page. A finished log has them as
 * metadata. */
#define DARSHAN_LOOKUPS_MAGIC "DshLooks"
#define DARSHAN_LOOKUPS_VERSION 1
#define DARSHAN_LOOKUPS_PAGE 4096
enum { DARSHAN_LOOKUPS = 16 };

struct darshan_lookup {
  uint16_t taken;  /* 1: a thread is changing the slot */
  uint16_t length; /* of the name, in bytes; 0: the slot is empty */
  char name[248];
};
struct darshan_lookups {
  char magic[8];
  uint32_t version;
  uint32_t count; /* failed lookups so far; the last one is in slot (count - 1) % DARSHAN_LOOKUPS */
  struct darshan_lookup slot[DARSHAN_LOOKUPS];
};
static_assert(sizeof(struct darshan_lookups) == 4048, "format");
static_assert(sizeof(struct darshan_lookups) + sizeof(struct darshan_annex_trailer) <=
                  DARSHAN_LOOKUPS_PAGE,
              "format");

#define DARSHAN_ANNEX_LIVE 1u
#define DARSHAN_ANNEX_PARTIAL 1u

#endif
