//! The HTTP headers of a config, and those of its requests.

use ananke_base::diagnostic::Code;
use ananke_base::source::{FreeMap, printable};
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf, fill_all};

/// Headers that HTTP writes itself: what is wrong with one in a config, and what to do.
const RESERVED: [(&[&str], &str, &str); 5] = [
    (
        &["host"],
        "is the host of `endpoint`",
        "put the host into `endpoint`, and remove the header",
    ),
    (
        &[
            "content-encoding",
            "content-length",
            "trailer",
            "transfer-encoding",
        ],
        "says how the body of the request is sent, which is known only then",
        "remove it: each request gets what describes its own body",
    ),
    (
        &[
            "connection",
            "http2-settings",
            "keep-alive",
            "proxy-connection",
            "te",
            "upgrade",
        ],
        "controls the connection, and each request has a new one",
        "remove it",
    ),
    (
        &["expect"],
        "asks the server for a response before the body is sent, and nothing waits for it",
        "remove it",
    ),
    (
        &[
            "proxy-authenticate",
            "proxy-authentication-info",
            "proxy-authorization",
        ],
        "is for a proxy, and would be sent to the agent",
        "put user and password into the URL of the proxy: `HTTPS_PROXY=http://user:password@proxy:8080`",
    ),
];

/// Checks a header of a config, and replaces the variables of its value. A name is a token, and a value has no control characters
/// but tab (RFC 9110, 5.1 and 5.5).
///
/// # Errors
/// If the header is wrong, which is reported to `interpolation`, or if a variable has no value until the test runs.
pub fn header(
    name: &Text,
    text: &Text,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<(String, String)> {
    // The value is filled first although the name may be wrong, so that the problems of both are reported.
    let value = interpolation.header(name, text);
    if !is_token(name) {
        let message = format!("`{}` is not a valid header name", printable(name));
        let help = "names consist of letters, digits and `-`, such as `x-tenant`";
        return Err(interpolation.report(
            Code::BadValue,
            name.span,
            message,
            Some(help.to_owned()),
        ));
    }
    // Some headers are written by HTTP itself, each group for a reason of its own.
    for (names, reason, help) in RESERVED {
        if names.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            let message = format!("the header `{}` cannot be set: it {reason}", name.value);
            let help = Some(help.to_owned());
            return Err(interpolation.report(Code::BadValue, name.span, message, help));
        }
    }
    let value = value?;
    if !is_value(&value) {
        // The message does not quote the value, which may be a secret.
        let message = format!(
            "the value of the header `{}` contains a line break or another control character",
            name.value
        );
        let help = "remove it; a variable that is read from a file often ends with a line break";
        return Err(interpolation.report(
            Code::BadValue,
            text.span,
            message,
            Some(help.to_owned()),
        ));
    }
    Ok((name.to_ascii_lowercase(), value))
}

/// Whether a header can be sent with this name and this value.
pub fn is_header(name: &str, value: &str) -> bool {
    is_token(name) && is_value(value)
}

fn is_token(name: &str) -> bool {
    let mut bytes = name.bytes();
    !name.is_empty()
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn is_value(value: &str) -> bool {
    !value.chars().any(|c| c.is_control() && c != '\t')
}

/// The HTTP headers of a config, checked and filled.
///
/// # Errors
/// If one is known later or was reported.
pub fn headers(
    written: Option<&FreeMap<Text>>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<(String, String)>> {
    fill_all(written.into_iter().flatten(), |(name, text)| {
        header(name, text, interpolation)
    })
}

/// The headers of a request: the target's `own`, and the `defaults` of its protocol, except those that the target sets itself.
/// All names are in lower case, since headers are compared by name later.
pub fn headers_with_defaults(
    own: &[(String, String)],
    defaults: &[(&str, &str)],
) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    for (name, value) in own {
        headers.push((name.to_ascii_lowercase(), value.clone()));
    }
    for (name, value) in defaults {
        if !own.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)) {
            headers.push(((*name).to_owned(), (*value).to_owned()));
        }
    }
    headers
}
