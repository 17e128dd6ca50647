//! From the keys of an agent behind an HTTP API of its own to the agent.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use url::Url;

use super::config::{
    CapturePlace, HttpAgentConfig, HttpRequestKeys, RequestMethod, ResumeRequest, ThenRequest,
};
use super::http_target::HttpTarget;
use super::mapping::compile_paths;
use super::modes::StreamForm;
use super::request::{
    CapturedFrom, EndpointTemplate, RequestContent, RequestTemplate, ResponseCapture, THREAD,
};
use super::settings::{HttpAgentSettings, ResponseUse, ResumeTemplate, ThenTemplate};
use ananke_agents::http::{Method, header, is_header, retries};
use ananke_base::diagnostic::{Code, Span};
use ananke_base::source::{FreeMap, Node, NodeValue};
use ananke_model::model::{Short, Text};
use ananke_model::variables::{
    Fill as _, Interpolation, Leaf, TextTemplate, ValueTemplate, endpoint_url, fill_all,
    name_problem,
};

/// The variables that are known when a request is sent.
const SENT: [&str; 5] = ["INPUT", "MESSAGES", "HISTORY", "TURN", THREAD];

/// The variables that a message of the conversation has.
const OF_MESSAGE: [&str; 2] = ["ROLE", "TEXT"];

/// The variables that the request of a `resume` turn has in addition.
const OF_RESUME: [&str; 3] = ["RESUME", "RESUME_STATUS", "RESUME_ID"];

/// The time between two requests that wait for something, in milliseconds, if the target does not say so.
const EVERY_MS: u64 = 500;

/// The longest such time: an hour.
const LONGEST_PAUSE_MS: u64 = 3_600_000;

/// The names of the variables that a text may have before they are known.
struct Late<'a> {
    captures: &'a BTreeSet<String>,
    others: &'a [&'a str],
}

impl Late<'_> {
    fn is_late(&self, name: &str) -> bool {
        self.captures.contains(name) || self.others.contains(&name)
    }
}

