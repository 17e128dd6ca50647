//! Secrets of a request that passes: an agent may repeat them, and nothing that is written or printed has them (SPEC 14).

use serde_json::Value;
use url::form_urlencoded;

use ananke_model::variables::{credentials, is_secret_header, is_secret_name, is_secret_value};

/// The secrets in the headers, the query and the body of a request, or in the headers of a response.
pub(super) fn passing_secrets(
    headers: &[(String, String)],
    target: &str,
    body: Option<&Value>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (name, value) in headers {
        if matches!(name.as_str(), "cookie" | "set-cookie") {
            found.extend(cookies(value));
        } else if is_secret_header(name) || is_secret_name(name) {
            found.push(value.clone());
            found.extend(credentials(value));
        }
    }
    let query = target.split_once('?').map_or("", |(_, query)| query);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if is_secret_name(&name) && is_secret_value(&value) {
            found.push(value.into_owned());
        }
    }
    if let Some(body) = body {
        add_named(body, &mut found);
    }
    found
}

/// The values of cookies, each by itself; attributes of a cookie that is set are none.
fn cookies(header: &str) -> impl Iterator<Item = String> {
    let values = header.split(';').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let is_attribute = ["path", "expires", "max-age", "domain", "samesite"]
            .iter()
            .any(|attribute| name.trim().eq_ignore_ascii_case(attribute));
        (!is_attribute).then_some(value.trim().trim_matches('"'))
    });
    values
        .filter(|value| is_secret_value(value))
        .map(str::to_owned)
}

/// The texts in `value` whose keys are names of secrets.
fn add_named(value: &Value, found: &mut Vec<String>) {
    let mut open = vec![(false, value)];
    while let Some((is_named, value)) = open.pop() {
        match value {
            Value::String(text) if is_named && is_secret_value(text) => found.push(text.clone()),
            Value::Array(items) => open.extend(items.iter().map(|item| (is_named, item))),
            Value::Object(fields) => {
                open.extend(
                    fields
                        .iter()
                        .map(|(name, field)| (is_secret_name(name), field)),
                );
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn headers_cookies_queries_and_keys_have_secrets() {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let headers = [
            header("authorization", "Bearer head-5ecret-0001"),
            header("cookie", "theme=dark; sid=cook-5ecret-0001"),
            header("x-api-key", "key-5ecret-0001"),
            header(
                "set-cookie",
                "id=set-5ecret-0001; Path=/long/enough; Max-Age=86400000",
            ),
            header("accept", "text/event-stream"),
        ];
        let body = json!({
            "forwardedProps": { "credentials": { "apiKey": "prop-5ecret-0001", "accessToken": ["list-5ecret-0001"] } },
            "max_tokens": "not a secret", "password": "short", "messages": [{ "content": "hello there" }],
        });
        let mut found = passing_secrets(
            &headers,
            "/a?page=123456789&token=query-5ecret-0001",
            Some(&body),
        );
        found.sort();
        found.dedup();
        assert_eq!(
            found,
            [
                "Bearer head-5ecret-0001",
                "cook-5ecret-0001",
                "head-5ecret-0001",
                "key-5ecret-0001",
                "list-5ecret-0001",
                "prop-5ecret-0001",
                "query-5ecret-0001",
                "set-5ecret-0001",
            ]
        );
    }
}
