//! Masks over the places whose values differ between runs.

use serde_json::Value;

use crate::trace::{ANY, Path};
use ananke_base::diagnostic::Code;
use ananke_model::model::Text;
use ananke_model::variables::{Fill, Interpolation, Leaf};

/// The replacement of a volatile value.
pub(super) const MASK: &str = "<volatile>";

/// A place whose value a snapshot does not contain: `search.args.when`, `*.result.items[*].id`, `state.updated_at`,
/// `custom.progress.at`, `text`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MaskPath {
    text: String,
    root: Root,
    parts: Vec<String>,
}

/// The value that the path is relative to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Root {
    Args(String),
    Result(String),
    State,
    Custom,
    Text,
}

impl MaskPath {
    /// Parses a path.
    ///
    /// # Errors
    /// If it is not a valid path, or leads to nothing that a snapshot contains; the text says which.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::of(&Path::parse_with_wildcards(text)?)
    }

    /// The place that a path leads to.
    fn of(path: &Path) -> Result<Self, String> {
        let text = path.as_str();
        let parts = path.parts();
        let into = |root: Root, rest: &[String]| {
            Ok(Self {
                text: text.to_owned(),
                root,
                parts: rest.to_vec(),
            })
        };
        let is_side = |part: &String| matches!(part.as_str(), "args" | "result");
        match parts {
            [one] if one == "text" => into(Root::Text, &[]),
            [first, rest @ ..] if first == "state" => into(Root::State, rest),
            [first, rest @ ..] if first == "custom" && !rest.is_empty() => into(Root::Custom, rest),
            _ => match parts.iter().position(is_side) {
                Some(at) if at > 0 => {
                    let tool = parts[..at].join(".");
                    let side = if parts[at] == "args" {
                        Root::Args(tool)
                    } else {
                        Root::Result(tool)
                    };
                    into(side, &parts[at + 1..])
                }
                _ => Err(format!(
                    "the path `{text}` leads into nothing that a snapshot shows"
                )),
            },
        }
    }

    /// The path as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Fill<MaskPath> for Text {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<MaskPath> {
        let text = interpolation.text(self)?;
        let read =
            Path::parse_with_wildcards(&text).and_then(|path| Ok((MaskPath::of(&path)?, path)));
        match read {
            Ok((mask, path)) => {
                path.check_version(self.span, interpolation)?;
                Ok(mask)
            }
            Err(error) => {
                let help = "name a tool and its `args` or `result` (`search.args.when`, \
                            `*.result.id`), `state` (`state.updated_at`), `custom` and an event \
                            (`custom.progress.at`), or `text`";
                let help = Some(help.to_owned());
                Err(interpolation.report(Code::BadValue, self.span, error, help))
            }
        }
    }
}

/// The volatile places of one snapshot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masks<'v>(pub(super) &'v [MaskPath]);

impl Masks<'_> {
    /// Masks the arguments of a call to `tool`.
    pub(super) fn args(self, tool: &str, value: &mut Value) {
        self.apply(
            value,
            |root| matches!(root, Root::Args(named) if named == ANY || named == tool),
        );
    }

    /// Masks a result of `tool`.
    pub(super) fn result(self, tool: &str, value: &mut Value) {
        self.apply(
            value,
            |root| matches!(root, Root::Result(named) if named == ANY || named == tool),
        );
    }

    /// Masks the state.
    pub(super) fn state(self, value: &mut Value) {
        self.apply(value, |root| *root == Root::State);
    }

    /// Masks the value of the custom event `name`. A name may contain dots.
    pub(super) fn custom(self, name: &str, value: &mut Value) {
        for volatile in self
            .0
            .iter()
            .filter(|volatile| volatile.root == Root::Custom)
        {
            let parts = &volatile.parts;
            let named =
                |end: &usize| (*end == 1 && parts[0] == ANY) || parts[..*end].join(".") == name;
            if let Some(end) = (1..=parts.len()).find(named) {
                mask(value, &parts[end..]);
            }
        }
    }

    /// Whether the texts of messages are masked.
    pub(super) fn text(self) -> bool {
        self.0.iter().any(|volatile| volatile.root == Root::Text)
    }

    fn apply(self, value: &mut Value, matches: impl Fn(&Root) -> bool) {
        for volatile in self.0.iter().filter(|volatile| matches(&volatile.root)) {
            mask(value, &volatile.parts);
        }
    }
}

