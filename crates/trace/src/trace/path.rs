//! Paths into JSON values: `user.name`, `items.0.id`, `items[0].id`, `$.a`, `usage["Usage Data"]`, and `$` for the whole value.
//!
//! **Invariant:** a path that is written from steps is read as those steps.

use serde_json::Value;

use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_model::model::{NEWEST_VERSION, Text};
use ananke_model::variables::{Fill, Interpolation, Leaf};

/// The schema version that brought names in brackets.
pub const QUOTED_NAMES: (u32, u32) = (1, 4);

/// The step of a mask that matches every name and every index.
pub const ANY: &str = "*";

/// A path into a JSON value: an exact key, else its steps (SPEC 7.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    text: String,
    parts: Vec<String>,
    has_quoted_name: bool,
}

/// The steps that `[*]` is allowed to be one of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wildcards {
    Allowed,
    Refused,
}

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// If a part is empty, or a `[` has neither a number nor a quoted name and `]`; the text says which.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::parse_steps(text, Wildcards::Refused)
    }

    /// Reads a path in which `[*]` is a step: every name and every index.
    ///
    /// # Errors
    /// As for [`Path::parse`].
    pub fn parse_with_wildcards(text: &str) -> Result<Self, String> {
        Self::parse_steps(text, Wildcards::Allowed)
    }

    fn parse_steps(text: &str, wildcards: Wildcards) -> Result<Self, String> {
        let mut path = Self {
            text: text.to_owned(),
            parts: Vec::new(),
            has_quoted_name: false,
        };
        let mut rest = match text.strip_prefix('$') {
            Some("") => return Ok(path),
            Some(rest) if rest.starts_with(['.', '[']) => rest,
            _ => text,
        };
        rest = rest.strip_prefix('.').unwrap_or(rest);
        // The first step is a name or has brackets; after it, a name follows a dot.
        if !rest.starts_with('[') {
            rest = path.name(rest)?;
        }
        while !rest.is_empty() {
            rest = if let Some(inside) = rest.strip_prefix('[') {
                path.bracket(inside, wildcards)?
            } else if let Some(name) = rest.strip_prefix('.') {
                path.name(name)?
            } else {
                return Err(format!("the path `{text}` goes on after `]` without a dot"));
            };
        }
        Ok(path)
    }

    /// Takes a name that is not quoted, and returns what follows it.
    fn name<'t>(&mut self, text: &'t str) -> Result<&'t str, String> {
        let (name, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
        if name.is_empty() {
            return Err(format!("the path `{}` has an empty part", self.text));
        }
        self.parts.push(name.to_owned());
        Ok(rest)
    }

    /// Takes what is in brackets, and returns what follows them.
    fn bracket<'t>(&mut self, inside: &'t str, wildcards: Wildcards) -> Result<&'t str, String> {
        if let Some(quote @ ('\'' | '"')) = inside.chars().next() {
            return self.quoted_name(&inside[1..], quote);
        }
        match inside.split_once(']') {
            Some((step, rest))
                if is_index(step) || (step == ANY && wildcards == Wildcards::Allowed) =>
            {
                self.parts.push(step.to_owned());
                Ok(rest)
            }
            _ => Err(format!(
                "the path `{}` has a `[` without a number, or a name in quotes, and `]`",
                self.text
            )),
        }
    }

    /// Takes a name up to its closing quote and bracket, and returns what follows them.
    fn quoted_name<'t>(&mut self, text: &'t str, quote: char) -> Result<&'t str, String> {
        let mut name = String::new();
        let mut signs = text.chars();
        loop {
            match signs.next() {
                Some('\\') => match signs.next() {
                    Some(escaped @ ('\'' | '"' | '\\')) => name.push(escaped),
                    _ => {
                        return Err(format!(
                            "the path `{}` has a `\\` in a quoted name that escapes nothing; \
                             `\\'`, `\\\"` and `\\\\` are escapes",
                            self.text
                        ));
                    }
                },
                Some(sign) if sign == quote => break,
                Some(sign) => name.push(sign),
                None => return Err(self.is_open(quote)),
            }
        }
        let Some(rest) = signs.as_str().strip_prefix(']') else {
            return Err(self.is_open(quote));
        };
        self.parts.push(name);
        self.has_quoted_name = true;
        Ok(rest)
    }

    fn is_open(&self, quote: char) -> String {
        format!(
            "the path `{}` has a name in quotes without `{quote}]` at its end",
            self.text
        )
    }

    /// The path that has these steps.
    pub fn of_steps<S: AsRef<str>>(steps: &[S]) -> String {
        if steps.is_empty() {
            return "$".to_owned();
        }
        let mut text = String::new();
        for step in steps {
            text = Self::within(&text, step.as_ref());
        }
        text
    }

    /// The path of the value with this name or index in the value at `path`, which is empty for the whole value.
    pub fn within(path: &str, step: &str) -> String {
        if step.is_empty() || step == "$" || step.contains(['.', '[']) {
            let escaped = step.replace('\\', r"\\").replace('\'', r"\'");
            return format!("{path}['{escaped}']");
        }
        if path.is_empty() {
            step.to_owned()
        } else {
            format!("{path}.{step}")
        }
    }

    /// The path that is a key of a mapping: variables are not filled in keys.
    ///
    /// # Errors
    /// If it is not a valid path, or newer than the file, which was reported.
    pub fn of_key(key: &Spanned<String>, interpolation: &mut Interpolation<'_>) -> Leaf<Self> {
        Self::read(&key.value, key.span, interpolation)
    }

    fn read(text: &str, span: Span, interpolation: &mut Interpolation<'_>) -> Leaf<Self> {
        let path = Self::parse(text).map_err(|error| {
            let help = "a path has names and indexes: `items[0].id`; any other name is quoted in \
                        brackets: `['first.name']`";
            interpolation.report(Code::BadValue, span, error, Some(help.to_owned()))
        })?;
        path.check_version(span, interpolation)?;
        Ok(path)
    }

    /// Reports a name in brackets in a file whose version does not have such names.
    pub(crate) fn check_version(
        &self,
        span: Span,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<()> {
        if !self.has_quoted_name || interpolation.source().is_since(QUOTED_NAMES) {
            return Ok(());
        }
        let message = "a name in quotes in a path needs version 1.4; this file has an older one";
        let help = format!("write `version: \"{NEWEST_VERSION}\"`");
        Err(interpolation.report(Code::NewerKey, span, message, Some(help)))
    }

    /// Whether a name in it is quoted.
    pub fn has_quoted_name(&self) -> bool {
        self.has_quoted_name
    }

    /// Whether it is `$`.
    pub fn is_whole(&self) -> bool {
        self.parts.is_empty()
    }

    /// The path as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its parts.
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The part of a value that this path reaches: the parts found as text, the value there, and the first part not in it.
    pub fn reach<'p, 'v>(&'p self, value: &'v Value) -> (String, &'v Value, Option<&'p str>) {
        let (mut way, mut reached) = (String::new(), value);
        for part in &self.parts {
            let Some(next) = step(reached, part) else {
                return (way, reached, Some(part));
            };
            way = Self::within(&way, part);
            reached = next;
        }
        (way, reached, None)
    }

    /// The mapping or list that the value at this path is in, one level above it: its own path, and the key or index in it;
    /// `None` if nothing is at this path, or it is the whole value.
    pub fn parent<'p, 'v>(&'p self, value: &'v Value) -> Option<(String, &'v Value, &'p str)> {
        if value.get(&self.text).is_some() {
            return Some((String::new(), value, &self.text));
        }
        let (last, before) = self.parts.split_last()?;
        let parent = before
            .iter()
            .try_fold(value, |inner, part| step(inner, part))?;
        step(parent, last)?;
        let way = before
            .iter()
            .fold(String::new(), |way, part| Self::within(&way, part));
        Some((way, parent, last))
    }

    /// The value at this path.
    pub fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        if let Some(exact) = value.get(&self.text) {
            return Some(exact);
        }
        self.parts
            .iter()
            .try_fold(value, |inner, part| step(inner, part))
    }
}

