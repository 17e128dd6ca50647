//! What people write, filled as a whole: each leaf as the type that is made of it, and options, lists and mappings with all
//! that is in them.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{Interpolation, Leaf, Pattern, fill_all};
use crate::model::{Flag, Scalar, Short, Text, WholeNumber};
use ananke_base::diagnostic::{Code, Spanned};
use ananke_base::source::{FreeMap, Node};

/// Something that people write, of which a `T` is made when its variables are filled. `#[derive(Fill)]` fills a type field by
/// field.
pub trait Fill<T> {
    /// Fills all of it, so that every problem is reported.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<T>;
}

/// The function of [`Interpolation`] that fills a leaf, by what is made of it.
macro_rules! leaves {
    ($($written:ty => $filled:ty: $function:ident),* $(,)?) => {$(
        impl Fill<$filled> for $written {
            fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<$filled> {
                interpolation.$function(self)
            }
        }
    )*};
}

leaves! {
    Text => String: text,
    Text => PathBuf: path,
    Text => Pattern: pattern,
    Flag => bool: flag,
    Node => Value: json,
}

impl Fill<Value> for Text {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Value> {
        interpolation.text(self).map(Value::String)
    }
}

impl<N: WholeNumber> Fill<u64> for Spanned<Scalar<N>> {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<u64> {
        interpolation.number(self)
    }
}

/// Milliseconds.
impl<N: WholeNumber> Fill<Duration> for Spanned<Scalar<N>> {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Duration> {
        interpolation.number(self).map(Duration::from_millis)
    }
}

/// A mapping.
impl Fill<Map<String, Value>> for Node {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Map<String, Value>> {
        match interpolation.json(self)? {
            Value::Object(keys) => Ok(keys),
            _ => Err(interpolation.report(Code::WrongType, self.span, "expected a mapping", None)),
        }
    }
}

impl<T, W: Fill<T>> Fill<T> for Spanned<W> {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<T> {
        self.value.fill(interpolation)
    }
}

impl<T, W: Fill<T>> Fill<T> for Short<W> {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<T> {
        self.0.fill(interpolation)
    }
}

impl<T, W: Fill<T> + ?Sized> Fill<T> for &W {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<T> {
        (**self).fill(interpolation)
    }
}

impl<T, W: Fill<T>> Fill<Option<T>> for Option<W> {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Option<T>> {
        self.as_ref()
            .map(|written| written.fill(interpolation))
            .transpose()
    }
}

impl<T, W: Fill<T>> Fill<Vec<T>> for [W] {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Vec<T>> {
        fill_all(self, |written| written.fill(interpolation))
    }
}

impl<T, W: Fill<T>> Fill<Vec<T>> for Vec<W> {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Vec<T>> {
        self.as_slice().fill(interpolation)
    }
}

impl<W: Fill<Value>> Fill<Value> for FreeMap<W> {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Value> {
        fill_all(self, |(name, written)| {
            Ok((name.value.clone(), written.fill(interpolation)?))
        })
        .map(Value::Object)
    }
}

impl<W: Fill<Value>> Fill<Value> for Vec<W> {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Value> {
        fill_all(self, |written| written.fill(interpolation)).map(Value::Array)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use serde_json::json;

    use crate::model::Number;
    use crate::variables::{Mode, NotReady, Scope};
    use ananke_base::diagnostic::{SourceFile, Span};
    use ananke_derive::Fill;

    #[derive(Fill)]
    #[fill(into = FilledSearch, check = has_name)]
    struct WrittenSearch {
        name: Option<Text>,
        tags: Vec<Text>,
        /// The number of results, at most 100 (default 10).
        #[fill(default = 10, within = 1..=100)]
        count: Option<Number>,
        #[fill(name = delay)]
        delay_ms: Number,
        filters: Vec<WrittenFilter>,
    }

    #[derive(Fill)]
    #[fill(keys)]
    struct WrittenFilter {
        key: Text,
        value: Option<Text>,
    }

    #[derive(Debug, PartialEq)]
    struct FilledSearch {
        name: Option<String>,
        tags: Vec<String>,
        count: u32,
        delay: Duration,
        filters: Vec<Map<String, Value>>,
    }

    fn has_name(written: &WrittenSearch, interpolation: &mut Interpolation<'_>) -> Leaf<()> {
        match written.name {
            Some(_) => Ok(()),
            None => Err(interpolation.report(Code::MissingKey, Span::default(), "no name", None)),
        }
    }

    fn text(value: &str) -> Text {
        Text {
            value: value.to_owned(),
            span: Span::default(),
        }
    }

    fn number(value: u64) -> Number {
        Number {
            value: Scalar::Literal(value),
            span: Span::default(),
        }
    }

    /// What comes of `written`, and the problems that are reported.
    fn filled(written: &WrittenSearch) -> (Leaf<FilledSearch>, Vec<String>) {
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", ""));
        let (scope, mut problems) = (Scope::default(), Vec::new());
        let mut interpolation = Interpolation::new(&scope, &source, Mode::Send, &mut problems);
        let filled = written.fill(&mut interpolation);
        let problems = problems.into_iter().map(|problem| problem.message);
        (filled, problems.collect())
    }

    #[test]
    fn every_field_is_filled_into_its_type() {
        let filter = |value: Option<&str>| WrittenFilter {
            key: text("colour"),
            value: value.map(text),
        };
        let written = WrittenSearch {
            name: Some(text("shoes")),
            tags: vec![text("a"), text("b")],
            count: None,
            delay_ms: number(5),
            filters: vec![filter(Some("red")), filter(None)],
        };
        let object = |value: Value| value.as_object().cloned().unwrap_or_default();
        let expected = FilledSearch {
            name: Some("shoes".to_owned()),
            tags: vec!["a".to_owned(), "b".to_owned()],
            count: 10,
            delay: Duration::from_millis(5),
            filters: vec![
                object(json!({"key": "colour", "value": "red"})),
                object(json!({"key": "colour"})),
            ],
        };
        assert_eq!(filled(&written), (Ok(expected), Vec::new()));
    }

    #[test]
    fn every_problem_of_every_field_is_reported() {
        let written = WrittenSearch {
            name: None,
            tags: vec![text("${one}"), text("right"), text("${two}")],
            count: Some(number(101)),
            delay_ms: number(5),
            filters: vec![WrittenFilter {
                key: text("${three}"),
                value: Some(text("${four}")),
            }],
        };
        let (filled, problems) = filled(&written);
        assert_eq!(filled, Err(NotReady::Invalid));
        let undefined = |name| format!("the variable `{name}` is not defined");
        let expected = [
            undefined("one"),
            undefined("two"),
            "`101` is out of range".to_owned(),
            undefined("three"),
            undefined("four"),
            "no name".to_owned(),
        ];
        assert_eq!(problems, expected);
    }
}
