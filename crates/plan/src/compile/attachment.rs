//! The files of a user turn: looked at when a test is loaded, read when it starts.
//!
//! What a file is follows from where it comes from: a path is read and sent as data, a `data:` URL is data already, an
//! `https://` URL is for the agent to fetch. What is wrong with one is reported at its place before anything is sent.

use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::attachment_source::{AttachmentSource, problem};
use ananke_agents::{Capability, TargetConfig};
use ananke_base::context::{Context, PathKind, display_name};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::message::{
    Attachment, ContentPart, FileContent, MediaKind, UserContent, media_type, size_in_words,
};
use ananke_base::source::reason;
use ananke_model::model::{self, Media};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, NotReady, add_written_secrets};

/// The largest local file that is sent, in bytes: in base64 it still fits into one event of the largest size, as agents
/// send it that repeat their input or the conversation.
const MAX_BYTES: u64 = 8 << 20;

/// The context in which the files of a test are read.
#[derive(Clone, Copy)]
pub(crate) struct AttachmentFiles<'a> {
    pub(crate) context: &'a Context,
    /// The folder that paths count from.
    pub(crate) folder: &'a Path,
    /// The target of the test, if it is known.
    pub(crate) target: Option<&'a TargetConfig>,
    pub(crate) access: FileAccess,
}

