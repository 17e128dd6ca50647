//! The decoder of server-sent events against a plain one that follows the specification line by line, and against the package
//! `eventsource-stream`, which it takes the place of.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::{fs, panic};

use crate::support::seeds::seeded;
use ananke::agents::sse::{EventTooLarge, SseDecoder};
use eventsource_stream::EventStream;
use futures_util::StreamExt as _;
use proptest::prelude::*;

/// The events of a stream, and the one the stream ends in.
type Events = (Vec<Vec<u8>>, Option<Vec<u8>>);

/// The whole stream at once, one line after the other.
fn reference(stream: &[u8]) -> Events {
    let stream = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
    let mut lines: Vec<Vec<u8>> = vec![Vec::new()];
    let mut position = 0;
    while position < stream.len() {
        match stream[position] {
            b'\r' => {
                lines.push(Vec::new());
                if stream.get(position + 1) == Some(&b'\n') {
                    position += 1;
                }
            }
            b'\n' => lines.push(Vec::new()),
            byte => lines.last_mut().expect("at least one line").push(byte),
        }
        position += 1;
    }
    let unterminated = lines.pop().expect("at least one line");
    let mut events = Vec::new();
    let mut data: Option<Vec<u8>> = None;
    let take = |line: &[u8], data: &mut Option<Vec<u8>>| {
        let value = match line.strip_prefix(b"data:") {
            Some(value) => value.strip_prefix(b" ").unwrap_or(value),
            None if line == b"data" => b"",
            None => return,
        };
        match data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => *data = Some(value.to_vec()),
        }
    };
    for line in lines {
        if line.is_empty() {
            events.extend(data.take());
        } else {
            take(&line, &mut data);
        }
    }
    take(&unterminated, &mut data);
    (events, data)
}

fn decode(stream: &[u8], cuts: &[usize]) -> Events {
    let mut decoder = SseDecoder::new(1 << 20);
    let mut events = Vec::new();
    let mut from = 0;
    for to in cuts.iter().copied().chain([stream.len()]) {
        let mut rest = &stream[from..to];
        while let Some(data) = decoder.next_event(&mut rest).expect("within the limit") {
            events.push(data.to_vec());
        }
        assert!(rest.is_empty(), "a chunk is used up");
        from = to;
    }
    (events, decoder.finish().map(<[u8]>::to_vec))
}

/// Pieces of which every odd stream can be made.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let pieces: [&[u8]; 22] = [
        b"\n",
        b"\n",
        b"\r",
        b"\r\n",
        b"\r\n",
        b"data:",
        b"data:",
        b"data: ",
        b"data",
        b"dat",
        b"a",
        b":",
        b" ",
        b": note",
        b"event: x",
        b"id",
        b"{\"k\":1}",
        b"\xEF\xBB\xBF",
        b"\xEF",
        b"\xBB",
        b"\xF0\x9F",
        b"\0",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn any_chunking_of_any_stream_is_the_same(stream in stream(), mut cuts in prop::collection::vec(0..400_usize, 0..20)) {
        cuts.retain(|cut| *cut <= stream.len());
        cuts.sort_unstable();
        let every: Vec<_> = (0..=stream.len()).collect();
        let expected = reference(&stream);
        prop_assert_eq!(&decode(&stream, &[]), &expected);
        prop_assert_eq!(&decode(&stream, &cuts), &expected);
        prop_assert_eq!(&decode(&stream, &every), &expected);
    }
}

#[test]
fn streams_mean_what_the_specification_says() {
    let cases: [(&str, &[&str], Option<&str>); 14] = [
        ("data: a\n\ndata:b\n\n", &["a", "b"], None),
        (
            "data: a\r\n\r\ndata: b\r\rdata: c\n\r\n",
            &["a", "b", "c"],
            None,
        ),
        ("\u{feff}data: a\n\n", &["a"], None),
        ("\n\u{feff}data: a\n\n", &[], None),
        ("data: a\ndata: b\n\n", &["a\nb"], None),
        ("data:  a \n\n", &[" a "], None),
        ("data\n\n", &[""], None),
        ("data\ndata\n\n", &["\n"], None),
        (": note\nevent: x\nid: 1\nretry: 1\n\n", &[], None),
        ("event: x\ndata: a\nid\n\n", &["a"], None),
        ("datax: a\ndat: b\n data: c\n\n", &[], None),
        ("data: a", &[], Some("a")),
        ("data: a\n", &[], Some("a")),
        ("data: a\ndata", &[], Some("a\n")),
    ];
    for (stream, events, unterminated) in cases {
        let expected: Events = (
            events
                .iter()
                .map(|event| event.as_bytes().to_vec())
                .collect(),
            unterminated.map(|event| event.as_bytes().to_vec()),
        );
        assert_eq!(decode(stream.as_bytes(), &[]), expected, "{stream:?}");
        assert_eq!(reference(stream.as_bytes()), expected, "{stream:?}");
    }
}

#[test]
fn an_event_that_lies_whole_in_its_chunk_is_not_copied() {
    let chunk = b"data: {\"k\":1}\n\n";
    let mut rest = &chunk[..];
    let mut decoder = SseDecoder::new(100);
    let data = decoder
        .next_event(&mut rest)
        .expect("within the limit")
        .expect("an event");
    assert!(chunk.as_ptr_range().contains(&data.as_ptr()));
}

