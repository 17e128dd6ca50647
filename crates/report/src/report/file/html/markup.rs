//! Texts escaped for a page: between tags, in attributes and in blocks of data.

use std::borrow::Cow;
use std::io;

use ananke_base::text::escape;
use serde::Serialize;

/// The text that ends a block of data.
pub(super) const DATA_END: &str = "</script>\n";

/// `text` between two tags or in an attribute: what could deceive the eye is a visible escape.
pub(in crate::report) fn line(text: &str) -> String {
    escaped(&escape::line(text))
}

/// The same with its line ends.
pub(super) fn lines(text: &str) -> String {
    escaped(&escape::terminal(text))
}

/// `text`, without confusable characters already, with the markup of HTML escaped.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// `value` as JSON in which no tag can begin or end.
pub(super) fn json(value: &impl Serialize) -> io::Result<String> {
    let json = serde_json::to_string(value)?;
    let json = escape::json(&json);
    Ok(if json.contains('<') {
        Cow::Owned(json.replace('<', "\\u003c"))
    } else {
        json
    }
    .into_owned())
}

/// A block of data with this id, which must not come from an agent; `json` is made by [`json`].
pub(super) fn data(id: &str, json: &str) -> String {
    format!("{}{json}{DATA_END}", data_begin(id))
}

/// The text that begins a block of data.
pub(super) fn data_begin(id: &str) -> String {
    format!("<script type=\"application/json\" id=\"{id}\">")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_place() {
        assert_eq!(
            line("<a b='c'>&\"\u{0}\u{202e}\n"),
            "&lt;a b=&apos;c&apos;&gt;&amp;&quot;\\u{0}\\u{202e}\\n"
        );
        assert_eq!(lines("<a>\nb\u{1b}"), "&lt;a&gt;\nb\\u{1b}");
        let text = "</script><!--<script> ]]> \u{0}\u{2028}\u{fffe}\u{202e}";
        let written = json(&text).unwrap();
        assert_eq!(
            written,
            "\"\\u003c/script>\\u003c!--\\u003cscript> ]]> \\u0000\\u2028\\ufffe\\u202e\""
        );
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }
}
