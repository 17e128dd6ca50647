//! The address of an API whose base people write.

use url::Url;

/// The URL to which requests are posted: `endpoint` if it ends with `path`, and else `path` below it. The query of `endpoint`
/// stays.
pub(super) fn url_of_api(mut endpoint: Url, path: &str) -> Url {
    // People write a slash at the end or not, so that both must mean the same.
    let written = endpoint.path().trim_end_matches('/');
    if !written.ends_with(path) {
        let posted = format!("{written}/{path}");
        endpoint.set_path(&posted);
    }
    endpoint
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
            let url = url_of_api(written.parse().unwrap(), "chat/completions");
            assert_eq!(url.as_str(), posted);
        }
    }
}
