//! Since when the keys of a type exist.

use schemars::Schema;
use schemars::transform::Transform;
use serde_json::Value;

/// Says of every key of a type, or of every form that it can have, since when it exists; one that says so itself keeps what
/// it says.
#[derive(Clone, Copy, Debug)]
pub struct Since(pub &'static str);

impl Transform for Since {
    fn transform(&mut self, schema: &mut Schema) {
        let since = |part: &mut Value| {
            if let Some(part) = <&mut Schema>::try_from(part)
                .ok()
                .map(Schema::ensure_object)
            {
                part.entry("x-since").or_insert_with(|| self.0.into());
            }
        };
        if let Some(keys) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            keys.values_mut().for_each(since);
        } else if let Some(forms) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
            forms.iter_mut().for_each(since);
        }
    }
}
