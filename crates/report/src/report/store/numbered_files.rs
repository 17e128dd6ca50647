//! Files of runs in a directory of ours, in the order in which the runs began: each has the next number.
//!
//! Flows in: a directory. Flows out: a new file in it, and those that are there. **Invariant:** no clock decides the order:
//! two runs that begin at once get two numbers, since a file is only ever created where there was none.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The prefix of their names.
const PREFIX: &str = "run-";

/// The file extension.
const EXTENSION: &str = "jsonl";

/// The most digits of a number: a longer one is not ours.
const MOST_DIGITS: usize = 15;

/// A new file in `folder`, which exists. Only this user can read it.
///
/// # Errors
/// If it cannot be created.
pub(super) fn create(folder: &Path) -> io::Result<(File, PathBuf)> {
    let newest = numbered(folder).pop();
    let mut number = newest.map_or(0, |(number, _)| number);
    loop {
        number += 1;
        let path = folder.join(format!("{PREFIX}{number:06}.{EXTENSION}"));
        let mut options = File::options();
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            // Another run began meanwhile.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (file, path)),
        }
    }
}

/// The files in `folder` that no run is writing, the oldest first.
pub(super) fn ended(folder: &Path) -> Vec<PathBuf> {
    let files = numbered(folder).into_iter().map(|(_, path)| path);
    files.filter(|path| !is_being_written(path)).collect()
}

/// The numbers and the paths of the files in `folder` that are called as ours are, the oldest first.
fn numbered(folder: &Path) -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(u64, PathBuf)> = entries
        .map(|entry| entry.path())
        .filter(|path| fs::symlink_metadata(path).is_ok_and(|found| found.is_file()))
        .filter_map(|path| Some((number(&path)?, path)))
        .collect();
    files.sort();
    files
}

/// The number of the file at `path`; `None` if it is called like none of ours.
fn number(path: &Path) -> Option<u64> {
    if path.extension()? != EXTENSION {
        return None;
    }
    let digits = path.file_stem()?.to_str()?.strip_prefix(PREFIX)?;
    let is_ours = digits.len() <= MOST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_ours { digits.parse().ok() } else { None }
}

fn is_being_written(path: &Path) -> bool {
    let taken = File::open(path).map(|file| file.try_lock_shared());
    matches!(taken, Ok(Err(fs::TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[PathBuf]) -> Vec<&str> {
        let names = paths.iter().map(|path| path.file_name().unwrap());
        names.map(|name| name.to_str().unwrap()).collect()
    }

    #[test]
    fn runs_are_in_the_order_in_which_they_began_whatever_the_clock_said() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for name in [
            "999999999999999-1.jsonl",
            "001764000000000-7.jsonl",
            "run-001764000000001-7.jsonl",
            "run-.jsonl",
            "run-7.json",
            "run-1234567890123456.jsonl",
            "7.jsonl",
            "notes.jsonl",
        ] {
            fs::write(folder.join(name), "").unwrap();
        }
        fs::create_dir(folder.join("run-000002.jsonl")).unwrap();
        let files = [(); 9].map(|()| create(folder).unwrap());
        assert_eq!(
            names(&ended(folder)),
            [
                "run-000001.jsonl",
                "run-000003.jsonl",
                "run-000004.jsonl",
                "run-000005.jsonl",
                "run-000006.jsonl",
                "run-000007.jsonl",
                "run-000008.jsonl",
                "run-000009.jsonl",
                "run-000010.jsonl",
            ]
        );
        files[8].0.lock().unwrap();
        assert_eq!(ended(folder).len(), 8, "the newest is being written");
        fs::rename(
            folder.join("run-000010.jsonl"),
            folder.join("run-999999.jsonl"),
        )
        .unwrap();
        let (_, next) = create(folder).unwrap();
        assert_eq!(names(&[next]), ["run-1000000.jsonl"]);
        assert_eq!(names(&ended(folder)).last(), Some(&"run-1000000.jsonl"));
    }

    #[test]
    fn runs_that_begin_at_once_get_numbers_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..20).for_each(|_| drop(create(folder).unwrap())));
            }
        });
        let files = ended(folder);
        assert_eq!(files.len(), 160);
        assert_eq!(names(&files)[159], "run-000160.jsonl");
    }
}
