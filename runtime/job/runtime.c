/* Defines the variables of runtime.h. */
#include "runtime.h"

struct darshan_hot darshan_hot;
struct process_state process_state;
struct exec_state exec_state;
struct lost_state lost_state;
struct job_state job_state;
