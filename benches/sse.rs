//! How fast server-sent events are decoded: one large event in small chunks, and very many small events.

use ananke::agents::sse::SseDecoder;
use divan::Bencher;
use divan::counter::BytesCount;

const CHUNK: usize = 16 << 10;

fn main() {
    divan::main();
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

#[divan::bench]
fn one_event_of_15_mib(bencher: Bencher<'_, '_>) {
    let stream = format!("data: {}\n\n", "x".repeat(15 << 20)).into_bytes();
    bencher
        .counter(BytesCount::of_slice(&stream))
        .bench(|| decode(divan::black_box(&stream)));
}

#[divan::bench(sample_count = 20)]
fn a_million_small_events(bencher: Bencher<'_, '_>) {
    let event =
        "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m1\",\"delta\":\"word \"}\n\n";
    let stream = event.repeat(1_000_000).into_bytes();
    bencher
        .counter(BytesCount::of_slice(&stream))
        .bench(|| decode(divan::black_box(&stream)));
}
