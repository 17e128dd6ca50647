//! Paths into the events of a response: where a mapping finds text, calls and their results.
//!
//! **Invariant:** a path that cannot be read is an error at its place in the file; one that finds nothing is none here, because only
//! the end of a turn shows what was missing.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use super::step_condition::{ConditionSubject, ConditionTest, StepCondition, opened};

/// A path as people write it: `choices[0].message.tool_calls[*]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventPath {
    steps: Vec<EventPathStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum EventPathStep {
    /// The value of a key.
    Key(String),
    /// An item of a list; a negative index counts from its end.
    Index(i64),
    /// Each item of a list: `[*]`.
    Items,
    /// Each value of an object: `.*`.
    Values,
    /// The value, or the items of a list, that meet a condition: `[?…]`.
    If(StepCondition),
    /// The items of a list after the last one that meets a condition, or all: `[>…]`.
    After(StepCondition),
}

/// The reason why a text is not a path, and the character at which that shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathError {
    /// The reason in words.
    pub(crate) message: String,
    /// The number of characters before the place.
    pub(crate) at: usize,
}

/// The position of a value in its event: the position of each ancestor among its siblings, from the outermost.
pub(crate) type HitPlace = Vec<u32>;

/// A value that a path found.
#[derive(Clone, Debug)]
pub(crate) struct Hit<'v> {
    /// The value: a copy if a text that holds JSON was looked into.
    pub(crate) value: Cow<'v, Value>,
    pub(crate) place: HitPlace,
}

/// The item that a path is looked for in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Searched<'v> {
    pub(crate) value: &'v Value,
    /// The name of its event, if it has one.
    pub(crate) event: Option<&'v str>,
}

impl EventPath {
    /// Reads a path.
    ///
    /// # Errors
    /// If the text is not one.
    pub(crate) fn parse(text: &str) -> Result<Self, PathError> {
        let mut reader = PathReader {
            characters: text.chars().collect(),
            at: 0,
        };
        let steps = reader.steps()?;
        Ok(Self { steps })
    }

    /// Whether one of its keys is such a key.
    pub(crate) fn leads_through(&self, is_such: &dyn Fn(&str) -> bool) -> bool {
        for step in &self.steps {
            if let EventPathStep::Key(key) = step
                && is_such(key)
            {
                return true;
            }
        }
        false
    }

    /// Whether it takes events as they are, whatever they hold: `$`, or conditions alone.
    pub(crate) fn takes_whole_event(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.all(|step| matches!(step, EventPathStep::If(_)))
    }

    /// All that it finds, in the order of the value. The places of what `[>…]` left behind go to `passed_by`.
    pub(crate) fn find<'v>(
        &self,
        searched: Searched<'v>,
        passed_by: &mut Vec<HitPlace>,
    ) -> Vec<Hit<'v>> {
        let mut hit = Hit {
            value: Cow::Borrowed(searched.value),
            place: HitPlace::new(),
        };
        // Most paths lead from one value to one value, and every event is looked through by every path of a mapping. So only the
        // step to several values, and those after it, need a list.
        let mut steps = self.steps.iter();
        let first_of_many = loop {
            let Some(step) = steps.next() else {
                return vec![hit];
            };
            match step.next(hit, searched.event) {
                NextHit::One(next) => hit = next,
                NextHit::Nothing => return Vec::new(),
                NextHit::Several(from) => {
                    hit = from;
                    break step;
                }
            }
        };
        let mut hits = vec![hit];
        for step in [first_of_many].into_iter().chain(steps) {
            let mut next = Vec::new();
            for hit in hits {
                step.apply(hit, searched.event, &mut next, passed_by);
            }
            hits = next;
            if hits.is_empty() {
                break;
            }
        }
        hits
    }
}

