/* The functions of liburing, declared like in the library. */
#ifndef URING_STANDIN_H
#define URING_STANDIN_H

#include <stddef.h>

#include "modules/posix/asynchronous/uring.h"

extern int io_uring_setup(unsigned n, struct uring_setup *setup);
extern int io_uring_queue_init_params(unsigned n, struct uring *ring, void *params);
extern int io_uring_queue_init(unsigned n, struct uring *ring, unsigned flags);
extern int io_uring_queue_init_mem(unsigned n, struct uring *ring, void *params, void *memory,
                                   size_t size);
extern void io_uring_queue_exit(struct uring *ring);
extern int io_uring_submit(struct uring *ring);
extern int io_uring_submit_and_wait(struct uring *ring, unsigned n);
extern int io_uring_submit_and_wait_timeout(struct uring *ring, void **result, unsigned n,
                                            void *time, void *mask);
extern int io_uring_submit_and_wait_min_timeout(struct uring *ring, void **result, unsigned n,
                                                void *time, unsigned least, void *mask);
extern int io_uring_submit_and_wait_reg(struct uring *ring, void **result, unsigned n, int index);
extern int io_uring_submit_and_get_events(struct uring *ring);
extern int io_uring_get_events(struct uring *ring);
extern int __io_uring_get_cqe(struct uring *ring, void **result, unsigned submit, unsigned n,
                              void *mask);
extern int __io_uring_sqring_wait(struct uring *ring);
extern int io_uring_wait_cqes(struct uring *ring, void **result, unsigned n, void *time,
                              void *mask);
extern int io_uring_wait_cqes_min_timeout(struct uring *ring, void **result, unsigned n, void *time,
                                          unsigned least, void *mask);
extern int io_uring_wait_cqe_timeout(struct uring *ring, void **result, void *time);
extern unsigned io_uring_peek_batch_cqe(struct uring *ring, void **results, unsigned n);
extern int io_uring_enter(unsigned fd, unsigned submit, unsigned n, unsigned flags, void *mask);
extern int io_uring_enter2(unsigned fd, unsigned submit, unsigned n, unsigned flags, void *more,
                           size_t size);
extern int io_uring_register(unsigned fd, unsigned operation, void *argument, unsigned n);
extern int io_uring_register_files(struct uring *ring, const int *fds, unsigned n);
extern int io_uring_register_files_tags(struct uring *ring, const int *fds, const void *tags,
                                        unsigned n);
extern int io_uring_register_files_update(struct uring *ring, unsigned first, const int *fds,
                                          unsigned n);
extern int io_uring_register_files_update_tag(struct uring *ring, unsigned first, const int *fds,
                                              const void *tags, unsigned n);

#endif
