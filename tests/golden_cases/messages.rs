//! The table of messages: one whole text for each sentence that a case prints, so that a reviewer reads a reworded message in the
//! difference of one line, while the outlines of all cases that print it stay as they are.
//!
//! Two sentences are the same message if only what they quote and count differs. The table names the case that its text is from,
//! and this case prints it word for word. `ANANKE_UPDATE=1` writes the table: a message keeps its case as long as it prints it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};

use regex::Regex;

/// The mark between a text and its case.
const FROM: &str = "  ← ";

/// A message of the table.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    /// The whole text, on one line.
    text: String,
    /// The title of the case that prints it.
    case: String,
}

/// The messages by their shapes.
type Table = BTreeMap<String, Entry>;

/// The table as it is committed.
static COMMITTED: LazyLock<Table> =
    LazyLock::new(|| read(&fs::read_to_string(path()).unwrap_or_default()));

/// The messages of the cases that ran so far, by their titles.
static PRINTED: Mutex<BTreeMap<String, Vec<String>>> = Mutex::new(BTreeMap::new());

fn path() -> PathBuf {
    crate::case::root()
        .with_file_name("golden_cases")
        .join("messages.txt")
}

/// Reads a table.
fn read(text: &str) -> Table {
    let entries = text.lines().filter_map(|line| line.rsplit_once(FROM));
    entries
        .map(|(text, case)| {
            let entry = Entry {
                text: text.to_owned(),
                case: case.to_owned(),
            };
            (shape(text), entry)
        })
        .collect()
}

/// The text of a table.
fn written(table: &Table) -> String {
    let mut text = String::new();
    for Entry {
        text: message,
        case,
    } in table.values()
    {
        let _ = writeln!(text, "{message}{FROM}{case}");
    }
    text
}

/// The message that a printed line is, with its kind; `None` if it is none.
fn message(line: &str) -> Option<String> {
    static FINDING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?: {5})?[✗!] (?:\d+  )?(?P<text>.*)$").expect("the pattern is valid")
    });
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\S+:\d+  ").expect("the pattern is valid"));
    let text = line.trim_start();
    let indentation = line.len() - text.len();
    if indentation == 0
        && ["error", "warning", "note: "]
            .iter()
            .any(|kind| text.starts_with(kind))
    {
        return Some(text.to_owned());
    }
    if let Some(finding) = FINDING.captures(line) {
        let text = &finding["text"];
        return (!PLACE.is_match(text)).then(|| format!("finding: {text}"));
    }
    if let Some(help) = text.strip_prefix("= help: ") {
        return Some(format!("help: {help}"));
    }
    let (kind, rest) = text.split_once(' ')?;
    let kind = kind.trim_end_matches(':');
    if indentation >= 2 && ["help", "seen", "tip", "warning"].contains(&kind) {
        return Some(format!("{kind}: {}", rest.trim()));
    }
    None
}

/// A message without what it quotes and counts.
fn shape(message: &str) -> String {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r#"`[^`]*`(?:(?:, | or | and |, and )`[^`]*`)*|'[^']*'|"[^"]*"|\S+\.(?:yaml|yml|jsonl|json|csv|md|png|snap|html|xml)(?::\d+)*"#,
            r"|\b\d+(?:[.,]\d+)*(?: (?:min|s|ms|KiB|MiB|bytes|%))*",
        ))
        .expect("the pattern is valid")
    });
    VALUE.replace_all(message, "…").into_owned()
}

/// The problems of the messages that `case` printed.
pub(crate) fn check(case: &str, printed: &[&str]) -> String {
    let lines = printed.iter().flat_map(|text| text.lines());
    let messages: Vec<String> = lines.filter_map(message).collect();
    let mut problems = String::new();
    let shapes: BTreeSet<String> = messages.iter().map(|message| shape(message)).collect();
    for message in &messages {
        if !COMMITTED.contains_key(&shape(message)) {
            let _ = writeln!(
                problems,
                "messages.txt does not have this message: {message}"
            );
        }
    }
    for (shape, entry) in COMMITTED.iter().filter(|(_, entry)| entry.case == case) {
        if !shapes.contains(shape) {
            let _ = writeln!(
                problems,
                "messages.txt has a message that the case does not print: {}",
                entry.text
            );
        } else if !messages.contains(&entry.text) {
            let _ = writeln!(
                problems,
                "the case prints this message with other values than messages.txt: {}",
                entry.text
            );
        }
    }
    let mut all = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    all.insert(case.to_owned(), messages);
    problems
}

/// The table after the cases that ran printed what they did.
fn updated(committed: &Table, printed: &BTreeMap<String, Vec<String>>) -> Table {
    let mut table = committed.clone();
    table.retain(|shape_of_entry, entry| {
        let Some(messages) = printed.get(&entry.case) else {
            return true;
        };
        let same = messages
            .iter()
            .find(|message| shape(message) == *shape_of_entry);
        if let Some(same) = same
            && !messages.contains(&entry.text)
        {
            entry.text.clone_from(same);
        }
        same.is_some()
    });
    for (case, messages) in printed {
        for message in messages {
            let entry = || Entry {
                text: message.clone(),
                case: case.clone(),
            };
            table.entry(shape(message)).or_insert_with(entry);
        }
    }
    table
}

/// Writes the table, with what the cases printed that ran.
pub(crate) fn update() {
    let printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let table = updated(&COMMITTED, &printed);
    if table != *COMMITTED {
        fs::write(path(), written(&table)).expect("the table can be written");
    }
}

/// The entries of the table whose case does not exist: only a case can hold its text.
pub(crate) fn names_cases(titles: &BTreeSet<String>) -> String {
    let mut problems = String::new();
    for entry in COMMITTED.values() {
        if !titles.contains(&entry.case) {
            let _ = writeln!(problems, "messages.txt: there is no case {}", entry.case);
        }
    }
    problems
}

/// The problems of this module.
pub(crate) fn finds_reworded_messages() -> String {
    let rows = [
        (
            "error[unknown-key]: unknown key `usr`",
            "error[unknown-key]: unknown key …",
        ),
        (
            "  = help: did you mean `user` or `users`?",
            "help: did you mean …?",
        ),
        (
            "✗ 12  `pay` was called 3 times",
            "finding: … was called … times",
        ),
        ("     ✗ `pay` was called", "finding: … was called"),
        ("✗ 2  one.test.yaml:9  other  same as 1", ""),
        (
            "       seen     the result `no` is none",
            "seen: the result … is none",
        ),
        ("       user:    error", ""),
    ];
    let mut problems = String::new();
    for (line, expected) in rows {
        let found = message(line)
            .map(|message| shape(&message))
            .unwrap_or_default();
        if found != expected {
            let _ = writeln!(problems, "{line:?}: expected {expected:?}, found {found:?}");
        }
    }
    let before = read("help: use `a`  ← golden::fail::one\nhelp: write one  ← golden::fail::two\n");
    let printed = BTreeMap::from([
        (
            "golden::fail::one".to_owned(),
            vec!["help: use `b`".to_owned()],
        ),
        (
            "golden::fail::two".to_owned(),
            vec!["help: write it".to_owned()],
        ),
    ]);
    let expected = "help: use `b`  ← golden::fail::one\nhelp: write it  ← golden::fail::two\n";
    let found = written(&updated(&before, &printed));
    if found != expected {
        let _ = writeln!(problems, "expected {expected:?}, found {found:?}");
    }
    problems
}
