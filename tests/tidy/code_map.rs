//! The map of the code: ARCHITECTURE.md has a row for each crate, and each crate and folder begins with a comment that contains
//! its invariant.
//!
//! The files of code flow in, with their places as paths; what is missing in a comment comes out.

use std::collections::BTreeSet;

use super::pages::prose;
use super::repository::File;
use super::scan::{Token, tokens};

/// ARCHITECTURE.md is not longer, in lines: a paragraph about one folder belongs to its comment.
pub(crate) const LONGEST_MAP: usize = 240;

/// The crates that have no row in the table of `map`.
pub(crate) fn without_row<'n>(map: &str, crates: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let row = |krate: &str| format!("| `crates/{krate}/` |");
    let missing = crates
        .into_iter()
        .filter(|krate| !map.lines().any(|line| line.starts_with(&row(krate))));
    missing.map(|krate| format!("`crates/{krate}/`")).collect()
}

/// The comment that a file begins with.
fn first_comment(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(str::trim_start).collect::<Vec<_>>().join("\n")
}

/// The files that say what a crate or a folder in it is.
fn heads(files: &[File]) -> BTreeSet<String> {
    let head = |file: &File| match *file.path.split('/').collect::<Vec<_>>() {
        [krate, "lib.rs"] => Some(format!("{krate}/lib.rs")),
        [krate, folder, _, ..] => Some(format!("{krate}/{folder}/mod.rs")),
        _ => None,
    };
    files.iter().filter_map(head).collect()
}

/// The crates and folders whose first comment does not say what is always true there.
pub(crate) fn without_invariant(files: &[File]) -> Vec<String> {
    let says_it = |head: &String| {
        let file = files.iter().find(|file| file.path == *head);
        file.is_some_and(|file| {
            let comment = first_comment(&file.text);
            let (_, invariant) = comment.split_once("**Invariant:**").unwrap_or_default();
            !invariant.trim().is_empty()
        })
    };
    heads(files)
        .into_iter()
        .filter(|head| !says_it(head))
        .collect()
}

/// Whether a text between backticks is the name of a file, a function or a field: `held_conversation`.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    text.contains('_') && text.chars().all(is_part)
}

/// The names in the first comments of crates and folders that the code does not have.
pub(crate) fn unknown_names(files: &[File]) -> Vec<String> {
    let words = files.iter().flat_map(|file| tokens(&file.text));
    let known: BTreeSet<String> = words
        .filter_map(|token| match token {
            Token::Word(word) => Some(word),
            _ => None,
        })
        .collect();
    let heads = heads(files);
    let unknown = |file: &File| {
        let comment = first_comment(&file.text);
        let text: Vec<&str> = prose(&comment).into_iter().map(|(_, line)| line).collect();
        let text = text.join("\n");
        let names = text.split('`').skip(1).step_by(2);
        names
            .filter(|name| is_name(name) && !known.contains(*name))
            .map(|name| format!("{}: `{name}`", file.path))
            .collect::<Vec<_>>()
    };
    files
        .iter()
        .filter(|file| heads.contains(&file.path))
        .flat_map(unknown)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_crate_without_a_row() {
        let map = "| crate | what it is |\n|---|---|\n| `crates/base/` | text |\n\n`crates/model/` is not in it.\n";
        assert_eq!(
            without_row(map, ["base", "model", "bas"]),
            ["`crates/model/`", "`crates/bas/`"]
        );
    }

    #[test]
    fn finds_a_folder_without_an_invariant() {
        let files = |text: &str| {
            [
                File::new("agui/lib.rs", "//! A. **Invariant:** it is one.\n"),
                File::new("agui/http/mod.rs", text),
                File::new("agui/http/session.rs", "//! One session.\n"),
            ]
        };
        let good = "//! HTTP.\n//!\n//! **Invariant:** nothing\n//! is lost.\n\nmod session;\n";
        assert_eq!(without_invariant(&files(good)), [""; 0]);
        for bad in [
            "//! HTTP.\n\nmod session;\n",
            "//! HTTP. **Invariant:**\n",
            "//! HTTP.\n\n/// **Invariant:** nothing is lost.\nmod session;\n",
        ] {
            assert_eq!(
                without_invariant(&files(bad)),
                ["agui/http/mod.rs"],
                "{bad}"
            );
        }
        let [lib, _, session] = files("");
        assert_eq!(without_invariant(&[lib, session]), ["agui/http/mod.rs"]);
    }

    #[test]
    fn finds_a_name_that_the_code_does_not_have() {
        let files = |comment: &str| {
            let text = format!("//! {comment}\n\nmod event_reader;\n");
            [
                File::new("agui/http/mod.rs", &text),
                File::new(
                    "agui/http/event_reader.rs",
                    "//! `no_such_name`.\n\nfn read_event() {}\n",
                ),
            ]
        };
        let known = "Read by `event_reader` with `read_event`, as `threadId` and `ananke check`.";
        assert_eq!(unknown_names(&files(known)), [""; 0]);
        assert_eq!(
            unknown_names(&files("Read by `event_taker`.")),
            ["agui/http/mod.rs: `event_taker`"]
        );
        assert_eq!(unknown_names(&files("```\n//! `let_it`\n//! ```")), [""; 0]);
    }
}
