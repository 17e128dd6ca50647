//! The parts of a message: texts and files in the spellings of several systems in, those of YAML out.

use std::path::Path;

use super::builder::{MapBuilder, list, text, text_at};
use super::lower::Lowering;
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_base::message::{MediaKind, media_type};
use ananke_base::source::Node;
use ananke_model::model::{CasePart, CaseParts, PartAudio, PartFile, PartType, Text, TextOr};

/// The media type of a file of which nothing is known.
const ANY_BYTES: &str = "application/octet-stream";

impl Lowering<'_> {
    /// The content of a message: a text, or a list of parts.
    pub(super) fn content(&mut self, written: &Spanned<CaseParts>) -> Option<Node> {
        match written.value.0.as_slice() {
            [
                Spanned {
                    value: TextOr::Text(only),
                    span,
                },
            ] if *span == written.span => Some(text(only)),
            parts => {
                for part in parts {
                    if matches!(part.value, TextOr::Text(_)) {
                        self.text_in_list(part.span);
                        return None;
                    }
                }
                let parts = self.parts(parts)?;
                Some(list(written.span, parts))
            }
        }
    }

    /// Reports a text where a part is expected.
    fn text_in_list(&mut self, span: Span) {
        let message = "expected a part of a message, found a text in a list";
        let help = "write it as `{\"type\": \"text\", \"text\": …}`";
        self.error(Code::WrongType, span, message, help);
    }

    /// Each of several parts; `None` if one is wrong.
    pub(super) fn parts(&mut self, parts: &[Spanned<TextOr<CasePart>>]) -> Option<Vec<Node>> {
        let parts: Vec<Option<Node>> = parts.iter().map(|part| self.part(part)).collect();
        parts.into_iter().collect()
    }

    fn part(&mut self, written: &Spanned<TextOr<CasePart>>) -> Option<Node> {
        let part = match &written.value {
            TextOr::Text(words) => return Some(text_part(written.span, words)),
            TextOr::Mapping(part) => part,
        };
        let detail = match &part.image_url {
            Some(TextOr::Mapping(image)) => image.detail.as_ref(),
            _ => None,
        };
        if let Some(detail) = part.detail.as_ref().or(detail) {
            self.warn(
                Code::UnknownKey,
                detail.span,
                "`detail` is not sent: the agent decides how it reads an image",
            );
        }
        let kind = match part.kind.value {
            PartType::Text => {
                let Some(words) = &part.text else {
                    self.error(
                        Code::MissingKey,
                        written.span,
                        "the key `text` is missing",
                        "add what is said",
                    );
                    return None;
                };
                return Some(text_part(written.span, words));
            }
            PartType::Image | PartType::ImageUrl => MediaKind::Image,
            PartType::Audio | PartType::InputAudio => MediaKind::Audio,
            PartType::Video => MediaKind::Video,
            PartType::File | PartType::Document => MediaKind::Document,
        };
        let source = self.file_source(part, written.span)?;
        let mut file = MapBuilder::at(written.span);
        file.put("type", text_at(part.kind.span, kind.as_str()));
        match &part.media_type {
            Some(media_type) => file.put("media_type", text(media_type)),
            None if kind == MediaKind::Document && !has_known_type(source.text()) => {
                file.put("media_type", text_at(source.span, ANY_BYTES));
            }
            None => {}
        }
        let of_file = part.file.as_ref().and_then(|file| file.filename.as_ref());
        file.put_text(
            "name",
            part.name.as_ref().or(part.filename.as_ref()).or(of_file),
        );
        file.put("source", source.node);
        Some(file.finish())
    }

    /// The one source of a file.
    fn file_source(&mut self, part: &CasePart, span: Span) -> Option<Source> {
        let image = part.image_url.as_ref().map(|image| match image {
            TextOr::Text(url) => url,
            TextOr::Mapping(image) => &image.url,
        });
        let PartFile { url, file_data, .. } = part.file.clone().unwrap_or(NO_FILE);
        let audio = part
            .input_audio
            .as_ref()
            .map(|PartAudio { data, format }| sound(data, Some(format)));
        let data = part
            .data
            .as_ref()
            .map(|data| sound(data, part.format.as_ref()));
        let texts = [
            part.source.as_ref(),
            part.url.as_ref(),
            image,
            url.as_ref(),
            file_data.as_ref(),
        ];
        let mut sources = texts
            .into_iter()
            .flatten()
            .map(text)
            .chain(audio)
            .chain(data);
        match (sources.next(), sources.next()) {
            (Some(node), None) => Some(Source {
                span: node.span,
                node,
            }),
            (Some(_), Some(second)) => {
                let message = "this part says twice where its file is";
                self.error(
                    Code::Contradiction,
                    second.span,
                    message,
                    "keep one of the two",
                );
                None
            }
            (None, _) => {
                let message = "this part does not say where its file is";
                let help = "add `\"source\": \"file://PATH\"`, relative to the case file, or `\"url\": \"https://…\"`";
                self.error(Code::MissingKey, span, message, help);
                None
            }
        }
    }
}

/// A file that is nowhere.
const NO_FILE: PartFile = PartFile {
    url: None,
    file_data: None,
    filename: None,
};

/// The source of a file.
struct Source {
    node: Node,
    span: Span,
}

impl Source {
    fn text(&self) -> &str {
        self.node.as_str().unwrap_or_default()
    }
}

fn text_part(span: Span, words: &Text) -> Node {
    let mut part = MapBuilder::at(span);
    part.put("type", text_at(span, "text"));
    part.put("text", text(words));
    part.finish()
}

/// Audio that is written as its content.
fn sound(data: &Text, format: Option<&Text>) -> Node {
    let format = format.map_or("wav", |format| format.value.as_str());
    let media_type = media_type::of_ending(format, MediaKind::Audio);
    let media_type = media_type.map_or_else(|| format!("audio/{format}"), str::to_owned);
    text_at(
        data.span,
        &format!("data:{media_type};base64,{}", data.value),
    )
}

/// Whether the source of a file says what it is, or the agent finds it out.
fn has_known_type(source: &str) -> bool {
    if ["data:", "http:", "https:"]
        .iter()
        .any(|scheme| source.starts_with(scheme))
    {
        return true;
    }
    let extension = Path::new(source)
        .extension()
        .and_then(|extension| extension.to_str());
    extension
        .is_some_and(|extension| media_type::of_ending(extension, MediaKind::Document).is_some())
}