/// What a step leads to from one value.
enum NextHit<'v> {
    One(Hit<'v>),
    Nothing,
    /// Items or values of this one.
    Several(Hit<'v>),
}

impl<'v> NextHit<'v> {
    fn of(found: Option<Hit<'v>>) -> Self {
        match found {
            Some(hit) => Self::One(hit),
            None => Self::Nothing,
        }
    }
}

impl EventPathStep {
    /// The value that this step leads to from `hit`, if it leads to one.
    fn next<'v>(&self, hit: Hit<'v>, event: Option<&str>) -> NextHit<'v> {
        // A condition on the name of the event keeps a value whole, also a list.
        if let Self::If(condition) = self
            && condition.subject == ConditionSubject::EventName
        {
            let is_met = condition.is_met(&Value::Null, event);
            return NextHit::of(is_met.then_some(hit));
        }
        let hit = Hit {
            value: opened(hit.value),
            place: hit.place,
        };
        match self {
            Self::Key(key) => NextHit::of(hit.into_child(key)),
            Self::Index(index) => NextHit::of(hit.into_item(*index)),
            Self::If(condition) if !hit.value.is_array() => {
                let is_met = condition.is_met(&hit.value, event);
                NextHit::of(is_met.then_some(hit))
            }
            Self::Items | Self::Values | Self::If(_) | Self::After(_) => NextHit::Several(hit),
        }
    }

    /// Adds to `found` what this step leads to from `hit`.
    fn apply<'v>(
        &self,
        hit: Hit<'v>,
        event: Option<&str>,
        found: &mut Vec<Hit<'v>>,
        passed_by: &mut Vec<HitPlace>,
    ) {
        let hit = match self.next(hit, event) {
            NextHit::One(next) => return found.push(next),
            NextHit::Nothing => return,
            NextHit::Several(hit) => hit,
        };
        match self {
            // They lead to one value at most.
            Self::Key(_) | Self::Index(_) => {}
            Self::Items => {
                if hit.value.is_array() {
                    found.extend(hit.children());
                }
            }
            Self::Values => {
                if hit.value.is_object() {
                    found.extend(hit.children());
                }
            }
            Self::If(condition) => {
                let mut items = hit.children();
                items.retain(|item| condition.is_met(&item.value, event));
                found.extend(items);
            }
            Self::After(condition) => {
                let mut items = hit.children();
                let last = items
                    .iter()
                    .rposition(|item| condition.is_met(&item.value, event));
                if let Some(last) = last {
                    for earlier in items.drain(..=last) {
                        passed_by.push(earlier.place);
                    }
                }
                found.extend(items);
            }
        }
    }
}

impl<'v> Hit<'v> {
    /// The hit at `position` among the children of what is at `place`.
    fn at(mut place: HitPlace, position: usize, value: Cow<'v, Value>) -> Self {
        place.push(u32::try_from(position).unwrap_or(u32::MAX));
        Hit { value, place }
    }

    /// The hit at `position` among the children of this one.
    fn below(&self, position: usize, value: Cow<'v, Value>) -> Self {
        Self::at(self.place.clone(), position, value)
    }

    fn into_child(self, key: &str) -> Option<Self> {
        let mut entries = self.value.as_object()?.iter();
        let position = entries.position(|(it, _)| it == key)?;
        let value = match self.value {
            Cow::Borrowed(value) => Cow::Borrowed(value.get(key)?),
            Cow::Owned(mut value) => Cow::Owned(value.get_mut(key)?.take()),
        };
        Some(Self::at(self.place, position, value))
    }

    fn into_item(self, index: i64) -> Option<Self> {
        let length = self.value.as_array()?.len();
        let from_start = usize::try_from(index.unsigned_abs()).ok()?;
        let position = if index < 0 {
            length.checked_sub(from_start)?
        } else {
            from_start
        };
        let value = match self.value {
            Cow::Borrowed(value) => Cow::Borrowed(value.get(position)?),
            Cow::Owned(mut value) => Cow::Owned(value.get_mut(position)?.take()),
        };
        Some(Self::at(self.place, position, value))
    }

    /// The items of a list, or the values of an object.
    fn children(&self) -> Vec<Self> {
        let mut children = Vec::new();
        match &self.value {
            Cow::Borrowed(Value::Array(items)) => {
                for (position, item) in items.iter().enumerate() {
                    children.push(self.below(position, Cow::Borrowed(item)));
                }
            }
            Cow::Borrowed(Value::Object(keys)) => {
                for (position, value) in keys.values().enumerate() {
                    children.push(self.below(position, Cow::Borrowed(value)));
                }
            }
            Cow::Owned(Value::Array(items)) => {
                for (position, item) in items.iter().enumerate() {
                    children.push(self.below(position, Cow::Owned(item.clone())));
                }
            }
            Cow::Owned(Value::Object(keys)) => {
                for (position, value) in keys.values().enumerate() {
                    children.push(self.below(position, Cow::Owned(value.clone())));
                }
            }
            _ => {}
        }
        children
    }
}

