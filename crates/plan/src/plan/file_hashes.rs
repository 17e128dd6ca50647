//! The hashes of test files, by which reports and kept runs show that a file has changed.
//!
//! **Invariant:** a file has the same hash on every machine and in every version of the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::plan::Plan;
use ananke_base::context::{Context, digest_number};

/// The largest file that is read for its hash, in bytes.
const LARGEST: u64 = 64 << 20;

impl Plan {
    /// The hash of each file with planned tests, by its path from the config's directory; empty if a file cannot be read.
    pub fn file_hashes(&self, context: &Context) -> BTreeMap<String, String> {
        let mut hashes = BTreeMap::new();
        for case in &self.cases {
            let test = &case.test;
            if hashes.contains_key(&test.place) || context.files.is_given(&test.path) {
                continue;
            }
            let hash = match test.part {
                None => Some(in_digits(test.hash)),
                Some(_) => file_hash(&test.path),
            };
            hashes.insert(test.place.clone(), hash.unwrap_or_default());
        }
        hashes
    }
}

/// The hash of the test file at `path`; `None` if it is not there, or too large.
pub fn file_hash(path: &Path) -> Option<String> {
    let found = path.metadata().ok()?;
    if !found.is_file() || found.len() > LARGEST {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // A byte order mark is not part of the text that is loaded.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Some(in_digits(digest_number(text)))
}

fn in_digits(hash: u64) -> String {
    format!("{hash:016x}")
}
