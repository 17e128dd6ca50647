//! The mapping that is proposed for responses that were seen: their text, calls and results, and the end of a stream.
//!
//! **Invariant:** a live key reads something that was seen, or finds a key that was there; everything else is a comment.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::super::event::ResponseEvent;
use super::super::mapping::{
    CallMapping, CompiledPick, ResponseMapping, ResultMapping, TextMapping,
};
use super::super::modes::{CallMode, StreamForm, TextMode};
use super::super::path::EventPath;
use super::super::step_condition::is_given;
use super::commented_keys::CommentedKeys;
use super::response_survey::{CallHit, ResponseSurvey, TEXTS, TextHit};
use super::seen_response::SeenResponse;

/// Keys that often have other things than the answer.
const WEAK_TEXTS: [&str; 4] = ["message", "result", "data", "chunk"];

/// The most groups of texts that are compared with each other.
const MOST_GROUPS: usize = 100;

/// The mapping of a response, as paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ProposedResponse {
    form: StreamForm,
    text: String,
    mode: Option<TextMode>,
    calls: Option<ProposedCalls>,
    results: Option<ProposedCalls>,
    error: Option<String>,
    done: Option<String>,
    /// The condition of an event that may report an error, if events have kinds: `[?type=error]`.
    error_guess: String,
}

/// Where calls or results are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ProposedCalls {
    at: String,
    name: Option<String>,
    id: Option<String>,
    index: Option<String>,
    args: Option<String>,
    result: Option<String>,
    error: Option<String>,
    is_delta: bool,
}

/// Texts at one path.
struct TextGroup<'s> {
    path: &'s str,
    key: &'s str,
    /// The number of texts that are not empty.
    hits: usize,
    joined: String,
    texts: Vec<&'s str>,
    events: BTreeSet<usize>,
}

impl ProposedResponse {
    /// The mapping for the responses of one conversation.
    ///
    /// # Errors
    /// The reason why nothing in them can be read as text.
    pub(super) fn of(responses: &[SeenResponse]) -> Result<Self, String> {
        let mut form = StreamForm::Auto;
        let mut events = Vec::new();
        let mut ends = Vec::new();
        for response in responses {
            let (own, read) = response.events()?;
            form = own;
            events.extend(read);
            ends.push(events.len());
        }
        if form == StreamForm::Text {
            return Ok(Self {
                form,
                text: "$".to_owned(),
                ..Self::default()
            });
        }
        // What the user said may come back in the response, and is no text of the agent.
        let inputs: Vec<&str> = responses.iter().map(|it| it.input.as_str()).collect();
        let events: Vec<&ResponseEvent> = events.iter().collect();
        let survey = ResponseSurvey::of(&events, form, &inputs);
        let groups = text_groups(&survey.texts);
        let Some(text) = best_text(&groups, form) else {
            return Err("nothing in the response can be read as the text of the agent".to_owned());
        };
        let calls = best_calls(&survey.calls, form);
        let results = match &calls {
            Some(calls) if calls.result.is_none() => results_of(calls, &survey.calls),
            _ => None,
        };
        // A kind with text or a call may come again, so that it does not end the stream.
        let mut taken: BTreeSet<&str> = BTreeSet::new();
        for event in &text.events {
            taken.insert(&survey.kinds[*event]);
        }
        for hit in &survey.calls {
            taken.insert(&survey.kinds[hit.event]);
        }
        Ok(Self {
            form,
            text: text.path.to_owned(),
            mode: text_mode(text, &groups, form),
            error: error_path(&events),
            done: last_kind(&survey.kinds, &ends, &taken),
            // The codes of the one protocol with such lines.
            error_guess: if form == StreamForm::Prefixed {
                "[?@event=3]".to_owned()
            } else {
                error_guess(&survey.kinds)
            },
            calls,
            results,
        })
    }

    /// The same without calls, which the reader did not accept.
    pub(super) fn without_calls(mut self) -> Self {
        self.calls = None;
        self.results = None;
        self
    }

    /// The same without the end of a stream.
    pub(super) fn without_end(mut self) -> Self {
        self.done = None;
        self
    }

    /// Whether it has paths to calls.
    pub(super) fn has_calls(&self) -> bool {
        self.calls.is_some()
    }

