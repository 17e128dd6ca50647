//! Texts that are read, and their values: strict JSON as the JSON crate reads it, and every dialect as its documents say.

use serde_json::{Value, json};

use super::{read::MAX_OWN_DEPTH, *};

#[test]
fn strict_json_reads_as_the_json_crate_reads_it() {
    for text in [
        "null",
        " [1, -2.50, 1e400, 18446744073709551617, true, false] ",
        r#"{"a":{"b":[{}, [], "\u00e9\ud83d\ude00\n\/\\\"", ""]},"":0}"#,
    ] {
        let read = read(text).unwrap();
        assert_eq!(read.value, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!((read.oddities, read.other_values), Default::default());
    }
}

#[test]
fn what_is_not_json_has_the_words_of_the_json_crate() {
    for text in [
        "",
        "{",
        "[1",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "\"a",
        "\"\\x\"",
        "\"\\u12",
        "01",
        "-",
        "1.",
        "nul",
        "[1] 2",
        "\"\n\"",
        "{\"a\":1 \"b\":2}",
        "[1 2]",
        "{\"a\":}",
    ] {
        let error = read(text).expect_err(text).to_string();
        assert_eq!(
            error,
            serde_json::from_str::<Value>(text).unwrap_err().to_string()
        );
        assert!(!is_json(text));
    }
    let error = read("{\"a\": NaN,\n\"b\": }").unwrap_err().to_string();
    assert_eq!(error, "expected value at line 2 column 6");
}

#[test]
fn byte_order_marks_are_skipped_and_utf_16_is_named() {
    assert_eq!(read_bytes(b"\xef\xbb\xbf{}").unwrap().value, json!({}));
    assert_eq!(read_as::<Vec<u8>>(b"\xef\xbb\xbf[1]").unwrap(), [1]);
    let encoded = |units: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "{\"a\":1}".encode_utf16().flat_map(units).collect()
    };
    let marked = [b"\xff\xfe".to_vec(), encoded(u16::to_le_bytes)].concat();
    for bytes in [encoded(u16::to_le_bytes), encoded(u16::to_be_bytes), marked] {
        assert_eq!(read_bytes(&bytes).unwrap_err().0, "is UTF-16, not UTF-8");
    }
    let lossy = read_bytes(b"\"a\xff\"").unwrap();
    assert_eq!(
        (lossy.value, lossy.oddities.is_lossy),
        (json!("a\u{fffd}"), true)
    );
}

