//! Exchanges that have passed, on the disk as they end: they outlive a proxy that is killed (SPEC 14).

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use ananke_agents::ServedResponse;
use ananke_base::context::private_file;
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
        let (file, path) = private_file("ananke-proxy-", "jsonl")?;
        Ok(Self {
            file: Mutex::new(file),
            path,
            is_kept: AtomicBool::new(false),
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its path, where it stays; `None` if nothing is in it.
    pub(super) fn keep(&self) -> Option<&Path> {
        let is_empty = fs::metadata(&self.path).is_ok_and(|file| file.len() == 0);
        self.is_kept.store(!is_empty, Ordering::Relaxed);
        (!is_empty).then_some(&self.path)
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
