//! From the keys of an OpenAI-compatible model to the model.

use std::sync::Arc;

use serde_json::{Map, Value};
use url::Url;

use super::chat_request::RESERVED;
use super::config::OpenaiConfig;
use super::openai_target::OpenaiTarget;
use super::settings::OpenaiSettings;
use ananke_agents::http::headers;
use ananke_base::diagnostic::Code;
use ananke_base::source::Node;
use ananke_model::model::Toggle;
use ananke_model::variables::{Interpolation, http_url};

/// The number of times that a request is sent again if the target does not say so (SPEC 4).
const RETRIES: u32 = 3;

/// The number of times that it may be sent again.
const MOST_RETRIES: u64 = 100;

/// The path of chat completions under the base of an API.
pub(super) const CHAT_COMPLETIONS: &str = "chat/completions";

/// Checks and fills a target; `None` if something is known later or was reported.
pub(super) fn compile(
    target: &OpenaiConfig,
    interpolation: &mut Interpolation<'_>,
) -> Option<OpenaiTarget> {
    let endpoint = interpolation
        .sent_text(&target.endpoint)
        .ok()
        .and_then(|text| http_url(&text, "endpoint", &target.endpoint, interpolation));
    let model = interpolation.text(&target.model).ok();
    let instructions = target
        .instructions
        .as_ref()
        .map(|text| interpolation.text(text))
        .transpose();
    let params = params(target.params.as_ref(), interpolation);
    let headers = headers(target.headers.as_ref(), interpolation);
    let retries = retries(target, interpolation);
    let options = target.http.fill(interpolation);
    Some(OpenaiTarget::new(OpenaiSettings {
        endpoint: completions(endpoint?),
        model: model?,
        instructions: instructions.ok()?,
        params: params?,
        headers: headers?,
        options: Arc::new(options?),
        retries: retries?,
        tools: target.tools.unwrap_or_default(),
    }))
}

/// The URL of the chat completions of an API whose base it may be.
pub(super) fn completions(mut endpoint: Url) -> Url {
    let path = endpoint.path().trim_end_matches('/');
    if !path.ends_with(CHAT_COMPLETIONS) {
        let path = format!("{path}/{CHAT_COMPLETIONS}");
        endpoint.set_path(&path);
    }
    endpoint
}

fn params(
    written: Option<&Node>,
    interpolation: &mut Interpolation<'_>,
) -> Option<Map<String, Value>> {
    let mut is_right = true;
    for entry in written.into_iter().flat_map(Node::entries) {
        if RESERVED.contains(&entry.key.as_str()) {
            let message = format!(
                "`{}` cannot be set here: every request has its own",
                entry.key
            );
            let help = Some("the model is `model`, its tools are `client_tools`".to_owned());
            interpolation.report(Code::BadValue, entry.key_span, message, help);
            is_right = false;
        }
    }
    match interpolation.optional_json(written).ok()? {
        Some(Value::Object(params)) if is_right => Some(params),
        None => Some(Map::new()),
        Some(_) => None,
    }
}

fn retries(target: &OpenaiConfig, interpolation: &mut Interpolation<'_>) -> Option<u32> {
    let number = match &target.retry_429 {
        None => return Some(RETRIES),
        Some(Toggle::Off) => return Some(0),
        Some(Toggle::On(number)) => number,
    };
    let retries = interpolation.number_within(number, 0, MOST_RETRIES).ok()?;
    u32::try_from(retries).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_is_a_base_or_the_full_url() {
        for (written, posted) in [
            ("http://h", "http://h/chat/completions"),
            ("http://h/", "http://h/chat/completions"),
            ("http://h/v1", "http://h/v1/chat/completions"),
            ("http://h/v1/", "http://h/v1/chat/completions"),
            (
                "http://h/v1/chat/completions",
                "http://h/v1/chat/completions",
            ),
            (
                "http://h/d/chat/completions?api-version=1",
                "http://h/d/chat/completions?api-version=1",
            ),
            (
                "http://h/d?api-version=1",
                "http://h/d/chat/completions?api-version=1",
            ),
        ] {
            assert_eq!(completions(written.parse().unwrap()).as_str(), posted);
        }
    }
}
