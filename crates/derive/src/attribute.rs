//! The attributes of a type and its fields, and the problems with them.

use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Result};

/// Hands each entry of the attributes `#[name(…)]` to `read`, which returns whether it knows the entry.
///
/// # Errors
/// If an entry is unknown or cannot be read.
pub(crate) fn entries(
    attributes: &[Attribute],
    name: &str,
    mut read: impl FnMut(&ParseNestedMeta<'_>) -> Result<bool>,
) -> Result<()> {
    let own = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident(name));
    all(own.map(|attribute| {
        attribute.parse_nested_meta(|entry| {
            if read(&entry)? {
                return Ok(());
            }
            Err(entry.error(format!("`{name}` has no such entry here")))
        })
    }))
    .map(drop)
}

/// The value of an entry `key = value`.
///
/// # Errors
/// If there is none.
pub(crate) fn value<T: Parse>(entry: &ParseNestedMeta<'_>) -> Result<Option<T>> {
    entry.value()?.parse().map(Some)
}

/// Every result.
///
/// # Errors
/// All errors in one.
pub(crate) fn all<T>(results: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
    let (mut values, mut problem) = (Vec::new(), None::<syn::Error>);
    for result in results {
        match (result, &mut problem) {
            (Ok(value), _) => values.push(value),
            (Err(error), Some(problem)) => problem.combine(error),
            (Err(error), None) => problem = Some(error),
        }
    }
    problem.map_or(Ok(values), Err)
}

/// The doc comment.
pub(crate) fn doc_comment(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(meta) = &attribute.meta else {
            return None;
        };
        let Expr::Lit(ExprLit {
            lit: Lit::Str(line),
            ..
        }) = &meta.value
        else {
            return None;
        };
        meta.path.is_ident("doc").then(|| line.value())
    });
    lines.collect()
}
