//! Whether two outcomes are the same verdict, and why a test does not pass.

use ananke_trace::outcome::Outcome;

/// The reason that a test does not pass: its first problem, else the first rule that failed.
pub(crate) fn failure(outcome: &Outcome) -> Option<&str> {
    let problem = outcome.first_problem().map(|(_, problem)| &problem.message);
    let mut failures = outcome.all_failures().map(|(_, rule)| &rule.message);
    problem.or_else(|| failures.next()).map(String::as_str)
}

/// The difference between the verdict `now` and the recorded one, in words; `None` if there is none. A static test knows
/// when its last turn ends, so that rules of the whole test may fail in addition to those that failed then.
pub(crate) fn difference(recorded: &Outcome, now: &Outcome) -> Option<String> {
    let (then, status) = (recorded.status(), now.status());
    if then != status {
        let why = failure(now).map(|why| format!(": {why}"));
        let why = why.unwrap_or_default();
        return Some(format!(
            "it would be `{}` and not `{}`{why}",
            status.as_str(),
            then.as_str()
        ));
    }
    for (turn, failure) in recorded.all_failures() {
        let is_same = |(number, other): (u32, &_)| number == turn && is_same_rule(failure, other);
        if !now.all_failures().any(is_same) {
            return Some(format!(
                "the rule `{}` would not fail: {}",
                failure.rule, failure.message
            ));
        }
    }
    let kind = |outcome: &Outcome| {
        outcome
            .first_problem()
            .map(|(turn, problem)| (turn, problem.kind))
    };
    (kind(recorded) != kind(now)).then(|| "it would end in another way".to_owned())
}

fn is_same_rule(
    one: &ananke_trace::outcome::RuleResult,
    other: &ananke_trace::outcome::RuleResult,
) -> bool {
    one.rule == other.rule && one.message == other.message
}
