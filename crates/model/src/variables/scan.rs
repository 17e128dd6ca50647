//! Finds the references in a text.

use std::ops::Range;

use super::is_name;

/// A stretch of a scanned text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text without references.
    Literal(&'a str),
    /// A `${…}` to replace.
    Reference(Reference<'a>),
}

/// One `${NAME.path:-default}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The variable.
    pub name: &'a str,
    /// The path into its value, outermost first.
    pub path: Vec<&'a str>,
    /// The text that is inserted if the variable is undefined or empty.
    pub default: Option<&'a str>,
    /// The range of the reference in the text, in bytes.
    pub range: Range<usize>,
}

/// A `${` that begins no reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScanError {
    /// The error.
    pub message: String,
    /// Its range in the text, in bytes.
    pub range: Range<usize>,
}

/// A text in which a `${` begins no reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MalformedReferences<'a> {
    /// Every such `${`.
    pub errors: Vec<ScanError>,
    /// The valid references.
    pub references: Vec<Reference<'a>>,
}

/// Cuts `text` into literals and references. `$${` is the escape for a literal `${`; a bare `$` is never special.
///
/// # Errors
/// If a `${` begins no reference.
pub fn scan(text: &str) -> Result<Vec<Piece<'_>>, MalformedReferences<'_>> {
    let mut pieces = Vec::new();
    let mut errors = Vec::new();
    let mut literal = 0;
    let mut position = 0;
    while let Some(found) = text[position..].find("${") {
        let open = position + found;
        if open > literal && text.as_bytes()[open - 1] == b'$' {
            // The escape: everything up to its first dollar, then the `${` itself.
            push_literal(&mut pieces, &text[literal..open - 1]);
            pieces.push(Piece::Literal("${"));
            position = open + 2;
            literal = position;
            continue;
        }
        push_literal(&mut pieces, &text[literal..open]);
        let end = if let Some(close) = text[open..].find('}') {
            let range = open..open + close + 1;
            match reference(text, range.clone()) {
                Ok(reference) => pieces.push(Piece::Reference(reference)),
                Err(message) => errors.push(ScanError {
                    message,
                    range: range.clone(),
                }),
            }
            range.end
        } else {
            errors.push(ScanError {
                message: "`${` without its `}`".to_owned(),
                range: open..text.len(),
            });
            text.len()
        };
        position = end;
        literal = end;
    }
    push_literal(&mut pieces, &text[literal..]);
    if errors.is_empty() {
        return Ok(pieces);
    }
    let references = pieces.into_iter().filter_map(|piece| match piece {
        Piece::Reference(reference) => Some(reference),
        Piece::Literal(_) => None,
    });
    Err(MalformedReferences {
        errors,
        references: references.collect(),
    })
}

fn push_literal<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str) {
    if !text.is_empty() {
        pieces.push(Piece::Literal(text));
    }
}

fn reference(text: &str, range: Range<usize>) -> Result<Reference<'_>, String> {
    let inner = &text[range.start + 2..range.end - 1];
    let (target, default) = match inner.split_once(":-") {
        Some((target, default)) => (target, Some(default)),
        None => (inner, None),
    };
    if inner.contains("${") {
        return Err("references cannot be nested".to_owned());
    }
    let mut parts = target.split('.');
    let name = parts.next().unwrap_or_default();
    if name.is_empty() {
        return Err("a reference without a name".to_owned());
    }
    if !is_name(name) {
        return Err(format!("`{name}` is not a valid variable name"));
    }
    let path: Vec<&str> = parts.collect();
    if path
        .iter()
        .any(|part| part.is_empty() || part.contains(|c: char| c.is_whitespace() || c == ':'))
    {
        return Err(format!("`{target}` is not a valid path into a variable"));
    }
    Ok(Reference {
        name,
        path,
        default,
        range,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &str) {
        let shown: Vec<String> = match scan(text) {
            Ok(pieces) => pieces.iter().map(show).collect(),
            Err(MalformedReferences { errors, references }) => {
                let errors = errors.into_iter().map(|error| {
                    format!(
                        "!{}@{}..{}",
                        error.message, error.range.start, error.range.end
                    )
                });
                let references = references
                    .into_iter()
                    .map(|reference| show(&Piece::Reference(reference)));
                errors.chain(references).collect()
            }
        };
        assert_eq!(shown.concat(), expected, "{text}");
    }

    fn show(piece: &Piece<'_>) -> String {
        match piece {
            Piece::Literal(text) => format!("<{text}>"),
            Piece::Reference(reference) => {
                let default = reference
                    .default
                    .map(|default| format!("|{default}"))
                    .unwrap_or_default();
                let path = [&[reference.name], reference.path.as_slice()]
                    .concat()
                    .join("/");
                format!("[{path}{default}]")
            }
        }
    }

    #[test]
    fn finds_references_and_leaves_dollars_alone() {
        check("", "");
        check(
            "pay $3500 now, ^foo$ $NAME $$NAME",
            "<pay $3500 now, ^foo$ $NAME $$NAME>",
        );
        check("${NAME}", "[NAME]");
        check(
            "a ${NAME.path.0.x} b ${ENV.HOME}",
            "<a >[NAME/path/0/x]< b >[ENV/HOME]",
        );
        check("${A:-b c}${A:-}", "[A|b c][A|]");
        check("$${NAME} and $$${NAME}", "<${><NAME} and $><${><NAME}>");
        check("é${A}é", "<é>[A]<é>");
        check("${A}$${B}", "[A]<${><B}>");
    }

    #[test]
    fn reports_every_malformed_reference() {
        check("${", "!`${` without its `}`@0..2");
        check(
            "x ${} ${a b} ${1x}",
            "!a reference without a name@2..5!`a b` is not a valid variable name@6..12!`1x` is not a valid variable name@13..18",
        );
        check("${A:-${B}}", "!references cannot be nested@0..9");
        check(
            "${A..b}",
            "!`A..b` is not a valid path into a variable@0..7",
        );
        check("${A-b}", "!`A-b` is not a valid variable name@0..6");
        check("${A} x ${B.c} ${", "!`${` without its `}`@14..16[A][B/c]");
    }

    proptest! {
        #[test]
        fn never_panics_and_keeps_every_byte(text in "[$\\{\\}A-z.:\\-é ]{0,40}") {
            if let Ok(pieces) = scan(&text) {
                let back: String = pieces.iter().map(|piece| match piece {
                    Piece::Literal("${") => "$${".to_owned(),
                    Piece::Literal(literal) => (*literal).to_owned(),
                    Piece::Reference(reference) => text[reference.range.clone()].to_owned(),
                }).collect();
                prop_assert_eq!(back, text);
            }
        }
    }
}
