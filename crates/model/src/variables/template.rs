//! Texts and values of requests that are filled twice: what the scope knows when a target is compiled, and the rest when a request is
//! sent.
//!
//! **Invariant:** what a late variable gives is inserted as it is: a reference in it stays text.

use serde_json::{Map, Value};

use super::interpolation::TextPurpose;
use super::{Interpolation, Leaf, Piece, as_text, fill_all};
use crate::model::Text;
use ananke_base::source::{Node, NodeValue};

/// A text of which some variables are known only when it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTemplate {
    pub(super) pieces: Vec<TemplatePiece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TemplatePiece {
    Text(String),
    Variable(LateVariable),
}

/// A reference to a variable that is known only when a request is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateVariable {
    /// The part of the reference before its path, such as `THREAD` in `${THREAD.id}`.
    pub name: String,
    /// The keys and indexes into its value, outermost first.
    pub(super) path: Vec<String>,
    /// The text that is inserted if the variable has no value, or an empty one.
    pub(super) default: Option<Value>,
}

/// A value of which some variables are known only when it is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueTemplate {
    /// A value that is sent as it is.
    Known(Value),
    /// A text with late variables. If it is one of them alone, it becomes any type.
    Text(TextTemplate),
    /// Items in their order; one without a value is omitted.
    List(Vec<ValueTemplate>),
    /// Keys in the order of the file; one without a value is omitted.
    Map(Vec<(String, ValueTemplate)>),
}

/// A variable in the middle of a text that has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingVariable(pub String);

impl LateVariable {
    /// The value that is inserted; `look_up` gives that of a whole variable.
    pub(super) fn value(&self, look_up: &dyn Fn(&str) -> Option<Value>) -> Option<Value> {
        let mut value = look_up(&self.name);
        for key in &self.path {
            value = match value {
                Some(Value::Object(mut keys)) => keys.remove(key),
                Some(Value::Array(mut items)) => match key.parse::<usize>() {
                    Ok(index) if index < items.len() => Some(items.swap_remove(index)),
                    _ => None,
                },
                _ => None,
            };
        }
        match value {
            // Null is how APIs write that there is no id yet, so that it counts as no value.
            None | Some(Value::Null) => self.default.clone(),
            Some(Value::String(text)) if text.is_empty() && self.default.is_some() => {
                self.default.clone()
            }
            given => given,
        }
    }
}

impl TextTemplate {
    /// A text that is known already.
    pub fn known(text: String) -> Self {
        let pieces = vec![TemplatePiece::Text(text)];
        Self { pieces }
    }

    /// The references in their order; one variable may be there several times.
    pub fn variables(&self) -> impl Iterator<Item = &LateVariable> {
        self.pieces.iter().filter_map(|piece| match piece {
            TemplatePiece::Variable(variable) => Some(variable),
            TemplatePiece::Text(_) => None,
        })
    }

    /// The text, with what `escape` makes of each inserted value.
    ///
    /// # Errors
    /// If a variable has no value.
    pub fn text(
        &self,
        look_up: &dyn Fn(&str) -> Option<Value>,
        escape: &dyn Fn(String) -> String,
    ) -> Result<String, MissingVariable> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                TemplatePiece::Text(known) => text.push_str(known),
                TemplatePiece::Variable(variable) => match variable.value(look_up) {
                    Some(value) => text.push_str(&escape(as_text(&value))),
                    None => return Err(MissingVariable(variable.name.clone())),
                },
            }
        }
        Ok(text)
    }

    /// The value: a text that is exactly one variable has the type of its value. `None` if that variable has no value.
    ///
    /// # Errors
    /// If a variable in the middle of a text has no value.
    pub fn value(
        &self,
        look_up: &dyn Fn(&str) -> Option<Value>,
    ) -> Result<Option<Value>, MissingVariable> {
        if let [TemplatePiece::Variable(variable)] = self.pieces.as_slice() {
            return Ok(variable.value(look_up));
        }
        Ok(Some(Value::String(self.text(look_up, &|text| text)?)))
    }

    /// Whether all of it is one variable.
    pub fn is_one_variable(&self) -> bool {
        matches!(self.pieces.as_slice(), [TemplatePiece::Variable(_)])
    }
}

/// Puts a value over another one: mappings are added key by key, and anything else is replaced.
fn put_over(own: &mut Value, over: Value) {
    let Value::Object(keys) = own else {
        *own = over;
        return;
    };
    match over {
        Value::Object(over) => {
            for (key, value) in over {
                put_over(keys.entry(key).or_insert(Value::Null), value);
            }
        }
        over => *own = over,
    }
}

