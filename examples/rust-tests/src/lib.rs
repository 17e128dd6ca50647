//! A tool that the agent of this project may call.

use serde_json::{Value, json};

/// How warm it is in a city, in degrees Celsius.
///
/// # Errors
/// If the city is not known.
pub fn temperature(arguments: &Value) -> Result<Value, String> {
    match arguments["city"].as_str() {
        Some("Paris") => Ok(json!({ "degrees": 21 })),
        Some(city) => Err(format!("there is no city {city}")),
        None => Err("which city?".to_owned()),
    }
}
