//! The checks of the results of calls.

use serde_json::Value;

use super::declarations::CheckedTool;
use super::made_arguments::{ArgumentsKind, MadeArguments};
use ananke_agents::{Ended, ObservedExchange};
use ananke_model::schema::Undecided;
use ananke_trace::outcome::audit::AuditCheck;
use ananke_trace::trace::{ResultContent, RunEnd};

/// A check that found something, and what.
pub(super) type CheckFound = (AuditCheck, String);

/// The code of JSON-RPC for an error of the program itself. Arguments that are not taken have another one.
const INTERNAL_ERROR: &str = "-32603";

/// The signs of a program's inside: a word of a stack trace, and one that is near it.
const TRACES: [(&str, &str); 4] = [
    ("Traceback (most recent call last)", ""),
    ("    at ", ".js:"),
    ("    at ", ".ts:"),
    ("goroutine ", ".go:"),
];

/// The findings in the result of a call to `tool` with `made`.
pub(super) fn judge_call(
    tool: &CheckedTool<'_>,
    made: &MadeArguments,
    observed: &ObservedExchange,
) -> Vec<CheckFound> {
    let mut found = judge_end(made.kind, observed);
    if let Some(refusal) = &observed.refusal {
        if made.kind == ArgumentsKind::Valid && made.is_valid == Some(true) {
            found.push((
                AuditCheck::RefusedCall,
                format!("the request was refused: {}", on_one_line(refusal)),
            ));
        } else if matches!(refusal, RunEnd::Error { code: Some(code), .. } if code == INTERNAL_ERROR)
        {
            found.push((
                AuditCheck::InternalError,
                format!("the agent failed inside: {}", on_one_line(refusal)),
            ));
        }
    } else if let Some(result) = &observed.result
        && !observed.is_error
    {
        if made.is_valid == Some(false) {
            found.push((
                AuditCheck::AcceptedArguments,
                "the call succeeded, though the schema does not allow it".to_owned(),
            ));
        }
        found.extend(judge_result(tool, result));
    }
    found
}

