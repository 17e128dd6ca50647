//! The cookies of one attempt: those that a response sets go along with later requests to the same origin, as a browser sends
//! them. Load balancers keep a session on one machine by them.
//!
//! **Invariant:** a cookie goes to the origin that set it alone, whatever its `Domain` says.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::Url;

use super::same_place::{is_loopback, origin};
use super::{ClientEvent, HttpRequest, Reply, Transport};
use crate::error::TargetError;
use ananke_base::context::{At, Clock, http_date, lock};

/// The most cookies that are kept; the oldest gives way.
const MOST_COOKIES: usize = 100;

/// The longest name and value of a cookie together, in bytes (RFC 6265, 6.1).
const LONGEST_COOKIE: usize = 4096;

/// The transport of one attempt. Each attempt has its own, so that no test gets the session of another.
pub struct CookieTransport {
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    jar: Arc<Mutex<CookieJar>>,
}

impl CookieTransport {
    /// A transport without cookies so far, which sends over `transport`.
    pub fn new(transport: Arc<dyn Transport>, clock: Arc<dyn Clock>) -> Self {
        Self {
            transport,
            clock,
            jar: Arc::default(),
        }
    }
}

impl Transport for CookieTransport {
    fn moment(&self, event: ClientEvent) -> At {
        self.transport.moment(event)
    }

    /// Sends a request with the cookies for its URL, and keeps those that the response sets.
    fn send(
        &self,
        mut request: HttpRequest,
        until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        // The request is moved into the transport below, so its URL, and its progress, where the transport puts the cookies of
        // the response, are cloned before.
        let url = request.url.clone();
        let progress = request.progress.clone();
        let jar = lock(&self.jar);
        jar.add_to(&mut request, self.clock.unix_ms(self.clock.now()));
        drop(jar);
        // The transport sends at this call and not when the reply is awaited, so it is called outside of the future.
        let reply = self.transport.send(request, until);
        Box::pin(async move {
            let reply = reply.await;
            let now = self.clock.unix_ms(self.clock.now());
            // Responses with an error status may set cookies as well. Without a response, there are none.
            for set_cookie in progress.take_cookies() {
                let mut jar = lock(&self.jar);
                jar.take(&url, &set_cookie, now);
            }
            reply
        })
    }

    fn is_network(&self) -> bool {
        self.transport.is_network()
    }

    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.transport.wait(time)
    }
}

/// Cookies that were set, the oldest first.
#[derive(Debug, Default)]
struct CookieJar(Vec<Cookie>);

#[derive(Debug)]
struct Cookie {
    origin: String,
    path: String,
    name: String,
    value: String,
    /// The moment from which it is not sent, in Unix milliseconds.
    expires: Option<u64>,
}

impl CookieJar {
    /// Keeps the cookie that a response of `url` sets, or removes one that it ends. `set_cookie` is the value of the header
    /// `set-cookie`, and `now` is in Unix milliseconds. A header that is not valid is ignored, as browsers do.
    fn take(&mut self, url: &Url, set_cookie: &str, now: u64) {
        // The value is the pair of the cookie, and attributes after it: `session=1; Path=/; Max-Age=60`.
        let mut parts = set_cookie.split(';').map(str::trim);
        let pair = parts.next().unwrap_or_default();
        let Some((name, value)) = pair.split_once('=') else {
            return;
        };
        let name = name.trim();
        let value = value.trim();
        if name.is_empty() || name.len() + value.len() > LONGEST_COOKIE {
            return;
        }

        // Without attributes, a cookie is sent to all URLs in the directory of this one, until the end of the test.
        let mut cookie = Cookie {
            origin: origin(url),
            path: default_path(url),
            name: name.to_owned(),
            value: value.to_owned(),
            expires: None,
        };
        // `Max-Age` has precedence over `Expires`, in whatever order they come (RFC 6265, 5.3).
        let mut has_max_age = false;
        for attribute in parts {
            let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
            match key.trim().to_ascii_lowercase().as_str() {
                "path" if value.trim().starts_with('/') => {
                    value.trim().clone_into(&mut cookie.path);
                }
                "max-age" => {
                    if let Ok(seconds) = value.trim().parse::<i64>() {
                        has_max_age = true;
                        // A negative age means that the cookie has expired, as 0 does.
                        let seconds = u64::try_from(seconds).unwrap_or(0);
                        cookie.expires = Some(now.saturating_add(seconds.saturating_mul(1000)));
                    }
                }
                "expires" if !has_max_age => cookie.expires = http_date(value.trim()),
                // A server may set a secure cookie over HTTPS alone. This machine is an exception, as in browsers.
                "secure" if url.scheme() != "https" && !is_loopback(url) => return,
                // Other attributes make no difference here. `Domain` does not, because a cookie goes to its own origin alone.
                _ => {}
            }
        }

        // The new cookie replaces the one of the same name and place. A server removes a cookie by setting it with a time in the
        // past, so one that has expired is removed and not added.
        self.0.retain(|known| {
            known.origin != cookie.origin || known.path != cookie.path || known.name != cookie.name
        });
        if cookie.is_live(now) {
            // A full jar loses its oldest cookie, which is the first.
            if self.0.len() == MOST_COOKIES {
                self.0.remove(0);
            }
            self.0.push(cookie);
        }
    }

