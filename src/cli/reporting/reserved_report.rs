//! A report with a default name: it replaces no file, also if other runs write to the same directory.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::cli::options::ReportFile;

/// The number of names that are tried.
const MOST_NAMES: usize = 10_000;

/// A report with a name of its own. Its file is there, and empty, until it is written.
pub(crate) struct ReservedReport {
    /// The report.
    pub(crate) file: ReportFile,
    /// Whether its file was made for it.
    is_reserved: bool,
}

impl ReservedReport {
    /// Reserves the name of `wanted`, or the first of the names with `-2`, `-3` and so on that no file has.
    pub(crate) fn new(wanted: ReportFile) -> Self {
        let names = std::iter::once(wanted.path.clone())
            .chain((2..=MOST_NAMES).map(|number| numbered(&wanted.path, number)));
        for path in names {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(_) => {
                    return Self {
                        file: ReportFile { path, ..wanted },
                        is_reserved: true,
                    };
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                // The report itself says why it cannot be written.
                Err(_) => break,
            }
        }
        Self {
            file: wanted,
            is_reserved: false,
        }
    }

    /// The file of the report if the run has written it; otherwise its empty file is removed.
    pub(crate) fn written(self) -> Option<PathBuf> {
        let path = self.file.path;
        let is_empty = fs::metadata(&path).is_ok_and(|file| file.len() == 0);
        if self.is_reserved && is_empty {
            let _is_left = fs::remove_file(&path);
        }
        (self.is_reserved && !is_empty && path.is_file()).then_some(path)
    }
}

/// The path with `-NUMBER` before its file extension.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let part = |part: Option<&std::ffi::OsStr>| {
        part.map(|part| part.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let (stem, extension) = (part(path.file_stem()), part(path.extension()));
    path.with_file_name(format!("{stem}-{number}.{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke::model::ReportFormat;

    fn reserved(folder: &Path) -> ReservedReport {
        ReservedReport::new(ReportFile {
            path: folder.join("output-1.jsonl"),
            format: ReportFormat::JsonLines,
        })
    }

    #[test]
    fn a_name_is_given_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = ["output-1.jsonl", "output-1-2.jsonl", "output-1-3.jsonl"];
        let reports = names.map(|_| reserved(folder.path()));
        for (report, name) in reports.iter().zip(names) {
            assert_eq!(report.file.path, folder.path().join(name));
        }
        fs::write(&reports[1].file.path, "{}").expect("written");
        let written = reports.map(ReservedReport::written);
        assert_eq!(written, [None, Some(folder.path().join(names[1])), None]);
        assert_eq!(
            reserved(folder.path()).file.path,
            folder.path().join(names[0])
        );
        let nowhere = reserved(&folder.path().join("missing"));
        assert_eq!(nowhere.written(), None);
    }
}
