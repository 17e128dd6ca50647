//! The content of a user's message: text and files in their order.

use std::borrow::Cow;
use std::sync::Arc;

use super::Attachment;

/// The content of a user's message. It is shared, not copied, from the turn that says it to the last request that repeats it.
#[derive(Clone, Debug, PartialEq)]
pub enum UserContent {
    /// Text alone.
    Text(Arc<str>),
    /// Text and files, in their order.
    Parts(Arc<[ContentPart]>),
}

/// One part of what a user says.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentPart {
    /// Text.
    Text(String),
    /// A file.
    File(Attachment),
}

impl UserContent {
    /// The text; if there are several parts, those that are text, joined by newlines.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Parts(parts) => {
                let texts = parts.iter().filter_map(|part| match part {
                    ContentPart::Text(text) => Some(text.as_str()),
                    ContentPart::File(_) => None,
                });
                Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
            }
        }
    }

    /// All of it in words, for reports: `Which is it? [image image/png, 12 KiB]`.
    pub fn describe(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Parts(parts) => parts
                .iter()
                .map(ContentPart::describe)
                .collect::<Vec<_>>()
                .join(" "),
        }
    }
}

impl ContentPart {
    fn describe(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::File(file) => file.describe(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::attachment::{FileContent, MediaKind};
    use super::*;

    fn file(kind: MediaKind, media_type: Option<&str>, content: FileContent) -> ContentPart {
        ContentPart::File(Attachment {
            kind,
            media_type: media_type.map(str::to_owned),
            name: None,
            content,
        })
    }

    #[test]
    fn texts_are_joined_and_files_are_described() {
        let png = FileContent::Data {
            base64: "AAAA".to_owned(),
            size: 3,
        };
        let content = UserContent::Parts(Arc::new([
            ContentPart::Text("Which one?".to_owned()),
            file(MediaKind::Image, Some("image/png"), png),
            ContentPart::Text("This?".to_owned()),
            file(
                MediaKind::Video,
                None,
                FileContent::Url("https://a.example/b".to_owned()),
            ),
        ]));
        assert_eq!(content.text(), "Which one?\nThis?");
        assert_eq!(
            content.describe(),
            "Which one? [image image/png, 3 bytes] This? [video https://a.example/b]"
        );
    }
}
