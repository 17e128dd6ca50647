//! Texts and values that are read back by the template of a request: what its variables were, and the rest in which both differ.
//!
//! **Invariant:** a template matches whatever is made of it, and everything in which a value differs is in the result.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::as_text;
use super::template::{LateVariable, TemplatePiece, TextTemplate, ValueTemplate};

/// The variables of a template with their values; `None` for one that had no value.
pub type BoundVariables<'t> = Vec<(&'t LateVariable, Option<Value>)>;

/// Variables and differences of a value that was read back.
#[derive(Debug, Default)]
pub struct TemplateMatch<'t> {
    /// The variables.
    pub bound: BoundVariables<'t>,
    /// The keys in which the value differs, which can be put over the template ([`ValueTemplate::put_over`]).
    pub additions: Map<String, Value>,
    /// The paths of differences that cannot be put over the template.
    pub left_out: Vec<String>,
}

/// The difference of a value from its template, apart from variables and from what is in [`TemplateMatch::left_out`].
enum TemplateDifference {
    None,
    /// This value, put over the template.
    Over(Value),
}

impl LateVariable {
    /// Whether the reference becomes `bound` if `look_up` gives the values of variables.
    pub fn gives(&self, look_up: &dyn Fn(&str) -> Option<Value>, bound: Option<&Value>) -> bool {
        let given = self.value(look_up);
        match bound {
            // In a text a number is read back as a text.
            Some(bound) => match given {
                Some(given) => as_text(&given) == as_text(bound),
                None => false,
            },
            // A default was read back as no value.
            None => given.is_none() || given == self.default,
        }
    }

    /// The value that was inserted; `None` for the default and for null, which APIs send for an id that is not known yet.
    fn bound(&self, inserted: Value) -> Option<Value> {
        if inserted.is_null() || Some(&inserted) == self.default.as_ref() {
            None
        } else {
            Some(inserted)
        }
    }
}

impl TextTemplate {
    /// The text before the first variable.
    pub fn leading_text(&self) -> String {
        let mut leading = String::new();
        for piece in &self.pieces {
            match piece {
                TemplatePiece::Text(text) => leading.push_str(text),
                TemplatePiece::Variable(_) => break,
            }
        }
        leading
    }

    /// The template without its first `length` bytes, which are before the first variable.
    #[must_use]
    pub fn without_start(&self, length: usize) -> Self {
        let leading = self.leading_text();
        let mut pieces = vec![TemplatePiece::Text(
            leading.get(length..).unwrap_or_default().to_owned(),
        )];
        let rest = self
            .pieces
            .iter()
            .skip_while(|piece| matches!(piece, TemplatePiece::Text(_)));
        pieces.extend(rest.cloned());
        Self { pieces }
    }

    /// Whether something of it is known only later.
    pub fn has_variables(&self) -> bool {
        self.variables().next().is_some()
    }

    /// The template with `text` before everything else.
    #[must_use]
    pub fn after(&self, text: &str) -> Self {
        let mut pieces = vec![TemplatePiece::Text(text.to_owned())];
        pieces.extend(self.pieces.iter().cloned());
        Self { pieces }
    }

    /// The parts of the template between separators, which count only outside of variables.
    pub fn split(&self, separator: char) -> Vec<Self> {
        let mut parts = vec![Self::default()];
        for piece in &self.pieces {
            let TemplatePiece::Text(text) = piece else {
                if let Some(last) = parts.last_mut() {
                    last.pieces.push(piece.clone());
                }
                continue;
            };
            for (number, part) in text.split(separator).enumerate() {
                if number > 0 {
                    parts.push(Self::default());
                }
                if let Some(last) = parts.last_mut() {
                    last.pieces.push(TemplatePiece::Text(part.to_owned()));
                }
            }
        }
        parts
    }

