//! The numbers of a key in its doc comment, which is what people read of them.

use syn::{Attribute, Error, Expr, ExprLit, ExprRange, Lit, Result};

use super::attribute::{all, doc_comment};

/// Checks that the doc comment contains the literal numbers of `default` and `within`. A smallest number
/// of 0 or 1 needs no words.
///
/// # Errors
/// For each number that it lacks.
pub(crate) fn check(
    attributes: &[Attribute],
    default: Option<&Expr>,
    within: Option<&ExprRange>,
) -> Result<()> {
    let comment = doc_comment(attributes);
    let words: Vec<&str> = comment.split(|c: char| !c.is_alphanumeric()).collect();
    let [least, most] = [
        within.and_then(|range| range.start.as_deref()),
        within.and_then(|range| range.end.as_deref()),
    ];
    let is_said = |least: &&Expr| literal(least).is_some_and(|least| least != "0" && least != "1");
    let said = [default, least.filter(is_said), most];
    all(said
        .into_iter()
        .flatten()
        .map(|number| match literal(number) {
            Some(digits) if !words.contains(&digits.as_str()) => Err(Error::new_spanned(
                number,
                format!(
                    "the doc comment does not contain {digits}, though the schema is made from it"
                ),
            )),
            _ => Ok(()),
        }))
    .map(drop)
}

/// The digits of a literal number.
fn literal(number: &Expr) -> Option<String> {
    match number {
        Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        }) => Some(number.base10_digits().to_owned()),
        _ => None,
    }
}