    /// The mapping, as the reader of responses takes it; `None` if a path is none.
    pub(super) fn mapping(&self) -> Option<ResponseMapping> {
        let calls = match &self.calls {
            Some(calls) => Some(CallMapping {
                at: pick(&calls.at)?,
                name: pick(calls.name.as_deref().unwrap_or("name"))?,
                id: optional(calls.id.as_ref()),
                index: optional(calls.index.as_ref()),
                args: optional(calls.args.as_ref()),
                result: optional(calls.result.as_ref()),
                error: optional(calls.error.as_ref()),
                mode: if calls.is_delta {
                    CallMode::Delta
                } else {
                    CallMode::Whole
                },
            }),
            None => None,
        };
        let results = match &self.results {
            Some(results) => Some(ResultMapping {
                at: pick(&results.at)?,
                id: optional(results.id.as_ref()),
                name: optional(results.name.as_ref()),
                result: optional(results.result.as_ref()),
                error: optional(results.error.as_ref()),
            }),
            None => None,
        };
        Some(ResponseMapping {
            form: self.form,
            text: TextMapping {
                pick: pick(&self.text)?,
                mode: self.mode,
                is_optional: false,
            },
            calls,
            results,
            error: optional(self.error.as_ref()),
            done: optional(self.done.as_ref()),
            interrupts: None,
            usage: None,
            reasoning: None,
            state: None,
            is_strict: false,
        })
    }

    /// Writes the keys of `response` with comments.
    pub(super) fn write(&self, keys: &mut CommentedKeys) {
        // JSON is found by its first bytes, and a stream is named, because a response that is cut then is an error.
        let stream = match self.form {
            StreamForm::Auto | StreamForm::Json => None,
            StreamForm::Sse => Some("sse"),
            StreamForm::Ndjson => Some("ndjson"),
            StreamForm::Text => Some("text"),
            StreamForm::Prefixed => Some("prefixed"),
        };
        if let Some(stream) = stream {
            keys.add("stream", json!(stream));
        }
        keys.comment("Guess: the text of the agent.");
        let text = match self.mode {
            None => json!(self.text),
            Some(mode) => json!({ "path": self.text, "mode": mode_word(mode) }),
        };
        keys.add("text", text);
        if self.form == StreamForm::Text {
            return keys.comment("Plain text shows no calls and no errors.");
        }
        if let Some(calls) = &self.calls {
            keys.comment("Guess: the calls of tools.");
            keys.add("calls", calls.keys());
        } else {
            keys.comment("No call was seen. If the response shows calls, correct this and make it a key; rules about tools need it.");
            let at = self.call_guess();
            keys.comment(&format!(
                "calls: {{ at: {at}, name: name, args: args, result: result }}"
            ));
        }
        if let Some(results) = &self.results {
            keys.comment("Guess: the results of the calls.");
            keys.add("results", results.keys());
        }
        if let Some(error) = &self.error {
            keys.comment("Guess: the error of a turn that fails.");
            keys.add("error", json!(error));
        } else {
            keys.comment(
                "No error was seen. If a failed turn has status 200, say where its error is.",
            );
            keys.comment(&format!("error: {}", self.error_words()));
        }
        if let Some(done) = &self.done {
            keys.comment(
                "Guess: the event that ends the stream; without it, the response was cut.",
            );
            keys.add("done", json!(done));
        }
    }

    /// The likely path to calls, if none was seen.
    fn call_guess(&self) -> String {
        match self.error_guess.strip_suffix("error]") {
            _ if self.form == StreamForm::Prefixed => "\"[?@event=9]\"".to_owned(),
            Some(condition) => format!("\"{condition}tool_call]\""),
            None => "\"tool_calls[*]\"".to_owned(),
        }
    }

    fn error_words(&self) -> String {
        match self.error_guess.as_str() {
            "" => "error".to_owned(),
            whole if self.form == StreamForm::Prefixed => format!("\"{whole}\""),
            event => format!("\"{event}.message\""),
        }
    }
}

impl ProposedCalls {
    /// Adds the keys of an item.
    fn add(&mut self, hit: &CallHit) {
        set_once(&mut self.name, key_of(hit.name.as_ref()));
        set_once(&mut self.id, key_of(hit.id.as_ref()));
        set_once(&mut self.args, key_of(hit.args.as_ref()));
        set_once(&mut self.index, hit.index.as_deref());
        set_once(&mut self.error, hit.failure.as_deref());
        // An item without a name is a piece of the arguments of the one before it.
        self.is_delta |= hit.name.is_none() && hit.index.is_some();
        if let Some((key, value)) = &hit.result
            && !value.is_null()
        {
            self.result = Some(key.clone());
        }
    }

