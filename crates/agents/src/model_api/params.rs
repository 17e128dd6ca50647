//! The `params` of a model: further keys of each request.

use serde_json::{Map, Value};

use ananke_base::diagnostic::Code;
use ananke_base::source::Node;
use ananke_model::variables::{Fill as _, Interpolation, Leaf};

/// The keys that a target adds to each request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelParams {
    /// The keys, apart from the tools.
    pub keys: Map<String, Value>,
    /// Tools in addition to the `client_tools`, in the form that the API has: those that the server executes are declared so.
    pub tools: Vec<Value>,
}

impl ModelParams {
    /// The key of `params` whose items are added to the tools of the client.
    pub(super) const TOOLS: &str = "tools";
}

/// The keys that each request of an API sets itself: as `params` they are errors.
#[derive(Clone, Copy, Debug)]
pub struct ReservedKeys {
    /// The keys as written, such as `stream`.
    pub names: &'static [&'static str],
    /// The keys of a target that set them instead, as the help of the error.
    pub help: &'static str,
}

/// The `params` of a target.
///
/// # Errors
/// If a variable has no value yet, or if a key is reserved, which is reported to `interpolation`.
pub(super) fn params(
    node: Option<&Node>,
    reserved: &ReservedKeys,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ModelParams> {
    // An error is returned only after the values are filled, so that their problems are reported as well.
    let mut key_check = Ok(());
    for entry in node.into_iter().flat_map(Node::entries) {
        if reserved.names.contains(&entry.key.as_str()) {
            let message = format!(
                "`{}` cannot be set here: every request has its own",
                entry.key
            );
            let help = Some(reserved.help.to_owned());
            key_check = Err(interpolation.report(Code::BadValue, entry.key_span, message, help));
        }
        if entry.key == ModelParams::TOOLS
            && !matches!(entry.value.to_json(), Value::Array(_) | Value::Null)
        {
            let message = format!("`{}` is not a list", ModelParams::TOOLS);
            let help = Some("write each tool as an item, as the API has it".to_owned());
            key_check = Err(interpolation.report(Code::BadValue, entry.key_span, message, help));
        }
    }
    let params: Leaf<Option<Map<String, Value>>> = node.fill(interpolation);
    key_check?;
    // The tools are apart, since a request has those of the client before them.
    let mut keys = params?.unwrap_or_default();
    let tools = match keys.shift_remove(ModelParams::TOOLS) {
        Some(Value::Array(tools)) => tools,
        _ => Vec::new(),
    };
    Ok(ModelParams { keys, tools })
}