#[test]
fn half_of_a_pair_is_replaced_or_waits_for_the_other_one() {
    let alone = read(r#"["\ud83d", "\ude00", "\ud83d\ud83d\ude00"]"#).unwrap();
    assert_eq!(alone.value, json!(["\u{fffd}", "\u{fffd}", "\u{fffd}😀"]));
    assert_eq!(
        alone.oddities.warnings().collect::<Vec<_>>(),
        [Oddities::HALF]
    );
    let texts = |pieces: &[&'static str]| {
        let (mut joiner, mut text, mut lone) = (HalfJoiner::default(), String::new(), 0);
        for piece in pieces {
            let (more, is_lone) = joiner.join(sent_text(piece));
            text.push_str(&more);
            lone += usize::from(is_lone);
        }
        let end = joiner.finish();
        text.extend(end);
        (text, lone + usize::from(end.is_some()))
    };
    for (pieces, text, lone) in [
        (&[r#""a\ud83d""#, r#""\ude00b""#][..], "a😀b", 0),
        (&[r#""a\ud83d""#, r#""""#, r#""\ude00b""#], "a😀b", 0),
        (&[r#""a\ud83d""#, r#""b""#], "a\u{fffd}b", 1),
        (&[r#""\ude00""#, r#""\ud83d""#], "\u{fffd}\u{fffd}", 2),
        (
            &[r#""\ud83d\ud83d""#, r#""\ude00\ude00""#],
            "\u{fffd}😀\u{fffd}",
            2,
        ),
        // A character of the private range is itself where no half was sent.
        (
            &["\"\u{10d83d}\"", "\"\u{10de00}\""],
            "\u{10d83d}\u{10de00}",
            0,
        ),
    ] {
        assert_eq!(texts(pieces), (text.to_owned(), lone), "{pieces:?}");
    }
    let mut is_lone = false;
    assert_eq!(
        sent_text(r#""x\ud83d""#).alone(|| is_lone = true),
        "x\u{fffd}"
    );
    assert!(is_lone);
}

#[test]
fn numbers_that_are_not_finite_are_read_and_are_not_texts() {
    let odd = read(r#"{"a":NaN,"b":[Infinity,-Infinity,-1],"c":"NaN"}"#).unwrap();
    assert_eq!(odd.oddities.not_finite, Some("NaN"));
    assert!(is_not_finite(&odd.value["a"]) && is_not_finite(&odd.value["b"][1]));
    assert!(!is_not_finite(&odd.value["c"]));
    let written = json!({"a": "NaN", "b": ["Infinity", "-Infinity", -1], "c": "NaN"});
    assert_eq!(*without_marks(&odd.value), written);
    for text in ["NaN1", "nan", "Inf", "+Infinity", "--1", "[NaN NaN]"] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn texts_are_read_to_a_depth_and_our_own_a_little_deeper() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(read(&nested(MAX_DEPTH)).is_ok());
    let error = read(&nested(MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(error.0, "nested deeper than 512 levels");
    assert!(read(&nested(1_000_000)).is_err() && !is_json(&nested(1_000_000)));
    let own = nested(MAX_OWN_DEPTH);
    assert!(read_own::<Value>(own.as_bytes()).is_ok());
    assert!(read_as::<Value>(own.as_bytes()).is_err());
}

#[test]
fn of_duplicate_keys_the_last_counts_and_all_are_known() {
    let read = read(r#"{"a":1,"b":[{"c":1,"c":2}],"a":3}"#).unwrap();
    assert_eq!(read.value, json!({"a": 3, "b": [{"c": 2}]}));
    let others = [
        json!({"a": 1, "b": [{"c": 2}]}),
        json!({"a": 3, "b": [{"c": 1}]}),
        json!({"a": 1, "b": [{"c": 1}]}),
    ];
    assert_eq!(read.other_values, others);
    assert_eq!(read.oddities.duplicate_key.as_deref(), Some("c"));
    let within = read_bytes(br#"{"a":{"b":1,"b":2},"a":{"b":3}}"#).unwrap();
    assert_eq!(within.value, json!({"a": {"b": 3}}));
    for seen in [json!({"a": {"b": 1}}), json!({"a": {"b": 2}})] {
        assert!(within.other_values.contains(&seen), "{seen}");
    }
    let many: Vec<String> = (0..20)
        .map(|key| format!("\"k{key}\":1,\"k{key}\":2"))
        .collect();
    let error = read_bytes(format!("{{{}}}", many.join(",")).as_bytes()).unwrap_err();
    assert_eq!(
        error.0,
        "its duplicate keys can mean more than 64 different values"
    );
}

#[test]
fn a_type_is_read_from_a_text_that_is_not_strict() {
    let read: std::collections::BTreeMap<String, Value> = read_as(br#"{"a":"\ud83d"}"#).unwrap();
    assert_eq!(read["a"], "\u{fffd}");
    let error = read_as::<Vec<u8>>(b"{\"a\":1}").unwrap_err();
    assert_eq!(
        error.0,
        "invalid type: map, expected a sequence at line 1 column 0"
    );
    assert_eq!(
        strict("\u{feff}{\"a\":\"\\ud83d\", \"b\": NaN}").unwrap().0,
        "{\"a\":\"\\ud83d\",\"b\":\"NaN\u{ffff}\"}"
    );
}

proptest::proptest! {
    #[test]
    fn any_text_reads_as_the_json_crate_reads_it_or_is_odd(text in "[\\[\\]{}\",:0-9a-eN\\\\u. \\-]{0,40}") {
        let (ours, theirs) = (read(&text), serde_json::from_str::<Value>(&text));
        if let Ok(theirs) = theirs {
            let ours = ours.unwrap();
            proptest::prop_assert_eq!(ours.value, theirs);
        } else if let Ok(ours) = ours {
            proptest::prop_assert_ne!(ours.oddities, Oddities::default());
        }
    }
}
