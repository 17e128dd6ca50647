//! The request that a command line of curl sends, as documents and browsers have it.
//!
//! **Invariant:** no program is started and no file is read; what is omitted is named.

use url::Url;

use super::field_use::is_one_of;
use super::input_fields::find_input;
use super::proposed_request::{ProposedContent, ProposedRequest, basic};
use ananke_agents::TargetError;
use ananke_agents::http::Method;
use ananke_base::text::escape;

/// Short options that take a value.
const SHORT_WITH_VALUE: &str = "AbcCdDeEFHKmoPQrtTuUwxXyYz";

/// Long options that take a value and are omitted.
const LONG_WITH_VALUE: &str = "abstract-unix-socket aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to \
    cookie-jar dns-servers doh-url dump-header interface keepalive-time key key-type limit-rate local-port \
    max-filesize max-redirs max-time noproxy output output-dir pass proto proxy proxy-header proxy-user range \
    referer resolve retry retry-delay retry-max-time speed-limit speed-time stderr tls-max unix-socket user-agent \
    write-out";

/// Headers that a browser or curl adds, and that ananke adds itself or an API does not need.
const IDLE_HEADERS: &str = "accept-encoding accept-language cache-control connection content-length dnt host pragma priority referer te \
    upgrade-insecure-requests user-agent x-requested-with";

/// The parts of a command line.
#[derive(Default)]
struct CurlArguments {
    url: Option<String>,
    method: Option<String>,
    headers: Vec<(String, String)>,
    data: Vec<String>,
    query: Vec<(String, String)>,
    /// Whether the data are those of an HTML form, whatever they look like.
    is_form: bool,
    is_json: bool,
    is_get: bool,
    omitted: Vec<String>,
}

/// Whether a command line is one of curl.
pub(super) fn is_curl(words: &[String]) -> bool {
    let Some(program) = words.first() else {
        return false;
    };
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "curl" || name == "curl.exe"
}

/// The request of a command line, and the options that are omitted.
///
/// # Errors
/// If it has no URL, needs a file, or nothing in it is what the user says.
pub(super) fn request_of(words: &[String]) -> Result<(ProposedRequest, Vec<String>), TargetError> {
    let mut arguments = CurlArguments::default();
    arguments.read(&words[1..])?;
    let omitted = std::mem::take(&mut arguments.omitted);
    let request = arguments.request()?;
    Ok((request, omitted))
}

