//! Requests of a target, whose variables are filled when they are sent.

use std::cell::Cell;
use std::fmt::Write as _;

use bytes::Bytes;
use serde_json::Value;
use url::Url;

use super::mapping::CompiledPick;
use ananke_agents::TargetError;
use ananke_agents::http::{Method, RETRY_HEADERS, origin};
use ananke_base::message::RequestAdditions;
use ananke_model::variables::{MissingVariable, TextTemplate, ValueTemplate, as_text};

/// The variable for the thread of a conversation.
pub(crate) const THREAD: &str = "THREAD_ID";

/// A request as a config describes it.
#[derive(Clone, Debug)]
pub(crate) struct RequestTemplate {
    pub(crate) endpoint: EndpointTemplate,
    pub(crate) method: Method,
    /// In the order of the file; names in lower case.
    pub(crate) headers: Vec<(String, TextTemplate)>,
    /// The headers of the target, if they are not its own ones. They may be credentials, so that they go to the target's origin
    /// alone, and a response may give the address of another one.
    pub(crate) inherited: Vec<(String, TextTemplate)>,
    pub(crate) query: Vec<(String, TextTemplate)>,
    pub(crate) content: RequestContent,
    pub(crate) captures: Vec<ResponseCapture>,
}

/// Where a request is sent.
#[derive(Clone, Debug)]
pub(crate) struct EndpointTemplate {
    /// What relative addresses are resolved against.
    pub(crate) base: Option<Url>,
    pub(crate) address: TextTemplate,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) enum RequestContent {
    None,
    Json(ValueTemplate),
    Text(TextTemplate),
    Form(Vec<(String, TextTemplate)>),
}

/// A value of a response that later requests send.
#[derive(Clone, Debug)]
pub(crate) struct ResponseCapture {
    pub(crate) name: String,
    pub(crate) source: CapturedFrom,
}

/// The place of a captured value.
#[derive(Clone, Debug)]
pub(crate) enum CapturedFrom {
    Body(CompiledPick),
    Header(String),
    Cookie(String),
}

/// A request that is ready to be sent.
pub(crate) struct FilledRequest {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Bytes,
}

/// The values of variables that are known when a request is sent.
pub(crate) type LookUp<'a> = dyn Fn(&str) -> Option<Value> + 'a;

impl RequestTemplate {
    /// The request with all its variables filled.
    ///
    /// # Errors
    /// If a variable that it needs has no value yet, or its address is no URL.
    pub(crate) fn fill(&self, look_up: &LookUp<'_>) -> Result<FilledRequest, TargetError> {
        let mut url = self.endpoint.fill(look_up)?;
        if !self.query.is_empty() {
            let mut pairs = Vec::new();
            for (name, template) in &self.query {
                if let Some(value) = template.value(look_up).map_err(unknown)? {
                    pairs.push((name, as_text(&value)));
                }
            }
            // Without a parameter the address stays as it is, otherwise it would end with a `?`.
            if !pairs.is_empty() {
                url.query_pairs_mut().extend_pairs(&pairs);
            }
        }
        let mut headers = Vec::new();
        for (name, template) in self.headers_to(&url) {
            if let Some(value) = template.value(look_up).map_err(unknown)? {
                headers.push((name.clone(), as_text(&value)));
            }
        }
        let (kind, body) = self.content.fill(look_up)?;
        for (name, value) in [("content-type", kind), ("accept", ACCEPTED)] {
            if !value.is_empty() && !headers.iter().any(|(own, _)| own == name) {
                headers.push((name.to_owned(), value.to_owned()));
            }
        }
        Ok(FilledRequest {
            method: self.method,
            url,
            headers,
            body,
        })
    }

    /// The headers of a request to `url`. Those of the target may be secret, so that they go to its own origin alone.
    fn headers_to(&self, url: &Url) -> Vec<&(String, TextTemplate)> {
        let mut headers: Vec<_> = self.headers.iter().collect();
        if let Some(base) = &self.endpoint.base
            && origin(base) != origin(url)
        {
            return headers;
        }
        for inherited in &self.inherited {
            if !self.headers.iter().any(|(own, _)| *own == inherited.0) {
                headers.push(inherited);
            }
        }
        headers
    }

    /// Puts what a turn adds over what the target describes.
    ///
    /// # Errors
    /// If a request without a body gets one.
    pub(crate) fn put_over(&mut self, additions: RequestAdditions) -> Result<(), TargetError> {
        let RequestAdditions {
            headers,
            query,
            body,
        } = additions;
        for (name, value) in headers {
            replace(&mut self.headers, name, value);
        }
        for (name, value) in query {
            replace(&mut self.query, name, value);
        }
        if body.is_empty() {
            return Ok(());
        }
        if self.method == Method::Get {
            let message =
                "the turn adds to the body of a request, and the request is a GET, which has none";
            return Err(TargetError::new(message).with_help("add it to the `query`"));
        }
        match &mut self.content {
            RequestContent::Json(template) => template.put_over(Value::Object(body)),
            RequestContent::Form(fields) => {
                for (name, value) in body {
                    replace(fields, name, as_text(&value));
                }
            }
            // A text has no keys to add to.
            RequestContent::Text(_) | RequestContent::None => {
                self.content = RequestContent::Json(ValueTemplate::Known(Value::Object(body)));
            }
        }
        Ok(())
    }

