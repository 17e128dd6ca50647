//! What a user says in a turn, with its variables filled: words, and files that are read.
//!
//! Only the words are ever shown; of a file its kind, its media type and its size.

use std::borrow::Cow;
use std::sync::Arc;

use crate::model::MediaKind;

/// What a user says. It is shared, not copied, from the turn that says it to the last request that repeats it.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// Words alone.
    Text(Arc<str>),
    /// Words and files, in their order.
    Parts(Arc<[Part]>),
}

/// One part of what a user says.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Words.
    Text(String),
    /// A file.
    File(Attached),
}

/// A file that goes with what a user says.
#[derive(Clone, Debug, PartialEq)]
pub struct Attached {
    /// What it is to the agent.
    pub kind: MediaKind,
    /// Its media type; known of everything whose content is sent.
    pub media_type: Option<String>,
    /// What is sent of it.
    pub content: Content,
}

/// What is sent of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// The file itself, in base64. Of a test that is only checked, nothing is read.
    Data {
        /// Its bytes in base64, with padding.
        base64: String,
        /// How many bytes it has.
        size: u64,
    },
    /// Where the agent finds it.
    Url(String),
}

impl Said {
    /// The words: of several parts those that are words, joined by newlines.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Parts(parts) => {
                let words = parts.iter().filter_map(|part| match part {
                    Part::Text(text) => Some(text.as_str()),
                    Part::File(_) => None,
                });
                Cow::Owned(words.collect::<Vec<_>>().join("\n"))
            }
        }
    }

    /// All of it in words, for people: `Which is it? [image image/png, 12 KiB]`.
    pub fn describe(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Parts(parts) => parts.iter().map(Part::describe).collect::<Vec<_>>().join(" "),
        }
    }
}

impl Part {
    fn describe(&self) -> String {
        let Attached { kind, media_type, content } = match self {
            Self::Text(text) => return text.clone(),
            Self::File(file) => file,
        };
        let media_type = media_type.iter().cloned();
        let known = match content {
            Content::Data { size, .. } => in_words(*size),
            Content::Url(url) => url.clone(),
        };
        let known: Vec<String> = media_type.chain([known]).collect();
        format!("[{} {}]", kind.as_str(), known.join(", "))
    }
}

/// A size in words, rounded up: `68 bytes`, `12 KiB`.
pub(super) fn in_words(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match bytes {
        1 => "1 byte".to_owned(),
        ..KIB => format!("{bytes} bytes"),
        KIB..MIB => format!("{} KiB", bytes.div_ceil(KIB)),
        MIB.. => format!("{} MiB", bytes.div_ceil(MIB)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(kind: MediaKind, media_type: Option<&str>, content: Content) -> Part {
        Part::File(Attached { kind, media_type: media_type.map(str::to_owned), content })
    }

    #[test]
    fn words_are_joined_and_files_are_described() {
        let said = Said::Parts(Arc::new([
            Part::Text("Which one?".to_owned()),
            file(MediaKind::Image, Some("image/png"), Content::Data { base64: "AAAA".to_owned(), size: 3 }),
            Part::Text("This?".to_owned()),
            file(MediaKind::Video, None, Content::Url("https://a.example/b".to_owned())),
        ]));
        assert_eq!(said.text(), "Which one?\nThis?");
        assert_eq!(
            said.describe(),
            "Which one? [image image/png, 3 bytes] This? [video https://a.example/b]"
        );
    }

    #[test]
    fn sizes_are_rounded_up() {
        let sizes = [0, 1, 1023, 1024, 1025, (1 << 20) - 1, 1 << 20, (1 << 20) + 1];
        let words = ["0 bytes", "1 byte", "1023 bytes", "1 KiB", "2 KiB", "1024 KiB", "1 MiB", "2 MiB"];
        assert_eq!(sizes.map(in_words), words);
    }
}
