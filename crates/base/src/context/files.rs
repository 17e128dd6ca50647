//! The files of a project as they are read: from the disk, or unsaved text instead of it.
//!
//! Writing goes to the disk and is none of this.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The files of a project: the disk, with unsaved text over it.
#[derive(Clone, Debug, Default)]
pub struct Files {
    unsaved: Arc<BTreeMap<PathBuf, Arc<[u8]>>>,
    given: Arc<BTreeSet<PathBuf>>,
    /// Paths as texts: comparing them part by part would take longer than reading a small file.
    opened: Arc<Mutex<BTreeSet<Box<OsStr>>>>,
}

/// The kind of entry at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A file of this many bytes.
    File(u64),
    /// A directory.
    Directory,
    /// Something else, such as a pipe.
    Other,
}

/// A file that is being read.
#[derive(Debug)]
pub struct OpenFile(Inner);

#[derive(Debug)]
enum Inner {
    Disk(File),
    Unsaved(Cursor<Arc<[u8]>>),
}

impl Files {
    /// These with `text` as the file at `path`, which need not exist.
    #[must_use]
    pub fn with_unsaved(&self, path: PathBuf, text: impl AsRef<[u8]>) -> Self {
        let mut unsaved = (*self.unsaved).clone();
        unsaved.insert(path, text.as_ref().into());
        Self {
            unsaved: Arc::new(unsaved),
            ..self.clone()
        }
    }

    /// These with `text` as if it were at `path`, where nothing is: a message, or what standard input contains. Reports name no
    /// such file.
    #[must_use]
    pub fn with_given(&self, path: PathBuf, text: impl AsRef<[u8]>) -> Self {
        let mut given = (*self.given).clone();
        given.insert(path.clone());
        Self {
            given: Arc::new(given),
            ..self.with_unsaved(path, text)
        }
    }

    /// Whether what is at `path` is in no file.
    pub fn is_given(&self, path: &Path) -> bool {
        self.given.contains(path)
    }

    /// The paths of unsaved texts.
    pub fn unsaved(&self) -> impl Iterator<Item = &Path> {
        self.unsaved.keys().map(PathBuf::as_path)
    }

    /// Opens the file at `path`.
    ///
    /// # Errors
    /// If it is not there or cannot be read.
    pub fn open(&self, path: &Path) -> io::Result<OpenFile> {
        if let Some(text) = self.unsaved.get(path) {
            return Ok(OpenFile(Inner::Unsaved(Cursor::new(Arc::clone(text)))));
        }
        let file = File::open(path)?;
        self.note(path);
        Ok(OpenFile(Inner::Disk(file)))
    }

    /// Counts the file at `path` as opened: something else reads it, such as a program.
    pub fn note(&self, path: &Path) {
        lock(&self.opened).insert(path.as_os_str().into());
    }

    /// Counts the files as opened that `argv` names from `folder`: the program, its scripts and what they are given.
    pub fn note_command(&self, argv: &[String], folder: &Path) {
        let files = argv.iter().map(|argument| folder.join(argument));
        files
            .filter(|path| self.is_file(path))
            .for_each(|path| self.note(&path));
    }

    /// The first bytes of a file, at most `most`. It does not count as opened: what it is, is not yet known.
    ///
    /// # Errors
    /// If there is no such file, or it cannot be read.
    pub fn beginning(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let PathKind::File(_) = self.look(path)? else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut bytes = Vec::new();
        match self.unsaved.get(path) {
            Some(text) => text.take(most).read_to_end(&mut bytes)?,
            None => File::open(path)?.take(most).read_to_end(&mut bytes)?,
        };
        Ok(bytes)
    }

    /// The paths of all files on the disk that have been opened or [noted](Self::note) so far, sorted.
    pub fn opened(&self) -> Vec<PathBuf> {
        lock(&self.opened).iter().map(PathBuf::from).collect()
    }

    /// The kind of entry at `path`, without opening it: a pipe would wait for its writer.
    ///
    /// # Errors
    /// If there is nothing, or the system does not say.
    pub fn look(&self, path: &Path) -> io::Result<PathKind> {
        if let Some(text) = self.unsaved.get(path) {
            return Ok(PathKind::File(text.len() as u64));
        }
        let found = std::fs::metadata(path)?;
        Ok(match found.is_file() {
            true => PathKind::File(found.len()),
            false if found.is_dir() => PathKind::Directory,
            false => PathKind::Other,
        })
    }

    /// Whether there is a file at `path`.
    pub fn is_file(&self, path: &Path) -> bool {
        matches!(self.look(path), Ok(PathKind::File(_)))
    }

    /// Whether there is a directory at `path`.
    pub fn is_directory(&self, path: &Path) -> bool {
        matches!(self.look(path), Ok(PathKind::Directory))
    }

    /// Whether what is on the disk at `path` may be executed; where the file extension decides that, always.
    pub fn is_executable(&self, path: &Path) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0)
        }
        #[cfg(not(unix))]
        self.is_file(path)
    }

    /// The paths of what is directly in `directory`, sorted; nothing if it cannot be read.
    pub fn list(&self, directory: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.extend(
            self.unsaved()
                .filter(|path| path.parent() == Some(directory))
                .map(Path::to_path_buf),
        );
        paths.sort();
        paths.dedup();
        paths
    }
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Disk(file) => file.read(buffer),
            Inner::Unsaved(text) => text.read(buffer),
        }
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.0 {
            Inner::Disk(file) => file.seek(to),
            Inner::Unsaved(text) => text.seek(to),
        }
    }
}

/// The content of `mutex`, also if a thread that had it has panicked: every change to it is made as a whole.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(files: &Files, path: &Path) -> io::Result<String> {
        let mut text = String::new();
        files.open(path)?.read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn unsaved_text_is_over_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let [saved, new] = ["saved.yaml", "new.yaml"].map(|name| folder.path().join(name));
        std::fs::write(&saved, "old").unwrap();
        let disk = Files::default();
        assert_eq!(text(&disk, &saved).unwrap(), "old");
        assert_eq!(disk.list(folder.path()), [saved.as_path()]);
        assert!(
            text(&disk, &new).is_err() && !disk.is_file(&new) && disk.is_directory(folder.path())
        );

        let files = disk
            .with_unsaved(saved.clone(), "changed")
            .with_unsaved(new.clone(), "made");
        assert_eq!(text(&files, &saved).unwrap(), "changed");
        assert_eq!(text(&files, &new).unwrap(), "made");
        assert_eq!(files.look(&new).unwrap(), PathKind::File(4));
        assert_eq!(files.list(folder.path()), [new.as_path(), &saved]);
        assert_eq!(files.opened(), [saved], "unsaved text is on no disk");
    }
}
