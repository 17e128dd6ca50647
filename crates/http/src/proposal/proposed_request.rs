//! The request that is proposed: what is sent to find out, and the keys of the target that send it again.
//!
//! **Invariant:** secret values are never in it: variables of the environment replace them, as in files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Map, Value, json};
use url::Url;

use super::super::event::ResponseEvent;
use super::commented_keys::CommentedKeys;
use super::field_use::{is_secret, is_session_id};
use ananke_agents::NamedSecret;
use ananke_agents::http::{
    HttpOptions, HttpRequest, Method, RequestProgress, headers_with_defaults, shown,
};
use ananke_base::text::{escape, truncate};
use ananke_model::variables::{as_text, literal};

/// What is said if nothing says what to say.
pub(super) const GREETING: &str = "Hello";

/// The most characters of a request that are shown before it is sent.
const SHOWN: usize = 400;

/// The longest name of an id of a conversation.
const LONGEST_ID_NAME: usize = 40;

/// The deepest level at which an id of a conversation is looked for.
const ID_DEPTH: usize = 3;

/// A request with variables in it.
#[derive(Clone, Debug)]
pub(super) struct ProposedRequest {
    pub(super) url: Url,
    pub(super) method: Method,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) query: Vec<(String, String)>,
    pub(super) content: ProposedContent,
    /// What the user says in the first turn.
    pub(super) greeting: String,
    /// The reasons for what is in the body, as comments before it.
    pub(super) notes: Vec<String>,
    /// The fields that the API is known to take; `None` if nothing says that.
    pub(super) fields: Option<Vec<String>>,
    pub(super) secrets: Vec<NamedSecret>,
    /// The values of responses that later requests send: name and path.
    pub(super) captures: Vec<(String, String)>,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProposedContent {
    None,
    Json(Value),
    Text(String),
    Form(Vec<(String, String)>),
}

/// The values of variables when a request is sent.
pub(super) type SentVariables = BTreeMap<String, Value>;

impl ProposedRequest {
    /// A POST of this body. The parameters of the URL, and the user and the password in it, have places of their own, since they may
    /// be secret.
    pub(super) fn post(url: &Url, content: ProposedContent) -> Self {
        let mut address = url.clone();
        address.set_query(None);
        address.set_fragment(None);
        // These fail only for URLs without a host.
        let _of_http = address.set_username("");
        let _of_http = address.set_password(None);
        let mut request = Self {
            url: address,
            method: Method::Post,
            headers: Vec::new(),
            query: Vec::new(),
            content,
            greeting: GREETING.to_owned(),
            notes: Vec::new(),
            fields: None,
            secrets: Vec::new(),
            captures: Vec::new(),
        };
        for (name, value) in url.query_pairs() {
            let value = request.written(&name, &value);
            request.query.push((name.into_owned(), value));
        }
        if !url.username().is_empty() || url.password().is_some() {
            let user = format!("{}:{}", url.username(), url.password().unwrap_or_default());
            request.add_header("authorization", &basic(&user));
        }
        request
    }

    /// Adds a header, which replaces one of the same name. A secret is a variable in it.
    pub(super) fn add_header(&mut self, name: &str, value: &str) {
        // The variable of a header that is not sent is dropped, otherwise the user would have to set it.
        if let Some(at) = self.headers.iter().position(|(known, _)| known == name) {
            let (_, replaced) = self.headers.remove(at);
            self.secrets
                .retain(|secret| !replaced.contains(&secret.variable));
        }
        let value = self.written(name, value);
        self.headers.push((name.to_owned(), value));
    }

    /// A text for a file: itself, or the variable that has it if it is secret.
    pub(super) fn written(&mut self, name: &str, value: &str) -> String {
        if !is_secret(name, value) {
            return literal(value);
        }
        // A secret that is sent twice has one variable, so that the user sets it once.
        for secret in &self.secrets {
            if secret.value == value {
                return format!("${{ENV.{}}}", secret.variable);
            }
        }
        let variable = self.add_secret(name, value);
        format!("${{ENV.{variable}}}")
    }

