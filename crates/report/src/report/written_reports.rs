//! The reports that agents of a project wrote, so that the next one may take the place of one (SPEC 14): nothing in such a file
//! says where it comes from.
//!
//! Flows in: the path and the content of a report that an agent wrote. Flows out: whether a file is still such a report.
//! **Invariant:** a file that was changed since is not one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::own_folder::make_own_folder;
use ananke_base::context::{fingerprint, write_file};

/// The path of the file, relative to the directory of the config.
pub const WRITTEN_REPORTS: &str = ".ananke/reports.json";

/// The version of the file.
const VERSION: &str = "1.0";

/// The most reports that are remembered.
const MOST: usize = 1_000;

/// The reports that agents wrote, by the path of each behind all links.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct WrittenReports {
    version: String,
    written: BTreeMap<PathBuf, WrittenReport>,
}

/// The content of a report when it was written.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WrittenReport {
    bytes: u64,
    hash: String,
}

impl WrittenReport {
    fn of(content: &[u8]) -> Self {
        Self {
            bytes: content.len() as u64,
            hash: fingerprint(content),
        }
    }

    /// Whether the file at `path` has this content.
    fn is_at(&self, path: &Path) -> bool {
        let is_as_long =
            fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == self.bytes);
        if !is_as_long {
            return false;
        }
        let mut content = Vec::new();
        let read =
            File::open(path).and_then(|file| file.take(self.bytes).read_to_end(&mut content));
        read.is_ok() && Self::of(&content) == *self
    }
}

impl WrittenReports {
    /// The reports of the project in `project`; none if that cannot be read.
    pub fn read(project: &Path) -> Self {
        let path = project.join(WRITTEN_REPORTS);
        // A pipe would wait for its writer.
        if !path.is_file() {
            return Self::default();
        }
        let read = fs::read(path).ok();
        let known = read.and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        known
            .filter(|known| known.version == VERSION)
            .unwrap_or_default()
    }

    /// Whether `file`, a path behind all links, is as an agent wrote it.
    pub fn contains(&self, file: &Path) -> bool {
        let known = self.written.get(file);
        known.is_some_and(|report| report.is_at(file))
    }

    /// Remembers in the project in `project` that an agent wrote `content` to `file`. If that cannot be written, the next run
    /// asks for `--force`.
    pub fn remember(project: &Path, file: &Path, content: &[u8]) {
        let Ok(file) = fs::canonicalize(file) else {
            return;
        };
        let mut known = Self::read(project);
        VERSION.clone_into(&mut known.version);
        if known.written.len() >= MOST {
            known.written.retain(|file, _| file.is_file());
        }
        known.written.insert(file, WrittenReport::of(content));
        if let Ok(text) = serde_json::to_vec_pretty(&known)
            && make_own_folder(project).is_ok()
        {
            let _is_known = write_file(&project.join(WRITTEN_REPORTS), &text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_known_until_it_is_changed() {
        let project = std::env::temp_dir().join(format!("ananke-written-{}", std::process::id()));
        let _is_new = fs::remove_dir_all(&project);
        fs::create_dir_all(&project).unwrap();
        let project = fs::canonicalize(project).unwrap();
        let [one, other] = ["one.html", "other.html"].map(|name| project.join(name));
        for file in [&one, &other] {
            fs::write(file, "<p>green</p>").unwrap();
            assert!(!WrittenReports::read(&project).contains(file));
            WrittenReports::remember(&project, file, b"<p>green</p>");
        }
        let known = WrittenReports::read(&project);
        assert!(known.contains(&one) && known.contains(&other));
        for changed in ["<p>greed</p>", "<p>green</p>!", ""] {
            fs::write(&one, changed).unwrap();
            assert!(!known.contains(&one), "{changed}");
        }
        fs::write(project.join(WRITTEN_REPORTS), "{").unwrap();
        assert!(!WrittenReports::read(&project).contains(&other));
        fs::remove_dir_all(&project).unwrap();
    }
}