/// Checks and fills a target.
///
/// # Errors
/// If something is known later or was reported.
pub(super) fn compile(
    config: &HttpAgentConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<HttpTarget> {
    let captures = captured_names(config, interpolation);
    let late = Late {
        captures: &captures,
        others: &SENT,
    };
    // The base comes first, since other addresses are resolved against it; what follows is compiled all the same if it is wrong.
    let endpoint = main_endpoint(&config.endpoint, &late, interpolation);
    let base = match &endpoint {
        Ok((_, base)) => Some(base.clone()),
        Err(_) => None,
    };
    let main = request(&config.request, Method::Post, &late, interpolation);
    let headers = config.request.headers.as_ref();
    let start: Leaf<Vec<_>> = fill_all(config.start.iter().flatten(), |start| {
        further(
            &start.request,
            &start.endpoint,
            headers,
            base.as_ref(),
            &late,
            interpolation,
        )
    });
    let then: Leaf<Vec<_>> = fill_all(config.then.iter().flatten(), |then| {
        self::then(then, headers, base.as_ref(), &late, interpolation)
    });
    let resume = match &config.resume {
        Some(resume) => {
            self::resume(config, resume, base.as_ref(), &captures, interpolation).map(Some)
        }
        None => Ok(None),
    };
    let message = message(config.message.as_ref(), interpolation);
    let roles = roles(config, interpolation);
    let response = config.response.fill(interpolation);
    let retries = retries(config.retry_429.as_ref(), interpolation);
    let options = config.http.fill(interpolation);
    let (endpoint, base) = endpoint?;
    let mut main = main?;
    // Servers with a stream and a document choose by what is accepted.
    let is_document = matches!(&response, Ok(response) if response.form == StreamForm::Json);
    if is_document && !main.headers.iter().any(|(name, _)| name == "accept") {
        let accepted = TextTemplate::known("application/json".to_owned());
        main.headers.push(("accept".to_owned(), accepted));
    }
    let settings = HttpAgentSettings {
        endpoint: String::new(),
        base,
        thread: None,
        main: RequestTemplate { endpoint, ..main },
        start: start?,
        then: then?,
        resume: resume?,
        message: message?,
        roles: roles?,
        response: response?,
        retries: retries?,
        options: Arc::new(options?),
    };
    let settings = with_thread(settings, config.endpoint.span, interpolation)?;
    Ok(HttpTarget::new(settings))
}

/// Adds the thread of the conversation, if a request names it, and the endpoint for people. The templates keep the variable of the
/// thread, since a client whose requests are recognized has threads of its own.
fn with_thread(
    mut settings: HttpAgentSettings,
    place: Span,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<HttpAgentSettings> {
    let mut requests = vec![&settings.main];
    requests.extend(&settings.start);
    requests.extend(settings.then.iter().map(|then| &then.request));
    if let Some(resume) = &settings.resume {
        requests.push(&resume.request);
    }
    if requests.iter().any(|request| request.has_variable(THREAD)) {
        let text = Text {
            value: format!("${{{THREAD}}}"),
            span: place,
        };
        settings.thread = Some(interpolation.text(&text)?);
    }
    let endpoint = &settings.main.endpoint;
    settings.endpoint = endpoint.for_people(settings.thread.as_deref());
    Ok(settings)
}

/// The names of all captures. A name that nothing may have was reported.
fn captured_names(
    config: &HttpAgentConfig,
    interpolation: &mut Interpolation<'_>,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut requests = vec![&config.request];
    requests.extend(config.start.iter().flatten().map(|start| &start.request));
    requests.extend(config.then.iter().flatten().map(|then| &then.request));
    requests.extend(config.resume.iter().map(|resume| &resume.request));
    for request in requests {
        for (name, _) in request.capture.iter().flatten() {
            let text = name.value.as_str();
            let is_own =
                SENT.contains(&text) || OF_MESSAGE.contains(&text) || OF_RESUME.contains(&text);
            let problem = if is_own {
                Some((
                    "is a variable of every request",
                    "give the capture another name",
                ))
            } else {
                name_problem(name)
            };
            if let Some((wrong, help)) = problem {
                let message = format!("`{}` {wrong}", name.value);
                interpolation.report(Code::BadValue, name.span, message, Some(help.to_owned()));
            }
            names.insert(name.value.clone());
        }
    }
    names
}

/// The endpoint of a target, and what other addresses are resolved against.
fn main_endpoint(
    written: &Text,
    late: &Late<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<(EndpointTemplate, Url)> {
    let template = interpolation.template(written, &|name| late.is_late(name))?;
    if template.variables().next().is_none() {
        let url = endpoint_url(written, "endpoint", interpolation)?;
        let endpoint = EndpointTemplate {
            base: None,
            address: TextTemplate::known(url.as_str().to_owned()),
        };
        return Ok((endpoint, url));
    }
    // Any value shows whether the rest of it is an address.
    let example = template.text(&|_| Some(json!("0")), &|value| value);
    let base = Url::parse(&example.unwrap_or_default());
    match base {
        Ok(base) if matches!(base.scheme(), "http" | "https") && base.has_host() => {
            let endpoint = EndpointTemplate {
                base: None,
                address: template,
            };
            Ok((endpoint, base))
        }
        Ok(_) | Err(_) => {
            let message = "the endpoint is not a valid URL: it must start with `http://` or `https://` and a host";
            let help =
                "captured values are for its path: `http://127.0.0.1:8000/threads/${THREAD}/runs`";
            Err(interpolation.report(Code::BadUrl, written.span, message, Some(help.to_owned())))
        }
    }
}

/// A request of `start` or `then`, which has the headers of the target as well.
fn further(
    keys: &HttpRequestKeys,
    endpoint: &Text,
    target_headers: Option<&FreeMap<Text>>,
    base: Option<&Url>,
    late: &Late<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<RequestTemplate> {
    let has_content = keys.body.is_some() || keys.form.is_some();
    let default = if has_content {
        Method::Post
    } else {
        Method::Get
    };
    let inherited = headers(target_headers, late, interpolation);
    let own = request(keys, default, late, interpolation);
    let address = interpolation.template(endpoint, &|name| late.is_late(name));
    let mut request = own?;
    request.inherited = inherited?;
    request.endpoint = EndpointTemplate {
        base: base.cloned(),
        address: address?,
    };
    Ok(request)
}

fn then(
    then: &ThenRequest,
    headers: Option<&FreeMap<Text>>,
    base: Option<&Url>,
    late: &Late<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ThenTemplate> {
    let request = further(
        &then.request,
        &then.endpoint,
        headers,
        base,
        late,
        interpolation,
    );
    let until = match &then.until {
        Some(until) => compile_paths(until, interpolation).map(Some),
        None => Ok(None),
    };
    let every_ms: Leaf<u64> =
        interpolation.number_or(then.every_ms.as_ref(), 1..=LONGEST_PAUSE_MS, EVERY_MS);
    let is_read: Leaf<Option<bool>> = then.read.fill(interpolation);
    Ok(ThenTemplate {
        request: request?,
        until: until?,
        every_ms: every_ms?,
        response: if is_read? == Some(true) {
            ResponseUse::Read
        } else {
            ResponseUse::Captured
        },
    })
}

/// The request of a `resume` turn: keys that it does not have are those of the target.
fn resume(
    config: &HttpAgentConfig,
    resume: &ResumeRequest,
    base: Option<&Url>,
    captures: &BTreeSet<String>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ResumeTemplate> {
    let others: Vec<&str> = SENT.iter().chain(&OF_RESUME).copied().collect();
    let late = Late {
        captures,
        others: &others,
    };
    // A key that is not written is that of the target; a body replaces a form, and a form a body.
    let mut keys = resume.request.clone();
    let target = config.request.clone();
    if keys.body.is_none() && keys.form.is_none() {
        keys.body = target.body;
        keys.form = target.form;
    }
    keys.method = keys.method.or(target.method);
    let target_headers = if keys.headers.is_none() {
        target.headers.as_ref()
    } else {
        None
    };
    let inherited = headers(target_headers, &late, interpolation);
    keys.query = keys.query.or(target.query);
    keys.capture = keys.capture.or(target.capture);
    let request = request(&keys, Method::Post, &late, interpolation);
    let endpoint = resume.endpoint.as_ref().unwrap_or(&config.endpoint);
    let address = interpolation.template(endpoint, &|name| late.is_late(name));
    let resolved: Leaf<Option<String>> = match &resume.statuses {
        Some(statuses) => statuses.resolved.fill(interpolation),
        None => Ok(None),
    };
    let cancelled: Leaf<Option<String>> = match &resume.statuses {
        Some(statuses) => statuses.cancelled.fill(interpolation),
        None => Ok(None),
    };
    let mut request = request?;
    request.inherited = inherited?;
    request.endpoint = EndpointTemplate {
        base: base.cloned(),
        address: address?,
    };
    Ok(ResumeTemplate {
        request,
        resolved: resolved?.unwrap_or_else(|| "resolved".to_owned()),
        cancelled: cancelled?.unwrap_or_else(|| "cancelled".to_owned()),
    })
}

/// A request without its address.
fn request(
    keys: &HttpRequestKeys,
    default: Method,
    late: &Late<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<RequestTemplate> {
    let method = match keys.method {
        Some(RequestMethod::Get) => Method::Get,
        Some(RequestMethod::Post) => Method::Post,
        None => default,
    };
    let headers = headers(keys.headers.as_ref(), late, interpolation);
    let query = templates(keys.query.as_ref(), late, interpolation);
    let content = content(keys, method, late, interpolation);
    let captures = captures(keys.capture.as_ref(), interpolation);
    Ok(RequestTemplate {
        // The caller knows what it is resolved against.
        endpoint: EndpointTemplate {
            base: None,
            address: TextTemplate::default(),
        },
        method,
        headers: headers?,
        inherited: Vec::new(),
        query: query?,
        content: content?,
        captures: captures?,
    })
}

fn content(
    keys: &HttpRequestKeys,
    method: Method,
    late: &Late<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<RequestContent> {
    let place = if let Some(body) = &keys.body {
        body.span
    } else if let Some(form) = &keys.form {
        // A form without fields has no place in the file, and nothing that may be wrong.
        let Some((name, _)) = form.iter().next() else {
            return Ok(RequestContent::Form(Vec::new()));
        };
        name.span
    } else {
        return Ok(RequestContent::None);
    };
    if keys.body.is_some() && keys.form.is_some() {
        let message = "`body` and `form` both say what is sent";
        let help = Some("keep one of them".to_owned());
        return Err(interpolation.report(Code::Contradiction, place, message, help));
    }
    if method == Method::Get {
        let message = "a GET request has no body";
        let help = Some("use `query`, or `method: POST`".to_owned());
        return Err(interpolation.report(Code::Contradiction, place, message, help));
    }
    if let Some(form) = &keys.form {
        return templates(Some(form), late, interpolation).map(RequestContent::Form);
    }
    match &keys.body {
        Some(Node {
            value: NodeValue::String(text),
            span,
        }) => {
            let text = Text {
                value: text.clone(),
                span: *span,
            };
            interpolation
                .template(&text, &|name| late.is_late(name))
                .map(RequestContent::Text)
        }
        Some(body) => interpolation
            .value_template(body, &|name| late.is_late(name))
            .map(RequestContent::Json),
        None => Ok(RequestContent::None),
    }
}

fn templates(
    written: Option<&FreeMap<Text>>,
    late: &Late<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<(String, TextTemplate)>> {
    fill_all(written.into_iter().flatten(), |(name, text)| {
        let template = interpolation.template(text, &|name| late.is_late(name))?;
        Ok((name.value.clone(), template))
    })
}

fn headers(
    written: Option<&FreeMap<Text>>,
    late: &Late<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<(String, TextTemplate)>> {
    fill_all(written.into_iter().flatten(), |(name, text)| {
        let template = interpolation.header_template(text, &|name| late.is_late(name))?;
        if template.variables().next().is_none() {
            let (name, value) = header(name, text, interpolation)?;
            return Ok((name, TextTemplate::known(value)));
        }
        if !is_header(name, "") {
            let message = format!("`{}` is not a valid header name", name.value);
            return Err(interpolation.report(Code::BadValue, name.span, message, None));
        }
        Ok((name.to_ascii_lowercase(), template))
    })
}

fn captures(
    written: Option<&FreeMap<Short<CapturePlace>>>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<ResponseCapture>> {
    fill_all(written.into_iter().flatten(), |(name, source)| {
        let source = match &**source {
            CapturePlace {
                path: Some(path),
                header: None,
                cookie: None,
            } => {
                let paths = ananke_model::model::OneOrMany(vec![path.clone()]);
                CapturedFrom::Body(compile_paths(&paths, interpolation)?)
            }
            CapturePlace {
                path: None,
                header: Some(header),
                cookie: None,
            } => CapturedFrom::Header(interpolation.text(header)?),
            CapturePlace {
                path: None,
                header: None,
                cookie: Some(cookie),
            } => CapturedFrom::Cookie(interpolation.text(cookie)?),
            _ => {
                let message = format!(
                    "the capture `{}` needs exactly one of `path`, `header` and `cookie`",
                    name.value
                );
                return Err(interpolation.report(Code::Contradiction, name.span, message, None));
            }
        };
        Ok(ResponseCapture {
            name: name.value.clone(),
            source,
        })
    })
}

/// One message of the conversation.
fn message(written: Option<&Node>, interpolation: &mut Interpolation<'_>) -> Leaf<ValueTemplate> {
    match written {
        Some(node) => interpolation.value_template(node, &|name| OF_MESSAGE.contains(&name)),
        None => Ok(default_message()),
    }
}

/// `{ role: "${ROLE}", content: "${TEXT}" }`
fn default_message() -> ValueTemplate {
    ValueTemplate::Map(vec![
        ("role".to_owned(), ValueTemplate::variable("ROLE")),
        ("content".to_owned(), ValueTemplate::variable("TEXT")),
    ])
}

/// The words for the user and for the agent.
fn roles(
    config: &HttpAgentConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<(String, String)> {
    let Some(roles) = &config.roles else {
        return Ok(("user".to_owned(), "assistant".to_owned()));
    };
    let user: Leaf<Option<String>> = roles.user.fill(interpolation);
    let agent: Leaf<Option<String>> = roles.assistant.fill(interpolation);
    let user = user?;
    let agent = agent?;
    Ok((
        user.unwrap_or_else(|| "user".to_owned()),
        agent.unwrap_or_else(|| "assistant".to_owned()),
    ))
}
