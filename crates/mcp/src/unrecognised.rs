//! Answers that a program wrote, and that are the answer to nothing: their id is not one that was sent, something precedes them
//! on their line, or they are spread over several lines.
//!
//! **Invariant:** what is recognised here is never read as the answer; it only ends the wait for one.

use serde_json::Value;

use ananke_agents::pipe::{FRAMING_HELP, is_framing};
use ananke_agents::{Received, TargetError};
use ananke_base::source::received_json::read_bytes;

/// The largest answer that is put together from several lines, in bytes.
const MOST_JOINED: usize = 1 << 20;

/// The number of brackets in a line at which an answer is looked for.
const MOST_STARTS: usize = 3;

/// The form of an answer that is not recognised.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum UnrecognisedForm {
    /// It has an id that was not sent: as JSON that can be printed.
    OtherId(String),
    /// Other text is on its line.
    Prefixed,
    /// It is spread over several lines.
    Joined,
    /// Its length comes before it, as a header.
    Framed,
    /// It is no message at all.
    Noise,
}

/// An answer that is not recognised, while one request waits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UnrecognisedAnswer {
    pub(super) form: UnrecognisedForm,
    /// The request that waits.
    pub(super) awaited: u64,
    /// The beginning of it.
    pub(super) quote: String,
}

impl UnrecognisedAnswer {
    /// The error of a request that has no other answer.
    pub(super) fn error(self) -> TargetError {
        let awaited = self.awaited;
        let (how, help) = match &self.form {
            UnrecognisedForm::OtherId(id) => (
                format!("the server answered the request `{id}` instead, which was not sent"),
                "an answer has the `id` of its request",
            ),
            UnrecognisedForm::Prefixed => (
                "the server wrote an answer with other text on its line".to_owned(),
                "a message has its line of stdout for itself: write everything else to stderr",
            ),
            UnrecognisedForm::Joined => (
                "the server wrote an answer on several lines".to_owned(),
                "a message is one line: write the JSON without line breaks",
            ),
            UnrecognisedForm::Framed => (
                "the server writes headers before its messages".to_owned(),
                FRAMING_HELP,
            ),
            UnrecognisedForm::Noise => (
                "what the server wrote is not a message".to_owned(),
                "a message is one line of JSON-RPC on stdout: write everything else to stderr",
            ),
        };
        let quote = self.quote;
        let message = format!("the request `{awaited}` has no answer: {how}: {quote}");
        TargetError::new(message).with_help(help)
    }
}

/// Lines that are no messages, as far as they may be parts of one.
#[derive(Default)]
pub(super) struct OtherLines {
    text: Vec<u8>,
    /// The number of open brackets at its end.
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl OtherLines {
    /// Takes a line that is no message. Answers whether it is the end of an answer: in which form, and its beginning.
    pub(super) fn take(&mut self, line: &[u8]) -> Option<(UnrecognisedForm, String)> {
        if is_framing(line) {
            return Some((UnrecognisedForm::Framed, Received::quoted(line)));
        }
        if !self.text.is_empty() || line.trim_ascii_start().starts_with(b"{") {
            return self.join(line);
        }
        let mut rest = line;
        for _ in 0..MOST_STARTS {
            let start = rest.iter().position(|byte| *byte == b'{')?;
            if is_answer(&rest[start..]) {
                return Some((UnrecognisedForm::Prefixed, Received::quoted(line)));
            }
            rest = &rest[start + 1..];
        }
        None
    }

    /// Forgets the lines: a message is between them.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn join(&mut self, line: &[u8]) -> Option<(UnrecognisedForm, String)> {
        if self.text.len() + line.len() > MOST_JOINED {
            self.clear();
            return None;
        }
        for byte in line {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                b'{' | b'[' if !self.is_in_string => self.depth += 1,
                b'}' | b']' if !self.is_in_string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        let is_first = self.text.is_empty();
        self.text.extend_from_slice(line);
        if self.depth > 0 {
            return None;
        }
        let joined = std::mem::take(self).text;
        // One line that is whole was read as JSON already.
        if is_first || !is_answer(&joined) {
            return None;
        }
        Some((UnrecognisedForm::Joined, Received::quoted(&joined)))
    }
}

/// Whether a text is an answer of JSON-RPC.
fn is_answer(text: &[u8]) -> bool {
    let Ok(Value::Object(message)) = read_bytes(text).map(|read| read.value) else {
        return false;
    };
    let has = |key: &str| message.contains_key(key);
    has("jsonrpc") && !has("method") && (has("result") || has("error"))
}

/// Whether a line is JSON in UTF-16: binary data that begins with the same bytes is none.
pub(super) fn is_utf16_json(line: &[u8]) -> bool {
    let ([0xff, 0xfe, first, 0, ..] | [0xfe, 0xff, 0, first, ..] | [first, 0, ..] | [0, first, ..]) =
        line
    else {
        return false;
    };
    matches!(first, b'{' | b'[')
}

#[cfg(test)]
mod tests {
    use super::super::incoming::{AFTER_UNRECOGNISED, ServerMessages};
    use super::super::key_tables::WarningSink;
    use super::*;
    use ananke_agents::{EventReader as _, Rest};
    use ananke_base::context::At;