    fn add_secret(&mut self, name: &str, value: &str) -> String {
        // A variable of the environment has letters, digits and `_` alone, because shells read no others.
        let mut base = "AGENT_".to_owned();
        for letter in name.chars() {
            base.push(match letter {
                'a'..='z' | 'A'..='Z' | '0'..='9' => letter.to_ascii_uppercase(),
                _ => '_',
            });
        }
        let mut variable = base.clone();
        let mut number = 2;
        while self
            .secrets
            .iter()
            .any(|secret| secret.variable == variable)
        {
            variable = format!("{base}_{number}");
            number += 1;
        }
        self.secrets.push(NamedSecret {
            name: name.to_owned(),
            variable: variable.clone(),
            value: value.to_owned(),
        });
        variable
    }

    /// A value for a file: texts under secret names are variables.
    pub(super) fn written_value(&mut self, name: &str, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.written(name, &text)),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.written_value(name, item))
                .collect(),
            Value::Object(keys) => {
                let mut written = Map::new();
                for (key, value) in keys {
                    let value = self.written_value(&key, value);
                    written.insert(key, value);
                }
                Value::Object(written)
            }
            other => other,
        }
    }

    /// Whether something of it is what the user says.
    pub(super) fn has_input(&self) -> bool {
        self.names_one_of(&["${INPUT}", "${MESSAGES}"])
    }

    /// Whether its query or its content has one of these variables.
    fn names_one_of(&self, variables: &[&str]) -> bool {
        let content = match &self.content {
            ProposedContent::None => String::new(),
            ProposedContent::Json(body) => body.to_string(),
            ProposedContent::Text(text) => text.clone(),
            ProposedContent::Form(fields) => pairs_value(fields).to_string(),
        };
        let query = pairs_value(&self.query).to_string();
        variables
            .iter()
            .any(|variable| content.contains(variable) || query.contains(variable))
    }

    /// The variables of secrets that are in no header, which nothing else would mask.
    pub(super) fn redacted(&self) -> Vec<String> {
        let mut redacted = Vec::new();
        for secret in &self.secrets {
            let written = format!("${{ENV.{}}}", secret.variable);
            if !self.headers.iter().any(|(_, value)| *value == written) {
                redacted.push(format!("ENV.{}", secret.variable));
            }
        }
        redacted
    }

    /// The request in words: everything but what the user says has the names of its variables.
    pub(super) fn words(&self, input: &str) -> String {
        let names = FilledWith::Names { input };
        let mut words = format!("{} {}", self.method.as_str(), shown(&self.url));
        for (index, (name, value)) in self.query.iter().enumerate() {
            let mark = if index == 0 { '?' } else { '&' };
            let value = filled_text(value, names);
            let _infallible = write!(words, "{mark}{name}={value}");
        }
        let body = match &self.content {
            ProposedContent::None => String::new(),
            ProposedContent::Json(body) => filled(body, names).unwrap_or_default().to_string(),
            ProposedContent::Text(text) => filled_text(text, names),
            ProposedContent::Form(fields) => {
                let mut pairs = Vec::new();
                for (name, value) in filled_pairs(fields, names) {
                    pairs.push(format!("{name}={value}"));
                }
                pairs.join("&")
            }
        };
        if !body.is_empty() {
            let _infallible = write!(words, " with {body}");
        }
        for (name, value) in &self.headers {
            let _infallible = write!(words, ", {name}: {value}");
        }
        // A request of curl may be long, and what is in it may be anything.
        escape::line(&truncate::chars(&words, SHOWN)).into_owned()
    }

    /// The request with the values of all its variables.
    pub(super) fn filled(&self, variables: &SentVariables) -> HttpRequest {
        let values = FilledWith::Values {
            variables,
            secrets: &self.secrets,
        };
        let mut url = self.url.clone();
        let query = filled_pairs(&self.query, values);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let (kind, body) = match &self.content {
            ProposedContent::None => ("", Bytes::new()),
            ProposedContent::Json(body) => {
                let body = filled(body, values).unwrap_or(Value::Null);
                ("application/json", Bytes::from(body.to_string()))
            }
            ProposedContent::Text(text) => (
                "text/plain; charset=utf-8",
                Bytes::from(filled_text(text, values)),
            ),
            ProposedContent::Form(fields) => {
                let mut form = url::form_urlencoded::Serializer::new(String::new());
                form.extend_pairs(filled_pairs(fields, values));
                (
                    "application/x-www-form-urlencoded",
                    Bytes::from(form.finish()),
                )
            }
        };
        let own = filled_pairs(&self.headers, values);
        let mut defaults = vec![("accept", "application/json, text/event-stream, */*")];
        if !kind.is_empty() {
            defaults.push(("content-type", kind));
        }
        HttpRequest {
            method: self.method,
            url,
            headers: headers_with_defaults(&own, &defaults),
            body,
            response_headers: Vec::new(),
            options: Arc::new(HttpOptions::default()),
            progress: RequestProgress::default(),
        }
    }

    /// Takes the id of the conversation that the server chose: later requests send it under the same name.
    pub(super) fn capture_id(&mut self, events: &[ResponseEvent], variables: &mut SentVariables) {
        let mut found = Vec::new();
        for event in events {
            find_ids(&event.value, "", 0, &mut found);
        }
        // An id that was sent is one that ananke made, so that nothing has to be captured.
        for (name, path, value) in found {
            let is_sent = variables.values().any(|sent| *sent == value);
            if is_sent || !self.sends_later(&name) {
                continue;
            }
            let variable = capture_variable(&name);
            self.captures.push((variable.clone(), path));
            variables.insert(variable, value);
            return;
        }
    }

    /// Adds a field that is omitted until its value is known. `false` if the API does not take it.
    fn sends_later(&mut self, name: &str) -> bool {
        let is_taken = match &self.fields {
            Some(fields) => fields.iter().any(|field| field == name),
            None => true,
        };
        let value = format!("${{{}}}", capture_variable(name));
        match &mut self.content {
            // A field of this name is replaced, since the server did not keep to the id that was in it.
            ProposedContent::Json(Value::Object(keys)) if is_taken => {
                keys.insert(name.to_owned(), json!(value));
            }
            ProposedContent::Form(fields) if is_taken => {
                fields.retain(|(field, _)| field != name);
                fields.push((name.to_owned(), value));
            }
            _ => return false,
        }
        self.notes.push(format!(
            "Guess: the agent gives `{name}` in its first response, and expects it in the next request."
        ));
        true
    }

    /// Writes what `endpoint` and the keys after it are, each guess with its reason.
    pub(super) fn write(&self, keys: &mut CommentedKeys) {
        keys.add("endpoint", json!(literal(self.url.as_str())));
        if self.method == Method::Get {
            keys.add("method", json!("GET"));
        }
        if !self.headers.is_empty() {
            keys.add("headers", pairs_value(&self.headers));
        }
        for note in &self.notes {
            keys.comment(note);
        }
        if self.captures.is_empty()
            && !self.names_one_of(&["${THREAD_ID}", "${MESSAGES}", "${HISTORY}"])
        {
            keys.comment("Each turn is a conversation of its own, unless the request has `${THREAD_ID}`, `${MESSAGES}` or a capture.");
        }
        if !self.query.is_empty() {
            keys.add("query", pairs_value(&self.query));
        }
        match &self.content {
            ProposedContent::None => {}
            ProposedContent::Json(body) => keys.add("body", body.clone()),
            ProposedContent::Text(text) => keys.add("body", json!(text)),
            ProposedContent::Form(fields) => keys.add("form", pairs_value(fields)),
        }
        if !self.captures.is_empty() {
            keys.add("capture", pairs_value(&self.captures));
        }
    }
}

