//! The remedy for a value that has the wrong shape.
//!
//! Flows in: a value that does not fit, and what fits there. Flows out: one sentence, and the change to the file where it is
//! certain what is meant.

use serde_json::Value;

use super::forms::{Form, Forms, forms};
use super::written::{as_flow, extent, first_line};
use super::{here::Here, lazy_schema::LazySchema, schema_level::SchemaLevel};
use crate::model::{MEANT_SHAPES, WrittenShape};
use ananke_base::diagnostic::{SourceFile, Span};
use ananke_base::source::{Entry, Node, NodeValue, printable};

/// The remedy for a value.
pub(super) struct Remedy {
    /// The sentence.
    pub(super) help: String,
    /// The place and its new text, if that is certain.
    pub(super) edit: Option<(Span, String)>,
}

/// A value, and what fits in its place.
#[derive(Clone)]
struct Site<'a> {
    source: &'a SourceFile,
    node: &'a Node,
    /// The key whose value it is.
    key: Option<&'a str>,
    forms: Vec<Form<'a>>,
}

/// The remedy for the value that does not fit `schema`.
pub(super) fn remedy(
    source: &SourceFile,
    whole: &'static LazySchema,
    schema: &'static Value,
    here: &Here<'_>,
    level: Option<SchemaLevel>,
) -> Option<Remedy> {
    let key = here.entry.map(|entry| entry.key.as_str());
    let site = Site {
        source,
        node: here.node,
        key,
        forms: forms(whole, schema, here.definition),
    };
    let found = match &here.node.value {
        NodeValue::List(items) => site.of_list(items),
        NodeValue::String(text) => site.of_text(text),
        NodeValue::Map(entries) => site.of_mapping(entries, level),
        NodeValue::Bool(_) | NodeValue::Number(_) => site.of_scalar(),
        NodeValue::Null => None,
    };
    found.or_else(|| site.example(level))
}