/// Reads a path from its start to its end.
struct PathReader {
    characters: Vec<char>,
    at: usize,
}

impl PathReader {
    fn steps(&mut self) -> Result<Vec<EventPathStep>, PathError> {
        let mut steps = Vec::new();
        if self.characters.is_empty() {
            return Err(self.error("a path is not empty; `$` is the event itself"));
        }
        // `$` is the event itself, so that the path goes on from there.
        if self.take('$') {
            if self.peek() == Some('.') {
                self.at += 1;
                steps.push(self.key()?);
            }
        } else if self.peek() != Some('[') {
            steps.push(self.key()?);
        }
        loop {
            match self.peek() {
                None => return Ok(steps),
                Some('[') => steps.push(self.bracket()?),
                Some('.') => {
                    self.at += 1;
                    steps.push(self.key()?);
                }
                Some(_) => return Err(self.error("expected `.` or `[`")),
            }
        }
    }

    /// A key, or `*`.
    fn key(&mut self) -> Result<EventPathStep, PathError> {
        let key = self.until(&['.', '[', ']']);
        match key.as_str() {
            "" => Err(self.error("expected a key")),
            "*" => Ok(EventPathStep::Values),
            _ => Ok(EventPathStep::Key(key)),
        }
    }

    /// `[0]`, `[*]`, `[?…]` or `[>…]`.
    fn bracket(&mut self) -> Result<EventPathStep, PathError> {
        let open = self.at;
        self.at += 1;
        let step = if self.take('*') {
            EventPathStep::Items
        } else if self.take('?') {
            EventPathStep::If(self.condition()?)
        } else if self.take('>') {
            let condition = self.condition()?;
            if condition.subject == ConditionSubject::EventName {
                self.at = open;
                return Err(
                    self.error("`[>…]` compares keys of items, `@event` is of the whole event")
                );
            }
            EventPathStep::After(condition)
        } else {
            let index = self.until(&[']']);
            let Ok(index) = index.parse() else {
                self.at = open;
                return Err(self.error("expected `[0]`, `[*]`, `[?key=value]` or `[>key=value]`"));
            };
            EventPathStep::Index(index)
        };
        if self.take(']') {
            Ok(step)
        } else {
            Err(self.error("expected `]`"))
        }
    }

    /// The inside of `[?…]`, without its bracket.
    fn condition(&mut self) -> Result<StepCondition, PathError> {
        let is_negated = self.take('!');
        let keys = self.until(&['=', '!', ']']);
        let subject = match keys.as_str() {
            "" => return Err(self.error("expected a key to compare")),
            "@event" => ConditionSubject::EventName,
            keys => ConditionSubject::Keys(keys.split('.').map(str::to_owned).collect()),
        };
        let test = if self.take('=') {
            ConditionTest::Equals(self.compared()?)
        } else if self.take('!') {
            if !self.take('=') {
                return Err(self.error("expected `!=`"));
            }
            ConditionTest::Differs(self.compared()?)
        } else if is_negated {
            ConditionTest::IsNotGiven
        } else {
            ConditionTest::IsGiven
        };
        if is_negated && test != ConditionTest::IsNotGiven {
            return Err(self.error("write `[?key!=value]`, or `[?!key]` without a value"));
        }
        Ok(StepCondition { subject, test })
    }

