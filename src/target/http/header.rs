//! The HTTP headers of a config, checked and filled.

use crate::diagnostic::Code;
use crate::model::Text;
use crate::source::printable;
use crate::variables::Interpolation;

/// RFC 9110, 5.1 and 5.5: a token for the name, no control characters but tab in the value.
pub fn header(name: &Text, text: &Text, filling: &mut Interpolation<'_>) -> Option<(String, String)> {
    let value = filling.header(name, text).ok();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        let message = format!("`{}` is no name of an HTTP header", printable(name));
        filling.report(Code::BadValue, name.span, message, None);
        return None;
    }
    let value = value?;
    if value.chars().any(|c| c.is_control() && c != '\t') {
        // The value may be a secret: it is not shown.
        let message = format!(
            "the value of the header `{}` holds a line break or another control character",
            name.value
        );
        filling.report(Code::BadValue, text.span, message, None);
        return None;
    }
    Some((name.to_ascii_lowercase(), value))
}