impl Site<'_> {
    fn of_list(&self, items: &[Node]) -> Option<Remedy> {
        let is_file = self.key.is_none()
            && self
                .forms
                .iter()
                .any(|form| form.property("tests").is_some());
        if is_file {
            return Some(advice(
                "put the tests under a key: begin with `tests:`, and indent the list".to_owned(),
            ));
        }
        if let [item] = items
            && self.forms.iter().any(|form| form.accepts(item))
        {
            // A mapping of other keys is what the mapping that is meant contains.
            let mut forms = self.forms.iter();
            if !forms.any(|form| form.accepts(item) && form.has_keys_of(item))
                && let Some(remedy) = self.template(WrittenShape::List)
            {
                return Some(remedy);
            }
            let is_flow = self.written().starts_with('[');
            let sign = if is_flow { "`[` and `]`" } else { "`- `" };
            return Some(advice(format!("write its entry without {sign}")));
        }
        self.template(WrittenShape::List)
    }

    fn of_text(&self, text: &str) -> Option<Remedy> {
        self.missing_space(text)
            .or_else(|| self.quoted_json(text))
            .or_else(|| self.quoted_scalar(text))
            .or_else(|| self.template(WrittenShape::Text))
            .or_else(|| self.value_of_key())
            .or_else(|| self.of_scalar())
    }

    fn of_mapping(&self, entries: &[Entry], level: Option<SchemaLevel>) -> Option<Remedy> {
        let fits = self
            .forms
            .iter()
            .filter_map(Form::items)
            .any(|item| item.accepts(self.node));
        if fits && let Some(remedy) = self.list_of_named(entries) {
            return Some(remedy);
        }
        if fits {
            return Some(advice(match entries.first() {
                Some(first) if !self.written().starts_with(['{', '*', '&', '!']) => {
                    format!(
                        "begin each entry of a list with `- `: `- {}: …`",
                        printable(&first.key)
                    )
                }
                _ => {
                    let help = "put `[` and `]` round it".to_owned();
                    return Some(match as_flow(self.source, self.node) {
                        Some(entry) => self.replacement(help, format!("[{entry}]")),
                        None => advice(help),
                    });
                }
            }));
        }
        if !self.forms.iter().any(|form| form.is_of("string")) {
            return None;
        }
        if let [only] = entries {
            let text = only
                .value
                .as_str()
                .and_then(|_| as_flow(self.source, &only.value))?;
            return Some(self.replacement(format!("write the text alone: `{text}`"), text));
        }
        let list = level?.longer_sibling()?;
        Some(advice(format!(
            "an entry with conditions belongs under `{list}`"
        )))
    }

    /// A mapping of names where a list is expected whose entries name themselves: `tests: { a: … }`, `state: { cart: 1 }`.
    fn list_of_named(&self, entries: &[Entry]) -> Option<Remedy> {
        let first = entries.first()?;
        let entry = self.forms.iter().find_map(Form::items)?;
        let is_known = |key: &str| entry.0.iter().any(|form| form.property(key).is_some());
        if is_known(&first.key) {
            return None;
        }
        let name = printable(&first.key);
        let line = if is_known("turns") {
            format!("{{ name: {name}, … }}")
        } else if is_known("path") && is_known("equals") {
            format!("{{ path: {name}, equals: … }}")
        } else {
            return None;
        };
        Some(advice(format!(
            "write a list: `{}`",
            self.line(&format!("[{line}]"))
        )))
    }

    /// A single value where a list is expected, or one that needs quotes to be a text.
    fn of_scalar(&self) -> Option<Remedy> {
        let written = as_flow(self.source, self.node);
        if !matches!(self.node.value, NodeValue::String(_))
            && self
                .forms
                .iter()
                .any(|form| form.is_of("string") && form.takes_any_text())
        {
            let written = self.source.text.get(self.node.span.range())?;
            return Some(
                self.replacement("put quotes around it".to_owned(), format!("\"{written}\"")),
            );
        }
        let items: Vec<Forms<'_>> = self.forms.iter().filter_map(Form::items).collect();
        if !items.iter().any(|item| item.accepts(self.node)) {
            let entry = items.into_iter().find_map(|Forms(forms)| {
                let entry = Site {
                    forms,
                    key: None,
                    ..*self
                };
                entry
                    .template(WrittenShape::Text)
                    .or_else(|| entry.value_of_key())
            })?;
            let (_, text) = entry.edit?;
            let list = format!("[{text}]");
            return Some(self.replacement(format!("write `{}`", self.line(&list)), list));
        }
        if let (Some("cmd" | "command"), Some(words)) =
            (self.key, self.node.as_str().and_then(words))
        {
            let list = format!("[{}]", words.join(", "));
            return Some(self.replacement(format!("write `{}`", self.line(&list)), list));
        }
        Some(match written {
            Some(text) if is_one_word(&text) => {
                self.replacement(format!("write a list of one entry: `[{text}]`"), format!("[{text}]"))
            }
            _ => advice(
                "write a list: each entry begins with `- `, or all are between `[` and `]`, separated by commas"
                    .to_owned(),
            ),
        })
    }

    /// The value that is often written here.
    fn example(&self, level: Option<SchemaLevel>) -> Option<Remedy> {
        let key = self.key.unwrap_or_default();
        let property = level
            .filter(|level| level.key == key)
            .and_then(|level| level.properties.get(key));
        let example = property.and_then(|property| property.get("examples")?.get(0));
        let text = if let Some(example) = example {
            first_line(&example.to_string())
        } else if self.forms.iter().any(|form| form.is_of("integer")) {
            if key.ends_with("_ms") {
                "5000".to_owned()
            } else {
                "1".to_owned()
            }
        } else {
            let first = |form: &Form<'_>| {
                let known = form.schema.get("properties")?.as_object()?;
                form.only_demand()
                    .map(str::to_owned)
                    .or_else(|| known.keys().next().cloned())
            };
            let is_mapping = |form: &Form<'_>| form.is_of("object").then(|| "NAME".to_owned());
            let named = self.forms.iter().find_map(first);
            let key = named.or_else(|| self.forms.iter().find_map(is_mapping))?;
            format!("{{ {key}: … }}")
        };
        Some(advice(format!("for example `{}`", self.line(&text))))
    }

    /// `user:"x"`, which YAML reads as one text.
    fn missing_space(&self, text: &str) -> Option<Remedy> {
        let (key, value) = text.split_once(':')?;
        let is_known = self.forms.iter().any(|form| form.property(key).is_some());
        if is_known && value.starts_with(' ') && self.written().starts_with(['"', '\'']) {
            let help = format!(
                "write it without the quotes around it: `{key}:{}`",
                first_line(value)
            );
            return Some(advice(help));
        }
        if value.is_empty()
            || value.starts_with("//")
            || !is_known
            || !self.written().starts_with(key)
        {
            return None;
        }
        let after = self.node.span.start as usize + key.len() + 1;
        let help = format!(
            "put a space after the colon: `{key}: {}`",
            first_line(value)
        );
        Some(Remedy {
            help,
            edit: Some((Span::new(after, after), " ".to_owned())),
        })
    }

    /// JSON inside quotes, where a mapping or a list is expected.
    fn quoted_json(&self, text: &str) -> Option<Remedy> {
        let value: Value = serde_json::from_str(text).ok()?;
        let what = match value {
            Value::Object(_) if self.forms.iter().any(|form| form.is_of("object")) => "mapping",
            Value::Array(_) if self.forms.iter().any(|form| form.is_of("array")) => "list",
            _ => return None,
        };
        let help = format!(
            "write it as a {what}, without the quotes: `{}`",
            self.line(&first_line(text))
        );
        Some(if text.contains('\n') {
            advice(help)
        } else {
            self.replacement(help, text.to_owned())
        })
    }

    /// A number or a truth value that is written as a text.
    fn quoted_scalar(&self, text: &str) -> Option<Remedy> {
        if self
            .forms
            .iter()
            .any(|form| form.is_of("integer") || form.is_of("number"))
        {
            if let Some(count) = self.count_in_words(text) {
                return Some(self.replacement(format!("write `{}`", self.line(&count)), count));
            }
            if text.parse::<u64>().is_ok() {
                let help = format!("write the number without quotes: `{}`", self.line(text));
                return Some(self.replacement(help, text.to_owned()));
            }
            let ms = self
                .key
                .filter(|key| key.ends_with("_ms"))
                .and_then(|_| milliseconds(text))?;
            let help = format!("write milliseconds: `{}`", self.line(&ms.to_string()));
            return Some(self.replacement(help, ms.to_string()));
        }
        let is_flag = self.forms.iter().any(|form| form.is_of("boolean"));
        let flag = match text.to_lowercase().as_str() {
            "true" | "yes" | "on" if is_flag && !self.forms.iter().all(Form::is_false) => "true",
            "false" | "no" | "off" if is_flag => "false",
            _ => return None,
        };
        Some(self.replacement(format!("write `{}`", self.line(flag)), flag.to_owned()))
    }

    /// A number of times in words, or as a comparison, where a range is known: `once`, `>= 2`.
    fn count_in_words(&self, text: &str) -> Option<String> {
        if !self.forms.iter().any(|form| form.property("min").is_some()) {
            return None;
        }
        let text = text.to_lowercase();
        let word = match text.as_str() {
            "never" => Some(0),
            "once" => Some(1),
            "twice" => Some(2),
            _ => None,
        };
        if let Some(number) = word {
            return Some(number.to_string());
        }
        let start = text.find(|sign: char| sign.is_ascii_digit())?;
        let number: u32 = text[start..].parse().ok()?;
        match text[..start].trim_end() {
            "=" | "==" => Some(number.to_string()),
            ">=" | "at least" => Some(format!("{{ min: {number} }}")),
            "<=" | "at most" => Some(format!("{{ max: {number} }}")),
            ">" => Some(format!("{{ min: {} }}", number.checked_add(1)?)),
            "<" => Some(format!("{{ max: {} }}", number.checked_sub(1)?)),
            _ => None,
        }
    }

    /// A shape of which the language knows what is meant.
    fn template(&self, shape: WrittenShape) -> Option<Remedy> {
        let (_, _, line, is_certain) = MEANT_SHAPES.iter().find(|(definition, written, ..)| {
            *written == shape && self.forms.iter().any(|form| form.name == Some(definition))
        })?;
        let written = self
            .steps(shape)
            .or_else(|| as_flow(self.source, self.node));
        let filled = line.replace('…', written.as_deref().unwrap_or("…"));
        let help = format!("write `{}`", self.line(&filled));
        let is_whole = *is_certain && written.is_some();
        Some(if is_whole {
            self.replacement(help, filled)
        } else {
            advice(help)
        })
    }

    /// The entries of a list, each in the shape that is meant.
    fn steps(&self, shape: WrittenShape) -> Option<String> {
        let (WrittenShape::List, NodeValue::List(items)) = (shape, &self.node.value) else {
            return None;
        };
        let entry = MEANT_SHAPES
            .iter()
            .find(|(definition, ..)| *definition == "SequenceStep")?
            .2;
        let is_call = self
            .forms
            .iter()
            .any(|form| form.name == Some("SequenceRule"));
        let one = |item: &Node| {
            let flow = as_flow(self.source, item)?;
            Some(if item.as_str().is_some() {
                entry.replace('…', &flow)
            } else {
                flow
            })
        };
        let steps: Option<Vec<String>> = items.iter().filter(|_| is_call).map(one).collect();
        steps
            .filter(|steps| !steps.is_empty())
            .map(|steps| format!("[{}]", steps.join(", ")))
    }

    /// A text where a mapping is expected that has one key for it.
    fn value_of_key(&self) -> Option<Remedy> {
        let key = self
            .forms
            .iter()
            .filter(|form| form.is_of("object"))
            .find_map(|form| {
                let fits = |key: &&str| {
                    form.property(key)
                        .is_some_and(|property| property.accepts(self.node))
                };
                let name = Some("name").filter(|name| form.demands_at_most(name));
                form.only_demand().or(name).filter(fits)
            })?;
        let written = as_flow(self.source, self.node);
        let value = format!("{{ {key}: {} }}", written.as_deref().unwrap_or("…"));
        let help = format!("write `{}`", self.line(&value));
        Some(if written.is_some() {
            self.replacement(help, value)
        } else {
            advice(help)
        })
    }

    /// The text from the beginning of the value.
    fn written(&self) -> &str {
        self.source
            .text
            .get(self.node.span.start as usize..)
            .unwrap_or_default()
    }

    /// `value` with its key, where it has one.
    fn line(&self, value: &str) -> String {
        self.key.map_or_else(
            || value.to_owned(),
            |key| format!("{}: {value}", printable(key)),
        )
    }

    /// The help, and `text` instead of the whole value.
    fn replacement(&self, help: String, text: String) -> Remedy {
        Remedy {
            help,
            edit: extent(self.source, self.node).map(|span| (span, text)),
        }
    }
}

