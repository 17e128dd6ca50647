//! A request of another client, read back by the template of a target.

use serde_json::Value;
use url::form_urlencoded;

use super::super::request::{EndpointTemplate, RequestContent, RequestTemplate};
use ananke_agents::PassedRequest;
use ananke_agents::http::is_header;
use ananke_base::message::RequestAdditions;
use ananke_base::source::received_json;
use ananke_model::variables::{
    LateVariable, TextTemplate, is_secret_header, is_secret_name, is_secret_value, percent_decoded,
};

/// The variable for the text of the user, which may be anything.
pub(super) const INPUT: &str = "INPUT";

/// A request that a template describes.
#[derive(Debug, Default)]
pub(super) struct ReadRequest {
    /// The variables of the template with their values; `None` for one that had no value.
    pub(super) bound: Vec<(LateVariable, Option<Value>)>,
    /// The variable that is the whole address, whose value is a URL.
    pub(super) address: Option<LateVariable>,
    /// The headers, parameters and keys in which the request differs, as a turn can add them.
    pub(super) additions: RequestAdditions,
    /// The differences that no turn can add, in words.
    pub(super) left_out: Vec<String>,
}

/// The reason that a request is not one that a template describes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// Another method or address.
    Place,
    /// The reason, in words that follow the request.
    Content(&'static str),
}

impl ReadRequest {
    /// The number of differences.
    pub(super) fn differences(&self) -> usize {
        let RequestAdditions {
            headers,
            query,
            body,
        } = &self.additions;
        headers.len() + query.len() + body.len() + self.left_out.len()
    }

    /// The value of a variable as a whole; `None` if it is not there, or had none.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        for (variable, value) in &self.bound {
            if variable.name == name && value.is_some() {
                return value.as_ref();
            }
        }
        None
    }

    fn bind(&mut self, bound: Vec<(&LateVariable, Option<Value>)>) {
        self.bound.reserve(bound.len());
        for (variable, value) in bound {
            let variable = variable.clone();
            self.bound.push((variable, value));
        }
    }

    /// Takes the pairs that `own` describes from `sent`. A pair that differs stays there. A turn cannot remove a pair, so a missing one
    /// becomes a difference, in words that begin with its `kind`.
    fn take_pairs(
        &mut self,
        own: &[(String, TextTemplate)],
        sent: &mut Vec<(String, String)>,
        kind: &str,
    ) {
        for (name, template) in own {
            let Some(place) = place_of(sent, name) else {
                // A pair that is one variable is omitted as long as the variable has no value.
                match template.only_variable() {
                    Some(variable) => self.bound.push((variable.clone(), None)),
                    None => self.left_out.push(format!("the {kind} `{name}`")),
                }
                continue;
            };
            let value = Value::from(sent[place].1.as_str());
            if let Some(bound) = template.read_value_back(&value, INPUT) {
                self.bind(bound);
                sent.remove(place);
            }
        }
    }
}

impl RequestTemplate {
    /// Reads a request back.
    ///
    /// # Errors
    /// If it is not one that the template describes.
    pub(super) fn read_back(&self, request: &PassedRequest) -> Result<ReadRequest, Mismatch> {
        if request.method != self.method.as_str() {
            return Err(Mismatch::Place);
        }
        let mut found = ReadRequest::default();
        self.read_address(&request.target, &mut found)?;
        self.read_sent_headers(&request.headers, &mut found);
        self.read_content(request, &mut found)?;
        Ok(found)
    }

