//! What is replaced in golden files, and that nothing else is.

use std::path::Path;

use crate::support::normalise::{normalised, without_recordings, without_times};

#[test]
fn only_what_must_change_is_replaced() {
    let place = Path::new("/tmp/ananke-case-1-2");
    for (text, expected) in [
        (
            "2 tests: 1 passed, 1 failed in 17 ms",
            "2 tests: 1 passed, 1 failed in [ELAPSED]",
        ),
        (
            "1 test: 1 passed in 1.2 s\n",
            "1 test: 1 passed in [ELAPSED]\n",
        ),
        (
            "\u{1b}[32m1 passed\u{1b}[0m\u{1b}[2m in <1 ms\u{1b}[0m",
            "\u{1b}[32m1 passed\u{1b}[0m\u{1b}[2m in [ELAPSED]\u{1b}[0m",
        ),
        (
            "1 test: 1 passed in 2 min 5 s\n",
            "1 test: 1 passed in [ELAPSED]\n",
        ),
        (
            "1 test: 1 passed (1 flaky) in 2 ms\n",
            "1 test: 1 passed (1 flaky) in [ELAPSED]\n",
        ),
        (
            "1 test: 1 quarantined in 2 ms\n",
            "1 test: 1 quarantined in [ELAPSED]\n",
        ),
        (
            "\"started\":\"2026-11-22T08:54:19.868Z\" <time datetime=\"2026\">2026</time> <time>3 ms</time>",
            "\"started\":[NOW] <time>[NOW]</time> <time>[NOW]</time>",
        ),
        ("took 500 ms, after 30s", "took 500 ms, after 30s"),
        (
            "time=\"0.5\" timestamp=\"2026-11-21T22:08:00.123Z\"",
            "time=\"0.5\" timestamp=\"[NOW]\"",
        ),
        (
            "<testsuite time=\"1.5\"><property name=\"wall-clock time\" value=\"2 ms\"/>",
            "<testsuite time=\"1.5\"><property name=\"wall-clock time\" value=\"[ELAPSED]\"/>",
        ),
        (
            r#"{"started":1795298880123,"duration_ms":1.5,"timestamp":1}"#,
            r#"{"started":[NOW],"duration_ms":1.5,"timestamp":[NOW]}"#,
        ),
        (
            r#"{"type":"summary","total":2,"started":17,"duration_ms":1.5,"exit_code":0}"#,
            r#"{"type":"summary","total":2,"started":[NOW],"duration_ms":[ELAPSED],"exit_code":0}"#,
        ),
        (
            r#"{"duration_ms":1.5,"virtual_ms":30.0,"exit_code":0}"#,
            r#"{"duration_ms":[ELAPSED],"virtual_ms":30.0,"exit_code":0}"#,
        ),
        (
            "ananke 0.1.0, target shop, command ananke run a",
            "ananke [VERSION], target shop, command ananke […]",
        ),
        (
            "# ananke: 0.1.0\n# command: ananke run a",
            "# ananke: [VERSION]\n# command: ananke […]",
        ),
        ("cart 0f8fad5b-d9cb-469f-a165-70867728950e!", "cart [UUID]!"),
        (
            "no JSON (expected value at line 1 column 1): its",
            "no JSON ([CAUSE]): its",
        ),
        ("in `/tmp/ananke-case-1-2/a` or", "in `[CASE]/a` or"),
    ] {
        assert_eq!(normalised(text, place), expected);
    }
}

#[test]
fn only_times_are_no_times() {
    for (text, expected) in [
        ("  ✓ pay  <1 ms", "  ✓ pay  [TIME]"),
        (
            "turn 1 of 1  passed  &lt;1 ms",
            "turn 1 of 1  passed  [TIME]",
        ),
        ("(at 12 ms, took 1.5 s)", "(at [TIME], took [TIME])"),
        (
            "1 turn not run, timeout after 30s",
            "1 turn not run, timeout after 30s",
        ),
        (
            r#"time="0.012" "duration_ms":1.5,"#,
            r#"time="[TIME]" "duration_ms":[TIME],"#,
        ),
    ] {
        assert_eq!(without_times(text), expected);
    }
}

#[test]
fn only_recordings_are_left_out() {
    for (text, expected) in [
        ("recording: kept/a.json\nrule: x\n", "rule: x\n"),
        (
            r#"{"error":"a","recording":"kept/a.json"}"#,
            r#"{"error":"a"}"#,
        ),
        ("the recording: none", "the recording: none"),
    ] {
        assert_eq!(without_recordings(text), expected);
    }
}
