//! The keys that a test adds to a question of its own making, to a judge or a simulator.

use serde_json::{Map, Value};

use ananke_base::diagnostic::Code;
use ananke_base::source::Node;
use ananke_model::variables::{Fill as _, Interpolation, Leaf};

/// The keys of `with`, none of which may be `reserved`: every question has those of its own.
///
/// # Errors
/// If a variable is known later, or something is wrong, which was reported.
pub fn question_keys(
    with: Option<&Node>,
    reserved: &[&str],
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Map<String, Value>> {
    let mut wrong = None;
    for entry in with
        .into_iter()
        .flat_map(Node::entries)
        .filter(|entry| reserved.contains(&entry.key.as_str()))
    {
        let message = format!(
            "`{}` cannot be set here: every question has its own",
            entry.key
        );
        wrong = Some(interpolation.report(Code::BadValue, entry.key_span, message, None));
    }
    let with: Leaf<Option<_>> = with.fill(interpolation);
    match wrong {
        Some(wrong) => Err(wrong),
        None => Ok(with?.unwrap_or_default()),
    }
}
