//! The place where a file is written: the file that a path leads to, or a device or pipe that is written into as it is.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The most links that are followed.
const MOST_LINKS: usize = 40;

/// The place where a file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A file, which may not exist yet. It is not a link.
    File(PathBuf),
    /// A device, a pipe, or a file that is open already, such as `/dev/stdout`: it is written into and never replaced.
    Stream(PathBuf),
}

impl Destination {
    /// The destination that `path` leads to.
    ///
    /// # Errors
    /// If it leads to a directory, or through too many links.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            // What is below these is open already, also if it is a file.
            if ["/proc", "/dev/fd"]
                .iter()
                .any(|open| path.starts_with(open))
            {
                return Ok(Self::Stream(path));
            }
            let Ok(target) = fs::read_link(&path) else {
                return Self::without_links(path);
            };
            path = path.parent().unwrap_or(Path::new("")).join(target);
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "too many links",
        ))
    }

    fn without_links(path: PathBuf) -> io::Result<Self> {
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a directory",
            )),
            Ok(found) if !found.is_file() => Ok(Self::Stream(path)),
            _ => Ok(Self::File(path)),
        }
    }

    /// Opens a stream. A pipe is waited for until a program reads from it.
    pub(super) fn open_stream(path: &Path) -> io::Result<File> {
        #[cfg(unix)]
        if path == Path::new("/proc/self/fd/1") || path == Path::new("/dev/fd/1") {
            // Its own position goes on, so that nothing that is printed is overwritten.
            #[expect(
                clippy::disallowed_methods,
                reason = "a report, which is written as it is"
            )]
            return std::os::fd::AsFd::as_fd(&io::stdout())
                .try_clone_to_owned()
                .map(File::from);
        }
        OpenOptions::new().append(true).open(path)
    }
}
