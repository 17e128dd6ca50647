//! Patterns of JSON Schemas, which are those of ECMA-262, in the words of the engine that matches them.
//!
//! **Invariant:** a translation matches what the pattern matches with the flag `u`. A pattern without a translation is valid all
//! the same.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

/// The characters that `\d` matches.
const DIGITS: [(char, char); 1] = [('0', '9')];

/// The characters that `\w` matches.
const WORDS: [(char, char); 4] = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// The characters that `\s` matches, in their order.
const SPACES: [(char, char); 10] = [
    ('\t', '\r'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{feff}', '\u{feff}'),
];

/// A class that matches every character.
const EVERY: &str = r"[\u{0}-\u{10ffff}]";

/// A class that matches no character.
const NONE: &str = r"[^\u{0}-\u{10ffff}]";

/// The edge of a word, of which the engine would take letters of all languages.
const EDGE: &str = "(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))";

/// A place that is no edge of a word.
const NO_EDGE: &str = "(?:(?<=[0-9A-Z_a-z])(?=[0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?![0-9A-Z_a-z]))";

/// A pattern as the engine reads it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EnginePattern {
    /// The pattern; the same text as written if the engine reads that in the same way.
    pub(crate) text: String,
    /// Whether the time that it takes is not bounded by the length of a text.
    pub(super) is_backtracking: bool,
}

/// Translates `pattern`, which is valid; `None` if the engine has no words for it.
pub(super) fn translated(pattern: &str) -> Option<EnginePattern> {
    let mut translator = Translator {
        remaining: pattern.chars().peekable(),
        text: String::with_capacity(pattern.len()),
        is_backtracking: false,
        groups: Groups::default(),
    };
    while let Some(character) = translator.remaining.next() {
        match character {
            '\\' => translator.escape()?,
            '[' => translator.class()?,
            '(' => translator.group()?,
            ')' => translator.close_group(),
            '|' => {
                translator.groups.begin_alternative();
                translator.text.push('|');
            }
            '.' => translator.text.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            other => translator.text.push(other),
        }
    }
    Some(EnginePattern {
        text: translator.text,
        is_backtracking: translator.is_backtracking,
    })
}

/// An item of a class.
enum ClassItem {
    /// One code point; half of a surrogate pair is one too.
    Point(u32),
    /// A set, as the engine writes it within a class.
    Set(String),
}

struct Translator<'p> {
    remaining: Peekable<Chars<'p>>,
    text: String,
    is_backtracking: bool,
    groups: Groups,
}

/// The presence of a group in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupPresence {
    /// It is.
    Required,
    /// What follows it allows none.
    Optional,
}

/// A group that begins.
enum GroupKind {
    Capturing(Option<String>),
    Plain,
    /// It matches only if what is in it does not.
    Negative,
}

/// The groups of a pattern up to here.
#[derive(Default)]
struct Groups {
    open: Vec<OpenGroup>,
    /// For each capturing group, whether it has matched something wherever the pattern goes on from here.
    matched: Vec<bool>,
    names: Vec<(String, usize)>,
}

struct OpenGroup {
    /// Its number, if it captures.
    number: Option<usize>,
    /// The number of capturing groups before it.
    before: usize,
    has_alternatives: bool,
    is_negative: bool,
}

impl Groups {
    fn open(&mut self, kind: GroupKind) {
        let before = self.matched.len();
        let number = before + 1;
        let is_capturing = matches!(kind, GroupKind::Capturing(_));
        self.open.push(OpenGroup {
            number: is_capturing.then_some(number),
            before,
            has_alternatives: false,
            is_negative: matches!(kind, GroupKind::Negative),
        });
        if is_capturing {
            self.matched.push(false);
        }
        if let GroupKind::Capturing(Some(name)) = kind {
            self.names.push((name, number));
        }
    }

    fn begin_alternative(&mut self) {
        let before = match self.open.last_mut() {
            Some(group) => {
                group.has_alternatives = true;
                group.before
            }
            None => 0,
        };
        // One of the alternatives matches, and the others do not.
        self.matched[before..].fill(false);
    }

    /// Closes the innermost group; one that is optional need not have matched.
    fn close(&mut self, presence: GroupPresence) {
        let Some(group) = self.open.pop() else {
            return;
        };
        let may_be_skipped = presence == GroupPresence::Optional || group.is_negative;
        if may_be_skipped || group.has_alternatives {
            self.matched[group.before..].fill(false);
        }
        if let Some(number) = group.number {
            self.matched[number - 1] = !may_be_skipped;
        }
    }

