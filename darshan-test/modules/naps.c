/* Sleeps three times and yields the processor twice, for the template's module and the module of
 * the how-to page. */
#include <sched.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  const struct timespec nap = {0, 20000000};
  usleep(1000);
  nanosleep(&nap, NULL);
  usleep(10);
  return sched_yield() + sched_yield();
}