    /// Reads a text back. The variable `widest` gets as much of it as possible, and the others as little; `None` if the text is not made
    /// of this template.
    pub fn read_back(&self, text: &str, widest: &str) -> Option<BoundVariables<'_>> {
        let pieces = self.joined_pieces();
        // Without this variable, the first one is as good as any.
        let mut place = None;
        for (number, piece) in pieces.iter().enumerate() {
            if let JoinedPiece::Variable(variable) = piece {
                if variable.name == widest {
                    place = Some(number);
                    break;
                }
                place.get_or_insert(number);
            }
        }
        let Some(place) = place else {
            return if self.leading_text() == text {
                Some(Vec::new())
            } else {
                None
            };
        };
        let mut bound = Vec::new();
        // The pieces before it are searched from the start, and those after it from the end.
        let mut rest = text;
        let mut open = None;
        for piece in &pieces[..place] {
            rest = piece.read(rest, &mut open, TextEnd::Start, &mut bound)?;
        }
        bind_nothing(open, &mut bound);
        let mut open = None;
        for piece in pieces[place + 1..].iter().rev() {
            rest = piece.read(rest, &mut open, TextEnd::End, &mut bound)?;
        }
        bind_nothing(open, &mut bound);
        if let JoinedPiece::Variable(variable) = &pieces[place] {
            bound.push((*variable, variable.bound(Value::from(rest))));
        }
        Some(bound)
    }

    /// Reads a value back; a template that is exactly one variable matches a value of any type.
    pub fn read_value_back(&self, value: &Value, widest: &str) -> Option<BoundVariables<'_>> {
        if let Some(variable) = self.only_variable() {
            return Some(vec![(variable, variable.bound(value.clone()))]);
        }
        self.read_back(value.as_str()?, widest)
    }

    /// The variable without any text around it; `None` for every other template.
    pub fn only_variable(&self) -> Option<&LateVariable> {
        match self.pieces.as_slice() {
            [TemplatePiece::Variable(variable)] => Some(variable),
            _ => None,
        }
    }

    /// The pieces, with adjacent texts joined.
    fn joined_pieces(&self) -> Vec<JoinedPiece<'_>> {
        let mut joined: Vec<JoinedPiece<'_>> = Vec::new();
        for piece in &self.pieces {
            match piece {
                TemplatePiece::Variable(variable) => joined.push(JoinedPiece::Variable(variable)),
                TemplatePiece::Text(text) if text.is_empty() => {}
                TemplatePiece::Text(text) => match joined.last_mut() {
                    Some(JoinedPiece::Text(last)) => last.to_mut().push_str(text),
                    _ => joined.push(JoinedPiece::Text(Cow::Borrowed(text))),
                },
            }
        }
        joined
    }
}

/// A piece of a template.
enum JoinedPiece<'t> {
    Text(Cow<'t, str>),
    Variable(&'t LateVariable),
}

/// The side from which a text is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextEnd {
    Start,
    End,
}

impl<'t> JoinedPiece<'t> {
    /// Reads this piece at one side of `rest`, and returns what is left. The variable `open` ends where the next text is found.
    fn read<'r>(
        &self,
        rest: &'r str,
        open: &mut Option<&'t LateVariable>,
        side: TextEnd,
        bound: &mut BoundVariables<'t>,
    ) -> Option<&'r str> {
        let text = match self {
            Self::Text(text) => &**text,
            Self::Variable(variable) => {
                bind_nothing(open.replace(*variable), bound);
                return Some(rest);
            }
        };
        // Without a variable before it, the text has to be right here. Otherwise the variable has everything up to the text.
        let Some(variable) = open.take() else {
            return match side {
                TextEnd::Start => rest.strip_prefix(text),
                TextEnd::End => rest.strip_suffix(text),
            };
        };
        let (inserted, left) = match side {
            TextEnd::Start => rest.split_once(text)?,
            TextEnd::End => {
                let (left, inserted) = rest.rsplit_once(text)?;
                (inserted, left)
            }
        };
        bound.push((variable, variable.bound(Value::from(inserted))));
        Some(left)
    }
}

/// Gives a variable that another one follows at once an empty text.
fn bind_nothing<'t>(open: Option<&'t LateVariable>, bound: &mut BoundVariables<'t>) {
    if let Some(variable) = open {
        bound.push((variable, variable.bound(Value::from(""))));
    }
}

impl ValueTemplate {
    /// Reads a value back. In a text, the variable `widest` gets as much as possible. `None` if the value is not an object and differs
    /// from the template, so that nothing can be put over it.
    pub fn read_back(&self, value: &Value, widest: &str) -> Option<TemplateMatch<'_>> {
        let mut found = TemplateMatch::default();
        match self.differs(value, &mut String::new(), widest, &mut found) {
            TemplateDifference::None => {}
            TemplateDifference::Over(Value::Object(additions)) => found.additions = additions,
            TemplateDifference::Over(_) => return None,
        }
        Some(found)
    }

    /// The part of `value`, which is at `path`, that has to be put over the template. What cannot be put over it is added to `found`, and so
    /// are the variables.
    fn differs<'t>(
        &'t self,
        value: &Value,
        path: &mut String,
        widest: &str,
        found: &mut TemplateMatch<'t>,
    ) -> TemplateDifference {
        match self {
            Self::Known(own) => return known_differs(own, value, path, &mut found.left_out),
            Self::Text(template) => {
                if let Some(bound) = template.read_value_back(value, widest) {
                    found.bound.extend(bound);
                    return TemplateDifference::None;
                }
                return TemplateDifference::Over(value.clone());
            }
            Self::Map(entries) => {
                if let Value::Object(keys) = value {
                    return map_differs(entries, keys, path, widest, found);
                }
            }
            Self::List(own) => {
                if let Value::Array(items) = value
                    && self.has_variables()
                {
                    list_differs(own, items, path, widest, found);
                    return TemplateDifference::None;
                }
            }
        }
        // A value of another type, and a list without variables, are only replaced as a whole.
        let known = self.value(&|_| None);
        if matches!(known, Ok(Some(known)) if known == *value) {
            TemplateDifference::None
        } else {
            TemplateDifference::Over(value.clone())
        }
    }

    fn has_variables(&self) -> bool {
        let mut has_some = false;
        self.each_variable(&mut |_| has_some = true);
        has_some
    }
}

