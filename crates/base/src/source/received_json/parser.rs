//! A text to a value, without recursion.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::halves::{joined, kept};
use super::not_finite::{NAMES, marked};
use super::readings::{PathStep, Replaced};
use super::{Halves, JsonError, Oddities};

/// A text that was parsed.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) value: Value,
    /// The values that later ones with the same key replaced.
    pub(super) replaced: Vec<Replaced>,
    pub(super) oddities: Oddities,
}

/// A list or an object that is not closed.
enum Open {
    List(Vec<Value>),
    /// An object, and the key whose value comes.
    Object(Map<String, Value>, String),
}

/// The reason why a text is not JSON, and the offset at which it is not.
type SyntaxFailure = (&'static str, usize);

struct Parser<'t> {
    text: &'t str,
    at: usize,
    halves: Halves,
    max_depth: usize,
    open: Vec<Open>,
    parsed: Parsed,
}

/// Parses a text.
///
/// # Errors
/// If it is not JSON, or nests deeper than `max_depth` levels.
pub(super) fn parse(text: &str, halves: Halves, max_depth: usize) -> Result<Parsed, JsonError> {
    let mut parser = Parser {
        text,
        at: 0,
        halves,
        max_depth,
        open: Vec::new(),
        parsed: Parsed::default(),
    };
    match parser.document() {
        Ok(()) => Ok(parser.parsed),
        Err(failure) => Err(parser.explain(failure)),
    }
}

impl<'t> Parser<'t> {
    fn document(&mut self) -> Result<(), SyntaxFailure> {
        loop {
            let Some(mut value) = self.begin()? else {
                continue;
            };
            // The value may be the last of the lists and objects that it is in.
            loop {
                let next = self.after(value)?;
                match next {
                    AfterValue::Value => break,
                    AfterValue::Closed(closed) => value = closed,
                    AfterValue::Document(document) => {
                        self.parsed.value = document;
                        return match self.peek() {
                            None => Ok(()),
                            Some(_) => Err(("trailing characters", self.at)),
                        };
                    }
                }
            }
        }
    }

    /// Reads the next value; `None` if it is a list or an object that is open now.
    fn begin(&mut self) -> Result<Option<Value>, SyntaxFailure> {
        let start = self.peek();
        let rest = &self.text[self.at..];
        Ok(Some(match start {
            Some(b'{') => {
                self.deeper()?;
                if self.skip(b'}') {
                    return Ok(Some(Value::Object(Map::new())));
                }
                let key = self.key()?;
                self.open.push(Open::Object(Map::new(), key));
                return Ok(None);
            }
            Some(b'[') => {
                self.deeper()?;
                if self.skip(b']') {
                    return Ok(Some(Value::Array(Vec::new())));
                }
                self.open.push(Open::List(Vec::new()));
                return Ok(None);
            }
            Some(b'"') => Value::String(self.string()?.into_owned()),
            Some(b'n') if rest.starts_with("null") => self.word(4, Value::Null),
            Some(b't') if rest.starts_with("true") => self.word(4, Value::Bool(true)),
            Some(b'f') if rest.starts_with("false") => self.word(5, Value::Bool(false)),
            Some(b'N' | b'I' | b'-') if NAMES.iter().any(|name| rest.starts_with(name)) => {
                let name = NAMES.into_iter().find(|name| rest.starts_with(name));
                let name = name.unwrap_or_default();
                self.parsed.oddities.not_finite.get_or_insert(name);
                self.word(name.len(), marked(name))
            }
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(_) => return Err(("expected value", self.at)),
            None => return Err(("the text ends before a value", self.at)),
        }))
    }

