//! Files that are being written, in the directory they are meant for: a reader never sees half of one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::destination::Destination;

/// A hidden file in the folder of its destination, gone when dropped unless it was put in place.
#[derive(Debug)]
pub struct Scratch {
    /// What is written so far.
    pub file: File,
    path: PathBuf,
}

impl Scratch {
    /// A new empty file in the directory of what `destination` leads to, which is created; `purpose` ends its name. If that is
    /// not a file, it is among the temporary files.
    ///
    /// # Errors
    /// If `destination` is a directory or not a file name, or if its directory cannot be written to.
    pub fn beside(destination: &Path, purpose: &str) -> io::Result<Self> {
        let Destination::File(destination) = Destination::of(destination)? else {
            return Self::private(purpose);
        };
        let unusable = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a file name");
        let name = destination.file_name().ok_or_else(unusable)?;
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

    /// Moves the file in one step to where `destination` leads, over what is there, whose permissions it keeps. A device or a pipe
    /// is written into.
    ///
    /// # Errors
    /// If it cannot be moved or written there; then a file that was there is unchanged.
    pub fn put_in_place(mut self, destination: &Path) -> io::Result<()> {
        match Destination::of(destination)? {
            Destination::File(destination) => {
                if let Ok(found) = fs::metadata(&destination) {
                    // Some file systems have none.
                    let _ = self.file.set_permissions(found.permissions());
                }
                // If this fails, dropping removes the file; if not, nothing is left under the old name.
                fs::rename(&self.path, destination)
            }
            Destination::Stream(path) => {
                self.file.rewind()?;
                let mut stream = Destination::open_stream(&path)?;
                io::copy(&mut self.file, &mut stream)?;
                stream.flush()
            }
        }
    }
}

/// Writes a whole file to where `destination` leads, like [`Scratch::put_in_place`].
///
/// # Errors
/// If it cannot be written; then a file that was there is unchanged.
pub fn write_file(destination: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut scratch = Scratch::beside(destination, "part")?;
    scratch.file.write_all(bytes)?;
    scratch.put_in_place(destination)
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing can be reported here, and a file that does not exist is what was wanted.
        let _ = fs::remove_file(&self.path);
    }
}
