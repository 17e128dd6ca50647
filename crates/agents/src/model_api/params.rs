//! The `params` of a model: further keys of each request.

use serde_json::{Map, Value};

use ananke_base::diagnostic::Code;
use ananke_base::source::Node;
use ananke_model::variables::{Fill as _, Interpolation, Leaf};

/// The `params` of a target: keys that are added to each request. `reserved` are the keys that each request sets itself: they are
/// errors.
///
/// # Errors
/// If a variable has no value yet, or if a key is reserved, which is reported to `interpolation`.
pub fn params(
    node: Option<&Node>,
    reserved: &[&str],
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Map<String, Value>> {
    // An error is returned only after the values are filled, so that their problems are reported as well.
    let mut key_check = Ok(());
    for entry in node.into_iter().flat_map(Node::entries) {
        if reserved.contains(&entry.key.as_str()) {
            let message = format!(
                "`{}` cannot be set here: every request has its own",
                entry.key
            );
            let help = Some("the model is `model`, its tools are `client_tools`".to_owned());
            key_check = Err(interpolation.report(Code::BadValue, entry.key_span, message, help));
        }
    }
    let params: Leaf<Option<_>> = node.fill(interpolation);
    key_check?;
    Ok(params?.unwrap_or_default())
}