    /// The value of a condition: up to `]`, or in quotes.
    fn compared(&mut self) -> Result<String, PathError> {
        if !self.take('"') {
            return Ok(self.until(&[']']));
        }
        let text = self.until(&['"']);
        if self.take('"') {
            Ok(text)
        } else {
            Err(self.error("expected `\"` at the end of the value"))
        }
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn take(&mut self, expected: char) -> bool {
        let is_there = self.peek() == Some(expected);
        self.at += usize::from(is_there);
        is_there
    }

    /// The characters before the first of `ends`, or all that are left.
    fn until(&mut self, ends: &[char]) -> String {
        let rest = &self.characters[self.at..];
        let text: String = rest.iter().take_while(|it| !ends.contains(it)).collect();
        self.at += text.chars().count();
        text
    }

    fn error(&self, message: &str) -> PathError {
        PathError {
            message: message.to_owned(),
            at: self.at,
        }
    }
}

impl fmt::Display for EventPath {
    /// The path as it may be written.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return formatter.write_str("$");
        }
        for (index, step) in self.steps.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            match step {
                EventPathStep::Key(key) => write!(formatter, "{dot}{key}")?,
                EventPathStep::Values => write!(formatter, "{dot}*")?,
                EventPathStep::Index(index) => write!(formatter, "[{index}]")?,
                EventPathStep::Items => formatter.write_str("[*]")?,
                EventPathStep::If(condition) => write!(formatter, "[?{condition}]")?,
                EventPathStep::After(condition) => write!(formatter, "[>{condition}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(path: &str, value: &Value, event: Option<&str>) -> Value {
        let path = EventPath::parse(path).unwrap();
        let hits = path.find(Searched { value, event }, &mut Vec::new());
        hits.into_iter().map(|hit| hit.value.into_owned()).collect()
    }

    #[test]
    fn paths_find_what_they_say() {
        let value = json!({
            "a": { "b": [1, { "k": "v", "n": { "m": 1 } }, { "k": "w" }] },
            "text": "{\"in\": [\"side\"]}",
            "messages": [
                { "type": "human", "content": "old" },
                { "type": "ai", "content": "old answer" },
                { "type": "human", "content": "new" },
                { "type": "ai", "content": "answer" },
                { "type": "tool", "content": "result" },
            ],
            "empty": "",
        });
        for (path, expected) in [
            ("$", json!([value])),
            ("a.b[0]", json!([1])),
            ("a.b[-1].k", json!(["w"])),
            ("$.a.b[*].k", json!(["v", "w"])),
            ("a.b[?k].k", json!(["v", "w"])),
            ("a.b[?k=v].n.m", json!([1])),
            ("a.b[?n.m=1].k", json!(["v"])),
            ("a.b[?k!=v].k", json!(["w"])),
            ("a.*[0]", json!([1])),
            ("text.in[0]", json!(["side"])),
            ("messages[>type=human][?type=ai].content", json!(["answer"])),
            (
                "messages[>type=none][?type=human].content",
                json!(["old", "new"]),
            ),
            ("[?!empty].a.b[0]", json!([1])),
            ("[?empty].a", json!([])),
            ("[?@event=x].a.b[0]", json!([1])),
            ("[?@event=y].a", json!([])),
            ("[?@event!=y][?a].empty", json!([""])),
            ("[?empty=\"\"].a.b[0]", json!([1])),
            ("none.at.all", json!([])),
        ] {
            assert_eq!(found(path, &value, Some("x")), expected, "{path}");
            let read = EventPath::parse(path).unwrap();
            assert_eq!(EventPath::parse(&read.to_string()).unwrap(), read, "{path}");
        }
    }

    #[test]
    fn what_is_no_path_says_why_and_where() {
        for (path, at, words) in [
            ("", 0, "not empty"),
            ("a..b", 2, "expected a key"),
            ("a[x]", 1, "expected `[0]`"),
            ("a[0", 3, "expected `]`"),
            ("a[?]", 3, "expected a key to compare"),
            ("a[?k!v]", 5, "expected `!=`"),
            ("a[?!k=v]", 7, "write `[?key!=value]`"),
            ("a[?k=\"v]", 8, "expected `\"`"),
            ("a]", 1, "expected `.` or `[`"),
            ("a[>@event=x]", 1, "compares keys of items"),
        ] {
            let error = EventPath::parse(path).unwrap_err();
            assert_eq!(error.at, at, "{path}: {}", error.message);
            assert!(error.message.contains(words), "{path}: {}", error.message);
        }
    }

    #[test]
    fn what_is_passed_by_is_known() {
        let value = json!([{ "r": "u" }, { "r": "a" }, { "r": "u" }, { "r": "a" }]);
        let path = EventPath::parse("[>r=u]").unwrap();
        let mut passed_by = Vec::new();
        let searched = Searched {
            value: &value,
            event: None,
        };
        let hits = path.find(searched, &mut passed_by);
        assert_eq!(hits.len(), 1);
        assert_eq!(hits[0].place, [3]);
        assert_eq!(passed_by, [vec![0], vec![1], vec![2]]);
    }
}
