//! The real provider that a lane is recorded from.

use std::sync::Arc;

use bytes::Bytes;
use url::Url;

use ananke_agents::http::Forwarder;
use ananke_agents::{ServedFrame, ServedResponse, model_wires};
use ananke_base::context::Clock;

/// The most bytes of a response that are read: 64 MiB.
const MOST_BYTES: usize = 64 << 20;

/// The headers of a request that are not sent on: the body may be another one, and the rest is for this server.
const NOT_SENT_ON: &[&str] = &["content-length", "expect", "baggage"];

/// The headers of a response that its client gets: what it is, and when to ask again.
const PASSED_BACK: &[&str] = &[
    "content-type",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
];

/// A provider at an address.
#[derive(Debug)]
pub struct Upstream {
    forwarder: Forwarder,
    origin: String,
    /// The path of the address without a slash at its end; empty if it has none.
    base: String,
}

/// The providers that may be asked, by their names.
#[derive(Clone, Debug, Default)]
pub struct Upstreams(Vec<(Option<String>, Arc<Upstream>)>);

impl Upstreams {
    /// One provider for all APIs.
    pub fn one(upstream: Upstream) -> Self {
        Self(vec![(None, Arc::new(upstream))])
    }

    /// The providers of these names and addresses.
    ///
    /// # Errors
    /// The reason why one of them cannot be asked.
    pub fn named(addresses: &[(String, String)]) -> Result<Self, String> {
        let mut upstreams = Vec::new();
        for (name, url) in addresses {
            if !model_wires().iter().any(|wire| wire.provider() == name) {
                return Err(format!("there is no provider `{name}`"));
            }
            let upstream = Upstream::new(url);
            let upstream = upstream.map_err(|reason| format!("the provider `{name}`: {reason}"))?;
            upstreams.push((Some(name.clone()), Arc::new(upstream)));
        }
        Ok(Self(upstreams))
    }

    /// The places that get the keys of the agent.
    pub fn origins(&self) -> Vec<&str> {
        let mut origins = Vec::new();
        for (_, upstream) in &self.0 {
            origins.push(upstream.origin());
        }
        origins
    }

    /// The provider of this name.
    pub(crate) fn get(&self, provider: &str) -> Option<Arc<Upstream>> {
        for (name, upstream) in &self.0 {
            // An upstream without a name serves every API.
            match name {
                Some(name) if name != provider => {}
                _ => return Some(Arc::clone(upstream)),
            }
        }
        None
    }
}

/// A request as it is sent on.
pub(crate) struct OutgoingRequest<'r> {
    /// `POST` or another method.
    pub(crate) method: &'r str,
    /// The path and query that the agent asked.
    pub(crate) target: &'r str,
    /// The end of the path of the API.
    pub(crate) api_path: &'r str,
    /// The headers, among them the key of the agent.
    pub(crate) headers: &'r [(String, String)],
    /// The body.
    pub(crate) body: Bytes,
}

impl Upstream {
    /// The provider at this URL.
    ///
    /// # Errors
    /// The reason why it is no address of a provider.
    pub fn new(url: &str) -> Result<Self, String> {
        let url: Url = url.parse().map_err(|_| "it is not a URL".to_owned())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("it must begin with http:// or https://".to_owned());
        }
        Ok(Self {
            origin: url.origin().ascii_serialization(),
            base: url.path().trim_end_matches('/').to_owned(),
            forwarder: Forwarder::new(url)?,
        })
    }

    /// The scheme, host and port: the place that gets the keys of the agent.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The target of a request at the provider. A path in the address replaces what the agent has before the API's own path.
    fn target(&self, request: &OutgoingRequest<'_>) -> String {
        if self.base.is_empty() {
            return request.target.to_owned();
        }
        let query = match request.target.split_once('?') {
            Some((_, query)) => format!("?{query}"),
            None => String::new(),
        };
        format!("{}{}{query}", self.base, request.api_path)
    }

    /// Asks the provider, and reads its response to the end.
    ///
    /// # Errors
    /// The reason why there is no whole response.
    pub(crate) async fn ask(
        &self,
        request: OutgoingRequest<'_>,
        clock: &dyn Clock,
    ) -> Result<ServedResponse, String> {
        let mut headers = Vec::new();
        for (name, value) in request.headers {
            if !NOT_SENT_ON.contains(&name.as_str()) {
                headers.push((name.clone(), value.clone()));
            }
        }
        let target = self.target(&request);
        let asked_at = clock.now();
        let sent = self
            .forwarder
            .forward_whole(request.method, &target, &headers, request.body);
        let mut received = sent.await?;
        let mut response = ServedResponse::new(received.status, "", Vec::new());
        response.headers.clear();
        for (name, value) in &received.headers {
            if PASSED_BACK.contains(&name.as_str()) {
                response.headers.push((name.clone(), value.clone()));
            }
        }
        let mut frames = ArrivedFrames {
            is_stream: response.is_event_stream(),
            ..ArrivedFrames::default()
        };
        let mut length = 0;
        while let Some(bytes) = received.next().await? {
            length += bytes.len();
            if length > MOST_BYTES {
                return Err(format!("the response has more than {MOST_BYTES} bytes"));
            }
            frames.add(&bytes, clock.now().since(asked_at));
        }
        response.frames = frames.finish();
        Ok(response)
    }
}