/// The difference of a value that is known from another one.
fn known_differs(
    own: &Value,
    value: &Value,
    path: &mut String,
    left_out: &mut Vec<String>,
) -> TemplateDifference {
    if own == value {
        return TemplateDifference::None;
    }
    // Objects are put over each other key by key, and everything else replaces what was there.
    if let Value::Object(own) = own
        && let Value::Object(keys) = value
    {
        return known_keys_differ(own, keys, path, left_out);
    }
    TemplateDifference::Over(value.clone())
}

fn known_keys_differ(
    own: &Map<String, Value>,
    keys: &Map<String, Value>,
    path: &mut String,
    left_out: &mut Vec<String>,
) -> TemplateDifference {
    let mut over = Map::new();
    for (key, value) in keys {
        let difference = match own.get(key) {
            Some(own) => at_key(path, key, |path| known_differs(own, value, path, left_out)),
            None => TemplateDifference::Over(value.clone()),
        };
        if let TemplateDifference::Over(value) = difference {
            over.insert(key.clone(), value);
        }
    }
    // Nothing that is put over an object takes a key away, so that missing keys are a difference of their own.
    for key in own.keys().filter(|key| !keys.contains_key(*key)) {
        at_key(path, key, |path| left_out.push(path.clone()));
    }
    over_of(over)
}

fn map_differs<'t>(
    entries: &'t [(String, ValueTemplate)],
    keys: &Map<String, Value>,
    path: &mut String,
    widest: &str,
    found: &mut TemplateMatch<'t>,
) -> TemplateDifference {
    let mut over = Map::new();
    for (key, template) in entries {
        let Some(value) = keys.get(key) else {
            match template.only_variable() {
                // Such a key is omitted as long as its variable has no value.
                Some(variable) => found.bound.push((variable, None)),
                None => at_key(path, key, |path| found.left_out.push(path.clone())),
            }
            continue;
        };
        let difference = at_key(path, key, |path| {
            template.differs(value, path, widest, found)
        });
        if let TemplateDifference::Over(value) = difference {
            over.insert(key.clone(), value);
        }
    }
    // A key that the template does not have is an addition, so that a turn can send it as the client did.
    for (key, value) in keys {
        if !entries.iter().any(|(own, _)| own == key) {
            over.insert(key.clone(), value.clone());
        }
    }
    over_of(over)
}

/// Reads a list back. What is put over a list replaces the variables in it, so that every difference is omitted.
fn list_differs<'t>(
    own: &'t [ValueTemplate],
    items: &[Value],
    path: &mut String,
    widest: &str,
    found: &mut TemplateMatch<'t>,
) {
    // Items that are one variable are omitted as long as it has no value.
    let omits_some = own.len() > items.len();
    let mut left = items.iter();
    for (number, template) in own.iter().enumerate() {
        let variable = template.only_variable();
        if let Some(variable) = variable
            && omits_some
            && variable.name != widest
        {
            found.bound.push((variable, None));
            continue;
        }
        let place = format!("[{number}]");
        let Some(value) = left.next() else {
            at_end(path, &place, |path| found.left_out.push(path.clone()));
            continue;
        };
        let difference = at_end(path, &place, |path| {
            template.differs(value, path, widest, found)
        });
        if let TemplateDifference::Over(over) = difference {
            at_end(path, &place, |path| {
                add_paths(&over, path, &mut found.left_out);
            });
        }
    }
    for number in own.len()..items.len() {
        let place = format!("[{number}]");
        at_end(path, &place, |path| found.left_out.push(path.clone()));
    }
}

/// Adds the paths of the keys of an object that differs in these, or of any other value as a whole.
fn add_paths(over: &Value, path: &mut String, left_out: &mut Vec<String>) {
    match over {
        Value::Object(keys) if !keys.is_empty() => {
            for key in keys.keys() {
                at_key(path, key, |path| left_out.push(path.clone()));
            }
        }
        _ => left_out.push(path.clone()),
    }
}

fn over_of(over: Map<String, Value>) -> TemplateDifference {
    if over.is_empty() {
        TemplateDifference::None
    } else {
        TemplateDifference::Over(Value::Object(over))
    }
}

