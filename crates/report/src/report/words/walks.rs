//! The results of the walks of a test, for people.

use ananke_base::text::grouped;
use ananke_trace::outcome::{FailedWalk, Outcome, Status, Walks};

/// The number of actions of a walk that are listed.
const MOST_ACTIONS: usize = 20;

/// `all 200 walks passed (seed 7)`, or which one did not.
pub(crate) fn summary(walks: &Walks) -> String {
    let Walks {
        seed,
        walks: of,
        passed,
        failed,
        ..
    } = walks;
    match failed {
        Some(FailedWalk {
            number,
            actions,
            shrunk,
            ..
        }) => {
            let shrunk = match shrunk {
                Some(shrunk) if shrunk.len() < actions.len() => {
                    format!(
                        ", shrunk from {} to {}",
                        counted(actions.len(), "action"),
                        shrunk.len()
                    )
                }
                _ => format!(", after {}", counted(actions.len(), "action")),
            };
            format!("walk {number} of {of} did not pass (seed {seed}){shrunk}")
        }
        None if passed < of => {
            format!("{passed} of {of} walks passed before the run was stopped (seed {seed})")
        }
        None if *of == 1 => format!("1 walk passed (seed {seed})"),
        None => format!("all {of} walks passed (seed {seed})"),
    }
}

/// All there is to say in short of a test whose walks all passed.
pub(crate) fn all_passed(outcome: &Outcome) -> Option<String> {
    let walks = outcome
        .walks
        .as_deref()
        .filter(|_| outcome.status() == Status::Passed)?;
    Some(summary(walks))
}

/// The walk that failed, what is left of it, and how often each action was taken.
pub(crate) fn details(walks: &Walks) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(FailedWalk {
        number,
        actions,
        shrunk,
        tries,
        is_shortest,
    }) = &walks.failed
    {
        lines.push(format!("walk {number}: {}", listed(actions)));
        if let Some(shrunk) = shrunk {
            let tries = if *tries == 1 {
                "1 try".to_owned()
            } else {
                format!("{tries} tries")
            };
            let end = if *is_shortest {
                "none can be omitted"
            } else {
                "stopped before all were tried"
            };
            lines.push(format!("shrunk: {}  ({tries}, {end})", listed(shrunk)));
        }
    }
    let taken = walks
        .actions
        .iter()
        .map(|action| format!("{} {}", action.name, grouped(action.taken)));
    lines.push(format!(
        "actions taken in all walks: {}",
        taken.collect::<Vec<_>>().join(", ")
    ));
    lines
}

fn listed(actions: &[String]) -> String {
    if actions.is_empty() {
        return "no action".to_owned();
    }
    let shown = actions
        .iter()
        .take(MOST_ACTIONS)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match actions.len().saturating_sub(MOST_ACTIONS) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_trace::outcome::ActionCount;

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_failed_walk_is_shown_with_what_is_left_of_it() {
        let action = ActionCount {
            name: "ask".to_owned(),
            taken: 5,
            possible: 9,
        };
        let mut walks = Walks {
            seed: 7,
            walks: 20,
            passed: 2,
            actions: vec![action],
            ..Walks::default()
        };
        let passed = Walks {
            passed: 20,
            ..walks.clone()
        };
        assert_eq!(summary(&passed), "all 20 walks passed (seed 7)");
        assert_eq!(
            summary(&walks),
            "2 of 20 walks passed before the run was stopped (seed 7)"
        );
        let actions = names("ask ask pay");
        let failed = FailedWalk {
            number: 3,
            actions,
            shrunk: None,
            tries: 0,
            is_shortest: true,
        };
        walks.failed = Some(failed.clone());
        assert_eq!(
            summary(&walks),
            "walk 3 of 20 did not pass (seed 7), after 3 actions"
        );
        walks.failed = Some(FailedWalk {
            shrunk: Some(names("pay")),
            tries: 4,
            ..failed
        });
        assert_eq!(
            summary(&walks),
            "walk 3 of 20 did not pass (seed 7), shrunk from 3 actions to 1"
        );
        let lines = [
            "walk 3: ask, ask, pay",
            "shrunk: pay  (4 tries, none can be omitted)",
            "actions taken in all walks: ask 5",
        ];
        assert_eq!(details(&walks), lines);
        assert_eq!(
            listed(&names(&"a ".repeat(25))),
            format!("{} and 5 more", ["a"; 20].join(", "))
        );
    }
}
