//! The path of a test's recording: one file for each attempt at each run of it, named after the test's id.
//!
//! A name is readable, safe on every file system, and no two ids share one: where something of the id is lost, a hash of
//! the whole id follows.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ananke_base::context::{CaseKey, digest, is_device};

/// The extension of a recording's file name.
const EXTENSION: &str = "jsonl";

/// The endings of test files, which say nothing in a name.
const TEST_ENDINGS: [&str; 4] = [".test.yaml", ".test.yml", ".yaml", ".yml"];

/// The number of characters of a test's name in a file name.
const LONGEST: usize = 60;

/// The file of one attempt, below `folder`: `shop/checkout/pays-once-1f0c9a2b.jsonl`, `….attempt-2.jsonl`.
pub fn path(folder: &Path, key: &CaseKey) -> PathBuf {
    let mut path = folder.to_path_buf();
    let (file, name) = key.test.split_once("::").unwrap_or(("", &key.test));
    let file = TEST_ENDINGS
        .iter()
        .find_map(|ending| file.strip_suffix(ending))
        .unwrap_or(file);
    let mut lossy = false;
    for part in file.split(['/', '\\']).filter(|part| !part.is_empty()) {
        let mut safe = safe(part, |character| character);
        if is_device(&safe.to_ascii_lowercase()) {
            safe.push('-');
        }
        lossy |= safe != part;
        path.push(safe);
    }
    let slug = safe(name, |character| character.to_ascii_lowercase());
    let mut file_name = if slug == name && !slug.is_empty() && !lossy && !is_device(&slug) {
        slug
    } else {
        let slug = slug.trim_matches('-');
        format!(
            "{slug}{}{}",
            if slug.is_empty() { "" } else { "-" },
            &digest(&key.test)[..8]
        )
    };
    for (what, number) in [("run", key.run), ("attempt", key.attempt)] {
        if number > 1 {
            // Writing to a String cannot fail.
            let _ = write!(file_name, ".{what}-{number}");
        }
    }
    path.push(file_name + "." + EXTENSION);
    path
}

/// `text` with one `-` for every stretch of what some file system would not take, cut to a length that all take.
fn safe(text: &str, case: impl Fn(char) -> char) -> String {
    let mut safe = String::new();
    for character in text.chars().take(LONGEST) {
        let is_dot_within = character == '.' && !safe.is_empty();
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '-') || is_dot_within {
            safe.push(case(character));
        } else if !safe.ends_with('-') {
            safe.push('-');
        }
    }
    // Windows takes no name that ends with a dot.
    safe.truncate(safe.trim_end_matches('.').len());
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(test: &str, run: u32, attempt: u32) -> String {
        let key = CaseKey {
            test: test.to_owned(),
            run,
            attempt,
        };
        path(Path::new("kept"), &key)
            .to_string_lossy()
            .replace('\\', "/")
    }

    #[test]
    fn names_are_readable_and_nobody_shares_one() {
        assert_eq!(
            named("shop/pay.test.yaml::once", 1, 1),
            "kept/shop/pay/once.jsonl"
        );
        assert_eq!(
            named("shop/pay.test.yaml::once", 2, 3),
            "kept/shop/pay/once.run-2.attempt-3.jsonl"
        );
        assert_eq!(
            named("pay.yml::once.more", 1, 1),
            "kept/pay/once.more.jsonl"
        );
        let spaced = named("shop/pay.test.yaml::Pays: once!", 1, 1);
        assert!(
            spaced.starts_with("kept/shop/pay/pays-once-") && spaced.len() == 24 + 8 + 6,
            "{spaced}"
        );
        let others = ["Pays: once?", "pays- once!", "Pays once!", "pays-once-"];
        for other in others {
            assert_ne!(named(&format!("shop/pay.test.yaml::{other}"), 1, 1), spaced);
        }
    }

    #[test]
    fn no_name_is_a_device() {
        assert!(named("con.test.yaml::nul", 1, 1).starts_with("kept/con-/nul-"));
    }

    #[test]
    fn no_name_leaves_the_folder() {
        for id in [
            "../up.test.yaml::a",
            "a/../../b.yaml::..",
            "::",
            "",
            "/etc/passwd::x",
            "c:\\x.yaml::/",
            "é::é",
        ] {
            let path = path(Path::new("kept"), &CaseKey::first(id));
            assert!(path.starts_with("kept"), "{id}: {path:?}");
            assert!(
                path.components().all(|part| part.as_os_str() != ".."),
                "{id}: {path:?}"
            );
            assert_eq!(path.extension().unwrap(), "jsonl", "{id}: {path:?}");
        }
    }
}