    /// The value of `calls` or `results`.
    fn keys(&self) -> Value {
        let mut keys = Map::new();
        for (key, path) in [
            ("at", Some(&self.at)),
            ("id", self.id.as_ref()),
            ("index", self.index.as_ref()),
            ("name", self.name.as_ref()),
            ("args", self.args.as_ref()),
            ("result", self.result.as_ref()),
            ("error", self.error.as_ref()),
        ] {
            if let Some(path) = path {
                keys.insert(key.to_owned(), json!(path));
            }
        }
        if self.is_delta {
            keys.insert("mode".to_owned(), json!("delta"));
        }
        Value::Object(keys)
    }
}

fn pick(path: &str) -> Option<CompiledPick> {
    Some(CompiledPick {
        paths: vec![EventPath::parse(path).ok()?],
        pattern: None,
    })
}

fn optional(path: Option<&String>) -> Option<CompiledPick> {
    pick(path?)
}

fn mode_word(mode: TextMode) -> &'static str {
    match mode {
        TextMode::Whole => "whole",
        TextMode::Delta => "delta",
        TextMode::Cumulative => "cumulative",
    }
}

/// The texts by their paths, in the order of the response.
fn text_groups(hits: &[TextHit]) -> Vec<TextGroup<'_>> {
    let mut groups: Vec<TextGroup<'_>> = Vec::new();
    for hit in hits {
        let known = groups.iter().position(|group| group.path == hit.path);
        let position = match known {
            Some(position) => position,
            None if groups.len() >= MOST_GROUPS => continue,
            None => {
                groups.push(TextGroup {
                    path: &hit.path,
                    key: &hit.key,
                    hits: 0,
                    joined: String::new(),
                    texts: Vec::new(),
                    events: BTreeSet::new(),
                });
                groups.len() - 1
            }
        };
        // Empty texts are kept apart from the count, since many streams begin with one.
        let group = &mut groups[position];
        group.hits += usize::from(!hit.text.is_empty());
        group.joined.push_str(&hit.text);
        group.texts.push(&hit.text);
        group.events.insert(hit.event);
    }
    groups.retain(|group| !group.joined.trim().is_empty());
    groups
}

/// The texts that are most likely those of the agent. The same text often comes twice, as pieces and as a whole: the one that the
/// others are parts of is the answer, and in a stream its pieces are taken.
fn best_text<'g, 's>(groups: &'g [TextGroup<'s>], form: StreamForm) -> Option<&'g TextGroup<'s>> {
    let is_document = form == StreamForm::Json;
    groups.iter().max_by_key(|group| {
        let mut repeated = 0;
        for other in groups {
            let is_part = other.path != group.path && group.joined.contains(&other.joined);
            repeated += usize::from(is_part);
        }
        let pieces = if is_document { 0 } else { group.hits };
        let is_strong = group.key.is_empty() || !WEAK_TEXTS.contains(&group.key);
        let rank = TEXTS.split(' ').position(|key| key == group.key);
        let is_plain_list = group.path.contains("[*]");
        (
            repeated,
            if repeated > 0 { pieces } else { 0 },
            is_strong,
            pieces,
            !is_plain_list,
            is_document && !group.path.contains('['),
            Reverse(rank.unwrap_or_default()),
            Reverse(group.path.len()),
        )
    })
}

/// The mode of the text; `None` if it is the default of the form.
fn text_mode(text: &TextGroup<'_>, groups: &[TextGroup<'_>], form: StreamForm) -> Option<TextMode> {
    if form == StreamForm::Json || text.hits < 2 {
        return None;
    }
    // Each event of such a stream begins with the text of the one before it, so that joining them would repeat it.
    let grows = text
        .texts
        .windows(2)
        .all(|pair| !pair[0].is_empty() && pair[1].starts_with(pair[0]));
    if grows && text.events.len() > 1 {
        return Some(TextMode::Cumulative);
    }
    // A text that other texts are the pieces of is a whole message.
    let is_whole = groups
        .iter()
        .any(|other| other.path != text.path && text.texts.contains(&other.joined.as_str()));
    if is_whole {
        Some(TextMode::Whole)
    } else {
        None
    }
}

