//! HTTP URLs.

use url::Url;

use super::interpolation::Interpolation;
use crate::diagnostic::Code;
use crate::model::Text;

/// An HTTP URL, which messages call `name`.
pub(crate) fn http_url(
    text: &str,
    name: &str,
    written: &Text,
    filling: &mut Interpolation<'_>,
) -> Option<Url> {
    let problem = match Url::parse(text) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            format!("the {name} has the scheme `{}`, expected `http` or `https`", url.scheme())
        }
        Ok(url) if !url.has_host() => format!("the {name} has no host"),
        Ok(url) => return Some(url),
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            format!("the {name} is no URL: it begins with neither `http://` nor `https://`")
        }
        Err(error) => format!("the {name} is no URL: {error}"),
    };
    let help = Some("write it in full: `http://127.0.0.1:8000/agent`".to_owned());
    filling.report(Code::BadUrl, written.span, problem, help);
    None
}
