//! Printed text and reports without what differs from run to run.

use std::path::Path;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// `text` without what differs from run to run: the wall-clock time of the summary, time stamps, generated ids and the
/// folder the case ran in. The times of the agent are virtual and stay.
pub(crate) fn normalised(text: &str, workplace: &Path) -> String {
    static CHANGING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?m)(?P<elapsed>(?:passed|failed|errors?|timeouts?|skipped|undecided|shown|tests?|flaky\)|quarantined)(?:\x1b\[[0-9;]*m)* in )",
            r"(?:<?[\d.]+ (?:ms|s|min|h) ?)+$?",
            r#"|(?P<total>name="wall-clock time" value=")[^"]*"#,
            r#"|(?P<stamp>timestamp=")[^"]*"#,
            r#"|(?P<moment>"(?:started|ended|timestamp|at|finished)":)(?:\d+|"[^"]*")"#,
            r"|(?P<shown><time[^>]*>)[^<]*",
            r#"|"duration_ms":[\d.]+(?P<whole>,(?:"virtual_ms":[\d.]+,)?"exit_code":)"#,
            r#"|(?P<facts>"(?:ananke|host)":)"[^"]*"|(?P<command>"command":)\[(?:"(?:[^"\\]|\\.)*",?)*\]"#,
            r#"|(?P<version>^ananke |^ananke `|^\# ananke: |<dt>ananke</dt><dd><bdi>|name="ananke" value=")\d+\.\d+\.\d+"#,
            r#"|(?P<typed>(?:· command `|, command |\# command: |<dt>Command</dt><dd><bdi>|name="command" value=")ananke )[^<"`\n]*"#,
            r#"|(?P<agent>"url":"http://)127\.0\.0\.1:\d+"#,
            // What a library reports.
            r"|(?P<cause>\([^()`]* at line \d+ column \d+\))",
            // In a pattern a variable is escaped.
            r"|(?P<id>\b[0-9a-f]{8}\\?-[0-9a-f]{4}\\?-4[0-9a-f]{3}\\?-[89ab][0-9a-f]{3}\\?-[0-9a-f]{12}\b)",
        ))
        .expect("the pattern is sound")
    });
    let here = text.replace(
        workplace
            .to_str()
            .expect("temporary folders have UTF-8 names"),
        "[CASE]",
    );
    let replaced = CHANGING.replace_all(&here, |found: &Captures<'_>| {
        let after = |name: &str, mark: &str| Some(format!("{}{mark}", found.name(name)?.as_str()));
        let elapsed = ["elapsed", "total"]
            .iter()
            .find_map(|name| after(name, "[ELAPSED]"));
        let whole = || {
            Some(format!(
                "\"duration_ms\":[ELAPSED]{}",
                found.name("whole")?.as_str()
            ))
        };
        let now = || {
            ["stamp", "moment"]
                .iter()
                .find_map(|name| after(name, "[NOW]"))
        };
        let shown = || found.name("shown").map(|_| "<time>[NOW]".to_owned());
        let facts = || {
            found
                .name("facts")
                .map(|facts| format!("{}\"[…]\"", facts.as_str()))
        };
        let command = || found.name("command").map(|_| "\"command\":[…]".to_owned());
        let version = || after("version", "[VERSION]");
        let typed = || after("typed", "[…]");
        let agent = || after("agent", "[AGENT]");
        let cause = || found.name("cause").map(|_| "([CAUSE])".to_owned());
        elapsed
            .or_else(now)
            .or_else(facts)
            .or_else(version)
            .or_else(typed)
            .or_else(command)
            .or_else(cause)
            .or_else(agent)
            .or_else(shown)
            .or_else(whole)
            .unwrap_or_else(|| "[UUID]".to_owned())
    });
    replaced.into_owned()
}

/// `text` without the times of an agent that is a process of its own, and the headers of its responses: a recording keeps few.
pub(crate) fn without_times(text: &str) -> String {
    static TIMES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?P<before>\b(?:time="|(?:duration|first_text|idle|after|from|to)_ms"?: ?|actual":))[\d.]+|,"gaps":\[\[[^\]]*\](?:,\[[^\]]*\])*\]|,"response_headers":\{[^}]*\}|(?:<|&lt;)?\b\d[\d.]*[ \u{a0}](?:ms|s)\b"#)
            .expect("the pattern is sound")
    });
    let replaced = TIMES.replace_all(text, |found: &Captures<'_>| match found.name("before") {
        None if found[0].starts_with(',') => String::new(),
        before => format!("{}[TIME]", before.map_or("", |before| before.as_str())),
    });
    replaced.into_owned()
}

/// `text` without the names of recordings, which a run has none of that is neither recorded nor replayed.
pub(crate) fn without_recordings(text: &str) -> String {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r#",?"recording":"[^"]*""#,
            r#"|\n *<property name="recording"[^>]*>"#,
            r"|\n *<system-out>\n(?:\[\[ATTACHMENT[^\n]*\n)+</system-out>",
            r"|\[\[ATTACHMENT[^\n]*\n",
            r"|(?m)^recording: .*\n",
        ))
        .expect("the pattern is sound")
    });
    NAMES.replace_all(text, "").into_owned()
}