/// An error without the line breaks of a program that prints a value.
fn on_one_line(refusal: &RunEnd) -> String {
    refusal
        .to_string()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The findings in the result of a call to a tool that does not exist.
pub(super) fn judge_unknown_call(observed: &ObservedExchange) -> Vec<CheckFound> {
    let mut found = judge_end(ArgumentsKind::Valid, observed);
    if observed.result.is_some() && observed.refusal.is_none() {
        found.push(if observed.is_error {
            let message = "the call has a result, which is an error; the request should be refused";
            (AuditCheck::UnknownToolResult, message.to_owned())
        } else {
            (
                AuditCheck::UnknownToolAccepted,
                "the call succeeded".to_owned(),
            )
        });
    }
    found
}

/// The findings that do not depend on the called tool.
fn judge_end(kind: ArgumentsKind, observed: &ObservedExchange) -> Vec<CheckFound> {
    let mut found: Vec<CheckFound> = observed
        .oddities
        .iter()
        .map(|oddity| (AuditCheck::Protocol, oddity.clone()))
        .collect();
    match &observed.end {
        Some(Err(error)) if observed.has_response => {
            found.push((AuditCheck::InvalidResponse, error.to_string()));
        }
        Some(Err(error)) => found.push((AuditCheck::Crash, error.to_string())),
        Some(Ok(Ended::Timeout)) => {
            let check = if kind == ArgumentsKind::Boundary {
                AuditCheck::Slow
            } else {
                AuditCheck::Hang
            };
            found.push((check, "there was no answer in time".to_owned()));
        }
        Some(Ok(Ended::Terminal | Ended::Cancelled)) | None => {}
    }
    let refusal = observed.refusal.as_ref().map(ToString::to_string);
    let has_failed = observed.is_error || refusal.is_some();
    if has_failed
        && refusal
            .as_deref()
            .unwrap_or(&observed.text)
            .trim()
            .is_empty()
    {
        found.push((
            AuditCheck::ErrorWithoutText,
            "the call failed, and no text says why".to_owned(),
        ));
    }
    let text = refusal.as_deref().unwrap_or(&observed.text);
    let shows = |(word, near): &(&str, &str)| text.contains(word) && text.contains(near);
    if has_failed && TRACES.iter().any(shows) {
        found.push((
            AuditCheck::StackTrace,
            "the error contains a stack trace".to_owned(),
        ));
    }
    found
}

/// Whether a result that is not an error satisfies the schema of its tool.
fn judge_result(tool: &CheckedTool<'_>, result: &ResultContent<'_>) -> Vec<CheckFound> {
    let Some(schema) = &tool.output else {
        return Vec::new();
    };
    let ResultContent::Structured { value, .. } = result else {
        let message =
            "the result has no structured content, though the tool declares a schema for it";
        return vec![(AuditCheck::InvalidResult, message.to_owned())];
    };
    let mismatch = |mismatch: ananke_model::schema::SchemaMismatch| {
        let at = if mismatch.pointer.is_empty() {
            String::new()
        } else {
            format!(" at `{}`", mismatch.pointer)
        };
        let found = value.pointer(&mismatch.pointer).unwrap_or(&Value::Null);
        (
            AuditCheck::InvalidResult,
            format!(
                "the structured result{at}: {}, found {found}",
                mismatch.message
            ),
        )
    };
    match schema.mismatches(value) {
        Ok(mismatches) => mismatches.into_iter().map(mismatch).collect(),
        Err(Undecided { message }) => {
            let message = format!("the structured result cannot be checked: {message}");
            vec![(AuditCheck::UncheckedSchema, message)]
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use ananke_agents::TargetError;
    use ananke_base::message::DeclaredTool;
    use ananke_model::schema::ValueSchema;
    use ananke_trace::trace::RunEnd;

    fn names(found: &[CheckFound]) -> Vec<&'static str> {
        found.iter().map(|(check, _)| check.as_str()).collect()
    }

    fn judged(
        kind: ArgumentsKind,
        is_valid: bool,
        observed: &ObservedExchange,
    ) -> Vec<&'static str> {
        let tool = DeclaredTool {
            name: "a".to_owned(),
            description: String::new(),
            input: None,
            output: None,
            may_change_data: false,
            is_read_only: false,
            rest: Map::new(),
        };
        let output = ValueSchema::compile(json!({ "required": ["n"] })).ok();
        let made = MadeArguments {
            kind,
            words: String::new(),
            args: json!({}),
            is_valid: Some(is_valid),
        };
        names(&judge_call(
            &CheckedTool {
                tool: &tool,
                input: None,
                output,
            },
            &made,
            observed,
        ))
    }

    fn answered(result: ResultContent<'static>) -> ObservedExchange {
        ObservedExchange {
            end: Some(Ok(Ended::Terminal)),
            has_response: true,
            result: Some(result),
            ..ObservedExchange::default()
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of cases")]
    fn a_call_is_judged_by_what_came_of_it() {
        use ArgumentsKind::{Boundary, Valid, WrongType};
        let good = || {
            answered(ResultContent::Structured {
                value: json!({ "n": 1 }),
                text: None,
            })
        };
        let failed = |text: &str| ObservedExchange {
            is_error: true,
            text: text.to_owned(),
            ..good()
        };
        let refused = || {
            let refusal = RunEnd::Error {
                message: "no".to_owned(),
                code: None,
            };
            ObservedExchange {
                refusal: Some(refusal),
                ..failed("no")
            }
        };
        let ended = |end| ObservedExchange {
            end: Some(end),
            ..ObservedExchange::default()
        };
        let crashed = || ended(Err(TargetError::new("gone")));
        for (kind, is_valid, observed, expected) in [
            (Valid, true, good(), vec![]),
            (
                Valid,
                true,
                answered(ResultContent::Text("a".into())),
                vec!["invalid-result"],
            ),
            (
                Valid,
                true,
                answered(ResultContent::Structured {
                    value: json!({}),
                    text: None,
                }),
                vec!["invalid-result"],
            ),
            (Valid, true, failed("no shoes"), vec![]),
            (Valid, true, failed(" "), vec!["error-without-text"]),
            (
                Valid,
                true,
                failed("Traceback (most recent call last): …"),
                vec!["stack-trace"],
            ),
            (Valid, true, refused(), vec!["refused-call"]),
            (WrongType, false, refused(), vec![]),
            (WrongType, false, failed("no"), vec![]),
            (WrongType, false, good(), vec!["accepted-arguments"]),
            (Valid, true, crashed(), vec!["crash"]),
            (
                Valid,
                true,
                ObservedExchange {
                    has_response: true,
                    ..crashed()
                },
                vec!["invalid-response"],
            ),
            (WrongType, false, ended(Ok(Ended::Timeout)), vec!["hang"]),
            (Boundary, true, ended(Ok(Ended::Timeout)), vec!["slow"]),
            (
                Valid,
                true,
                ObservedExchange {
                    oddities: vec!["noise".to_owned()],
                    ..good()
                },
                vec!["protocol"],
            ),
        ] {
            assert_eq!(
                judged(kind, is_valid, &observed),
                expected,
                "{kind:?} {observed:?}"
            );
        }
    }

    #[test]
    fn an_unknown_tool_is_refused() {
        let result = answered(ResultContent::Text("a".into()));
        assert_eq!(
            names(&judge_unknown_call(&result)),
            ["unknown-tool-accepted"]
        );
        let failed = ObservedExchange {
            is_error: true,
            text: "unknown".to_owned(),
            ..result
        };
        assert_eq!(names(&judge_unknown_call(&failed)), ["unknown-tool-result"]);
        let refusal = RunEnd::Error {
            message: "unknown".to_owned(),
            code: None,
        };
        assert_eq!(
            names(&judge_unknown_call(&ObservedExchange {
                refusal: Some(refusal),
                ..failed
            })),
            [""; 0]
        );
    }
}