impl CurlArguments {
    fn read(&mut self, words: &[String]) -> Result<(), TargetError> {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let word = word.trim_matches(['\n', '\r', ' ']);
            if let Some(name) = word.strip_prefix("--")
                && !name.is_empty()
            {
                // The value of an option that is omitted is skipped too, otherwise it would be taken for the URL.
                let takes_value = is_read(name) || is_one_of(name, LONG_WITH_VALUE);
                let value = if takes_value { words.next() } else { None };
                self.option(name, value.map(String::as_str), word)?;
            } else if let Some(flags) = word.strip_prefix('-')
                && !flags.is_empty()
            {
                // Flags are written together, and the value of the last one may follow without a space.
                for (at, flag) in flags.char_indices() {
                    let name = flag.to_string();
                    if !SHORT_WITH_VALUE.contains(flag) {
                        self.option(&name, None, &format!("-{flag}"))?;
                        continue;
                    }
                    let rest = &flags[at + flag.len_utf8()..];
                    let value = if rest.is_empty() {
                        words.next().map(String::as_str)
                    } else {
                        Some(rest)
                    };
                    self.option(&name, value, &format!("-{flag}"))?;
                    break;
                }
            } else if !word.is_empty() {
                self.add_url(word);
            }
        }
        Ok(())
    }

    fn add_url(&mut self, word: &str) {
        if self.url.is_some() {
            self.omitted.push("a second URL".to_owned());
        } else {
            self.url = Some(word.to_owned());
        }
    }

    /// Takes an option; `written` is its name on the command line.
    fn option(
        &mut self,
        name: &str,
        value: Option<&str>,
        written: &str,
    ) -> Result<(), TargetError> {
        match name {
            "X" | "request" => self.method = Some(needed(value, written)?.to_ascii_uppercase()),
            "H" | "header" => self.header(needed(value, written)?),
            "d" | "data" | "data-ascii" | "data-binary" => {
                let data = needed(value, written)?;
                if data.starts_with('@') {
                    return Err(reads_file(written));
                }
                self.data.push(data.to_owned());
            }
            "data-raw" => self.data.push(needed(value, written)?.to_owned()),
            "data-urlencode" => self.encoded(needed(value, written)?, written)?,
            "json" => {
                let data = needed(value, written)?;
                if data.starts_with('@') {
                    return Err(reads_file(written));
                }
                self.is_json = true;
                self.data.push(data.to_owned());
            }
            "F" | "form" | "form-string" => {
                let (field, value) = needed(value, written)?.split_once('=').unwrap_or_default();
                if name != "form-string" && value.starts_with(['@', '<']) {
                    let field = escape::line(field);
                    self.omitted.push(format!("{written} {field} (a file)"));
                } else {
                    self.is_form = true;
                    self.data.push(encoded_pair(field, value));
                }
            }
            "u" | "user" => {
                let credentials = basic(needed(value, written)?);
                self.add_header("authorization", &credentials);
            }
            "oauth2-bearer" => {
                let credentials = format!("Bearer {}", needed(value, written)?);
                self.add_header("authorization", &credentials);
            }
            "b" | "cookie" => {
                let cookies = needed(value, written)?;
                if cookies.contains('=') {
                    self.add_header("cookie", cookies);
                } else {
                    self.omitted.push(format!("{written} (a file)"));
                }
            }
            "url" => self.add_url(needed(value, written)?),
            "url-query" => {
                let (name, value) = needed(value, written)?.split_once('=').unwrap_or_default();
                self.query.push((name.to_owned(), value.to_owned()));
            }
            "G" | "get" => self.is_get = true,
            _ => self.omitted.push(escape::line(written).into_owned()),
        }
        Ok(())
    }

    fn header(&mut self, line: &str) {
        let Some((name, value)) = line.split_once(':') else {
            return;
        };
        let name = name.trim().to_ascii_lowercase();
        let value = value.trim();
        let is_idle = is_one_of(&name, IDLE_HEADERS) || name.starts_with("sec-");
        let is_default = name == "accept" && value.contains("*/*") || value.is_empty();
        if is_idle {
            self.omitted.push(format!("-H {}", escape::line(&name)));
        } else if !is_default {
            self.add_header(&name, value);
        }
    }

    /// Adds a header. Cookies come in several options, and are one header.
    fn add_header(&mut self, name: &str, value: &str) {
        let cookies = self.headers.iter_mut().find(|(known, _)| known == name);
        match cookies {
            Some((_, cookies)) if name == "cookie" => *cookies = format!("{cookies}; {value}"),
            _ => self.headers.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Takes `name=text` and encodes the text.
    fn encoded(&mut self, data: &str, written: &str) -> Result<(), TargetError> {
        let Some((name, text)) = data.split_once('=') else {
            return Err(reads_file(written));
        };
        self.is_form = true;
        self.data.push(encoded_pair(name, text));
        Ok(())
    }

    /// The request, in which what the user says is found by the names of fields.
    fn request(mut self) -> Result<ProposedRequest, TargetError> {
        let url = self.address()?;
        let is_get = self.is_get || self.data.is_empty();
        let method = match self.method.as_deref() {
            None if is_get => Method::Get,
            None | Some("POST") => Method::Post,
            Some("GET") => Method::Get,
            Some(other) => {
                let message = format!("the method {} cannot be sent", escape::line(other));
                return Err(TargetError::new(message)
                    .with_help("targets with `type: http` send GET and POST"));
            }
        };
        let kind = self.take_header("content-type").unwrap_or_default();
        let data = if self.is_json {
            self.data.concat()
        } else {
            self.data.join("&")
        };
        let mut query = std::mem::take(&mut self.query);
        let mut content = ProposedContent::None;
        if is_get {
            query.extend(form_pairs(&data));
        } else {
            content = self.content(&data, &kind)?;
        }
        let mut request = ProposedRequest::post(&url, ProposedContent::None);
        request.method = method;
        for (name, value) in std::mem::take(&mut self.headers) {
            request.add_header(&name, &value);
        }
        // The type that the body has by itself is omitted, since ananke sends it.
        let is_own = match &content {
            ProposedContent::Json(_) => kind.starts_with("application/json"),
            ProposedContent::Form(_) => kind.starts_with("application/x-www-form-urlencoded"),
            ProposedContent::None | ProposedContent::Text(_) => false,
        };
        if !kind.is_empty()
            && !is_own
            && !matches!(content, ProposedContent::Form(_) | ProposedContent::None)
        {
            request.headers.push(("content-type".to_owned(), kind));
        }
        for (name, value) in query {
            let value = request.written(&name, &value);
            request.query.push((name, value));
        }
        request.content = match content {
            ProposedContent::Json(body) => ProposedContent::Json(request.written_value("", body)),
            ProposedContent::Form(fields) => {
                let mut written = Vec::new();
                for (name, value) in fields {
                    let value = request.written(&name, &value);
                    written.push((name, value));
                }
                ProposedContent::Form(written)
            }
            other => other,
        };
        find_input(&mut request)?;
        Ok(request)
    }

    fn address(&mut self) -> Result<Url, TargetError> {
        let Some(written) = self.url.take() else {
            return Err(TargetError::new("the command line of curl has no URL"));
        };
        // Without a scheme, curl takes http.
        let text = if written.contains("://") {
            written
        } else {
            format!("http://{written}")
        };
        // A URL may have a password in it, so that it is not quoted.
        let url = match Url::parse(&text) {
            Ok(url) => url,
            Err(error) => {
                let message = format!("the URL of curl is not valid: {error}");
                return Err(TargetError::new(message));
            }
        };
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(TargetError::new("the URL of curl is not a URL of HTTP"));
        }
        Ok(url)
    }

    fn take_header(&mut self, wanted: &str) -> Option<String> {
        let position = self.headers.iter().position(|(name, _)| name == wanted)?;
        Some(self.headers.remove(position).1)
    }

    fn content(&self, data: &str, kind: &str) -> Result<ProposedContent, TargetError> {
        // Documents often have JSON in `-d` without a type, which curl sends as a form: what is meant is JSON.
        let is_json_kind = self.is_json || kind.contains("json");
        if !self.is_form && (is_json_kind || data.trim_start().starts_with(['{', '['])) {
            return match serde_json::from_str(data) {
                Ok(body) => Ok(ProposedContent::Json(body)),
                Err(error) => Err(TargetError::new(format!("the body is not JSON: {error}"))
                    .with_help("the shell removes quotes: put the body into single quotes")),
            };
        }
        if !self.is_form && kind.contains("multipart") {
            return Err(TargetError::new("a body of several parts cannot be sent")
                .with_help("write its fields as `-F name=value`"));
        }
        let is_text = kind.starts_with("text/") || !data.contains('=');
        if is_text && !self.is_form {
            return Ok(ProposedContent::Text(data.to_owned()));
        }
        Ok(ProposedContent::Form(form_pairs(data)))
    }
}

