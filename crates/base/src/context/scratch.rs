//! Files that are being written, in the directory they are meant for: a reader never sees half of one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::Destination;
use super::patient_copy::copy_into_stream;

/// The ends of the names of files that are being written.
const PURPOSES: [&str; 5] = ["part", "spool", "rows", "stories", "plain"];

/// A hidden file in the folder of its destination, gone when dropped unless it was put in place.
#[derive(Debug)]
pub struct Scratch {
    /// The file with all that is written so far.
    pub file: File,
    /// `None` if it has no name any more.
    path: Option<PathBuf>,
}

impl Scratch {
    /// A new empty file in the directory of what `destination` leads to, which is created; `purpose` ends its name. If that is
    /// not a file, it is among the temporary files.
    ///
    /// # Errors
    /// If `destination` is a directory or not a file name, or if its directory cannot be written to.
    pub fn beside(destination: &Path, purpose: &str) -> io::Result<Self> {
        let Destination::File(destination) = Destination::of(destination)? else {
            return Self::private();
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
            match OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .open(&path)
            {
                Ok(file) => {
                    // A file system without locks keeps what killed programs leave.
                    let _ = file.lock();
                    if path.exists() {
                        return Ok(Self {
                            file,
                            path: Some(path),
                        });
                    }
                    // Another program has swept it before it was locked.
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            number += 1;
        }
    }

    /// Removes from `folder` what was being written there by programs that were killed.
    pub fn sweep(folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| is_scratch(&entry.file_name().to_string_lossy())) {
            // A program that lives holds its lock.
            if File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
                let _is_gone = fs::remove_file(entry.path());
            }
        }
    }

    /// A new empty file that only this user can read, among the temporary files. It has no name any more, so that nothing is left
    /// of it if the program is killed.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn private() -> io::Result<Self> {
        let (file, path) = private_file(".ananke.", "part")?;
        Ok(Self {
            file,
            path: fs::remove_file(&path).err().map(|_| path),
        })
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
                match &self.path {
                    Some(path) => fs::rename(path, destination),
                    None => Err(io::Error::other("it was not a file when it was begun")),
                }
            }
            Destination::Stream(path) => {
                self.file.rewind()?;
                copy_into_stream(self.file.try_clone()?, path)
            }
        }
    }
}

/// A new empty file among the temporary files that only this user can read, and its path: `prefix`, numbers and `.extension`.
///
/// # Errors
/// If nothing can be written there.
pub fn private_file(prefix: &str, extension: &str) -> io::Result<(File, PathBuf)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut number: u32 = 0;
    loop {
        let name = format!("{prefix}{}-{number}.{extension}", std::process::id());
        let path = std::env::temp_dir().join(name);
        match options.open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
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

/// Whether a file of this name is one that was being written: `.NAME.PROCESS-NUMBER.PURPOSE`.
fn is_scratch(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = name.rsplitn(3, '.').collect();
    let [purpose, numbers, before] = parts[..] else {
        return false;
    };
    before.starts_with('.')
        && PURPOSES.contains(&purpose)
        && numbers
            .split_once('-')
            .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing can be reported here, and a file that does not exist is what was wanted.
        let _ = self.path.take().map(fs::remove_file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_killed_programs_have_left_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let kept = [
            "report.xml",
            ".report.xml",
            ".report.xml.12-0.txt",
            ".report.xml.1x-0.part",
            "a.12-0.part",
        ];
        let left = [
            ".report.xml.12-0.part",
            ".report.xml.12-1.spool",
            ".a.json.99999999-3.rows",
        ];
        for name in kept.iter().chain(&left) {
            fs::write(path(name), "").unwrap();
        }
        let lives = Scratch::beside(&path("report.xml"), "part").unwrap();
        Scratch::sweep(folder.path());
        assert!(left.iter().all(|name| !path(name).exists()));
        assert!(kept.iter().all(|name| path(name).exists()));
        lives.put_in_place(&path("report.xml")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), kept.len());
    }
}