/// Calls `each` with the path of a key of the object at `path`.
fn at_key<T>(path: &mut String, key: &str, each: impl FnOnce(&mut String) -> T) -> T {
    let dot = if path.is_empty() { "" } else { "." };
    at_end(path, &format!("{dot}{key}"), each)
}

fn at_end<T>(path: &mut String, place: &str, each: impl FnOnce(&mut String) -> T) -> T {
    let length = path.len();
    let _infallible = write!(path, "{place}");
    let result = each(path);
    path.truncate(length);
    result
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A template as YAML writes it: `$NAME` alone, or in a text.
    fn text(written: &str) -> TextTemplate {
        let mut pieces = Vec::new();
        for (number, part) in written.split('$').enumerate() {
            let end = part
                .find(|character: char| !character.is_ascii_uppercase())
                .unwrap_or(part.len());
            let (name, known) = part.split_at(if number == 0 { 0 } else { end });
            if number > 0 {
                pieces.push(TemplatePiece::Variable(LateVariable {
                    name: name.to_owned(),
                    path: Vec::new(),
                    default: None,
                }));
            }
            if !known.is_empty() {
                pieces.push(TemplatePiece::Text(known.to_owned()));
            }
        }
        TextTemplate { pieces }
    }

    fn template(written: &Value) -> ValueTemplate {
        match written {
            Value::String(written) if written.contains('$') => ValueTemplate::Text(text(written)),
            Value::Array(items) => ValueTemplate::List(items.iter().map(template).collect()),
            Value::Object(keys) => ValueTemplate::Map(
                keys.iter()
                    .map(|(key, value)| (key.clone(), template(value)))
                    .collect(),
            ),
            known => ValueTemplate::Known(known.clone()),
        }
    }

    fn shown(bound: &BoundVariables<'_>) -> Value {
        let pairs = bound
            .iter()
            .map(|(variable, value)| (variable.name.clone(), json!(value)));
        Value::Object(pairs.collect())
    }

    #[test]
    fn texts_are_read_back() {
        for (template, made, expected) in [
            (
                "Question: $INPUT",
                "Question: why: so?",
                json!({ "INPUT": "why: so?" }),
            ),
            (
                "$INPUT / $ID",
                "a / b / 7",
                json!({ "INPUT": "a / b", "ID": "7" }),
            ),
            (
                "$ID: $INPUT",
                "a: b: c",
                json!({ "ID": "a", "INPUT": "b: c" }),
            ),
            ("/t/$A/r/$B/s", "/t/1/r/2/s", json!({ "A": "1", "B": "2" })),
            ("$A$INPUT$B", "x", json!({ "A": "", "INPUT": "x", "B": "" })),
            ("plain", "plain", json!({})),
        ] {
            let template = text(template);
            let bound = template.read_back(made, "INPUT");
            assert_eq!(bound.as_ref().map(shown), Some(expected), "{made}");
        }
        for (template, other) in [
            ("Question: $INPUT", "Q: x"),
            ("plain", "plainer"),
            ("a $INPUT b", "a b"),
            ("/t/$A/r", "/t/1/q"),
        ] {
            assert!(
                text(template).read_back(other, "INPUT").is_none(),
                "{other}"
            );
        }
    }

    #[test]
    fn values_are_read_back_with_their_differences() {
        let written = json!({
            "message": "$INPUT", "session": "$SID", "user": { "id": 1, "lang": "en" },
            "list": [{ "role": "system", "content": "Be kind" }, { "content": "$INPUT" }],
        });
        let template = template(&written);
        let value = json!({
            "message": "hi", "user": { "id": 2, "zone": 3 }, "more": [1],
            "list": [{ "role": "system", "content": "Be short" }, { "content": "hi", "at": 7 }],
        });
        let found = template.read_back(&value, "INPUT").unwrap();
        assert_eq!(shown(&found.bound), json!({ "INPUT": "hi", "SID": null }));
        assert_eq!(
            Value::Object(found.additions),
            json!({ "user": { "id": 2, "zone": 3 }, "more": [1] })
        );
        assert_eq!(
            found.left_out,
            ["user.lang", "list[0].content", "list[1].at"]
        );
        assert!(template.read_back(&json!(["hi"]), "INPUT").is_none());
    }

    #[test]
    fn what_is_put_over_a_template_makes_the_value() {
        let mut template = template(&json!({ "q": "$INPUT", "mode": { "a": 1, "b": [1] } }));
        let value = json!({ "q": "hi", "mode": { "a": 2, "b": [2, 3], "c": null }, "d": "e" });
        let found = template.clone();
        let found = found.read_back(&value, "INPUT").unwrap();
        assert!(found.left_out.is_empty());
        template.put_over(Value::Object(found.additions));
        let made = template.value(&|name| (name == "INPUT").then(|| json!("hi")));
        assert_eq!(made, Ok(Some(value)));
    }
}