    /// Puts a value where it belongs.
    fn after(&mut self, value: Value) -> Result<AfterValue, SyntaxFailure> {
        match self.open.last_mut() {
            None => return Ok(AfterValue::Document(value)),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Object(entries, key)) => {
                let key = std::mem::take(key);
                match entries.entry(key) {
                    serde_json::map::Entry::Vacant(entry) => {
                        entry.insert(value);
                    }
                    serde_json::map::Entry::Occupied(mut entry) => {
                        let is_other = *entry.get() != value;
                        let (key, before) = (entry.key().clone(), entry.insert(value));
                        if is_other {
                            self.replace(key, before);
                        }
                    }
                }
            }
        }
        match (self.peek(), self.open.last_mut()) {
            (Some(b','), Some(Open::List(_))) => {
                self.at += 1;
                if self.peek() == Some(b']') {
                    return Err(("trailing comma", self.at));
                }
                Ok(AfterValue::Value)
            }
            (Some(b','), Some(Open::Object(..))) => {
                self.at += 1;
                if self.peek() == Some(b'}') {
                    return Err(("trailing comma", self.at));
                }
                let next = self.key()?;
                if let Some(Open::Object(_, key)) = self.open.last_mut() {
                    *key = next;
                }
                Ok(AfterValue::Value)
            }
            (Some(b']'), Some(Open::List(items))) => {
                let items = std::mem::take(items);
                self.close();
                Ok(AfterValue::Closed(Value::Array(items)))
            }
            (Some(b'}'), Some(Open::Object(entries, _))) => {
                let entries = std::mem::take(entries);
                self.close();
                Ok(AfterValue::Closed(Value::Object(entries)))
            }
            (Some(_), Some(Open::List(_))) => Err(("expected `,` or `]`", self.at)),
            (Some(_), _) => Err(("expected `,` or `}`", self.at)),
            (None, _) => Err(("the text ends inside a list or an object", self.at)),
        }
    }

    fn close(&mut self) {
        self.at += 1;
        self.open.pop();
    }

    /// Another value with the same key replaced this one.
    fn replace(&mut self, key: String, value: Value) {
        let outer = self.open.iter().rev().skip(1).rev();
        let mut path: Vec<PathStep> = outer
            .map(|open| match open {
                Open::List(items) => PathStep::Index(items.len()),
                Open::Object(_, key) => PathStep::Key(key.clone()),
            })
            .collect();
        path.push(PathStep::Key(key.clone()));
        self.parsed.replaced.push(Replaced { path, value });
        self.parsed.oddities.duplicate_key.get_or_insert(key);
    }

    fn deeper(&mut self) -> Result<(), SyntaxFailure> {
        self.at += 1;
        if self.open.len() >= self.max_depth {
            return Err((TOO_DEEP, self.at));
        }
        Ok(())
    }

    /// The next byte that is not whitespace.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn skip(&mut self, token: u8) -> bool {
        let is_next = self.peek() == Some(token);
        self.at += usize::from(is_next);
        is_next
    }

    fn word(&mut self, length: usize, value: Value) -> Value {
        self.at += length;
        value
    }

    /// A key and its colon.
    fn key(&mut self) -> Result<String, SyntaxFailure> {
        match self.peek() {
            Some(b'"') => {}
            Some(_) => return Err(("key must be a string", self.at)),
            None => return Err(("the text ends inside an object", self.at)),
        }
        // A key is never sent in pieces.
        let halves = std::mem::replace(&mut self.halves, Halves::Replaced);
        let key = self.string()?.into_owned();
        self.halves = halves;
        if self.skip(b':') {
            return Ok(key);
        }
        Err(("expected `:`", self.at))
    }

    /// A string, whose quote is next.
    fn string(&mut self) -> Result<Cow<'t, str>, SyntaxFailure> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let mut from = self.at + 1;
        let mut built: Option<String> = None;
        loop {
            let run = bytes.get(from..).unwrap_or_default();
            let end = run
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))
                .ok_or(("the text ends inside a string", bytes.len()))?;
            let piece = &text[from..from + end];
            match run[end] {
                b'"' => {
                    self.at = from + end + 1;
                    return Ok(match built {
                        None => Cow::Borrowed(piece),
                        Some(built) => Cow::Owned(built + piece),
                    });
                }
                b'\\' => {
                    let built = built.get_or_insert_default();
                    built.push_str(piece);
                    from = self.escape(from + end, built)?;
                }
                _ => {
                    return Err((
                        "control character (\\u0000-\\u001F) found while parsing a string",
                        from + end,
                    ));
                }
            }
        }
    }

    /// Adds the character of the escape at `at`, and returns where the text goes on.
    fn escape(&mut self, at: usize, text: &mut String) -> Result<usize, SyntaxFailure> {
        let bytes = self.text.as_bytes();
        let character = match bytes.get(at + 1) {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.code_unit(at, text),
            _ => return Err(("invalid escape", at)),
        };
        text.push(character);
        Ok(at + 2)
    }

    fn code_unit(&mut self, at: usize, text: &mut String) -> Result<usize, SyntaxFailure> {
        let unit = |at: usize| -> Option<u16> {
            let digits = self.text.as_bytes().get(at..at + 6)?.strip_prefix(b"\\u")?;
            let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
            let digits = std::str::from_utf8(digits).ok().filter(|_| is_hex)?;
            u16::from_str_radix(digits, 16).ok()
        };
        let first = unit(at).ok_or(("invalid escape", at))?;
        if let Some(character) = char::from_u32(u32::from(first)) {
            text.push(character);
            return Ok(at + 6);
        }
        if let Some(character) = unit(at + 6).and_then(|second| joined(first, second)) {
            text.push(character);
            return Ok(at + 12);
        }
        self.parsed.oddities.has_half = true;
        text.push(match self.halves {
            Halves::Replaced => char::REPLACEMENT_CHARACTER,
            Halves::Kept => kept(first),
        });
        Ok(at + 6)
    }

    fn number(&mut self) -> Result<Number, SyntaxFailure> {
        let rest = &self.text[self.at..];
        let end = rest
            .bytes()
            .position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        let digits = &rest[..end.unwrap_or(rest.len())];
        let number = serde_json::from_str(digits).map_err(|_| ("invalid number", self.at))?;
        self.at += digits.len();
        Ok(number)
    }

    /// A failure in words: those of the JSON crate, if nothing odd came before.
    fn explain(&self, (why, at): SyntaxFailure) -> JsonError {
        if why == TOO_DEEP {
            return JsonError(format!("nested deeper than {} levels", self.max_depth));
        }
        if self.parsed.oddities == Oddities::default()
            && let Err(failure) = serde_json::from_str::<Value>(self.text)
            && !failure.to_string().starts_with("recursion limit")
        {
            return JsonError(failure.to_string());
        }
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1) + 1;
        JsonError(format!("{why} at line {line} column {column}"))
    }
}

const TOO_DEEP: &str = "nested too deeply";

/// The state after a value.
enum AfterValue {
    /// Another value of the same list or object.
    Value,
    /// Nothing in its list or object, which is this one.
    Closed(Value),
    /// Nothing at all: it is the document.
    Document(Value),
}
