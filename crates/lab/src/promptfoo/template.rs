//! A text with variables, as promptfoo writes it: `{{name}}`.

use ananke_base::source::printable;
use ananke_model::variables::{literal, name_problem};

/// A text with variables.
#[derive(Clone, Debug)]
pub(super) struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Clone, Debug)]
enum TemplatePart {
    Text(String),
    /// A variable, and the path into its value with a dot before each step.
    Variable(String, String),
}

impl Template {
    /// Reads a text.
    ///
    /// # Errors
    /// The reason why it is more than text and variables.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(mark) = ["{%", "{#"].iter().find(|mark| text.contains(**mark)) {
            return Err(format!(
                "`{mark}` is logic of a template, and ananke fills in variables alone"
            ));
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((inside, after)) = after.split_once("}}") else {
                break;
            };
            parts.push(TemplatePart::Text(before.to_owned()));
            parts.push(variable(inside.trim())?);
            rest = after;
        }
        parts.push(TemplatePart::Text(rest.to_owned()));
        Ok(Self { parts })
    }

    /// The names of its variables.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Variable(name, _) if name != "ENV" => Some(name.as_str()),
            _ => None,
        })
    }

    /// The text as ananke writes it.
    pub(super) fn written(&self) -> String {
        self.with(literal, &[])
    }

    /// The same, where the variables `empty` have no value and are sent as nothing.
    pub(super) fn written_without(&self, empty: &[&str]) -> String {
        self.with(literal, empty)
    }

    /// A pattern that matches the text; the values of its variables are escaped when they are filled in.
    pub(super) fn pattern(&self) -> String {
        self.with(regex_syntax::escape, &[])
    }

    fn with(&self, text_of: fn(&str) -> String, empty: &[&str]) -> String {
        let parts = self.parts.iter().map(|part| match part {
            TemplatePart::Text(text) => text_of(text),
            TemplatePart::Variable(name, path) => {
                let default = if empty.contains(&name.as_str()) {
                    ":-"
                } else {
                    ""
                };
                format!("${{{name}{path}{default}}}")
            }
        });
        parts.collect()
    }
}

/// The variable that is between two braces.
fn variable(expression: &str) -> Result<TemplatePart, String> {
    let path = expression.replace('[', ".").replace(']', "");
    let mut steps = path.split('.');
    let name = steps.next().unwrap_or_default();
    let is_step = |step: &str| {
        !step.is_empty()
            && step
                .chars()
                .all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
    };
    let name = if name == "env" { "ENV" } else { name };
    let is_known_name = name == "ENV" || name_problem(name).is_none();
    if !is_known_name || !steps.all(is_step) {
        return Err(format!(
            "`{{{{{}}}}}` is not the name of a variable",
            printable(expression)
        ));
    }
    let rest = path.split_once('.').map_or("", |(_, rest)| rest);
    let path = if rest.is_empty() {
        String::new()
    } else {
        format!(".{rest}")
    };
    Ok(TemplatePart::Variable(name.to_owned(), path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_references_and_text_is_literal() {
        for (text, written) in [
            ("Hi {{ name }}!", "Hi ${name}!"),
            (
                "{{user.name}} {{items[0].id}}",
                "${user.name} ${items.0.id}",
            ),
            ("{{env.CITY}} ${HOME} }} {{", "${ENV.CITY} $${HOME} }} {{"),
            ("", ""),
        ] {
            let template = Template::parse(text).expect("a template");
            assert_eq!(template.written(), written);
        }
        let template = Template::parse("a+ {{x}}").expect("a template");
        assert_eq!(template.pattern(), "a\\+ ${x}");
        assert_eq!(template.written_without(&["x"]), "a+ ${x:-}");
        assert_eq!(template.names().collect::<Vec<_>>(), ["x"]);
    }

    #[test]
    fn more_than_a_variable_is_no_template() {
        for text in [
            "{{ name | upper }}",
            "{{ a - b }}",
            "{{ }}",
            "{{ f() }}",
            "{{ a['b c'] }}",
            "{{- a -}}",
            "{% if a %}b{% endif %}",
            "{# a #}",
            "{{ TEST_NAME }}",
            "{{ a..b }}",
        ] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }
}
