/* A second copy of stream.c, which is compiled without libdeflate, as setup.py can do. */
#define darshan_stream_open by_steps_open
#define darshan_stream_read by_steps_read
#define darshan_stream_close by_steps_close
#define darshan_whole_take by_steps_take
#define darshan_whole_free by_steps_free
#include "../../util/reader/stream.c"
#include "../../util/reader/without-libdeflate/decompress-once.c"