/// The content of a message, with the files that belong to it.
pub(crate) fn user_content(
    content: &model::WrittenContent,
    attachments: &[model::WrittenAttachment],
    files: AttachmentFiles<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<UserContent> {
    let mut parts: Vec<Leaf<ContentPart>> = match content {
        model::WrittenContent::Text(text) if attachments.is_empty() => {
            return interpolation
                .text(text)
                .map(|text| UserContent::Text(text.into()));
        }
        model::WrittenContent::Text(text) => match interpolation.text(text) {
            // Models refuse a part without words.
            Ok(text) if text.is_empty() => Vec::new(),
            text => vec![text.map(ContentPart::Text)],
        },
        model::WrittenContent::Parts(parts) => parts
            .iter()
            .map(|part| self::part(part, files, interpolation))
            .collect(),
    };
    parts.extend(attachments.iter().map(|attachment| {
        let (kind, media) = attachment.media();
        file(kind, media, files, interpolation)
    }));
    parts
        .into_iter()
        .collect::<Leaf<Vec<ContentPart>>>()
        .map(|parts| UserContent::Parts(parts.into()))
}

fn part(
    part: &model::WrittenPart,
    files: AttachmentFiles<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ContentPart> {
    match part {
        model::WrittenPart::Text(part) => interpolation.text(&part.text).map(ContentPart::Text),
        model::WrittenPart::Image(media) => file(MediaKind::Image, media, files, interpolation),
        model::WrittenPart::Audio(media) => file(MediaKind::Audio, media, files, interpolation),
        model::WrittenPart::Video(media) => file(MediaKind::Video, media, files, interpolation),
        model::WrittenPart::Document(media) => {
            file(MediaKind::Document, media, files, interpolation)
        }
    }
}

fn file(
    kind: MediaKind,
    media: &Media,
    files: AttachmentFiles<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ContentPart> {
    let said = media.media_type.fill(interpolation);
    let name = media.name.fill(interpolation);
    let source = interpolation.text(&media.source);
    let is_later = |text| interpolation.waits(text);
    if is_later(&media.source) || media.media_type.as_ref().is_some_and(is_later) {
        let (media_type, name, content) = (said?, name?, FileContent::Url(source?));
        return Ok(ContentPart::File(Attachment {
            kind,
            media_type,
            name,
            content,
        }));
    }
    let (said, name, source) = (said?, name?, source?);
    if let (Some(written), Some(said)) = (&media.media_type, &said)
        && !media_type::is_one(said)
    {
        let help = Some("a media type looks like `image/png`".to_owned());
        return Err(interpolation.report(
            Code::BadValue,
            written.span,
            format!("`{said}` is not a valid media type"),
            help,
        ));
    }
    if kind != MediaKind::Image && !files.target_has(Capability::FilesBesideImages) {
        let agent = files.target.map_or("the target", TargetConfig::describe);
        let message = format!("{agent} takes no files but images");
        return Err(interpolation.report(Code::Contradiction, media.source.span, message, None));
    }
    let found = AttachmentSource::of(&source, files.context, files.folder);
    if let Ok(AttachmentSource::Url(url)) = &found {
        add_written_secrets(&source, url, "attachment", interpolation);
    }
    let attached = found.and_then(|source| attach(kind, said, source, files));
    match attached {
        Ok(attached) => Ok(ContentPart::File(Attachment { name, ..attached })),
        Err(problem) => {
            let problem = interpolation.at(problem, media.source.span);
            interpolation.add(problem);
            Err(NotReady::Invalid)
        }
    }
}

fn attach(
    kind: MediaKind,
    said: Option<String>,
    source: AttachmentSource,
    files: AttachmentFiles<'_>,
) -> Result<Attachment, Diagnostic> {
    let (media_type, content) = match source {
        AttachmentSource::File(path) => {
            let media_type =
                said.map_or_else(|| guessed(&path, kind, files).map(str::to_owned), Ok)?;
            (Some(media_type), files.content(&path)?)
        }
        AttachmentSource::Data(own, content) => {
            let Some(media_type) = said.or(own) else {
                return Err(problem(
                    Code::MissingKey,
                    "the `data:` URL does not say its media type",
                    "begin it like `data:image/png;base64,`, or give the `media_type`",
                ));
            };
            (Some(media_type), content)
        }
        AttachmentSource::Url(url) => {
            let ending = Path::new(url.path())
                .extension()
                .and_then(|ending| ending.to_str());
            let guess = || media_type::of_ending(ending?, kind).map(str::to_owned);
            let media_type = match files.target {
                Some(target) if !target.capabilities().has(Capability::UntypedUrls) => {
                    Some(said.or_else(guess).ok_or_else(|| {
                        let message = format!(
                            "a file that is sent to {} needs a media type, and this URL has none",
                            target.describe()
                        );
                        problem(Code::MissingKey, message, "give the `media_type`")
                    })?)
                }
                _ => said,
            };
            (media_type, FileContent::Url(url.into()))
        }
    };
    Ok(Attachment {
        kind,
        media_type,
        name: None,
        content,
    })
}

/// The media type that the name of a local file says.
fn guessed(
    path: &Path,
    kind: MediaKind,
    files: AttachmentFiles<'_>,
) -> Result<&'static str, Diagnostic> {
    let name = display_name(files.context, path);
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    let Some(media_type) = media_type::of_ending(ending, kind) else {
        let message = format!("the file extension of `{name}` has no known media type");
        return Err(problem(
            Code::MissingKey,
            message,
            "give the `media_type`, such as `image/png`",
        ));
    };
    if media_type::is_of_kind(media_type, kind) {
        return Ok(media_type);
    }
    let message = format!(
        "`{name}` looks like `{media_type}`, but `type` is `{}`",
        kind.as_str()
    );
    Err(problem(
        Code::Contradiction,
        message,
        "write the `type` that it is, or give its `media_type` if the name is wrong",
    ))
}

impl AttachmentFiles<'_> {
    /// Whether the target has `capability`, as far as it is known.
    pub(super) fn target_has(self, capability: Capability) -> bool {
        self.target
            .is_none_or(|target| target.capabilities().has(capability))
    }

    /// The content of a local file that is sent.
    fn content(self, path: &Path) -> Result<FileContent, Diagnostic> {
        let name = display_name(self.context, path);
        let unreadable = |reason: &str| {
            let help = if path.to_string_lossy().contains('%') {
                "a path is used as written, `%20` too; it is relative to the directory of the test file"
            } else {
                "paths are relative to the directory of the test file"
            };
            problem(
                Code::Unreadable,
                format!("`{name}` cannot be read: {reason}"),
                help,
            )
        };
        let too_large = || {
            let message = format!("`{name}` is larger than {}", size_in_words(MAX_BYTES));
            problem(
                Code::LimitExceeded,
                message,
                "use a smaller file, or give the agent its `https://` URL",
            )
        };
        // Looked at before it is opened: opening a pipe waits for a writer.
        let disk = &self.context.files;
        let size = match disk
            .look(path)
            .map_err(|error| unreadable(reason(&error)))?
        {
            PathKind::File(size) => size,
            PathKind::Directory => return Err(unreadable("it is a directory")),
            PathKind::Other => return Err(unreadable("it is not a file")),
        };
        let file = disk
            .open(path)
            .map_err(|error| unreadable(reason(&error)))?;
        if size > MAX_BYTES {
            return Err(too_large());
        }
        if self.access == FileAccess::Check {
            return Ok(FileContent::Data {
                base64: String::new(),
                size,
            });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(reason(&error)))?;
        let size = bytes.len() as u64;
        if size > MAX_BYTES {
            return Err(too_large());
        }
        Ok(FileContent::Data {
            base64: STANDARD.encode(&bytes),
            size,
        })
    }
}

/// The kinds of access to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileAccess {
    /// Whether it is there is checked.
    Check,
    /// It is read.
    Read,
}
