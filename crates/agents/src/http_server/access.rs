//! Access to a server of this machine: a page of any site can send requests to its port, under its own name or as if it were
//! the site's (SPEC 14).

use url::Url;

use super::ReceivedRequest;
use crate::http::is_loopback;

/// The senders whose requests are answered.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Names that requests may be addressed to, in addition to those of this machine.
    pub hosts: Vec<String>,
    /// Origins whose pages are answered: `https://app.example.org`.
    pub origins: Vec<String>,
    /// The pages that are answered if no origin names them.
    pub pages: AnsweredPages,
}

/// The pages that are answered if no origin names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnsweredPages {
    /// The pages of servers on this machine.
    #[default]
    OfThisMachine,
    /// No page, because what is sent on has credentials.
    Nobodys,
}

/// The reason for which a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefusedRequest {
    /// HTTP status.
    pub(super) status: u16,
    /// The reason, with what to do.
    pub(super) why: String,
}

impl Access {
    /// The reason why a request to a server of this machine is refused. `None` if it is answered. The server is for programs of
    /// this machine, but a browser sends it requests of the pages of any website as well.
    pub(super) fn refusal(&self, request: &ReceivedRequest) -> Option<RefusedRequest> {
        // A website may have the address of this machine entered for its own name, so that the browser takes the server for a
        // part of the website. Such a request has the website's name in `host`.
        let mut headers = request.headers.iter();
        let refused = headers.find(|(name, host)| name == "host" && !self.takes_host(host));
        if let Some((_, host)) = refused {
            let why = format!(
                "the request is addressed to `{host}`, which is no name of this machine: `--allow-host` takes it"
            );
            return Some(RefusedRequest { status: 421, why });
        }

        // A browser names the website of a page in `origin`, with most requests.
        let mut headers = request.headers.iter();
        let refused = headers.find(|(name, origin)| name == "origin" && !self.takes_origin(origin));
        if let Some((_, origin)) = refused {
            let why =
                format!("the request is from a page of `{origin}`: `--allow-origin` takes it");
            return Some(RefusedRequest { status: 403, why });
        }

        // The origins that are left are allowed ones.
        if request.header("origin").is_some() {
            return None;
        }
        // A browser sends a simple GET without `Origin`. Only `Sec-Fetch-Site` shows then that it is for a page of another site.
        // Programs that are no browsers send neither, and are answered.
        let mut headers = request.headers.iter();
        let (_, site) =
            headers.find(|(name, site)| name == "sec-fetch-site" && is_foreign(site))?;
        let why = format!(
            "the request is from a page of another site (`Sec-Fetch-Site: {site}`) and names no origin that `--allow-origin` could take"
        );
        Some(RefusedRequest { status: 403, why })
    }

    fn takes_host(&self, host: &str) -> bool {
        let Ok(url) = Url::parse(&format!("http://{host}/")) else {
            return false;
        };
        let name = url.host_str().unwrap_or_default();
        let mut allowed = self.hosts.iter();
        is_loopback(&url) || allowed.any(|allowed| allowed.eq_ignore_ascii_case(name))
    }

    fn takes_origin(&self, origin: &str) -> bool {
        // Browsers send an origin without a slash, and people copy it with one.
        for allowed in &self.origins {
            let allowed = allowed.trim_end_matches('/');
            if allowed.eq_ignore_ascii_case(origin.trim_end_matches('/')) {
                return true;
            }
        }
        match Url::parse(origin) {
            Ok(url) => self.pages == AnsweredPages::OfThisMachine && is_loopback(&url),
            Err(_) => false,
        }
    }
}

/// Whether the value of `Sec-Fetch-Site` is that of a request that a page of another origin makes.
fn is_foreign(site: &str) -> bool {
    ["cross-site", "same-site"]
        .iter()
        .any(|foreign| site.trim().eq_ignore_ascii_case(foreign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_for_this_machine_and_no_page_of_another_site() {
        let strict = Access {
            pages: AnsweredPages::Nobodys,
            ..Access::default()
        };
        let open = Access {
            hosts: vec!["agent.test".to_owned()],
            origins: vec!["https://app.example/".to_owned()],
            pages: AnsweredPages::Nobodys,
        };
        let usual = Access::default();
        for host in [
            "localhost:8766",
            "127.0.0.1:8766",
            "[::1]:8766",
            "app.localhost",
            "LOCALHOST",
        ] {
            assert!(usual.takes_host(host), "{host}");
        }
        for host in [
            "page.example:8766",
            "127.0.0.1.page.example",
            "localhost.page.example",
            "",
            "a b",
            "192.168.0.2",
        ] {
            assert!(!usual.takes_host(host), "{host}");
        }
        assert!(open.takes_host("agent.test:80") && !open.takes_host("other.test"));
        for origin in [
            "http://localhost:3000",
            "http://127.0.0.1",
            "https://[::1]:1",
        ] {
            assert!(
                usual.takes_origin(origin) && !strict.takes_origin(origin),
                "{origin}"
            );
        }
        for origin in [
            "http://page.example",
            "null",
            "",
            "file://",
            "http://localhost.page.example",
        ] {
            assert!(!usual.takes_origin(origin), "{origin}");
        }
        assert!(
            open.takes_origin("https://app.example") && !open.takes_origin("http://app.example")
        );
    }
}
