//! Tokens, for people.

use crate::run_document::RunTotals;
use ananke_base::text::{Usd, grouped};
use ananke_trace::outcome::{HelperTotals, TokenTotals};
use ananke_trace::trace::{Cost, Tokens, Usage};

/// `1,290 tokens (1,200 in, 90 out), $0.0026` of one turn; `None` if the agent reported nothing.
#[cfg(any(feature = "html", test))]
pub(crate) fn of_turn(usage: Usage) -> Option<String> {
    let total = usage.total;
    let is_known = total.counted > 0 || !total.is_partial;
    let parts = parts(usage);
    let parts = if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    };
    if !is_known {
        return None;
    }
    let mut text = format!("{} tokens{parts}", count(total));
    if let Some(cost) = cost(usage.cost) {
        text.push_str(", ");
        text.push_str(&cost);
    }
    Some(text)
}

/// `3,541 (3,000 in, 541 out; 2 of 5 turns reported none)` of a run; `None` if no turn reported any.
pub(crate) fn of_run(tokens: TokenTotals) -> Option<String> {
    let TokenTotals {
        usage,
        turns,
        unreported,
        uncosted: _,
        model_calls: _,
    } = tokens;
    if unreported == turns {
        return None;
    }
    let mut notes = Vec::new();
    let parts = parts(usage);
    if !parts.is_empty() {
        notes.push(parts.join(", "));
    }
    if unreported > 0 {
        let unreported = grouped(unreported);
        let turns = grouped(turns);
        notes.push(format!("{unreported} of {turns} turns reported none"));
    }
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!(" ({})", notes.join("; "))
    };
    Some(count(usage.total) + &notes)
}

/// `$0.0042`, `at least $0.0042` of usage; `None` if nothing of its cost is known.
pub(crate) fn cost(cost: Cost) -> Option<String> {
    if cost.is_partial && cost.known == Usd(0) {
        return None;
    }
    let at_least = if cost.is_partial { "at least " } else { "" };
    Some(format!("{at_least}{}", cost.known.rounded()))
}

/// `$0.42`, `at least $0.42 (not shown of 2 of 5 turns: the agent did not report its tokens)` of a run; `None` without prices.
pub(crate) fn cost_of_run(run: &RunTotals) -> Option<String> {
    if !run.has_prices() {
        return None;
    }
    let tokens = run.tokens;
    let known = cost_of(tokens);
    if tokens.uncosted == 0 {
        return known;
    }
    let mut why = String::new();
    for gap in &run.cost_gaps {
        why.push_str(if why.is_empty() { ": " } else { "; " });
        why.push_str(gap);
    }
    let Some(known) = known else {
        return Some(format!("not shown{why}"));
    };
    let uncosted = grouped(tokens.uncosted);
    let turns = grouped(tokens.turns);
    Some(format!(
        "{known} (not shown of {uncosted} of {turns} turns{why})"
    ))
}

/// `judge 1,200 tokens, $0.0042; simulator 300 tokens` of the agents that were asked in addition; `None` if none reported
/// tokens.
pub(crate) fn helpers(helpers: &HelperTotals) -> Option<String> {
    let mut roles = Vec::new();
    for (role, tokens) in helpers.by_role() {
        // Most scripts and many agents report none, which is nothing to read.
        if tokens.unreported == tokens.turns {
            continue;
        }
        let used = format!("{} tokens", count(tokens.usage.total));
        match cost_of(tokens) {
            Some(cost) => roles.push(format!("{role} {used}, {cost}")),
            None => roles.push(format!("{role} {used}")),
        }
    }
    if roles.is_empty() {
        return None;
    }
    Some(roles.join("; "))
}

/// The cost of turns; `None` if nothing of it is known.
fn cost_of(tokens: TokenTotals) -> Option<String> {
    cost(tokens.cost()?)
}

/// The kinds of tokens whose count is complete.
fn parts(usage: Usage) -> Vec<String> {
    [(usage.input, "in"), (usage.output, "out")]
        .into_iter()
        .filter_map(|(tokens, word)| Some(format!("{} {word}", grouped(tokens.whole()?))))
        .collect()
}

fn count(tokens: Tokens) -> String {
    let at_least = if tokens.is_partial { "at least " } else { "" };
    format!("{at_least}{}", grouped(tokens.counted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_comes_first() {
        for (input, output, total, expected) in [
            (
                Some(1200),
                Some(90),
                None,
                Some("1,290 tokens (1,200 in, 90 out)"),
            ),
            (None, None, Some(11), Some("11 tokens")),
            (Some(10), None, Some(11), Some("11 tokens (10 in)")),
            (
                Some(1200),
                None,
                None,
                Some("at least 1,200 tokens (1,200 in)"),
            ),
            (Some(0), Some(0), None, Some("0 tokens (0 in, 0 out)")),
            (None, None, None, None),
        ] {
            let usage = Usage::reported(input, output, total);
            assert_eq!(of_turn(usage).as_deref(), expected);
        }
    }

    #[test]
    fn a_partial_sum_says_how_many_turns_are_missing() {
        let of = |unreported, usage| {
            of_run(TokenTotals {
                usage,
                turns: 5,
                unreported,
                uncosted: 5,
                ..TokenTotals::default()
            })
        };
        let usage = Usage::reported(Some(3000), Some(541), None);
        assert_eq!(of(0, usage).as_deref(), Some("3,541 (3,000 in, 541 out)"));
        assert_eq!(
            of(2, usage).as_deref(),
            Some("3,541 (3,000 in, 541 out; 2 of 5 turns reported none)")
        );
        let total = Usage::reported(None, None, Some(3541));
        assert_eq!(
            of(2, total).as_deref(),
            Some("3,541 (2 of 5 turns reported none)")
        );
        assert_eq!(of(5, Usage::default()), None);
        assert_eq!(of_run(TokenTotals::default()), None);
    }
}
