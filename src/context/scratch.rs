//! Files that are being written, in the directory they are meant for: a reader never sees half of one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A hidden file in the folder of its destination, gone when dropped unless it was put in place.
#[derive(Debug)]
pub struct Scratch {
    /// What is written so far.
    pub file: File,
    path: PathBuf,
}

impl Scratch {
    /// A new empty file in the directory of `destination`, which is created; `purpose` ends its name.
    ///
    /// # Errors
    /// If `destination` is a directory or not a file name, or if its directory cannot be written to.
    pub fn beside(destination: &Path, purpose: &str) -> io::Result<Self> {
        let unusable =
            |why| io::Error::new(io::ErrorKind::InvalidInput, format!("{}: {why}", destination.display()));
        let name = destination.file_name().ok_or_else(|| unusable("no file name"))?;
        if destination.is_dir() {
            return Err(unusable("is a folder"));
        }
        let folder = destination.parent().unwrap_or(Path::new(""));
        if folder != Path::new("") {
            fs::create_dir_all(folder)?;
        }
        let mut number: u32 = 0;
        loop {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{number}.{purpose}", std::process::id()));
            let path = folder.join(hidden);
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Self { file, path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// A new empty file that only this user can read, in the folder for temporary files; `purpose` ends its name.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn private(purpose: &str) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut number: u32 = 0;
        loop {
            let name = format!(".ananke.{}-{number}.{purpose}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match options.open(&path) {
                Ok(file) => return Ok(Self { file, path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Moves the file to `destination`, in one step, over what is there.
    ///
    /// # Errors
    /// Where it cannot be moved there; then nothing is left of it.
    pub fn put_in_place(self, destination: &Path) -> io::Result<()> {
        // Where this fails, dropping removes the file; where it does not, nothing is left under the old name.
        fs::rename(&self.path, destination)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing can be reported here, and a file that does not exist is what was wanted.
        let _ = fs::remove_file(&self.path);
    }
}