fn advice(help: String) -> Remedy {
    Remedy { help, edit: None }
}

/// A duration such as `5s` or `1.5 min` in milliseconds.
fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|character: char| !(character.is_ascii_digit() || character == '.'))?;
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "ms" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1000.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
        "h" | "hour" | "hours" => 3_600_000.0,
        _ => return None,
    };
    let ms = number.parse::<f64>().ok()? * factor;
    format!("{}", ms.round()).parse().ok().filter(|ms| *ms > 0)
}

/// The words of a command line that no shell has to read, as entries of a list.
fn words(line: &str) -> Option<Vec<String>> {
    let is_plain = |word: &str| {
        word.chars()
            .all(|character| character.is_alphanumeric() || "_-./:=@+".contains(character))
            && !word.ends_with(':')
    };
    // What YAML reads as a number is a word all the same.
    let entry = |word: &str| {
        if word.parse::<f64>().is_ok() {
            format!("\"{word}\"")
        } else {
            word.to_owned()
        }
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_line = words.len() > 1 && words.iter().all(|word| is_plain(word));
    is_line.then(|| words.into_iter().map(entry).collect())
}

/// Whether a text as it is written means the same in a list, and can be no list of words by itself.
fn is_one_word(written: &str) -> bool {
    let is_plain = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
    };
    let quoted = ['"', '\'']
        .iter()
        .find_map(|quote| written.strip_prefix(*quote)?.strip_suffix(*quote));
    match quoted {
        Some(text) => !text.is_empty() && !text.contains(char::is_whitespace),
        None => is_plain(written),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_milliseconds() {
        for (text, expected) in [
            ("5s", Some(5000)),
            ("1.5 min", Some(90_000)),
            ("250ms", Some(250)),
            ("2h", Some(7_200_000)),
            ("0s", None),
            ("s", None),
            ("5", None),
            ("5 days", None),
            ("1.2.3s", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