    fn number(&self, name: &str) -> Option<usize> {
        let mut of_name = self.names.iter().filter(|(known, _)| known == name);
        let number = of_name.next()?.1;
        // Several alternatives may have a group of one name.
        of_name.next().is_none().then_some(number)
    }

    fn has_matched(&self, number: usize) -> bool {
        self.matched.get(number - 1) == Some(&true)
    }
}

impl Translator<'_> {
    fn escape(&mut self) -> Option<()> {
        let escaped = self.remaining.next()?;
        match escaped {
            'b' | 'B' => {
                self.is_backtracking = true;
                self.text
                    .push_str(if escaped == 'b' { EDGE } else { NO_EDGE });
            }
            'k' => {
                let name = self.until('>')?;
                let group = self.groups.number(name.strip_prefix('<')?)?;
                self.reference(group)?;
            }
            '1'..='9' => {
                let mut number = escaped.to_string();
                while let Some(digit) = self.remaining.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                self.reference(number.parse().ok()?)?;
            }
            _ => match self.escaped_item(escaped)? {
                ClassItem::Point(point) => self.literal(point),
                ClassItem::Set(set) => write!(self.text, "[{set}]").ok()?,
            },
        }
        Some(())
    }

    /// A reference to a group. One to a group that has matched nothing is empty, which the engine has no words for.
    fn reference(&mut self, group: usize) -> Option<()> {
        if !self.groups.has_matched(group) {
            return None;
        }
        self.is_backtracking = true;
        write!(self.text, "(?:\\{group})").ok()
    }

    /// The item that a backslash and `escaped` begin, in a class or outside.
    fn escaped_item(&mut self, escaped: char) -> Option<ClassItem> {
        let point = match escaped {
            'd' => return Some(ClassItem::Set(set(&DIGITS))),
            'D' => return Some(ClassItem::Set(complement(&DIGITS))),
            'w' => return Some(ClassItem::Set(set(&WORDS))),
            'W' => return Some(ClassItem::Set(complement(&WORDS))),
            's' => return Some(ClassItem::Set(set(&SPACES))),
            'S' => return Some(ClassItem::Set(complement(&SPACES))),
            'p' | 'P' => {
                let property = self.until('}')?;
                return Some(ClassItem::Set(format!("\\{escaped}{property}}}")));
            }
            'b' => 0x08,
            'f' => 0x0c,
            'n' => 0x0a,
            'r' => 0x0d,
            't' => 0x09,
            'v' => 0x0b,
            '0' => 0,
            'c' => u32::from(self.remaining.next()?) % 32,
            'x' => self.hex_digits(2)?,
            'u' => self.unicode()?,
            other => u32::from(other),
        };
        Some(ClassItem::Point(point))
    }

    /// The code point of an escape that begins with `\u`; two that are a surrogate pair are one.
    fn unicode(&mut self) -> Option<u32> {
        if self.remaining.next_if_eq(&'{').is_some() {
            return u32::from_str_radix(&self.until('}')?, 16).ok();
        }
        let lead = self.hex_digits(4)?;
        let mut ahead = self.remaining.clone();
        if (0xd800..0xdc00).contains(&lead)
            && ahead.next() == Some('\\')
            && ahead.next() == Some('u')
            && let Some(trail) = hex_digits(&mut ahead, 4)
            && (0xdc00..0xe000).contains(&trail)
        {
            self.remaining = ahead;
            return Some(0x1_0000 + ((lead - 0xd800) << 10) + (trail - 0xdc00));
        }
        Some(lead)
    }

    fn hex_digits(&mut self, count: usize) -> Option<u32> {
        hex_digits(&mut self.remaining, count)
    }

    /// The text before `end`, which is read too.
    fn until(&mut self, end: char) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.remaining.next()? {
                character if character == end => return Some(text),
                character => text.push(character),
            }
        }
    }

    /// One character outside a class.
    fn literal(&mut self, point: u32) {
        match char::from_u32(point) {
            // No text has half of a surrogate pair.
            None => self.text.push_str(NONE),
            Some(meta) if r"\.+*?()|[]{}^$".contains(meta) => {
                self.text.push('\\');
                self.text.push(meta);
            }
            Some(character) => self.text.push_str(&in_class(character)),
        }
    }

    fn group(&mut self) -> Option<()> {
        self.text.push('(');
        let Some(question) = self.remaining.next_if_eq(&'?') else {
            self.groups.open(GroupKind::Capturing(None));
            return Some(());
        };
        self.text.push(question);
        let kind = self.remaining.next()?;
        self.text.push(kind);
        let mut opened = GroupKind::Plain;
        match kind {
            ':' => {}
            '=' => self.is_backtracking = true,
            '!' => {
                self.is_backtracking = true;
                opened = GroupKind::Negative;
            }
            '<' => {
                if let Some(sign) = self.remaining.next_if(|next| matches!(next, '=' | '!')) {
                    self.is_backtracking = true;
                    self.text.push(sign);
                    if sign == '!' {
                        opened = GroupKind::Negative;
                    }
                } else {
                    let name = self.until('>')?;
                    self.text.push_str(&name);
                    self.text.push('>');
                    opened = GroupKind::Capturing(Some(name));
                }
            }
            // Modifiers: those of lines change what a dot and an anchor mean.
            'i' | '-' => {
                let modifiers = self.until(':')?;
                if modifiers.contains(['m', 's']) {
                    return None;
                }
                self.text.push_str(&modifiers);
                self.text.push(':');
            }
            _ => return None,
        }
        self.groups.open(opened);
        Some(())
    }

    fn close_group(&mut self) {
        self.text.push(')');
        let mut ahead = self.remaining.clone();
        let presence = match (ahead.next(), ahead.next()) {
            (Some('?' | '*'), _) | (Some('{'), Some('0')) => GroupPresence::Optional,
            _ => GroupPresence::Required,
        };
        self.groups.close(presence);
    }

    fn class(&mut self) -> Option<()> {
        let is_negated = self.remaining.next_if_eq(&'^').is_some();
        let mut items = String::new();
        loop {
            let first = match self.remaining.next()? {
                ']' => break,
                other => self.class_item(other)?,
            };
            let first = match first {
                ClassItem::Point(point) => point,
                ClassItem::Set(set) => {
                    items.push_str(&set);
                    continue;
                }
            };
            let last = self.range_end(first)?;
            items.push_str(&range(first, last));
        }
        match (items.is_empty(), is_negated) {
            (true, true) => self.text.push_str(EVERY),
            (true, false) => self.text.push_str(NONE),
            (false, true) => write!(self.text, "[^{items}]").ok()?,
            (false, false) => write!(self.text, "[{items}]").ok()?,
        }
        Some(())
    }

    /// The last code point of the range that `first` begins; `first` if it begins none.
    fn range_end(&mut self, first: u32) -> Option<u32> {
        let mut ahead = self.remaining.clone();
        if ahead.next() != Some('-') || ahead.peek() == Some(&']') {
            return Some(first);
        }
        self.remaining = ahead;
        let end = self.remaining.next()?;
        match self.class_item(end)? {
            ClassItem::Point(last) => Some(last),
            ClassItem::Set(_) => None,
        }
    }

    fn class_item(&mut self, character: char) -> Option<ClassItem> {
        if character != '\\' {
            return Some(ClassItem::Point(u32::from(character)));
        }
        let escaped = self.remaining.next()?;
        self.escaped_item(escaped)
    }
}

