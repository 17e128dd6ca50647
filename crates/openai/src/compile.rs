//! From the keys of an OpenAI-compatible model to the model.

use std::sync::Arc;

use serde_json::{Map, Value};
use url::Url;

use super::chat_request::RESERVED;
use super::config::{OpenaiConfig, OpenaiSettings};
use super::openai_target::OpenaiTarget;
use ananke_agents::http::{headers, retries};
use ananke_base::diagnostic::Code;
use ananke_base::source::Node;
use ananke_model::variables::{Fill as _, Interpolation, Leaf, endpoint_url};

/// The path of chat completions under the base of an API.
pub(super) const CHAT_COMPLETIONS: &str = "chat/completions";

/// Checks a target, and fills in its variables.
///
/// # Errors
/// If a variable has no value yet, or if a problem was reported to `interpolation`.
pub(super) fn compile(
    target: &OpenaiConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<OpenaiTarget> {
    // Every key is filled before the first `?` returns, so that one run reports the problems of all keys.
    let endpoint = endpoint_url(&target.endpoint, "endpoint", interpolation);
    let model = target.model.fill(interpolation);
    let instructions = target.instructions.fill(interpolation);
    let params = params(target.params.as_ref(), interpolation);
    let headers = headers(target.headers.as_ref(), interpolation);
    let retries = retries(target.retry_429.as_ref(), interpolation);
    let options = target.http.fill(interpolation);
    Ok(OpenaiTarget::new(OpenaiSettings {
        endpoint: completions(endpoint?),
        model: model?,
        instructions: instructions?,
        params: params?,
        headers: headers?,
        // Every request of every session refers to the options.
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

/// The `params` of a target: keys that are added to each request. Keys that each request sets itself are errors.
fn params(node: Option<&Node>, interpolation: &mut Interpolation<'_>) -> Leaf<Map<String, Value>> {
    // An error is returned only after the values are filled, so that their problems are reported as well.
    let mut key_check = Ok(());
    for entry in node.into_iter().flat_map(Node::entries) {
        if RESERVED.contains(&entry.key.as_str()) {
            let message = format!(
                "`{}` cannot be set here: every request has its own",
                entry.key
            );
            let help = Some("the model is `model`, its tools are `client_tools`".to_owned());
            key_check = Err(interpolation.report(Code::BadValue, entry.key_span, message, help));
        }
    }
    let params: Leaf<Option<_>> = node.fill(interpolation);
    key_check?;
    Ok(params?.unwrap_or_default())
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
