//! The skeleton: the files that one head must hold to work on this program.
//!
//! Everything else hangs on them and can be read alone. ARCHITECTURE.md names them in the order in which they are read, and each
//! begins with a paragraph of why it is so.

use super::expect_none;
use super::repository::{read, rust_files};

/// The word with which that paragraph begins.
const WHY: &str = "//! **Why:** ";

/// The heading of the part of ARCHITECTURE.md that names them.
const HEADING: &str = "## The skeleton\n";

/// More lines than this cannot be read in a day.
const MOST_LINES: usize = 7_650;

/// The files, in the order in which they are read.
const SKELETON: &[&str] = &[
    "src/protocols.rs",
    "crates/agents/src/registry.rs",
    "crates/agents/src/protocol.rs",
    "crates/agents/src/capabilities.rs",
    "crates/agents/src/target.rs",
    "crates/agents/src/session.rs",
    "crates/agents/src/sink.rs",
    "crates/trace/src/trace/change.rs",
    "crates/trace/src/trace/trace_item.rs",
    "crates/trace/src/trace/facts/fact.rs",
    "crates/trace/src/trace/facts/unread.rs",
    "crates/rules/src/rule.rs",
    "crates/rules/src/rule_properties.rs",
    "crates/rules/src/registry.rs",
    "crates/rules/src/limit_registry.rs",
    "crates/rules/src/evaluation/monitor.rs",
    "crates/rules/src/evaluation/view.rs",
    "crates/rules/src/evaluation/finding.rs",
    "crates/rules/src/evaluation/question.rs",
    "crates/conversation/src/input_source.rs",
    "crates/conversation/src/hosts.rs",
    "crates/conversation/src/observer.rs",
    "crates/conversation/src/conversation.rs",
    "crates/conversation/src/result.rs",
    "crates/run/src/context/tap.rs",
    "crates/run/src/context/attempt_series.rs",
    "crates/run/src/context/unwritten_input.rs",
    "crates/run/src/context/conversation_driver.rs",
    "crates/run/src/schedule/suite.rs",
    "crates/trace/src/outcome/outcome.rs",
    "crates/trace/src/outcome/identity.rs",
    "crates/trace/src/outcome/test_verdict.rs",
    "crates/trace/src/outcome/status.rs",
    "crates/trace/src/outcome/problem.rs",
    "crates/trace/src/outcome/rule_result.rs",
    "crates/trace/src/outcome/rule_evidence.rs",
    "crates/trace/src/outcome/transcript.rs",
    "crates/trace/src/outcome/turn.rs",
    "crates/trace/src/outcome/transcript_line.rs",
    "crates/trace/src/outcome/attempt.rs",
    "crates/trace/src/outcome/stability.rs",
    "crates/trace/src/outcome/walk.rs",
    "crates/trace/src/outcome/verdict.rs",
    "crates/trace/src/outcome/totals.rs",
    "crates/trace/src/outcome/run_facts.rs",
    "crates/trace/src/outcome/cause.rs",
    "crates/trace/src/outcome/event/run_event.rs",
    "crates/trace/src/redact/sealed.rs",
    "crates/report/src/report/reporter.rs",
    "src/cli/reporting/reporters.rs",
];

/// The files that `text` names between backticks, in its order. A folder is the place of the names that follow it.
fn files_named_in(text: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut folder = "";
    for name in text.split('`').skip(1).step_by(2) {
        if name.ends_with('/') {
            folder = name;
        } else if name.strip_suffix(".rs").is_some() {
            let folder = if name.contains('/') { "" } else { folder };
            files.push(format!("{folder}{name}"));
        }
    }
    files
}

/// The first comment of a file says why it is so.
fn says_why(text: &str) -> bool {
    text.lines()
        .take_while(|line| line.starts_with("//!"))
        .any(|line| line.starts_with(WHY))
}

#[test]
fn the_map_names_the_skeleton_in_its_order() {
    let map = read("ARCHITECTURE.md");
    let (_, section) = map.split_once(HEADING).expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    assert_eq!(
        files_named_in(section),
        SKELETON,
        "ARCHITECTURE.md and this file name different files of the skeleton"
    );
}

#[test]
fn a_file_of_the_skeleton_says_why_it_is_so() {
    let mut problems = Vec::new();
    let mut lines = 0;
    for path in SKELETON {
        let text = read(path);
        // Unit tests are no part of what one has to know.
        let code = text.split("\n#[cfg(test)]").next().unwrap_or_default();
        lines += code.lines().count();
        if !says_why(&text) {
            problems.push(format!(
                "{path}: its first comment has no paragraph `**Why:** …`"
            ));
        }
    }
    if lines > MOST_LINES {
        problems.push(format!("{lines} lines, more than {MOST_LINES}"));
    }
    expect_none(
        &problems,
        "write why it is so and not otherwise, or take it out of the skeleton",
    );
}

#[test]
fn only_the_skeleton_is_marked() {
    let mut problems = Vec::new();
    for file in rust_files() {
        if says_why(&file.text) && !SKELETON.contains(&file.path.as_str()) {
            problems.push(file.path);
        }
    }
    expect_none(&problems, "add it to SKELETON, or say why beside the code");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_files_in_their_folders() {
        let text = "`src/a.rs`, then `crates/b/src/`: `c.rs` and `c`, `d.rs`; `crates/e/`: `f.rs`";
        let files = [
            "src/a.rs",
            "crates/b/src/c.rs",
            "crates/b/src/d.rs",
            "crates/e/f.rs",
        ];
        assert_eq!(files_named_in(text), files);
    }

    #[test]
    fn finds_the_paragraph_in_the_first_comment_alone() {
        assert!(says_why("//! A file.\n//!\n//! **Why:** so.\n\nuse a;"));
        assert!(!says_why("//! A file.\n\n//! **Why:** so."));
        assert!(!says_why("//! A file.\n//!\n//! Why: so."));
    }
}
