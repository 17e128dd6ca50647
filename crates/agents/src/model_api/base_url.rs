//! The address of an API whose base people write.

use url::Url;

/// The path of the requests of an API.
#[derive(Clone, Copy, Debug)]
pub struct ApiPath {
    /// The version of the API, if people write its base with it and without it, such as `v1`.
    pub version: Option<&'static str>,
    /// The path below the base, such as `chat/completions`.
    pub below_base: &'static str,
}

impl ApiPath {
    /// The path of an API whose base is always written in one way.
    pub const fn below_base(below_base: &'static str) -> Self {
        Self {
            version: None,
            below_base,
        }
    }

    /// The URL to which requests are posted: `endpoint` if it ends with the path, and else the path below it. The query of
    /// `endpoint` stays.
    pub(super) fn url(self, mut endpoint: Url) -> Url {
        // People write a slash at the end or not, so that both must mean the same.
        let written = endpoint.path().trim_end_matches('/');
        let path = self.below_base;
        if !written.ends_with(path) {
            let posted = match self.version {
                Some(version) if !written.ends_with(&format!("/{version}")) => {
                    format!("{written}/{version}/{path}")
                }
                _ => format!("{written}/{path}"),
            };
            endpoint.set_path(&posted);
        }
        endpoint
    }
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
            let path = ApiPath::below_base("chat/completions");
            let url = path.url(written.parse().unwrap());
            assert_eq!(url.as_str(), posted);
        }
    }

    #[test]
    fn a_base_has_its_version_or_not() {
        let path = ApiPath {
            version: Some("v1"),
            below_base: "messages",
        };
        for (written, posted) in [
            ("http://h", "http://h/v1/messages"),
            ("http://h/", "http://h/v1/messages"),
            ("http://h/v1", "http://h/v1/messages"),
            ("http://h/v1/", "http://h/v1/messages"),
            ("http://h/v1/messages", "http://h/v1/messages"),
            ("http://h/gateway/messages", "http://h/gateway/messages"),
            (
                "http://h/gateway?beta=true",
                "http://h/gateway/v1/messages?beta=true",
            ),
        ] {
            let url = path.url(written.parse().unwrap());
            assert_eq!(url.as_str(), posted);
        }
    }
}
