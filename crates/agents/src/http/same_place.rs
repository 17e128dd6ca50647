//! Whether two URLs are of one place, however they are written.

use url::{Host, Url};

/// The place that a URL is of, in words that are equal for two URLs of one place: this machine has one name, and a slash at
/// the end makes no difference.
pub fn place(url: &Url) -> String {
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    let host = if is_here {
        "localhost"
    } else {
        url.host_str().unwrap_or_default()
    };
    let port = url
        .port_or_known_default()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let query = url
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    format!(
        "{}://{host}{port}{}{query}",
        url.scheme(),
        url.path().trim_end_matches('/')
    )
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
}