    /// Adds the cookies for its URL to a request. `now` is in Unix milliseconds. Cookies in the `headers` of the target stay as
    /// they are, and have precedence over those of the jar.
    fn add_to(&self, request: &mut HttpRequest, now: u64) {
        let mut headers = request.headers.iter_mut();
        let own_header = headers.find(|(name, _)| name == "cookie");
        let mut own_names = Vec::new();
        if let Some((_, pairs)) = &own_header {
            for pair in pairs.split(';') {
                own_names.push(pair.split('=').next().unwrap_or_default().trim());
            }
        }

        let request_origin = origin(&request.url);
        let mut sent = Vec::new();
        for cookie in &self.0 {
            if cookie.origin == request_origin
                && cookie.is_live(now)
                && is_below(request.url.path(), &cookie.path)
                && !own_names.contains(&cookie.name.as_str())
            {
                sent.push(cookie);
            }
        }
        if sent.is_empty() {
            return;
        }
        // The cookie with the longest path comes first (RFC 6265, 5.4): of two with one name, it is the more specific.
        sent.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<String> = sent
            .iter()
            .map(|cookie| format!("{}={}", cookie.name, cookie.value))
            .collect();
        let added = pairs.join("; ");
        // A request has at most one such header, so the cookies are added to the target's own if there is one.
        match own_header {
            Some((_, own_pairs)) => *own_pairs = format!("{own_pairs}; {added}"),
            None => request.headers.push(("cookie".to_owned(), added)),
        }
    }
}

impl Cookie {
    fn is_live(&self, now: u64) -> bool {
        match self.expires {
            Some(expires) => expires > now,
            None => true,
        }
    }
}

/// The directory of a URL (RFC 6265, 5.1.4).
fn default_path(url: &Url) -> String {
    match url.path().rsplit_once('/') {
        None | Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
    }
}

/// Whether a cookie of `directory` is sent to `path` (RFC 6265, 5.1.4).
fn is_below(path: &str, directory: &str) -> bool {
    match path.strip_prefix(directory) {
        Some(rest) => rest.is_empty() || directory.ends_with('/') || rest.starts_with('/'),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{HttpOptions, Method, RequestProgress};
    use bytes::Bytes;

    /// The cookies that go to `url` at 2,000 s, after `http://h/a/b` set them at 1,000 s; `own` are those of the target.
    fn sent(sets: &[&str], own: Option<&str>, url: &str) -> Option<String> {
        let from: Url = "http://h/a/b".parse().expect("a URL");
        let mut jar = CookieJar::default();
        for set in sets {
            jar.take(&from, set, 1_000_000);
        }
        let own = own.into_iter();
        let mut request = HttpRequest {
            method: Method::Post,
            url: url.parse().expect("a URL"),
            headers: own
                .map(|own| ("cookie".to_owned(), own.to_owned()))
                .collect(),
            body: Bytes::new(),
            response_headers: Vec::new(),
            options: Arc::new(HttpOptions::default()),
            progress: RequestProgress::default(),
        };
        jar.add_to(&mut request, 2_000_000);
        request.headers.pop().map(|(_, value)| value)
    }

    #[test]
    fn a_cookie_goes_to_its_own_origin_and_path() {
        for (set, url, expected) in [
            ("a=1", "http://h/a/c", Some("a=1")),
            ("a=1", "http://h/a", Some("a=1")),
            ("a=1", "http://h/ab", None),
            ("a=1", "http://h/", None),
            ("a=1; Path=/", "http://h/", Some("a=1")),
            (
                "a=1; Path=/; HttpOnly; SameSite=Lax",
                "http://h/x?y",
                Some("a=1"),
            ),
            (
                "a=1; Path=/; Domain=example.org",
                "http://example.org/",
                None,
            ),
            ("a=1; Path=/", "http://h:81/", None),
            ("a=1; Path=/", "https://h/", None),
            ("a=1; Path=/; Secure", "http://h/", None),
            ("a=; Path=/", "http://h/", Some("a=")),
            ("a=b=c; Path=/", "http://h/", Some("a=b=c")),
            ("=1; Path=/", "http://h/", None),
            ("a", "http://h/a/", None),
        ] {
            assert_eq!(sent(&[set], None, url).as_deref(), expected, "{set} {url}");
        }
    }

    #[test]
    fn a_cookie_is_replaced_and_ends() {
        for (sets, expected) in [
            (&["a=1", "a=2"][..], Some("a=2")),
            (&["a=1", "b=2"], Some("a=1; b=2")),
            (&["a=1; Path=/", "b=2; Path=/a"], Some("b=2; a=1")),
            (&["a=1", "a=2; Max-Age=0"], None),
            (&["a=1; Max-Age=999"], None),
            (
                &["a=1; Max-Age=1001; Expires=Thu, 01 Jan 1970 00:00:00 GMT"],
                Some("a=1"),
            ),
            (&["a=1", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], None),
            (&["a=1; Expires=Thu, 01 Jan 1970 00:33:21 GMT"], Some("a=1")),
            (&["a=1; Expires=soon"], Some("a=1")),
        ] {
            assert_eq!(
                sent(sets, None, "http://h/a/").as_deref(),
                expected,
                "{sets:?}"
            );
        }
        let long = format!("a={}", "x".repeat(LONGEST_COOKIE));
        assert_eq!(sent(&[&long], None, "http://h/a/"), None);
        let many: Vec<String> = (0..=MOST_COOKIES)
            .map(|number| format!("c{number}=1"))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let kept = sent(&many, None, "http://h/a/").expect("cookies");
        assert!(
            kept.starts_with("c1=1; ") && kept.ends_with("c100=1"),
            "{kept}"
        );
    }

    #[test]
    fn the_targets_own_cookie_comes_first() {
        let own = Some("a=own; x=2");
        assert_eq!(
            sent(&["a=1", "b=2"], own, "http://h/a/").as_deref(),
            Some("a=own; x=2; b=2")
        );
    }
}
