//! A file of the project, within limits, as text.

use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::sync::Arc;

use crate::context::Files;
use crate::diagnostic::{Code, Diagnostic, SourceFile};

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Room for most files, in bytes: they are read at once.
const USUAL_BYTES: usize = 8 << 10;

/// Reads a file under the name messages show: at most 8 MiB, UTF-8, without a byte order mark.
///
/// # Errors
/// The file cannot be read, is too large, or is not UTF-8.
pub fn read(files: &Files, path: &Path, display_name: &str) -> Result<Arc<SourceFile>, Diagnostic> {
    let unreadable = |error: &std::io::Error| {
        let message = format!("`{display_name}` cannot be read: {}", reason(error));
        Diagnostic::error(Code::Unreadable, message).help(remedy(error))
    };
    let file = files.open(path).map_err(|error| unreadable(&error))?;
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    // Reading one byte more than allowed shows whether a file is full or too large, whatever its metadata says.
    let limit = u64::try_from(MAX_BYTES)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(&error))?;
    // A file may be kept for as long as a run.
    bytes.shrink_to_fit();
    from_bytes(bytes, path, display_name).map(Arc::new)
}

/// The reason why a file cannot be read, in words that are the same on every system.
pub fn reason(error: &std::io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file",
        ErrorKind::PermissionDenied => "permission is denied",
        ErrorKind::IsADirectory => "it is a directory",
        ErrorKind::InvalidData => "it is not UTF-8",
        ErrorKind::AlreadyExists => "something else has its name",
        ErrorKind::NotADirectory => "a part of its path is not a directory",
        ErrorKind::StorageFull | ErrorKind::FileTooLarge | ErrorKind::QuotaExceeded => {
            "there is no room for it"
        }
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        _ if is_out_of_files(error) => "this process has too many files open",
        _ => "the system refuses it",
    }
}

/// Whether the process, or the system, has no room for another open file.
fn is_out_of_files(error: &std::io::Error) -> bool {
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    cfg!(unix) && matches!(error.raw_os_error(), Some(ENFILE | EMFILE))
}

/// The remedy for a file that cannot be read.
pub fn remedy(error: &std::io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotFound => {
            "check its name; a path in a file is relative to the directory of that file"
        }
        ErrorKind::PermissionDenied => "give yourself permission to read it",
        ErrorKind::IsADirectory => "name a file",
        _ if is_out_of_files(error) => {
            "run fewer tests at once with `--parallel`, or raise the limit with `ulimit -n`"
        }
        _ => "check that it can be read by another program",
    }
}

fn from_bytes(bytes: Vec<u8>, path: &Path, display_name: &str) -> Result<SourceFile, Diagnostic> {
    if bytes.len() > MAX_BYTES {
        return Err(too_large(display_name));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = memchr::memchr_iter(b'\n', &error.as_bytes()[..valid]).count() + 1;
        Diagnostic::error(
            Code::BadEncoding,
            format!("`{display_name}` is not UTF-8: the byte at offset {valid}, line {line}, is part of no character"),
        )
        .help("save the file as UTF-8")
    })?;
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok(SourceFile::new(display_name, path, text))
}

/// The file is over the limit.
pub(super) fn too_large(display_name: &str) -> Diagnostic {
    let limit = MAX_BYTES / (1024 * 1024);
    Diagnostic::error(
        Code::LimitExceeded,
        format!("`{display_name}` is larger than {limit} MiB"),
    )
    .help("split it into several files")
}

/// Whether the file at `path` holds cases, line by line, by its file extension.
pub fn is_case_file(path: &Path) -> bool {
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    matches!(extension.as_deref(), Some("jsonl" | "ndjson"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let read = from_bytes(bytes.to_vec(), Path::new("a.yaml"), "a.yaml");
        let read = read
            .as_ref()
            .map(|file| file.text.as_str())
            .map_err(|problem| problem.message.as_str());
        assert_eq!(read, expected);
    }

    #[test]
    fn text_comes_without_byte_order_mark() {
        check(b"\xef\xbb\xbfa: \xc3\xa4", Ok("a: ä"));
    }

    #[test]
    fn bad_bytes_are_told_by_offset_and_line() {
        check(
            b"a: 1\nb: \xff",
            Err("`a.yaml` is not UTF-8: the byte at offset 8, line 2, is part of no character"),
        );
    }

    #[test]
    fn a_file_over_the_limit_is_refused() {
        check(
            &vec![b'#'; MAX_BYTES + 1],
            Err("`a.yaml` is larger than 8 MiB"),
        );
        assert!(from_bytes(vec![b'#'; MAX_BYTES], Path::new(""), "a.yaml").is_ok());
    }

    #[test]
    fn a_missing_file_is_told() {
        let problem = read(
            &Files::default(),
            Path::new("/no/such/file.yaml"),
            "file.yaml",
        )
        .map(|_| ());
        assert_eq!(
            problem.map_err(|problem| problem.message),
            Err("`file.yaml` cannot be read: there is no such file".to_owned())
        );
    }
}