fn hex_digits(remaining: &mut Peekable<Chars<'_>>, count: usize) -> Option<u32> {
    let mut value = 0;
    for _ in 0..count {
        value = value * 16 + remaining.next()?.to_digit(16)?;
    }
    Some(value)
}

/// The characters from `first` to `last` in a class; empty if these are halves of surrogate pairs alone.
fn range(first: u32, last: u32) -> String {
    let first = char::from_u32(first).unwrap_or('\u{e000}');
    let last = char::from_u32(last).unwrap_or('\u{d7ff}');
    if first > last {
        return String::new();
    }
    if first == last {
        return in_class(first);
    }
    format!("{}-{}", in_class(first), in_class(last))
}

/// One character in a class, where some that are nothing special to ECMA-262 are special to the engine.
fn in_class(character: char) -> String {
    let is_plain = character.is_alphanumeric() || " _!\"%',/:;<=>@`#".contains(character);
    if is_plain {
        character.to_string()
    } else {
        format!("\\u{{{:x}}}", u32::from(character))
    }
}

fn set(ranges: &[(char, char)]) -> String {
    let ranges = ranges.iter();
    ranges
        .map(|(first, last)| range(u32::from(*first), u32::from(*last)))
        .collect()
}

/// The characters that are in none of `ranges`.
fn complement(ranges: &[(char, char)]) -> String {
    let mut text = String::new();
    let mut next = 0;
    for (first, last) in ranges {
        if let Some(before) = u32::from(*first).checked_sub(1)
            && before >= next
        {
            text.push_str(&range(next, before));
        }
        next = u32::from(*last) + 1;
    }
    text + &range(next, 0x10_ffff)
}