    /// Whether the address, a header, a parameter or the body refers to `name`.
    pub(crate) fn has_variable(&self, name: &str) -> bool {
        // A JSON body has values of any type, so it is searched by itself. Everything else is a text.
        let mut texts = vec![&self.endpoint.address];
        let mut entries = vec![&self.headers, &self.inherited, &self.query];
        match &self.content {
            RequestContent::None => {}
            RequestContent::Json(body) => {
                let mut is_in_body = false;
                body.each_variable(&mut |variable| is_in_body |= variable.name == name);
                if is_in_body {
                    return true;
                }
            }
            RequestContent::Text(text) => texts.push(text),
            RequestContent::Form(fields) => entries.push(fields),
        }
        for (_, text) in entries.into_iter().flatten() {
            texts.push(text);
        }
        texts
            .into_iter()
            .any(|text| text.variables().any(|variable| variable.name == name))
    }

    /// Whether the body is a JSON object with this key.
    pub(crate) fn has_json_key(&self, key: &str) -> bool {
        match &self.content {
            RequestContent::Json(template) => template.has_key(key),
            RequestContent::None | RequestContent::Text(_) | RequestContent::Form(_) => false,
        }
    }

    /// The names of the headers of its response that are read.
    pub(crate) fn read_headers(&self) -> Vec<String> {
        let mut names = RETRY_HEADERS.map(str::to_owned).to_vec();
        for capture in &self.captures {
            match &capture.source {
                CapturedFrom::Body(_) => {}
                CapturedFrom::Header(name) => names.push(name.to_ascii_lowercase()),
                CapturedFrom::Cookie(_) => names.push(SET_COOKIE.to_owned()),
            }
        }
        names
    }
}

/// The header by which a response sets a cookie.
const SET_COOKIE: &str = "set-cookie";

/// Gives a header, parameter or field another value, or adds it.
fn replace(entries: &mut Vec<(String, TextTemplate)>, name: String, value: String) {
    let template = TextTemplate::known(value);
    match entries.iter_mut().find(|(own, _)| *own == name) {
        Some((_, own)) => *own = template,
        None => entries.push((name, template)),
    }
}

/// What every request accepts unless the target has an `accept` of its own, because some servers choose the form of their response
/// by it.
const ACCEPTED: &str = "application/json, text/event-stream, */*";

impl EndpointTemplate {
    /// The address for people: variables that are known later are in it by their names.
    pub(crate) fn for_people(&self, thread: Option<&str>) -> String {
        let named = |name: &str| match thread {
            Some(thread) if name == THREAD => Some(Value::from(thread)),
            _ => Some(Value::from(format!("${{{name}}}"))),
        };
        // Every variable has its name, so that none is missing.
        self.address.text(&named, &|name| name).unwrap_or_default()
    }

    fn fill(&self, look_up: &LookUp<'_>) -> Result<Url, TargetError> {
        // A whole address from a response is one already. A part of one may hold anything, so that its slashes and question marks are
        // encoded.
        let has_dots = Cell::new(false);
        let filled = if self.address.is_one_variable() {
            self.address.text(look_up, &|address| address)
        } else {
            self.address.text(look_up, &|part| {
                has_dots.set(has_dots.get() || matches!(part.as_str(), "." | ".."));
                percent_encoded(&part)
            })
        };
        let text = filled.map_err(unknown)?;
        // Encoded or not, they lead to another directory.
        if has_dots.get() {
            let message = format!(
                "a value in the address `{text}` is `.` or `..`, which is not a part of an address"
            );
            return Err(TargetError::new(message).with_help(
                "see what the responses before it have there, and correct the capture",
            ));
        }
        let url = match &self.base {
            Some(base) => base.join(&text),
            None => Url::parse(&text),
        };
        url.map_err(|error| TargetError::new(format!("`{text}` is not a valid URL: {error}")))
    }
}

impl RequestContent {
    /// The content type and the bytes.
    fn fill(&self, look_up: &LookUp<'_>) -> Result<(&'static str, Bytes), TargetError> {
        Ok(match self {
            Self::None => ("", Bytes::new()),
            Self::Json(template) => {
                let value = template.value(look_up).map_err(unknown)?;
                let value = value.unwrap_or(Value::Null);
                ("application/json", Bytes::from(value.to_string()))
            }
            Self::Text(template) => {
                let text = template.text(look_up, &|text| text).map_err(unknown)?;
                ("text/plain; charset=utf-8", Bytes::from(text))
            }
            Self::Form(fields) => {
                let mut form = url::form_urlencoded::Serializer::new(String::new());
                for (name, template) in fields {
                    if let Some(value) = template.value(look_up).map_err(unknown)? {
                        form.append_pair(name, &as_text(&value));
                    }
                }
                (
                    "application/x-www-form-urlencoded",
                    Bytes::from(form.finish()),
                )
            }
        })
    }
}

impl ResponseCapture {
    /// The value in the headers of a response, if it is there.
    pub(crate) fn in_headers(&self, headers: &[(String, String)]) -> Option<Value> {
        match &self.source {
            CapturedFrom::Body(_) => None,
            CapturedFrom::Header(wanted) => {
                let found = headers
                    .iter()
                    .find(|(name, _)| name.eq_ignore_ascii_case(wanted));
                found.map(|(_, value)| Value::from(value.as_str()))
            }
            CapturedFrom::Cookie(wanted) => {
                for (name, value) in headers {
                    // The attributes of a cookie, such as `Path`, follow its value.
                    let cookie = value.split(';').next().unwrap_or_default();
                    if name.eq_ignore_ascii_case(SET_COOKIE)
                        && let Some((name, value)) = cookie.split_once('=')
                        && name.trim() == wanted
                    {
                        return Some(Value::from(value.trim()));
                    }
                }
                None
            }
        }
    }
}

/// A value as a part of a URL (RFC 3986, 2.3: everything but the unreserved characters is encoded).
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _infallible = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

fn unknown(MissingVariable(name): MissingVariable) -> TargetError {
    TargetError::new(format!(
        "`{name}` is not known yet: no response has given it"
    ))
    .with_help("capture it from an earlier response, or give it a default: `${NAME:-}`")
}