#[test]
fn the_limit_is_on_the_data_of_one_event() {
    let fits = "data: 12\ndata: 45\n\n".repeat(3);
    for chunk in [1, 3, 100] {
        let mut decoder = SseDecoder::new(5);
        for mut rest in fits.as_bytes().chunks(chunk) {
            while decoder
                .next_event(&mut rest)
                .expect("five bytes fit")
                .is_some()
            {}
        }
        for stream in [
            "data: 123456\n\n",
            "data: 123\ndata: 45\n",
            ": a long comment\ndata: 123456",
        ] {
            let mut decoder = SseDecoder::new(5);
            let mut result = Ok(());
            for mut rest in stream.as_bytes().chunks(chunk) {
                match decoder.next_event(&mut rest) {
                    Ok(event) => assert_eq!(event, None, "{stream:?}"),
                    Err(failure) => {
                        result = Err(failure);
                        break;
                    }
                }
            }
            assert_eq!(
                result,
                Err(EventTooLarge { max_event_bytes: 5 }),
                "{stream:?} in chunks of {chunk}"
            );
        }
    }
}

/// The events that `eventsource-stream` finds in a stream that comes in chunks of so many bytes, until its first error.
fn of_package(stream: &[u8], chunk: usize) -> Vec<Vec<u8>> {
    let chunks: Vec<Result<Vec<u8>, Infallible>> = stream
        .chunks(chunk)
        .map(|chunk| Ok(chunk.to_vec()))
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime without a timer can be made");
    runtime.block_on(async {
        let mut events = EventStream::new(futures_util::stream::iter(chunks));
        let mut found = Vec::new();
        while let Some(Ok(event)) = events.next().await {
            found.push(event.data.into_bytes());
        }
        found
    })
}

/// The part of a stream of which both say the same: the package panics at a byte order mark, ends at the first byte that is not
/// UTF-8, and takes a CR for the end of a line only when a byte follows it.
fn alike(stream: &[u8]) -> &[u8] {
    let stream = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
    let text = match str::from_utf8(stream) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&stream[..error.valid_up_to()]).expect("that much is valid"),
    };
    text.strip_suffix('\r').unwrap_or(text).as_bytes()
}

proptest! {
    #[test]
    fn the_package_finds_the_same_events_in_any_stream(stream in stream(), chunk in 1..50_usize) {
        let without_mark = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&stream);
        prop_assume!(!without_mark.starts_with(b"\xEF\xBB\xBF"));
        let expected = decode(alike(&stream), &[]).0;
        prop_assert_eq!(of_package(without_mark, chunk), expected);
    }
}

/// The files in `folder` and below it that are streams of events.
fn captures(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("captures are there") {
        let path = entry.expect("a file can be listed").path();
        if path.is_dir() {
            captures(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sse") {
            found.push(path);
        }
    }
}

#[test]
fn the_package_finds_the_same_events_in_every_capture() {
    let mut files = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures");
    captures(&folder, &mut files);
    let mut count = 0;
    for file in &files {
        let stream = fs::read(file).expect("a capture can be read");
        let every: Vec<usize> = (0..=stream.len()).collect();
        let events = decode(&stream, &every).0;
        for chunk in [1, 7, usize::MAX] {
            assert_eq!(of_package(&stream, chunk), events, "{}", file.display());
        }
        count += events.len();
    }
    assert!(files.len() > 100 && count > 500, "{} {count}", files.len());
}

/// A stream, its events and the one that it ends in, the events that the package finds, and the reason.
type Difference = (
    &'static [u8],
    &'static [&'static [u8]],
    Option<&'static [u8]>,
    &'static [&'static [u8]],
    &'static str,
);

/// The known differences between the decoder and the package, with their reasons. One that a new release removes fails here.
#[test]
fn the_known_differences_from_the_package_are_these() {
    let differences: [Difference; 4] = [
        (
            b"data: a\n\ndata: b",
            &[b"a"],
            Some(b"b"),
            &[b"a"],
            "the event that a stream ends in is shown to a test, not dropped",
        ),
        (
            b"data: a\r\r",
            &[b"a"],
            None,
            &[],
            "a CR ends a line by itself: an agent may wait after it",
        ),
        (
            b"data: \xFF\n\ndata: b\n\n",
            &[b"\xFF", b"b"],
            None,
            &[],
            "one event that is not UTF-8 is an error of its own, and the events after it are read",
        ),
        (
            b"data: a\n\ndata: \xF0\x9F\n\n",
            &[b"a", b"\xF0\x9F"],
            None,
            &[b"a"],
            "half a character is shown as it came",
        ),
    ];
    for (stream, own, unterminated, of_theirs, why) in differences {
        let (events, rest) = decode(stream, &[]);
        assert_eq!(
            (events, rest.as_deref()),
            (
                own.iter().map(|event| event.to_vec()).collect(),
                unterminated
            ),
            "{why}"
        );
        assert_eq!(of_package(stream, usize::MAX), of_theirs, "{why}");
    }
    // A byte order mark begins the streams of some servers on Windows.
    let marked = b"\xEF\xBB\xBFdata: a\n\n";
    assert_eq!(decode(marked, &[]).0, [b"a"]);
    assert!(panic::catch_unwind(|| of_package(marked, usize::MAX)).is_err());
}
