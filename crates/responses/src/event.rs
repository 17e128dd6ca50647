//! One event of a response, as servers write it: every key may be missing, null, or of another form.

use serde_json::Value;

use ananke_base::source::received_json::{Halves, Oddities, SentText, read_event};

pub(super) struct ApiEvent {
    value: Value,
    pub(super) oddities: Oddities,
    /// A key that is duplicated with another value.
    pub(super) duplicate_key: Option<String>,
}

/// The meaning of an event, by its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ApiEventKind {
    /// The response begins, or goes on.
    Begins,
    /// An item begins.
    ItemAdded,
    /// An item is complete.
    ItemDone,
    /// Text of a message.
    Text(Extent),
    Reasoning(Extent),
    /// JSON of the arguments of a call.
    Arguments(Extent),
    /// Plain text of the input of a call.
    Input(Extent),
    /// A part of a message begins, or is complete.
    Part(Extent),
    /// The response is over.
    Ends,
    Error,
    /// Progress, which no rule is about.
    Progress,
    /// An event of another type.
    Unknown,
}

/// The extent of a text in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Piece,
    Whole,
}

/// Events that only say how far a call of the server is, or repeat what its item has.
const PROGRESS: [&str; 12] = [
    "response.web_search_call.",
    "response.file_search_call.",
    "response.code_interpreter_call.",
    "response.image_generation_call.",
    "response.mcp_call.",
    "response.mcp_list_tools.",
    "response.compaction.",
    "response.audio.",
    "response.output_text.annotation.",
    "response.reasoning_summary_part.",
    "response.shell_call_command.",
    "response.shell_call_output_content.",
];

impl ApiEvent {
    /// # Errors
    /// The reason that the data is not an event; the text follows `event 3 `.
    pub(super) fn parse(data: &str) -> Result<Self, String> {
        match read_event(data) {
            Ok((value @ Value::Object(_), mut oddities)) => Ok(Self {
                value,
                duplicate_key: oddities.duplicate_key.take(),
                oddities,
            }),
            Ok(_) => Err("is not a JSON object".to_owned()),
            Err(error) => Err(format!("is not JSON: {error}")),
        }
    }

    /// The event as JSON.
    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// The type; empty if there is none.
    pub(super) fn type_name(&self) -> &str {
        self.value["type"].as_str().unwrap_or_default()
    }

    /// The meaning of the event. The key `type` decides: the name before the data may be missing or wrong.
    pub(super) fn kind(&self) -> ApiEventKind {
        let name = self.type_name();
        match name {
            "response.created" | "response.queued" | "response.in_progress" => ApiEventKind::Begins,
            "response.output_item.added" => ApiEventKind::ItemAdded,
            "response.output_item.done" => ApiEventKind::ItemDone,
            "response.content_part.added" => ApiEventKind::Part(Extent::Piece),
            "response.content_part.done" => ApiEventKind::Part(Extent::Whole),
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled" => ApiEventKind::Ends,
            "error" => ApiEventKind::Error,
            "keepalive" => ApiEventKind::Progress,
            // Gateways send an error without a type.
            "" if !self.value["error"].is_null() => ApiEventKind::Error,
            _ => kind_of_piece(name),
        }
    }

    /// The item of the event, or the response, or a part.
    pub(super) fn object(&self, key: &str) -> Option<&Value> {
        self.value.get(key).filter(|value| value.is_object())
    }

    pub(super) fn item_id(&self) -> Option<&str> {
        text_of(&self.value, "item_id")
    }

    /// The number under a key: the place of an item in the output, or of a part in its item.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        self.value.get(key)?.as_u64()
    }

    pub(super) fn text(&self, key: &str) -> Option<SentText<'_>> {
        let text = self.value.get(key)?.as_str()?;
        Some(SentText::new(text, self.halves()))
    }

    /// The form in which texts have halves of surrogate pairs, which servers cut apart.
    pub(super) fn halves(&self) -> Halves {
        self.oddities.halves()
    }
}

/// The meaning of an event with a text, by the name that it has before `.delta` or `.done`.
fn kind_of_piece(name: &str) -> ApiEventKind {
    // Every text has events of both ends, because clients may show it piece by piece.
    let (of, extent) = match name.rsplit_once('.') {
        Some((of, "delta")) => (of, Extent::Piece),
        Some((of, "done")) => (of, Extent::Whole),
        _ => ("", Extent::Whole),
    };
    match of {
        "response.output_text" | "response.refusal" => return ApiEventKind::Text(extent),
        "response.reasoning_text"
        | "response.reasoning_summary_text"
        | "response.reasoning_summary"
        | "response.reasoning" => return ApiEventKind::Reasoning(extent),
        "response.function_call_arguments" | "response.mcp_call_arguments" => {
            return ApiEventKind::Arguments(extent);
        }
        "response.custom_tool_call_input" | "response.code_interpreter_call_code" => {
            return ApiEventKind::Input(extent);
        }
        _ => {}
    }
    if PROGRESS.iter().any(|prefix| name.starts_with(prefix)) {
        return ApiEventKind::Progress;
    }
    ApiEventKind::Unknown
}

/// The text under a key, if it is not empty.
pub(super) fn text_of<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}