impl ValueTemplate {
    /// The variable that all of it is.
    pub fn only_variable(&self) -> Option<&LateVariable> {
        match self {
            Self::Text(template) => template.only_variable(),
            Self::Known(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// Whether it is a mapping with this key.
    pub fn has_key(&self, key: &str) -> bool {
        match self {
            Self::Known(Value::Object(keys)) => keys.contains_key(key),
            Self::Map(entries) => entries.iter().any(|(own, _)| own == key),
            Self::Known(_) | Self::Text(_) | Self::List(_) => false,
        }
    }

    /// Puts a value over this one: mappings are added key by key, and anything else is replaced.
    pub fn put_over(&mut self, over: Value) {
        match self {
            Self::Known(own) => put_over(own, over),
            Self::Map(entries) => {
                let Value::Object(over) = over else {
                    *self = Self::Known(over);
                    return;
                };
                for (key, value) in over {
                    match entries.iter_mut().find(|(own, _)| *own == key) {
                        Some((_, own)) => own.put_over(value),
                        None => entries.push((key, Self::Known(value))),
                    }
                }
            }
            Self::Text(_) | Self::List(_) => *self = Self::Known(over),
        }
    }

    /// A late variable alone.
    pub fn variable(name: &str) -> Self {
        Self::Text(TextTemplate {
            pieces: vec![TemplatePiece::Variable(LateVariable {
                name: name.to_owned(),
                path: Vec::new(),
                default: None,
            })],
        })
    }

    /// The value. Keys and items that are exactly one variable without a value are omitted; `None` if all of it is one.
    ///
    /// # Errors
    /// If a variable in the middle of a text has no value.
    pub fn value(
        &self,
        look_up: &dyn Fn(&str) -> Option<Value>,
    ) -> Result<Option<Value>, MissingVariable> {
        Ok(match self {
            Self::Known(value) => Some(value.clone()),
            Self::Text(template) => template.value(look_up)?,
            Self::List(items) => {
                let mut values = Vec::new();
                for item in items {
                    values.extend(item.value(look_up)?);
                }
                Some(Value::Array(values))
            }
            Self::Map(entries) => {
                let mut values = Map::new();
                for (key, entry) in entries {
                    if let Some(value) = entry.value(look_up)? {
                        values.insert(key.clone(), value);
                    }
                }
                Some(Value::Object(values))
            }
        })
    }

    /// Calls `each` with every late variable.
    pub fn each_variable<'t>(&'t self, each: &mut dyn FnMut(&'t LateVariable)) {
        match self {
            Self::Known(_) => {}
            Self::Text(template) => template.variables().for_each(each),
            Self::List(items) => items.iter().for_each(|item| item.each_variable(each)),
            Self::Map(entries) => {
                for (_, entry) in entries {
                    entry.each_variable(each);
                }
            }
        }
    }
}

impl Interpolation<'_> {
    /// A text in which variables that are `late` stay.
    ///
    /// # Errors
    /// If another variable is known later, or something is wrong, which was reported.
    pub fn template(&mut self, text: &Text, late: &dyn Fn(&str) -> bool) -> Leaf<TextTemplate> {
        self.template_for(text, late, TextPurpose::Sent)
    }

    /// The value of a header in which variables that are `late` stay. What other references give is a secret.
    ///
    /// # Errors
    /// If another variable is known later, or something is wrong, which was reported.
    pub fn header_template(
        &mut self,
        text: &Text,
        late: &dyn Fn(&str) -> bool,
    ) -> Leaf<TextTemplate> {
        self.template_for(text, late, TextPurpose::Header)
    }

    fn template_for(
        &mut self,
        text: &Text,
        late: &dyn Fn(&str) -> bool,
        purpose: TextPurpose,
    ) -> Leaf<TextTemplate> {
        let pieces = self.scan(&text.value, text.span, purpose)?;
        let pieces = fill_all(&pieces, |piece| {
            if let Piece::Reference(reference) = piece
                && late(reference.name)
            {
                return Ok(TemplatePiece::Variable(LateVariable {
                    name: reference.name.to_owned(),
                    path: reference.path.iter().map(|key| (*key).to_owned()).collect(),
                    default: reference.default.map(Value::from),
                }));
            }
            let piece = std::slice::from_ref(piece);
            let known = self.join(piece, &text.value, text.span, purpose)?;
            Ok(TemplatePiece::Text(known))
        })?;
        Ok(TextTemplate { pieces })
    }

    /// A free value in which variables that are `late` stay.
    ///
    /// # Errors
    /// If another variable is known later, or something is wrong, which was reported.
    pub fn value_template(
        &mut self,
        node: &Node,
        late: &dyn Fn(&str) -> bool,
    ) -> Leaf<ValueTemplate> {
        match &node.value {
            NodeValue::String(written) => {
                let text = Text {
                    value: written.clone(),
                    span: node.span,
                };
                let template = self.template(&text, late)?;
                if template.variables().next().is_some() {
                    return Ok(ValueTemplate::Text(template));
                }
                // Without a late variable it is a value like any other, which may have the type of one variable.
                self.json(node).map(ValueTemplate::Known)
            }
            NodeValue::List(items) => {
                fill_all(items, |item| self.value_template(item, late)).map(ValueTemplate::List)
            }
            NodeValue::Map(entries) => fill_all(entries, |entry| {
                Ok((entry.key.clone(), self.value_template(&entry.value, late)?))
            })
            .map(ValueTemplate::Map),
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => {
                self.json(node).map(ValueTemplate::Known)
            }
        }
    }
}