impl Fill<Path> for Text {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Path> {
        let text = interpolation.text(self)?;
        Path::read(&text, self.span, interpolation)
    }
}

fn step<'v>(value: &'v Value, part: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(part),
        Value::Array(items) if is_index(part) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    }
}

fn is_index(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_parent_is_one_level_above() {
        let value = json!({"a.b": 1, "cart": {"items": [7, 8]}});
        let parent = |path: &str| {
            let path = Path::parse(path).unwrap();
            path.parent(&value)
                .map(|(way, parent, key)| format!("{way}|{parent}|{key}"))
        };
        for (path, expected) in [
            ("cart.items[1]", Some("cart.items|[7,8]|1")),
            ("cart.items", Some("cart|{\"items\":[7,8]}|items")),
            ("a.b", Some("|{\"a.b\":1,\"cart\":{\"items\":[7,8]}}|a.b")),
            ("cart.total", None),
            ("$", None),
        ] {
            assert_eq!(parent(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn finds_values() {
        let value = json!({"user": {"name": "Ada"}, "items": [{"id": 7}, [1, 2]], "a.b": 1, "a": {"b": 2, "0": 3}});
        let find = |path: &str| Path::parse(path).unwrap().find(&value).cloned();
        assert_eq!(find("user.name"), Some(json!("Ada")));
        assert_eq!(find("$.user.name"), Some(json!("Ada")));
        assert_eq!(find("items.0.id"), Some(json!(7)));
        assert_eq!(find("items[0].id"), Some(json!(7)));
        assert_eq!(find("items[1][0]"), Some(json!(1)));
        assert_eq!(find("a.b"), Some(json!(1)), "the exact name comes first");
        assert_eq!(find("a.0"), Some(json!(3)));
        assert_eq!(find("items.2"), None);
        assert_eq!(find("user.name.x"), None);
        assert_eq!(
            Path::parse("[0].id").unwrap().find(&json!([{"id": 1}])),
            Some(&json!(1))
        );
        assert_eq!(
            Path::parse("$[0]").unwrap().find(&json!([5])),
            Some(&json!(5))
        );
        assert_eq!(
            Path::parse("$").unwrap().find(&json!([5])),
            Some(&json!([5]))
        );
        assert_eq!(
            Path::parse("$ref").unwrap().find(&json!({"$ref": 5})),
            Some(&json!(5))
        );
    }

    #[test]
    fn names_with_other_characters_are_quoted_in_brackets() {
        for (path, steps) in [
            ("['first.name']", &["first.name"][..]),
            (r#"usage["Usage Data"].x"#, &["usage", "Usage Data", "x"]),
            (
                "$['application/vnd.x+json; version=1.0'][0]",
                &["application/vnd.x+json; version=1.0", "0"],
            ),
            (r#"['it\'s']["a \"b\" \\"]"#, &["it's", r#"a "b" \"#]),
            (r#"["it's"]['"]']"#, &["it's", r#""]"#]),
            ("['']", &[""]),
            ("a['$']", &["a", "$"]),
        ] {
            assert_eq!(Path::parse(path).unwrap().parts(), steps, "{path}");
        }
    }

    #[test]
    fn refuses_what_is_no_path() {
        for path in [
            "", "a..b", "a.", ".", "a[", "a[x]", "a[0", "a[0]b", "a.[0]", "a[*]", "['a", "['a'",
            "['a']b", "['a'].", "a.['b']", r"['a\n']", r"['a\", r#"['a"]"#, "[a']",
        ] {
            assert!(Path::parse(path).is_err(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn a_path_written_from_steps_is_read_as_those_steps(
            steps in prop::collection::vec(r#"[ab0$.\[\]'"\\ *é]{0,4}"#, 0..5)
        ) {
            let path = Path::parse(&Path::of_steps(&steps)).unwrap();
            prop_assert_eq!(path.parts(), &steps[..]);
            let wild = Path::parse_with_wildcards(path.as_str()).unwrap();
            prop_assert_eq!(wild.parts(), &steps[..]);
        }

        #[test]
        fn any_text_is_a_path_or_an_error(text in r#"[ab0$.\[\]'"\\ *é]{0,12}"#) {
            if let Ok(path) = Path::parse(&text) {
                let again = Path::parse(&Path::of_steps(path.parts())).unwrap();
                prop_assert_eq!(again.parts(), path.parts());
            }
        }
    }
}
