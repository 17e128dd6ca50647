//! The source of a file of a user turn, as it is written: a path, a `data:` URL or an `https://` URL.

use std::path::{Path, PathBuf};

use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, Engine as _};
use url::Url;

use ananke_base::context::{Context, absolute_from};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::message::{FileContent, media_type};

/// A source as far as it is known without its media type.
pub(super) enum AttachmentSource {
    File(PathBuf),
    /// A `data:` URL: what it says its media type is, and its content.
    Data(Option<String>, FileContent),
    Url(Url),
}

impl AttachmentSource {
    /// Finds out what kind of source a text names; a path is relative to `folder`.
    pub(super) fn of(text: &str, context: &Context, folder: &Path) -> Result<Self, Diagnostic> {
        // One letter is a drive.
        let scheme = text.split_once(':').filter(|(scheme, _)| {
            scheme.len() > 1
                && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        });
        let scheme = scheme.map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest));
        let path = match scheme
            .as_ref()
            .map(|(scheme, rest)| (scheme.as_str(), *rest))
        {
            Some(("data", rest)) => return data(rest),
            Some(("http" | "https", _)) => return address(text),
            Some(("file", rest)) => rest.strip_prefix("//").unwrap_or(rest),
            Some((scheme, _)) => {
                return Err(problem(
                    Code::BadUrl,
                    format!("a file cannot come from `{scheme}:`"),
                    "name a local file, with or without `file://`, or an `https://`, `http://` or `data:` URL",
                ));
            }
            None => text,
        };
        if path.is_empty() {
            let help = "write `file://` and its path relative to the test file's directory";
            return Err(problem(Code::BadValue, "the source names no file", help));
        }
        Ok(Self::File(absolute_from(context, folder, path.as_ref())))
    }
}

fn address(text: &str) -> Result<AttachmentSource, Diagnostic> {
    let wrong = |message: String| {
        problem(
            Code::BadUrl,
            message,
            "write the full URL: `https://example.org/a.png`",
        )
    };
    match Url::parse(text) {
        Ok(url) => Ok(AttachmentSource::Url(url)),
        Err(error) => Err(wrong(format!("the source is no URL: {error}"))),
    }
}

/// The source after `data:` (RFC 2397). The content may be written over several lines.
fn data(rest: &str) -> Result<AttachmentSource, Diagnostic> {
    let wrong = |message: String| {
        problem(
            Code::BadUrl,
            message,
            "a `data:` URL looks like `data:image/png;base64,iVBORw0KGgo=`",
        )
    };
    let Some((head, content)) = rest.split_once(',') else {
        return Err(wrong(
            "the `data:` URL has no `,` before its content".to_owned(),
        ));
    };
    let Some(media_type) = head.trim_end().strip_suffix(";base64") else {
        return Err(wrong(
            "the content of the `data:` URL is not in base64".to_owned(),
        ));
    };
    if !media_type.is_empty() && !media_type::is_one(media_type) {
        return Err(wrong(format!("`{media_type}` is not a valid media type")));
    }
    let base64: String = content.split_ascii_whitespace().collect();
    let size = match STANDARD.decode(&base64) {
        Ok(bytes) => bytes.len() as u64,
        Err(DecodeError::InvalidByte(..)) => {
            return Err(wrong(
                "the content of the `data:` URL has a character that is not of base64".to_owned(),
            ));
        }
        Err(_) => {
            return Err(wrong(
                "the base64 of the `data:` URL is incomplete, or a `=` is missing at its end"
                    .to_owned(),
            ));
        }
    };
    let media_type = Some(media_type.to_owned()).filter(|media_type| !media_type.is_empty());
    Ok(AttachmentSource::Data(
        media_type,
        FileContent::Data { base64, size },
    ))
}

/// The problem of a source, and the remedy.
pub(super) fn problem(code: Code, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::error(code, message).help(help)
}
