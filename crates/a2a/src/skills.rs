//! The skills of an agent card, the declared tools of an agent: the protocol declares no others.

use serde_json::Value;

use ananke_base::message::DeclaredTool;

/// The skills that `card` contains. They have no schemas.
pub(super) fn skills(card: &Value) -> Vec<DeclaredTool> {
    let skills = card
        .get("skills")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    skills
        .filter_map(Value::as_object)
        .map(|skill| skill_of(skill.clone()))
        .collect()
}

fn skill_of(mut skill: serde_json::Map<String, Value>) -> DeclaredTool {
    let mut text = |key: &str| match skill.remove(key) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let (id, name, description) = (text("id"), text("name"), text("description"));
    DeclaredTool {
        name: if id.is_empty() { name } else { id },
        description,
        input: None,
        output: None,
        may_change_data: true,
        is_read_only: false,
        rest: skill,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn skills_are_called_by_their_ids() {
        let card = json!({ "skills": [
            { "id": "echo", "name": "Echo", "description": "echoes", "tags": ["t"] }, { "name": "Book" }, 7,
        ] });
        let found: Vec<Value> = skills(&card).iter().map(DeclaredTool::summary).collect();
        assert_eq!(
            found,
            [
                json!({ "name": "echo", "description": "echoes", "parameters": null }),
                json!({ "name": "Book", "description": "", "parameters": null }),
            ]
        );
        assert_eq!(skills(&json!({})), []);
    }
}
