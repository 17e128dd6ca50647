//! The styles and scripts of the pages, and the words by which a browser knows them from any other.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};

/// The script of every page: the button that changes between light and dark.
macro_rules! theme {
    () => {
        include_str!("theme.js")
    };
}

/// The style sheet of a page of tables and lists.
pub(in crate::report) const TABLES_STYLE: &str =
    concat!(include_str!("base.css"), include_str!("tables.css"));

/// The script of such a page.
pub(in crate::report) const TABLES_SCRIPT: &str =
    concat!(theme!(), include_str!("text.js"), include_str!("tables.js"));

/// The style sheet of the page of a run, part by part.
pub(super) const STYLE: &str = concat!(
    include_str!("base.css"),
    include_str!("page.css"),
    include_str!("test.css"),
    include_str!("timeline.css")
);

/// Its script, part by part: a part uses only what earlier parts define.
pub(super) const SCRIPT: &str = concat!(
    theme!(),
    include_str!("text.js"),
    include_str!("json.js"),
    include_str!("fold.js"),
    include_str!("timeline.js"),
    include_str!("finding.js"),
    include_str!("story.js"),
    include_str!("test.js"),
    include_str!("filter.js"),
    include_str!("page.js"),
);

/// The content security policy of a page: it may only show itself. Nothing is fetched or sent, and no other script
/// runs, whatever the file contains.
pub(in crate::report) fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; img-src data:; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        fingerprint(style),
        fingerprint(script)
    )
}

fn fingerprint(content: &str) -> String {
    format!(
        "sha256-{}",
        STANDARD.encode(digest(&SHA256, content.as_bytes()))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_what_browsers_compute() {
        // The first example of the standard that defines the hash, FIPS 180.
        assert_eq!(
            fingerprint("abc"),
            "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
        );
    }

    #[test]
    fn nothing_in_them_ends_them() {
        for content in [STYLE, SCRIPT, TABLES_STYLE, TABLES_SCRIPT] {
            assert!(
                !content.contains("</") && !content.contains("<!--") && !content.contains('\r')
            );
        }
        assert!(
            !SCRIPT.contains("innerHTML") && !SCRIPT.contains("http:") && !STYLE.contains("url(")
        );
    }
}
