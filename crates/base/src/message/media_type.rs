//! Media types: what the ending of a name says, and what one looks like.

use super::MediaKind;

/// The media type of a file whose name ends so; a container that holds sound or pictures is what it is said to be.
pub fn of_ending(ending: &str, kind: MediaKind) -> Option<&'static str> {
    Some(match (ending.to_ascii_lowercase().as_str(), kind) {
        ("mp4", MediaKind::Audio) | ("m4a", _) => "audio/mp4",
        ("webm", MediaKind::Audio) => "audio/webm",
        ("ogg", MediaKind::Video) | ("ogv", _) => "video/ogg",
        ("avif", _) => "image/avif",
        ("bmp", _) => "image/bmp",
        ("gif", _) => "image/gif",
        ("heic", _) => "image/heic",
        ("jpg" | "jpeg", _) => "image/jpeg",
        ("png", _) => "image/png",
        ("svg", _) => "image/svg+xml",
        ("tif" | "tiff", _) => "image/tiff",
        ("webp", _) => "image/webp",
        ("aac", _) => "audio/aac",
        ("flac", _) => "audio/flac",
        ("mp3", _) => "audio/mpeg",
        ("ogg" | "oga" | "opus", _) => "audio/ogg",
        ("wav", _) => "audio/wav",
        ("avi", _) => "video/x-msvideo",
        ("mkv", _) => "video/x-matroska",
        ("mov", _) => "video/quicktime",
        ("mp4", _) => "video/mp4",
        ("mpg" | "mpeg", _) => "video/mpeg",
        ("webm", _) => "video/webm",
        ("csv", _) => "text/csv",
        ("htm" | "html", _) => "text/html",
        ("md", _) => "text/markdown",
        ("txt", _) => "text/plain",
        ("doc", _) => "application/msword",
        ("docx", _) => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ("json", _) => "application/json",
        ("odp", _) => "application/vnd.oasis.opendocument.presentation",
        ("ods", _) => "application/vnd.oasis.opendocument.spreadsheet",
        ("odt", _) => "application/vnd.oasis.opendocument.text",
        ("pdf", _) => "application/pdf",
        ("ppt", _) => "application/vnd.ms-powerpoint",
        ("pptx", _) => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ("rtf", _) => "application/rtf",
        ("xls", _) => "application/vnd.ms-excel",
        ("xlsx", _) => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ("xml", _) => "application/xml",
        ("yaml" | "yml", _) => "application/yaml",
        ("zip", _) => "application/zip",
        _ => return None,
    })
}

/// Whether files of this media type are of this kind; a document may be anything.
pub fn is_of_kind(media_type: &str, kind: MediaKind) -> bool {
    let top = media_type
        .split_once('/')
        .map_or(media_type, |(top, _)| top);
    kind == MediaKind::Document || top == kind.as_str()
}

/// Whether this is a media type: `image/png`, `text/plain;charset=utf-8` (RFC 6838, 4.2).
pub fn is_one(text: &str) -> bool {
    let (essence, parameters) = text.split_once(';').unwrap_or((text, ""));
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let essence = essence.trim_end().split_once('/');
    essence.is_some_and(|(top, sub)| is_name(top) && is_name(sub))
        && !parameters.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_what_it_is_said_to_be() {
        assert_eq!(of_ending("MP4", MediaKind::Video), Some("video/mp4"));
        assert_eq!(of_ending("mp4", MediaKind::Audio), Some("audio/mp4"));
        assert_eq!(of_ending("ogg", MediaKind::Video), Some("video/ogg"));
        assert_eq!(of_ending("ogg", MediaKind::Document), Some("audio/ogg"));
        assert_eq!(of_ending("exe", MediaKind::Document), None);
    }

    #[test]
    fn a_document_may_be_anything() {
        assert!(
            is_of_kind("image/png", MediaKind::Image)
                && is_of_kind("image/png", MediaKind::Document)
        );
        assert!(
            !is_of_kind("image/png", MediaKind::Audio)
                && !is_of_kind("application/pdf", MediaKind::Image)
        );
    }

    #[test]
    fn a_media_type_has_two_names() {
        for good in [
            "image/png",
            "image/svg+xml",
            "text/plain;charset=utf-8",
            "text/plain ; a=b",
        ] {
            assert!(is_one(good), "{good}");
        }
        for bad in [
            "",
            "png",
            "image/",
            "/png",
            "image/p ng",
            "a/b/c",
            "image/*",
            "text/plain;\n",
        ] {
            assert!(!is_one(bad), "{bad}");
        }
    }
}