    fn forms(lines: &[&str]) -> Vec<Option<UnrecognisedForm>> {
        let mut other = OtherLines::default();
        lines
            .iter()
            .map(|line| Some(other.take(line.as_bytes())?.0))
            .collect()
    }

    #[test]
    fn an_answer_behind_other_text_is_found() {
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        for before in ["\u{1b}[0m", "DEBUG sending ", "{a} {", "\u{feff}x"] {
            let found = forms(&[&format!("{before}{answer}")]);
            let expected = (!before.starts_with('{')).then_some(UnrecognisedForm::Prefixed);
            assert_eq!(found, [expected], "{before}");
        }
        for line in [
            "x",
            r#"x {"jsonrpc":"2.0","id":1,"method":"a","result":1}"#,
            r#"x {"id":1,"result":1}"#,
            r#"x {"jsonrpc":"2.0","id":1,"result":1} y"#,
        ] {
            assert_eq!(forms(&[line]), [None], "{line}");
        }
    }

    #[test]
    fn lines_that_join_to_an_answer_are_found() {
        let pretty = [
            "{",
            r#"  "jsonrpc": "2.0","#,
            r#"  "id": 1,"#,
            "",
            r#"  "result": {"a": "}"}"#,
            "}",
        ];
        let joined = Some(UnrecognisedForm::Joined);
        assert_eq!(
            forms(&pretty),
            [None, None, None, None, None, joined.clone()]
        );
        let broken = [r#"{"jsonrpc":"2.0","id":1,"result":"a"#, r#"b"}"#];
        assert_eq!(forms(&broken), [None, joined]);
        assert_eq!(forms(&["{", "}", "{x}", "}"]), [None, None, None, None]);
        let endless = "{".repeat(MOST_JOINED / 2);
        assert_eq!(forms(&[&endless, &endless, &endless]), [None, None, None]);
    }

    #[test]
    fn an_answer_that_is_not_recognised_shortens_the_wait() {
        let rest = Some(Rest::AfterEnd(AFTER_UNRECOGNISED));
        for (lines, words) in [
            (
                &[r#"{"jsonrpc":"2.0","id":0,"result":{}}"#][..],
                "the request `0` instead",
            ),
            (
                &[r#"{"jsonrpc":"2.0","id":null,"result":{}}"#],
                "the request `null` instead",
            ),
            (
                &[r#"{"jsonrpc":"2.0","id":{},"result":{}}"#],
                "the request `{}` instead",
            ),
            (
                &[r#"x {"jsonrpc":"2.0","id":1,"result":{}}"#],
                "with other text on its line",
            ),
            (
                &["{", r#""jsonrpc":"2.0","id":1,"#, r#""result":1}"#],
                "on several lines",
            ),
        ] {
            let mut incoming = ServerMessages::new(200);
            let mut sink = WarningSink::default();
            incoming.await_response(1);
            for line in lines {
                assert!(incoming.event(At(5), line.as_bytes(), &mut sink).is_ok());
            }
            assert_eq!((incoming.rest(), sink.0.len()), (rest, 1), "{lines:?}");
            let error = incoming.take_unrecognised().expect("one").error();
            assert!(
                error.message.starts_with("the request `1` has no answer: "),
                "{error:?}"
            );
            assert!(error.message.contains(words), "{error:?}");
            assert!(error.message.contains("jsonrpc"), "{error:?}");
            // Its own answer, or a question of the server, is more than that.
            for own in [
                r#"{"jsonrpc":"2.0","id":1,"result":1}"#,
                r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#,
            ] {
                let mut incoming = ServerMessages::new(200);
                incoming.await_response(1);
                for line in lines.iter().chain([&own]) {
                    assert!(incoming.event(At(5), line.as_bytes(), &mut sink).is_ok());
                }
                assert_eq!(incoming.take_unrecognised(), None, "{lines:?}");
            }
        }
        // With several requests, it may be to another one.
        let mut incoming = ServerMessages::new(200);
        let mut sink = WarningSink::default();
        incoming.await_response(1);
        incoming.await_response(2);
        let line = br#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
        assert!(incoming.event(At(5), line, &mut sink).is_ok());
        assert_eq!(incoming.rest(), None);
    }

    #[test]
    fn binary_data_is_no_json_in_utf_16() {
        let event = |line: &[u8]| {
            let mut incoming = ServerMessages::new(200);
            incoming
                .event(At(5), line, &mut WarningSink::default())
                .map(|_| ())
        };
        for noise in [
            &b"\xff\xfe\x00\x01"[..],
            b"\xfe\xff",
            b"\x00a",
            b"\xff\xfea\x00",
        ] {
            assert_eq!(event(noise), Ok(()), "{noise:?}");
        }
        for json in [
            &b"\xff\xfe{\x00\"\x00"[..],
            b"\xfe\xff\x00[",
            b"{\x00\"\x00",
        ] {
            assert!(event(json).is_err(), "{json:?}");
        }
    }
}