    fn read_address(&self, target: &str, found: &mut ReadRequest) -> Result<(), Mismatch> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut sent: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        if let Some(variable) = self.endpoint.address.only_variable() {
            found.address = Some(variable.clone());
            return Ok(());
        }
        let (own_path, own_query) = self.endpoint.path_and_query();
        // A client that has only the address of the proxy means the endpoint (the proxy sends it on to that).
        let is_endpoint =
            target == "/" && self.endpoint.base.is_none() && !own_path.has_variables();
        if !is_endpoint {
            let Some(bound) = own_path.read_back(path, INPUT) else {
                return Err(Mismatch::Place);
            };
            for (variable, value) in bound {
                let value = match value {
                    Some(Value::String(text)) => Some(Value::from(decoded_text(&text))),
                    other => other,
                };
                found.bound.push((variable.clone(), value));
            }
            // A turn does not replace a part of the endpoint, so a parameter of it with another value is a difference too.
            found.take_pairs(&own_query, &mut sent, "parameter");
            for (name, _) in &own_query {
                if let Some(place) = place_of(&sent, name) {
                    sent.remove(place);
                    found.left_out.push(format!("the parameter `{name}`"));
                }
            }
        }
        found.take_pairs(&self.query, &mut sent, "parameter");
        for (name, value) in sent {
            let is_secret = is_secret_name(&name) && is_secret_value(&value);
            // A turn gives each parameter once.
            if is_secret || place_of(&found.additions.query, &name).is_some() {
                found.left_out.push(format!("the parameter `{name}`"));
            } else {
                found.additions.query.push((name, value));
            }
        }
        Ok(())
    }

    fn read_sent_headers(&self, sent: &[(String, String)], found: &mut ReadRequest) {
        let own = self.headers.iter().chain(&self.inherited);
        for (name, template) in own.clone() {
            let Some(place) = place_of(sent, name) else {
                if let Some(variable) = template.only_variable() {
                    found.bound.push((variable.clone(), None));
                }
                continue;
            };
            if let Some(bound) = template.read_back(&sent[place].1, INPUT) {
                found.bind(bound);
            }
        }
        for (name, value) in sent {
            if is_of_connection(name) {
                continue;
            }
            let own = own.clone().find(|(own, _)| own == name);
            let is_secret = is_secret_header(name) || is_secret_name(name);
            match own {
                // Tests send the credentials of the target.
                Some(_) if is_secret => {}
                Some((_, template)) if template.read_back(value, INPUT).is_some() => {}
                None | Some(_) => {
                    let is_repeated = place_of(&found.additions.headers, name).is_some();
                    if is_secret || !is_header(name, value) || is_repeated {
                        found.left_out.push(format!("the header `{name}`"));
                    } else {
                        found.additions.headers.push((name.clone(), value.clone()));
                    }
                }
            }
        }
    }

    fn read_content(
        &self,
        request: &PassedRequest,
        found: &mut ReadRequest,
    ) -> Result<(), Mismatch> {
        match &self.content {
            RequestContent::None => {
                if !request.body.is_empty() {
                    found.left_out.push("its body".to_owned());
                }
            }
            RequestContent::Json(template) => {
                let Ok(body) = received_json::read_as::<Value>(&request.body) else {
                    return Err(Mismatch::Content("its body is not JSON"));
                };
                let Some(read) = template.read_back(&body, INPUT) else {
                    return Err(Mismatch::Content("its body is not that of the target"));
                };
                found.additions.body = read.additions;
                for path in read.left_out {
                    found.left_out.push(format!("`{path}` of the body"));
                }
                found.bind(read.bound);
            }
            RequestContent::Text(template) => {
                let bound = match std::str::from_utf8(&request.body) {
                    Ok(text) => template.read_back(text, INPUT),
                    Err(_) => None,
                };
                let Some(bound) = bound else {
                    return Err(Mismatch::Content("its body is not that of the target"));
                };
                found.bind(bound);
            }
            RequestContent::Form(fields) => {
                // Parts have no names and values alone, so that no turn with fields makes the same body.
                if has_parts(request) {
                    let reason = "its body is a form with parts, and tests send one without";
                    return Err(Mismatch::Content(reason));
                }
                let pairs = form_urlencoded::parse(&request.body).into_owned();
                let mut sent: Vec<(String, String)> = pairs.collect();
                found.take_pairs(fields, &mut sent, "field");
                for (name, value) in sent {
                    // Additions are keys of an object, so that each field is there once.
                    if found.additions.body.contains_key(&name) {
                        found.left_out.push(format!("the field `{name}`"));
                    } else {
                        found.additions.body.insert(name, Value::from(value));
                    }
                }
            }
        }
        Ok(())
    }
}

impl EndpointTemplate {
    /// The path, and the parameters that are a part of the address.
    fn path_and_query(&self) -> (TextTemplate, Vec<(String, TextTemplate)>) {
        let leading = self.address.leading_text();
        let mut address = self.address.clone();
        if let Some((scheme, rest)) = leading.split_once("://") {
            // The host is that of the proxy.
            let host = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            address = address.without_start(scheme.len() + "://".len() + host);
            if !rest[host..].starts_with('/') {
                address = address.after("/");
            }
        } else if let Some(base) = &self.base
            && !leading.starts_with('/')
        {
            // An address without a slash is relative to the directory of the endpoint, so the last segment of that is dropped.
            address = match base.join(".") {
                Ok(directory) => address.after(directory.path()),
                Err(_) => address.after("/"),
            };
        }
        let mut parts = address.split('?').into_iter();
        let path = parts.next().unwrap_or_default();
        let mut query = Vec::new();
        for part in parts {
            for pair in part.split('&') {
                let mut sides = pair.split('=').into_iter();
                let name = sides.next().unwrap_or_default().leading_text();
                if !name.is_empty() {
                    query.push((decoded_text(&name), sides.next().unwrap_or_default()));
                }
            }
        }
        (path, query)
    }
}

/// Headers that every client writes by itself, those of proxies and tracing, and cookies, which a conversation keeps itself.
const OF_CONNECTION: [&str; 22] = [
    "accept",
    "baggage",
    "cache-control",
    "connection",
    "cookie",
    "dnt",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "origin",
    "pragma",
    "priority",
    "referer",
    "te",
    "trailer",
    "traceparent",
    "tracestate",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
];

/// The starts of names of such headers.
const OF_CONNECTION_STARTS: [&str; 9] = [
    "accept-",
    "content-",
    "http2-",
    "if-",
    "proxy-",
    "sec-",
    "upgrade-",
    "x-forwarded-",
    "x-request-id",
];

fn is_of_connection(name: &str) -> bool {
    OF_CONNECTION.contains(&name)
        || OF_CONNECTION_STARTS
            .iter()
            .any(|start| name.starts_with(start))
}

/// Whether the body is a form of several parts.
fn has_parts(request: &PassedRequest) -> bool {
    match place_of(&request.headers, "content-type") {
        Some(place) => request.headers[place].1.starts_with("multipart/"),
        None => false,
    }
}

/// The index of the first pair with this name.
fn place_of(pairs: &[(String, String)], name: &str) -> Option<usize> {
    pairs.iter().position(|(own, _)| own == name)
}

/// A part of an address without its percent-encoding; the text itself if what is encoded is not UTF-8.
fn decoded_text(text: &str) -> String {
    percent_decoded(text).unwrap_or_else(|| text.to_owned())
}