/// The frames of a response: its events, or the whole document.
#[derive(Default)]
struct ArrivedFrames {
    is_stream: bool,
    frames: Vec<ServedFrame>,
    /// The bytes after the last frame.
    rest: Vec<u8>,
    last: std::time::Duration,
}

impl ArrivedFrames {
    fn add(&mut self, bytes: &[u8], after: std::time::Duration) {
        self.last = after;
        // The end of an event may be in two pieces.
        let mut looked_at = self.rest.len().saturating_sub(3);
        self.rest.extend_from_slice(bytes);
        if !self.is_stream {
            return;
        }
        while let Some(end) = end_of_event(&self.rest, looked_at) {
            let rest = self.rest.split_off(end);
            let event = std::mem::replace(&mut self.rest, rest);
            self.frames.push(ServedFrame {
                after,
                bytes: Bytes::from(event),
            });
            looked_at = 0;
        }
    }

    fn finish(mut self) -> Vec<ServedFrame> {
        if !self.rest.is_empty() {
            self.frames.push(ServedFrame {
                after: self.last,
                bytes: Bytes::from(self.rest),
            });
        }
        self.frames
    }
}

/// The place after the first blank line, looked for from `start` on.
fn end_of_event(bytes: &[u8], start: usize) -> Option<usize> {
    for place in start..bytes.len() {
        let rest = &bytes[place..];
        if rest.starts_with(b"\n\n") || rest.starts_with(b"\r\r") {
            return Some(place + 2);
        }
        if rest.starts_with(b"\r\n\r\n") {
            return Some(place + 4);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_path_of_the_address_replaces_the_base_of_the_agent() {
        for (url, target, api_path, expected) in [
            (
                "https://h",
                "/v1/messages?beta=true",
                "/messages",
                "/v1/messages?beta=true",
            ),
            ("https://h/", "/v1/responses", "/responses", "/v1/responses"),
            (
                "https://h/v1",
                "/v1/chat/completions",
                "/chat/completions",
                "/v1/chat/completions",
            ),
            (
                "https://h/v1/",
                "/messages?x=1",
                "/messages",
                "/v1/messages?x=1",
            ),
            (
                "https://h/gate/way",
                "/v1/responses",
                "/responses",
                "/gate/way/responses",
            ),
        ] {
            let request = OutgoingRequest {
                method: "POST",
                target,
                api_path,
                headers: &[],
                body: Bytes::new(),
            };
            assert_eq!(Upstream::new(url).unwrap().target(&request), expected);
        }
        for url in ["", "h", "ftp://h", "/v1"] {
            Upstream::new(url).unwrap_err();
        }
        let upstream = Upstream::new("https://user:secret@h:8/v1?key=secret").unwrap();
        assert_eq!(upstream.origin(), "https://h:8");
    }

    #[test]
    fn events_are_frames_whatever_the_pieces() {
        let text = "data: 1\n\ndata: 2\r\n\r\n: x\n\ndata: [DONE]";
        for size in 1..text.len() {
            let mut frames = ArrivedFrames {
                is_stream: true,
                ..ArrivedFrames::default()
            };
            for piece in text.as_bytes().chunks(size) {
                frames.add(piece, Duration::ZERO);
            }
            let mut texts = Vec::new();
            for frame in frames.finish() {
                texts.push(String::from_utf8(frame.bytes.to_vec()).unwrap());
            }
            assert_eq!(
                texts,
                ["data: 1\n\n", "data: 2\r\n\r\n", ": x\n\n", "data: [DONE]"]
            );
        }
    }
}
