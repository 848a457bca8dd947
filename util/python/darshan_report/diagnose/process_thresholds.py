"""The thresholds of diagnoses that compare processes, or that are about work in several
processes."""

from __future__ import annotations

from .threshold import DRISHTI, HERE, JUDGEMENT, Limit

OF_PROCESSES = (
    Limit(
        "collective.calls",
        30,
        "calls",
        "fewer collective calls by a process are not a pattern",
        JUDGEMENT,
    ),
    Limit("collective.share", 0.5, "of transfers", "least share of collective transfers", DRISHTI),
    Limit(
        "aggregate.bytes",
        1 << 20,
        "bytes",
        "mean POSIX transfer that collective buffering should reach",
        "default cb_buffer_size is 4 to 16 MiB",
    ),
    Limit(
        "sieving.share", 0.1, "of bytes", "bytes read below for bytes that were only written", HERE
    ),
    Limit(
        "imbalance.share",
        0.3,
        "of the mean",
        "by how much the slowest process is above the mean, in time and in bytes",
        f"{DRISHTI}, which takes it of the slowest",
    ),
    Limit(
        "imbalance.chance",
        5,
        "s",
        "a smaller difference from the mean, for the same work, may be chance",
        JUDGEMENT,
    ),
    Limit(
        "pipes.bytes",
        32 << 20,
        "bytes",
        "fewer bytes between a program and its workers are not worth a hint",
        JUDGEMENT,
    ),
    Limit(
        "pipes.rate",
        1 << 30,
        "bytes/s",
        "rate at which a pipe moves large blocks between two processes",
        HERE,
    ),
    Limit(
        "pipes.switch",
        5e-6,
        "s",
        "time that a message and its answer take at least: two system calls and a switch each",
        HERE,
    ),
    Limit(
        "pipes.messages",
        2000,
        "messages",
        "fewer messages between two processes are not a pattern",
        JUDGEMENT,
    ),
    Limit(
        "pipes.small",
        4096,
        "bytes",
        "mean message above which the bytes cost more than the wait for them",
        "a pipe takes so many at once without a part of another message",
    ),
    Limit(
        "manager.message",
        60e-6,
        "s",
        "most time of an access to an object of a Manager; the rest is computing of the Manager",
        "40 \u00b5s of both processes, on a busy machine",
    ),
    Limit(
        "tasks.waits",
        10_000,
        "waits",
        "fewer waits of the threads of a process for each other are not a pattern",
        JUDGEMENT,
    ),
    Limit(
        "tasks.own",
        20e-6,
        "s",
        "time that Python takes to hand a task to a thread and to get its result, outside of the "
        "kernel",
        "run_in_executor with a function that does nothing",
    ),
    Limit(
        "byall.share",
        0.9,
        "of a file",
        "share of a file that each process reads on average, if all processes read the file",
        JUDGEMENT,
    ),
    Limit(
        "byeach.processes",
        3,
        "processes",
        "fewer processes of a program that read the same file are not a pattern",
        JUDGEMENT,
    ),
    Limit(
        "repeated.processes",
        10,
        "processes",
        "fewer processes of a program with different arguments, which read the same file or list "
        "the same folder, are not a pattern",
        JUDGEMENT,
    ),
    Limit(
        "each.processes",
        100,
        "processes",
        "fewer processes that a program starts, for a file or an item each, are not a pattern",
        JUDGEMENT,
    ),
    Limit(
        "each.importing",
        5,
        "processes",
        "fewer processes of a Python program that mostly imports are not a pattern",
        JUDGEMENT,
    ),
    Limit(
        "each.files",
        4,
        "files",
        "a process that opens more files was not started for one file",
        JUDGEMENT,
    ),
    Limit(
        "each.start",
        20e-3,
        "s",
        "longest start of a program, if the log does not have its processor time",
        "1 to 10 ms on an idle or a busy machine",
    ),
    Limit(
        "each.processor",
        5e-3,
        "s",
        "processor time that a compiled program takes to start; 4 to 20 times that for an "
        "interpreter",
        "1 to 4 ms with the runtime, 20 to 60 ms for Python",
    ),
    Limit(
        "oneprocess.share",
        0.9,
        "of bytes",
        "share of the bytes from which on one process moves them alone",
        JUDGEMENT,
    ),
    Limit(
        "oneprocess.read",
        256 << 20,
        "bytes",
        "one process may read this much for all processes, and send it to them",
        "a broadcast of so many bytes takes a fraction of a second",
    ),
    Limit(
        "oneprocess.waited",
        16 << 20,
        "bytes",
        "the same, if the log shows that the others wait meanwhile (see ranks-wait-for-io)",
        "settings and tables; data of which each process needs a part is larger",
    ),
    Limit(
        "turns.least",
        0.5,
        "of run time",
        "least processor time of threads that work one at a time",
        "0.99 where nothing else runs; less where other programs use the processors",
    ),
    Limit(
        "turns.waits",
        0.5,
        "waits per read",
        "waits of threads for each read, and for each loss of the processor, that tell of a lock",
        "1.0 with a mutex that is held over each read; 0.02 without",
    ),
)
