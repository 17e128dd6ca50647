//! A file that goes with a message. It is never shown itself, only its kind, media type and size.

/// A file that goes with a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// The kind of media that it is to the agent.
    pub kind: MediaKind,
    /// Its media type; always known if the content itself is sent.
    pub media_type: Option<String>,
    /// Its name, if the agent gets one.
    pub name: Option<String>,
    /// The content that is sent of it.
    pub content: FileContent,
}

/// The content of a file that is sent to an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum FileContent {
    /// The file itself. In a test that is only checked, nothing is read and `base64` is empty.
    Data {
        /// Its bytes in base64, with padding.
        base64: String,
        /// The number of bytes of the file.
        size: u64,
    },
    /// The address where the agent finds it.
    Url(String),
}

/// The kind of media that a file is to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    /// A picture.
    Image,
    /// Something to listen to.
    Audio,
    /// Something to watch.
    Video,
    /// Anything else.
    Document,
}

impl MediaKind {
    /// As files and agents write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::Document => "document",
        }
    }
}

impl Attachment {
    /// The file in words, for reports: `[image image/png, 12 KiB]`.
    pub fn describe(&self) -> String {
        let size_or_url = match &self.content {
            FileContent::Data { size, .. } => size_in_words(*size),
            FileContent::Url(url) => url.clone(),
        };
        let known: Vec<String> = self
            .media_type
            .iter()
            .cloned()
            .chain([size_or_url])
            .collect();
        format!("[{} {}]", self.kind.as_str(), known.join(", "))
    }
}

/// A size in words, rounded up: `68 bytes`, `12 KiB`.
pub fn size_in_words(bytes: u64) -> String {
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

    #[test]
    fn sizes_are_rounded_up() {
        let sizes = [
            0,
            1,
            1023,
            1024,
            1025,
            (1 << 20) - 1,
            1 << 20,
            (1 << 20) + 1,
        ];
        let words = [
            "0 bytes",
            "1 byte",
            "1023 bytes",
            "1 KiB",
            "2 KiB",
            "1024 KiB",
            "1 MiB",
            "2 MiB",
        ];
        assert_eq!(sizes.map(size_in_words), words);
    }
}
