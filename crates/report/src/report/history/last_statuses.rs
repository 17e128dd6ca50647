//! The statuses of tests when they ran last.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::entry::EntryStart;
use super::file::{MOST_BYTES, file_end};
use ananke_trace::outcome::EarlierStatuses;

/// The number of bytes of the file in which the last run is looked for first.
const FIRST_BYTES: u64 = 64 << 10;

/// The status of each test of the project in `folder` when it last ran to its end. The history is read from its end until the
/// tests `ids` are found, since the last run has most of them.
pub fn last_statuses(folder: &Path, ids: &BTreeSet<String>) -> EarlierStatuses {
    let mut most = FIRST_BYTES;
    loop {
        let (mut last, mut missing) = (HashMap::new(), ids.len());
        let end = file_end(folder, most);
        for line in end.bytes.rsplit(|byte| *byte == b'\n') {
            let Ok(EntryStart { id, status, .. }) = serde_json::from_slice(line) else {
                continue;
            };
            if !last.contains_key(&*id) {
                missing -= usize::from(ids.contains(&*id));
                last.insert(id.into_owned(), status);
            }
            if missing == 0 {
                break;
            }
        }
        if missing == 0 || !end.has_more || most >= MOST_BYTES {
            return last.into_iter().collect();
        }
        most *= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::history::HISTORY;
    use ananke_trace::outcome::{Status, StatusChange};

    #[test]
    fn a_test_that_ran_long_ago_is_found_and_a_new_one_ends_with_the_file() {
        let folder = std::env::temp_dir().join(format!("ananke-last-{}", std::process::id()));
        std::fs::create_dir_all(folder.join(".ananke")).unwrap();
        let line = |id: &str, status: &str| {
            format!("{{\"run\":\"1\",\"id\":\"{id}\",\"status\":\"{status}\"}}\n")
        };
        let others: String = (0..3000)
            .map(|index| line(&format!("t{index}"), "passed"))
            .collect();
        let text = line("old", "failed") + &others + &line("last", "failed");
        assert!(text.len() as u64 > FIRST_BYTES, "{}", text.len());
        std::fs::write(folder.join(HISTORY), text).unwrap();
        let of = |ids: &[&str]| {
            let ids = ids.iter().map(|id| (*id).to_owned()).collect();
            last_statuses(&folder, &ids)
        };
        let known = Some(StatusChange::Known);
        assert_eq!(of(&["last"]).change("last", Status::Failed), known);
        assert_eq!(of(&["last", "old"]).change("old", Status::Failed), known);
        let unknown = of(&["old", "unknown"]);
        let new = Some(StatusChange::New);
        assert_eq!(unknown.change("old", Status::Failed), known);
        assert_eq!(unknown.change("unknown", Status::Failed), new);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
