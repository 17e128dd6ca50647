//! The files of snapshots: their names, which are valid on every file system, reading and atomic writing.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ananke_base::context::{Files, digest, is_device, write_file};

/// The directory next to the test files with their snapshots, one directory per test file.
pub const FOLDER: &str = "snapshots";

/// The first line of a snapshot up to the number of its format.
const KIND: &str = "ananke snapshot, format ";

/// The order of the things in a snapshot: the format of its file says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The order of the events that opened messages and calls.
    Opened,
    /// The order in which everything began. This program writes it.
    Began,
}

impl Format {
    const ALL: [Self; 2] = [Self::Opened, Self::Began];

    /// The number in the first line.
    fn number(self) -> &'static str {
        match self {
            Self::Opened => "1",
            Self::Began => "2",
        }
    }

    /// The first line of a snapshot.
    pub(super) fn header(self) -> String {
        format!("{KIND}{}", self.number())
    }

    /// The format of a snapshot; one that is not known is compared with what this program writes.
    pub fn of(kept: &str) -> Self {
        let number = number(kept);
        let known = Self::ALL.into_iter();
        let mut of_number = known.filter(|format| Some(format.number()) == number);
        of_number.next().unwrap_or(Self::Began)
    }
}

/// The number of the format in the first line of a snapshot.
fn number(kept: &str) -> Option<&str> {
    kept.lines().next()?.strip_prefix(KIND)
}

/// The extension of a snapshot.
const EXTENSION: &str = ".snap";

/// The usual extension of a test file.
const TEST_EXTENSION: &str = ".test.yaml";

/// The longest file name without extension and hash, in bytes.
const LONGEST: usize = 60;

/// The largest file that is read, in bytes; larger than any that is written.
const MAX_BYTES: u64 = 16 << 20;

/// A snapshot's file, and its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Golden {
    /// The file.
    pub path: PathBuf,
    /// The file as messages name it.
    pub shown: String,
    /// Its text, if it exists and was read.
    pub text: Option<Arc<str>>,
}

/// The directory of the snapshots of a test file.
pub fn folder(test_file: &Path) -> PathBuf {
    let name = test_file.file_name().unwrap_or_default().to_string_lossy();
    let folder = name
        .strip_suffix(TEST_EXTENSION)
        .filter(|stem| !stem.is_empty())
        .unwrap_or(&name);
    test_file.with_file_name(FOLDER).join(folder)
}

/// The test files that a directory of snapshots can belong to.
pub fn test_files_of(folder: &Path) -> Option<[PathBuf; 2]> {
    let name = folder.file_name()?.to_str()?;
    let beside = folder
        .parent()
        .filter(|parent| parent.ends_with(FOLDER))?
        .parent()?;
    Some([
        beside.join(format!("{name}{TEST_EXTENSION}")),
        beside.join(name),
    ])
}

/// The name of the file of the snapshot `name`, or of its turn `turn` (1-based). Characters that are not valid on every
/// file system are replaced, and a hash is added.
pub fn file_name(name: &str, turn: Option<usize>) -> String {
    let mut plain = String::with_capacity(name.len());
    for character in name.chars() {
        match character.to_ascii_lowercase() {
            kept @ ('a'..='z' | '0'..='9' | '_') => plain.push(kept),
            _ if plain.is_empty() || plain.ends_with('-') => {}
            _ => plain.push('-'),
        }
    }
    plain.truncate(LONGEST);
    let plain = plain.trim_end_matches('-');
    let is_simple =
        |character: char| character.is_ascii_alphanumeric() || " _-".contains(character);
    let is_unique = name.len() <= LONGEST
        && name.chars().all(is_simple)
        && !plain.is_empty()
        && !is_device(plain);
    let digest = if is_unique {
        String::new()
    } else {
        format!("-{}", &digest(name)[..8])
    };
    let turn = turn.map(|turn| format!(".turn-{turn}")).unwrap_or_default();
    format!("{plain}{digest}{turn}{EXTENSION}")
        .trim_start_matches('-')
        .to_owned()
}

/// Whether `path` has the name and the directory of a snapshot.
pub fn is_named(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(EXTENSION))
        && path.parent().and_then(test_files_of).is_some()
}

/// Whether a file begins like a snapshot: other programs use the same extension.
pub fn is_golden(files: &Files, path: &Path) -> bool {
    let mut start = Vec::new();
    let read = files
        .open(path)
        .and_then(|file| file.take(KIND.len() as u64).read_to_end(&mut start));
    read.is_ok() && start == KIND.as_bytes()
}

/// The text of a snapshot; `None` if the file does not exist. Bytes that are not UTF-8 are replaced, and so differ from
/// every text that is written.
///
/// # Errors
/// If the file exists and cannot be read, or is larger than any snapshot.
pub fn read(files: &Files, path: &Path) -> io::Result<Option<String>> {
    let file = match files.open(path) {
        Ok(file) => file,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("it is larger than {} MiB", MAX_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Writes a snapshot atomically; creates its directories.
///
/// # Errors
/// If it cannot be written; the earlier content is kept.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    write_file(path, text.as_bytes())
}

/// Whether two snapshots differ, apart from the kind of line ends and a line end after the last line.
pub fn differs(kept: &str, captured: &str) -> bool {
    !kept.lines().eq(captured.lines())
}

/// The format of a snapshot, if this program does not know it.
pub fn other_format(kept: &str) -> Option<&str> {
    let number = number(kept)?;
    let is_known = Format::ALL.iter().any(|format| format.number() == number);
    (!is_known).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_by_every_file_system() {
        for (name, turn, expected) in [
            ("checkout flow", None, "checkout-flow.snap"),
            ("Checkout Flow", Some(2), "checkout-flow.turn-2.snap"),
            ("happy_path-2", None, "happy_path-2.snap"),
            ("what's up?", None, "what-s-up-757fb2e5.snap"),
            ("../../etc", None, "etc-b2d9fe41.snap"),
            ("prüfen", None, "pr-fen-6f86282a.snap"),
            ("漢字", None, "e59f68cd.snap"),
            ("nul", None, "nul-2102ba19.snap"),
            ("com1", None, "com1-0bcd4f91.snap"),
        ] {
            assert_eq!(file_name(name, turn), expected, "{name}");
        }
        let long = "x".repeat(300);
        assert!(file_name(&long, None).len() < 80);
        assert_ne!(file_name(&long, None), file_name(&format!("{long}y"), None));
    }

    #[test]
    fn every_test_file_has_a_folder_of_its_own() {
        for (file, expected) in [
            ("a/checkout.test.yaml", "a/snapshots/checkout"),
            ("a/checkout.test.yml", "a/snapshots/checkout.test.yml"),
            ("a/checkout.yaml", "a/snapshots/checkout.yaml"),
            ("a/.test.yaml", "a/snapshots/.test.yaml"),
        ] {
            let folder = folder(Path::new(file));
            assert_eq!(folder, Path::new(expected));
            assert!(
                test_files_of(&folder)
                    .unwrap()
                    .contains(&PathBuf::from(file)),
                "{file}"
            );
        }
        assert_eq!(test_files_of(Path::new("a/other/checkout")), None);
    }

    #[test]
    fn line_ends_say_nothing() {
        assert!(!differs("a\r\nb", "a\nb\n"));
        assert!(differs("a\nb\n\nc", "a\nb\nc"));
        assert_eq!(other_format("ananke snapshot, format 3\n"), Some("3"));
        assert_eq!(other_format("ananke snapshot, format 2\n"), None);
        assert_eq!(other_format("ananke snapshot, format 1\r\n"), None);
    }
}