fn pairs_value(pairs: &[(String, String)]) -> Value {
    let mut keys = Map::new();
    for (name, value) in pairs {
        keys.insert(name.clone(), json!(value));
    }
    Value::Object(keys)
}

/// The variable that has a captured id.
fn capture_variable(name: &str) -> String {
    match name.to_ascii_uppercase().as_str() {
        // The variable of this name is the id that ananke makes.
        "THREAD_ID" => "AGENT_THREAD_ID".to_owned(),
        variable => variable.to_owned(),
    }
}

/// The ids of conversations in a value: name, path and value.
fn find_ids(value: &Value, path: &str, depth: usize, found: &mut Vec<(String, String, Value)>) {
    let Value::Object(keys) = value else {
        return;
    };
    for (key, value) in keys {
        let mut letters = key.chars();
        let is_name = key.len() <= LONGEST_ID_NAME
            && key.starts_with(char::is_alphabetic)
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if !is_name {
            continue;
        }
        let dot = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{dot}{key}");
        if is_session_id(key, value) {
            found.push((key.clone(), path, value.clone()));
        } else if depth < ID_DEPTH {
            find_ids(value, &path, depth + 1, found);
        }
    }
}

/// The replacements of variables.
#[derive(Clone, Copy)]
enum FilledWith<'a> {
    /// The values that are sent.
    Values {
        variables: &'a SentVariables,
        secrets: &'a [NamedSecret],
    },
    /// The names of the variables, and what the user says.
    Names { input: &'a str },
}

