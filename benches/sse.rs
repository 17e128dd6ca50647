//! How fast server-sent events are decoded: one large event in small chunks, and very many small events.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a table is printed, and time is what is measured"
)]

use std::hint::black_box;
use std::time::Instant;

use ananke::agents::sse::SseDecoder;

const CHUNK: usize = 16 << 10;

/// How often each stream is decoded.
const SAMPLES: usize = 20;

fn main() {
    let large = format!("data: {}\n\n", "x".repeat(15 << 20)).into_bytes();
    measure("one event of 15 MiB", &large);
    let event =
        "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m1\",\"delta\":\"word \"}\n\n";
    measure(
        "a million small events",
        &event.repeat(1_000_000).into_bytes(),
    );
}

/// Prints how many bytes of `stream` are decoded in a second: at best, and in the median.
fn measure(what: &str, stream: &[u8]) {
    let mut seconds: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let start = Instant::now();
            black_box(decode(black_box(stream)));
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 bytes")]
    let gigabytes = stream.len() as f64 / 1e9;
    let (best, median) = (seconds[0], seconds[SAMPLES / 2]);
    println!(
        "  {what:<36} best {:>6.2} GB/s   median {:>6.2} GB/s   of {SAMPLES}",
        gigabytes / best,
        gigabytes / median
    );
}

fn decode(stream: &[u8]) -> usize {
    let mut decoder = SseDecoder::new(16 << 20);
    let mut bytes = 0;
    for mut rest in stream.chunks(CHUNK) {
        while let Some(data) = decoder.next_event(&mut rest).expect("within the limit") {
            bytes += data.len();
        }
    }
    bytes
}
