/* Memory that an MPI library reads until a request is over: given back when the library gives
 * out the request's handle again, since two that live never have the same.  So there is as
 * much of it as requests were ever begun at once, and no call that ends one need be seen. */
#include "../../intercept/memory.h"
#include "apmpi-module.h"

enum { LISTS = 64 };
static struct apmpi_held *held[LISTS];

static void push(struct apmpi_held **list, struct apmpi_held *one) {
  one->next = __atomic_load_n(list, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(list, &one->next, one, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
}

/* Without a lock, since a handler may come in between: whoever takes a list has it alone, and
 * what others do not find in it meanwhile is given back later. */
void apmpi_hold(void *memory, size_t bytes, mpi_handle request) {
  struct apmpi_held *one = memory;
  struct apmpi_held **list = &held[(uint64_t)request * UINT64_C(0x9E3779B97F4A7C15) >> 58];
  struct apmpi_held *all = __atomic_exchange_n(list, NULL, __ATOMIC_ACQUIRE);
  while (all) {
    struct apmpi_held *next = all->next;
    if (all->request == request)
      sys_munmap(all, all->bytes);
    else
      push(list, all);
    all = next;
  }
  one->request = request;
  one->bytes = bytes;
  push(list, one);
}