/// Where the calls are. A call may be there several times: in a stream the first place counts, in a document the shortest path with
/// results.
fn best_calls(hits: &[CallHit], form: StreamForm) -> Option<ProposedCalls> {
    let is_document = form == StreamForm::Json;
    let mut groups: Vec<ProposedCalls> = Vec::new();
    for hit in hits {
        let known = groups.iter().position(|group| group.at == hit.path);
        // A place is one of calls if a call begins there: a result alone, or a piece of arguments, has no name or no arguments.
        let begins_call = hit.name.is_some() && (hit.args.is_some() || hit.result.is_none());
        let position = match known {
            Some(position) => position,
            None if !begins_call => continue,
            None => {
                groups.push(ProposedCalls {
                    at: hit.path.clone(),
                    ..ProposedCalls::default()
                });
                groups.len() - 1
            }
        };
        groups[position].add(hit);
    }
    groups.into_iter().max_by_key(|group| {
        let has_result = is_document && group.result.is_some();
        let first = hits.iter().position(|hit| hit.path == group.at);
        let order = if is_document {
            group.at.len()
        } else {
            first.unwrap_or_default()
        };
        (group.is_delta, has_result, Reverse(order))
    })
}

/// Keeps the key that was found first, because later items may have it under a name that says less.
fn set_once(known: &mut Option<String>, found: Option<&str>) {
    if known.is_none()
        && let Some(found) = found
    {
        *known = Some(found.to_owned());
    }
}

fn key_of<T>(found: Option<&(String, T)>) -> Option<&str> {
    let (key, _) = found?;
    Some(key)
}

/// Where the results of calls are that are not in the items of the calls: the items that have the id of a call, else the name of
/// its tool.
fn results_of(calls: &ProposedCalls, hits: &[CallHit]) -> Option<ProposedCalls> {
    let mut ids = BTreeSet::new();
    let mut names = BTreeSet::new();
    for hit in hits {
        if hit.path != calls.at {
            continue;
        }
        if let Some((_, id)) = &hit.id {
            ids.insert(id.as_str());
        }
        if let Some((_, name)) = &hit.name {
            names.insert(name.as_str());
        }
    }
    for hit in hits {
        let Some((result, value)) = &hit.result else {
            continue;
        };
        if hit.path == calls.at || value.is_null() {
            continue;
        }
        let mut results = ProposedCalls {
            at: hit.path.clone(),
            result: Some(result.clone()),
            error: hit.failure.clone(),
            ..ProposedCalls::default()
        };
        if let Some((key, id)) = &hit.id
            && ids.contains(id.as_str())
        {
            results.id = Some(key.clone());
            return Some(results);
        }
        // Without ids, the name of the tool says which call a result is for.
        if let Some((key, name)) = &hit.name
            && ids.is_empty()
            && names.contains(name.as_str())
        {
            results.name = Some(key.clone());
            return Some(results);
        }
    }
    None
}

/// The path to the error of a failed turn, if the responses have a key for it.
fn error_path(events: &[&ResponseEvent]) -> Option<String> {
    let mut path = None;
    for event in events {
        let value = &event.value;
        if value.get("error").is_some() {
            return Some("error".to_owned());
        }
        // Details of an answer that has text are no error, so that only an empty key counts.
        let has_empty_detail = matches!(value.get("detail"), Some(detail) if !is_given(detail));
        if has_empty_detail {
            path = Some("detail".to_owned());
        } else if value.get("errors").is_some() {
            path = Some("errors[0].message".to_owned());
        }
    }
    path
}

/// The condition on the kind of an event that reports an error, written as those of the other events are.
fn error_guess(kinds: &[String]) -> String {
    for kind in kinds {
        if let Some((key, _)) = kind.split_once('=') {
            return format!("{key}=error]");
        }
    }
    String::new()
}

/// The kind of the event that comes last in each response, and only there.
fn last_kind(kinds: &[String], ends: &[usize], taken: &BTreeSet<&str>) -> Option<String> {
    let last = &kinds[ends.first()?.checked_sub(1)?];
    let mut count = 0;
    for kind in kinds {
        count += usize::from(kind == last);
    }
    // Each response must end with it, otherwise the second one would be taken for a response that was cut.
    let is_last = ends.iter().all(|end| kinds[end - 1] == *last);
    if last.contains('=') && count == ends.len() && is_last && !taken.contains(last.as_str()) {
        Some(last.clone())
    } else {
        None
    }
}