/// Masks the value at a path: an exact key, else its parts (SPEC 7.2). A missing value stays missing.
fn mask(value: &mut Value, parts: &[String]) {
    let Some((first, rest)) = parts.split_first() else {
        *value = Value::from(MASK);
        return;
    };
    match value {
        Value::Object(map) => {
            if !rest.is_empty()
                && let Some(exact) = map.get_mut(&parts.join("."))
            {
                mask(exact, &[]);
            } else if first == ANY {
                map.values_mut().for_each(|inner| mask(inner, rest));
            } else if let Some(inner) = map.get_mut(first) {
                mask(inner, rest);
            }
        }
        Value::Array(items) if first == ANY => items.iter_mut().for_each(|inner| mask(inner, rest)),
        Value::Array(items) => {
            let index: Option<usize> = first.parse().ok();
            if let Some(inner) = index.and_then(|index| items.get_mut(index)) {
                mask(inner, rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn masked(path: &str, tool: &str, value: Value) -> Value {
        let (volatile, mut value) = ([MaskPath::parse(path).unwrap()], value);
        Masks(&volatile).result(tool, &mut value);
        value
    }

    #[test]
    fn masks_what_a_path_leads_to() {
        let value =
            || json!({"id": 7, "items": [{"id": 1, "n": 2}, {"id": 3}], "a.b": 1, "a": {"b": 2}});
        for (path, expected) in [
            (
                "search.result.id",
                json!({"id": MASK, "items": [{"id": 1, "n": 2}, {"id": 3}], "a.b": 1, "a": {"b": 2}}),
            ),
            (
                "*.result.items[*].id",
                json!({"id": 7, "items": [{"id": MASK, "n": 2}, {"id": MASK}], "a.b": 1, "a": {"b": 2}}),
            ),
            (
                "search.result.items[0]",
                json!({"id": 7, "items": [MASK, {"id": 3}], "a.b": 1, "a": {"b": 2}}),
            ),
            (
                "search.result.a.b",
                json!({"id": 7, "items": [{"id": 1, "n": 2}, {"id": 3}], "a.b": MASK, "a": {"b": 2}}),
            ),
            (
                "search.result.*.b",
                json!({"id": 7, "items": [{"id": 1, "n": 2}, {"id": 3}], "a.b": 1, "a": {"b": MASK}}),
            ),
            ("search.result", json!(MASK)),
            ("search.args.id", value()),
            ("other.result.id", value()),
            ("search.result.nothing.at.all", value()),
        ] {
            assert_eq!(masked(path, "search", value()), expected, "{path}");
        }
        assert_eq!(
            masked("shop.search.result.id", "shop.search", json!({"id": 1})),
            json!({"id": MASK})
        );
    }

    #[test]
    fn names_of_events_may_hold_dots() {
        for (path, expected) in [
            ("custom.run.progress.at", json!({"at": MASK})),
            ("custom.*.at", json!({"at": MASK})),
            ("custom.run.progress", json!(MASK)),
            ("custom.run.at", json!({"at": 5})),
        ] {
            let (volatile, mut value) = ([MaskPath::parse(path).unwrap()], json!({"at": 5}));
            Masks(&volatile).custom("run.progress", &mut value);
            assert_eq!(value, expected, "{path}");
        }
    }

    #[test]
    fn refuses_what_leads_nowhere() {
        for path in [
            "",
            "search",
            "search.when",
            "args.when",
            "custom",
            "messages",
            "search.args[x]",
            "a..b",
        ] {
            assert!(MaskPath::parse(path).is_err(), "{path}");
        }
        for path in ["text", "state", "state.a", "*.args", "x.result[0]"] {
            assert!(MaskPath::parse(path).is_ok(), "{path}");
        }
    }
}