impl FilledWith<'_> {
    /// The value of a variable, if it has one.
    fn value(self, name: &str) -> Option<Value> {
        match self {
            Self::Names { input } if name == "INPUT" => Some(json!(input)),
            Self::Names { .. } => Some(json!(format!("${{{name}}}"))),
            Self::Values { variables, secrets } => match name.strip_prefix("ENV.") {
                Some(variable) => {
                    let secret = secrets.iter().find(|secret| secret.variable == variable)?;
                    Some(json!(secret.value))
                }
                None => variables.get(name).cloned(),
            },
        }
    }
}

/// The credentials of a user and a password as a header has them.
pub(super) fn basic(user: &str) -> String {
    format!("Basic {}", STANDARD.encode(user))
}

/// A value with its variables filled; `None` if it is one variable without a value.
fn filled(value: &Value, values: FilledWith<'_>) -> Option<Value> {
    match value {
        Value::String(text) => {
            if let Some(rest) = text.strip_prefix("${")
                && let Some(name) = rest.strip_suffix('}')
                && !name.contains('}')
            {
                return values.value(name);
            }
            Some(Value::String(filled_text(text, values)))
        }
        Value::Array(items) => {
            let items = items.iter().filter_map(|item| filled(item, values));
            Some(Value::Array(items.collect()))
        }
        Value::Object(keys) => {
            let mut filled_keys = Map::new();
            for (key, value) in keys {
                if let Some(value) = filled(value, values) {
                    filled_keys.insert(key.clone(), value);
                }
            }
            Some(Value::Object(filled_keys))
        }
        other => Some(other.clone()),
    }
}

/// Pairs with their variables filled, without those that are one variable without a value.
fn filled_pairs(pairs: &[(String, String)], values: FilledWith<'_>) -> Vec<(String, String)> {
    let mut filled_pairs = Vec::new();
    for (name, value) in pairs {
        if let Some(value) = filled(&json!(value), values) {
            filled_pairs.push((name.clone(), as_text(&value)));
        }
    }
    filled_pairs
}

/// A text with its variables filled.
fn filled_text(text: &str, values: FilledWith<'_>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let before = &rest[..at];
        let after = &rest[at + 2..];
        // Two dollars write a brace that begins no variable.
        if let Some(before) = before.strip_suffix('$') {
            filled.push_str(before);
            filled.push_str("${");
            rest = after;
            continue;
        }
        filled.push_str(before);
        let Some(end) = after.find('}') else {
            filled.push_str("${");
            rest = after;
            continue;
        };
        let value = values.value(&after[..end]).unwrap_or_default();
        if !value.is_null() {
            filled.push_str(&as_text(&value));
        }
        rest = &after[end + 1..];
    }
    filled.push_str(rest);
    filled
}
