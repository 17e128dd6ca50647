//! URLs: their origins and their places, however they are written, and what is below them.

use std::net::IpAddr;

use url::{Host, Url};

/// The origin of a URL (RFC 6454): scheme, host and port, in words that are equal for two URLs of one origin. This machine has
/// one name. Credentials for one origin are sent to no other (SPEC 14).
pub fn origin(url: &Url) -> String {
    let host = match url.host_str() {
        Some(_) if is_this_machine(url) => "localhost",
        Some(host) => host,
        None => "",
    };
    // The port is written although it may be the usual one: `https://h` and `https://h:443` are one origin.
    match url.port_or_known_default() {
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
        None => format!("{}://{host}", url.scheme()),
    }
}

/// The place that a URL is of, in words that are equal for two URLs of one place: a slash at the end makes no difference.
pub fn place(url: &Url) -> String {
    let origin = origin(url);
    let path = url.path().trim_end_matches('/');
    match url.query() {
        Some(query) => format!("{origin}{path}?{query}"),
        None => format!("{origin}{path}"),
    }
}

/// The URL whose path is that of `url` with these segments after it.
pub fn below<'a>(url: &Url, segments: impl Iterator<Item = &'a str>) -> Option<Url> {
    let mut url = url.clone();
    url.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .extend(segments);
    Some(url)
}

/// A test that a URL is of this machine, by one of its own names: `0.0.0.0`, where servers say they listen, is one as well.
fn is_this_machine(url: &Url) -> bool {
    let address: IpAddr = match url.host() {
        Some(Host::Domain(name)) => return name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.into(),
        Some(Host::Ipv6(address)) => address.into(),
        None => return false,
    };
    address.is_unspecified() || address.to_canonical().is_loopback()
}

/// A test that no packet to `url` leaves this machine: names below `localhost` are its own too, each an origin of its own.
pub(crate) fn is_loopback(url: &Url) -> bool {
    is_this_machine(url) || url.host_str().unwrap_or_default().ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_has_one_name() {
        for (one, other, is_same) in [
            (
                "http://localhost:8000/agent",
                "http://127.0.0.1:8000/agent/",
                true,
            ),
            ("http://[::1]:80/", "http://LOCALHOST", true),
            ("https://h/a?x=1", "https://user:pass@h:443/a?x=1#top", true),
            ("https://h/a?x=1", "https://h/a?x=2", false),
            ("http://h/a", "https://h/a", false),
            ("http://h/a", "http://h/b", false),
            ("http://127.0.0.1:1/a", "http://127.0.0.1:2/a", false),
        ] {
            let [one, other] = [one, other].map(|url| place(&url.parse().unwrap()));
            assert_eq!(one == other, is_same, "{one} {other}");
        }
    }

    #[test]
    fn an_origin_is_a_scheme_with_a_host_and_a_port() {
        for (one, other, is_same) in [
            ("http://localhost:1/a", "http://127.0.0.1:1/b?c", true),
            ("http://0.0.0.0:9/", "http://[::1]:9", true),
            ("http://[::]:9/", "http://[::ffff:127.0.0.1]:9", true),
            ("https://Example.org/x", "https://example.org:443", true),
            ("https://example.org", "http://example.org:443", false),
            ("http://example.org", "http://example.org:8080", false),
            ("http://[2001:db8::1]/", "http://[2001:db8::2]/", false),
            ("http://a.localhost/", "http://b.localhost/", false),
            ("http://a.example", "http://b.example", false),
        ] {
            let [first, second] = [one, other].map(|url| origin(&url.parse().unwrap()));
            assert_eq!(first == second, is_same, "{one} {other}");
        }
    }
}
