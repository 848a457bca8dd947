// Reads blocks of the file "input" at growing distances, and writes them to "output", through one
// ring of the crate io-uring.
use io_uring::{opcode, types, IoUring};
use std::fs::{File, OpenOptions};
use std::os::unix::io::AsRawFd;

const BLOCKS: u64 = 64;
const BLOCK: usize = 4096;

fn done(ring: &mut IoUring, wanted: i32) {
    ring.submit_and_wait(1).expect("submit");
    let entry = ring.completion().next().expect("a result");
    assert_eq!(entry.result(), wanted);
}

fn main() {
    let mut ring = IoUring::new(8).expect("ring");
    let input = File::open("input").expect("input");
    let output = OpenOptions::new().create(true).write(true).open("output").expect("output");
    let mut block = vec![0u8; BLOCK];
    for i in 0..BLOCKS {
        let read = opcode::Read::new(types::Fd(input.as_raw_fd()), block.as_mut_ptr(), BLOCK as u32)
            .offset(i * i * BLOCK as u64).build();
        unsafe { ring.submission().push(&read).expect("room") };
        done(&mut ring, BLOCK as i32);
        let write = opcode::Write::new(types::Fd(output.as_raw_fd()), block.as_ptr(), BLOCK as u32)
            .offset(i * BLOCK as u64).build();
        unsafe { ring.submission().push(&write).expect("room") };
        done(&mut ring, BLOCK as i32);
    }
    let sync = opcode::Fsync::new(types::Fd(output.as_raw_fd())).build();
    unsafe { ring.submission().push(&sync).expect("room") };
    done(&mut ring, 0);
}
