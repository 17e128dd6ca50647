//! What has passed, on the disk as it passes: it outlives a proxy that is killed (SPEC 14).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use ananke_agents::ServedResponse;
use ananke_trace::redact::Redactor;

/// A file among the temporary files that only this user can read: a line of JSON for each exchange that ended. It is gone when
/// this is dropped, unless it is kept.
#[derive(Debug)]
pub struct ExchangeSpool {
    file: Mutex<File>,
    path: PathBuf,
    is_kept: AtomicBool,
}

impl ExchangeSpool {
    /// An empty spool.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create() -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut number: u32 = 0;
        loop {
            let name = format!("ananke-proxy-{}-{number}.jsonl", std::process::id());
            let path = std::env::temp_dir().join(name);
            match options.open(&path) {
                Ok(file) => {
                    return Ok(Self {
                        file: Mutex::new(file),
                        path,
                        is_kept: AtomicBool::new(false),
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// It stays, and this is where.
    pub fn keep(&self) -> &Path {
        self.is_kept.store(true, Ordering::Relaxed);
        &self.path
    }

    /// Adds an exchange, masked with what is known of secrets by now.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn add(
        &self,
        request: &[u8],
        response: &ServedResponse,
        redactor: &Redactor,
    ) -> io::Result<()> {
        let body: Vec<u8> = response
            .frames
            .iter()
            .flat_map(|frame| frame.bytes.iter().copied())
            .collect();
        let text = |bytes: &[u8]| redactor.text(&String::from_utf8_lossy(bytes)).into_owned();
        let entry =
            json!({ "request": text(request), "status": response.status, "response": text(&body) });
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(format!("{entry}\n").as_bytes())
    }
}

impl Drop for ExchangeSpool {
    fn drop(&mut self) {
        if !self.is_kept.load(Ordering::Relaxed) {
            // A file that does not exist is what was wanted.
            let _is_gone = fs::remove_file(&self.path);
        }
    }
}
