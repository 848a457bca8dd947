// Lines in Rust: words CASE [cured].
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let cured = words.len() > 2;
    if words[1] == "lines-out" {
        let file = File::create("log")?;
        let mut out: Box<dyn Write> =
            if cured { Box::new(BufWriter::new(file)) } else { Box::new(file) };
        for i in 0..6000 {
            out.write_all(format!("line {i}\n").as_bytes())?;
        }
        return out.flush();
    }
    let file = File::open("input")?;
    let mut input: Box<dyn Read> =
        if cured { Box::new(BufReader::new(file)) } else { Box::new(file) };
    let mut byte = [0u8; 1];
    let mut sum = 0u64;
    for _ in 0..8000 {
        input.read_exact(&mut byte)?;
        sum += u64::from(byte[0]);
    }
    assert!(sum > 0);
    Ok(())
}