/// Whether an option is read, and has a value.
fn is_read(name: &str) -> bool {
    let read = "request header data data-ascii data-binary data-raw data-urlencode json form form-string user oauth2-bearer cookie url url-query";
    is_one_of(name, read)
}

/// The value of an option that has one.
fn needed<'v>(value: Option<&'v str>, written: &str) -> Result<&'v str, TargetError> {
    let Some(value) = value else {
        let written = escape::line(written);
        return Err(TargetError::new(format!("`{written}` has no value")));
    };
    Ok(value)
}

fn reads_file(written: &str) -> TargetError {
    let written = escape::line(written);
    TargetError::new(format!("`{written}` reads a file"))
        .with_help("write the content of the file in its place")
}

fn encoded_pair(name: &str, value: &str) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair(name, value);
    form.finish()
}

fn form_pairs(data: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(data.as_bytes())
        .into_owned()
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(line: &[&str]) -> Result<(ProposedRequest, Vec<String>), TargetError> {
        let words: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        request_of(&words)
    }

    fn json_body(request: &ProposedRequest) -> Value {
        match &request.content {
            ProposedContent::Json(body) => body.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_of_a_browser_is_read() {
        let (request, omitted) = read(&[
            "curl",
            "https://shop.example.org/api/chat?v=2",
            "--compressed",
            "-X",
            "POST",
            "-H",
            "accept: */*",
            "-H",
            "Accept-Language: en",
            "-H",
            "Content-Type: application/json",
            "-H",
            "sec-ch-ua: \"x\"",
            "-H",
            "Authorization: Bearer abcdef",
            "-b",
            "sid=one",
            "-H",
            "Cookie: more=two",
            "--data-raw",
            r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Yes?"},{"role":"user","content":"Where is it?"}],"conversation_id":"0b54c9a0-2b44-4d5c-9d3a-1234567890ab","model":"m"}"#,
        ])
        .unwrap();
        assert_eq!(request.method, Method::Post);
        assert_eq!(request.greeting, "Where is it?");
        let body = json_body(&request);
        assert_eq!(body["messages"], "${MESSAGES}");
        assert_eq!(
            body["conversation_id"],
            "0b54c9a0-2b44-4d5c-9d3a-1234567890ab"
        );
        assert_eq!(body["model"], "m");
        assert_eq!(request.query, [("v".to_owned(), "2".to_owned())]);
        let names: Vec<_> = request
            .headers
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["authorization", "cookie"]);
        let secrets: Vec<_> = request.secrets.iter().map(|it| it.value.as_str()).collect();
        assert_eq!(secrets, ["Bearer abcdef", "sid=one; more=two"]);
        assert_eq!(
            omitted,
            ["--compressed", "-H accept-language", "-H sec-ch-ua"]
        );
        // Nothing that is secret is in what is shown or written.
        let shown = format!("{request:?} {}", request.words("Hi"));
        assert!(
            !shown.contains("abcdef") && !shown.contains("sid=one"),
            "{shown}"
        );
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of cases")]
    fn bodies_are_what_curl_sends() {
        let url = "http://h/chat";
        for (line, expected) in [
            (
                &[
                    "curl",
                    url,
                    "-d",
                    r#"{"text": "string", "session_id": "string"}"#,
                ][..],
                ProposedContent::Json(json!({ "text": "${INPUT}", "session_id": "${THREAD_ID}" })),
            ),
            (
                &[
                    "curl",
                    url,
                    "-sXPOST",
                    "--json",
                    r#"{"a": {"question": "Hi ${X}?"}}"#,
                ],
                ProposedContent::Json(json!({ "a": { "question": "${INPUT}" } })),
            ),
            (
                &["curl", url, "-d", "message=Hi%20you", "-d", "user=me"],
                ProposedContent::Form(vec![
                    ("message".to_owned(), "${INPUT}".to_owned()),
                    ("user".to_owned(), "${THREAD_ID}".to_owned()),
                ]),
            ),
            (
                &["curl", url, "-F", "prompt=Hi", "-F", "file=@x.png"],
                ProposedContent::Form(vec![("prompt".to_owned(), "${INPUT}".to_owned())]),
            ),
            (
                &[
                    "curl",
                    url,
                    "-H",
                    "content-type: text/plain",
                    "-d",
                    "Hi there",
                ],
                ProposedContent::Text("${INPUT}".to_owned()),
            ),
            (
                &[
                    "curl",
                    url,
                    "-d",
                    r#"{"ask": "${INPUT}", "message": "fixed"}"#,
                ],
                ProposedContent::Json(json!({ "ask": "${INPUT}", "message": "fixed" })),
            ),
            (
                &[
                    "curl",
                    url,
                    "-d",
                    r#"{"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}], "history": []}"#,
                ],
                ProposedContent::Json(json!({
                    "messages": [{ "role": "system", "content": "Be kind." }, { "role": "user", "content": "${INPUT}" }],
                    "history": "${HISTORY}",
                })),
            ),
            (
                &[
                    "curl",
                    url,
                    "-d",
                    r#"{"query": "mutation { say }", "variables": {"text": "Hi"}}"#,
                ],
                ProposedContent::Json(
                    json!({ "query": "mutation { say }", "variables": { "text": "${INPUT}" } }),
                ),
            ),
            (
                &[
                    "curl",
                    url,
                    "-d",
                    r#"{"message": "Hi", "auth": {"api_key": "k-123"}}"#,
                ],
                ProposedContent::Json(
                    json!({ "message": "${INPUT}", "auth": { "api_key": "${ENV.AGENT_API_KEY}" } }),
                ),
            ),
        ] {
            let (request, _) = read(line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
            assert_eq!(request.content, expected, "{line:?}");
            assert!(request.has_input(), "{line:?}");
        }
    }

    #[test]
    fn a_header_replaces_the_user_of_the_url() {
        let line = [
            "curl",
            "http://me:pass@h/chat?key=k-1",
            "-H",
            "Authorization: Bearer abc",
            "-d",
            "message=Hi",
        ];
        let (request, _) = read(&line).unwrap();
        assert_eq!(request.url.as_str(), "http://h/chat");
        let variable = "${ENV.AGENT_AUTHORIZATION}".to_owned();
        assert_eq!(request.headers, [("authorization".to_owned(), variable)]);
        let secrets: Vec<_> = request.secrets.iter().map(|it| it.value.as_str()).collect();
        assert_eq!(secrets, ["k-1", "Bearer abc"]);
        assert_eq!(request.redacted(), ["ENV.AGENT_KEY"]);
    }

    #[test]
    fn a_get_has_its_text_in_the_query() {
        let line = [
            "curl",
            "-G",
            "h/ask",
            "--data-urlencode",
            "q=What is up?",
            "-o",
            "file",
        ];
        let (request, omitted) = read(&line).unwrap();
        assert_eq!(request.method, Method::Get);
        assert_eq!(request.url.as_str(), "http://h/ask");
        assert_eq!(request.query, [("q".to_owned(), "${INPUT}".to_owned())]);
        assert_eq!(request.greeting, "What is up?");
        assert_eq!(omitted, ["-o"]);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (line, expected) in [
            (&["curl", "-d", "message=x"][..], "has no URL"),
            (&["curl", "http://h/", "-d", "@file"], "`-d` reads a file"),
            (&["curl", "http://h/", "-d"], "`-d` has no value"),
            (&["curl", "http://h/", "-d", "{\"a\": 1}"], "no field"),
            (&["curl", "http://h/", "-d", "{message: Hi}"], "not JSON"),
            (
                &["curl", "-X", "PUT", "http://h/", "-d", "message=x"],
                "PUT",
            ),
            (
                &["curl", "ftp://h/", "-d", "message=x"],
                "not a URL of HTTP",
            ),
            (&["curl", "http://h/"], "no field"),
        ] {
            let Err(error) = read(line) else {
                panic!("{line:?} is read");
            };
            assert!(error.message.contains(expected), "{line:?}: {error}");
        }
        assert!(is_curl(&["/usr/bin/curl".to_owned()]));
        assert!(!is_curl(&["curly".to_owned()]) && !is_curl(&[]));
    }
}
