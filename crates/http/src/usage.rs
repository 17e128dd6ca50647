//! The tokens that the responses of a turn report.

use serde_json::Value;

use super::mapping::{CompiledPick, UsageMapping};
use super::path::Searched;
use ananke_trace::trace::{Tokens, Usage};

/// The tokens that were reported so far.
#[derive(Debug, Default)]
pub(crate) struct UsageSoFar {
    input: Option<u64>,
    cached: Option<u64>,
    output: Option<u64>,
    total: Option<u64>,
    model: Option<String>,
}

impl UsageSoFar {
    /// Counts the tokens that an event reports.
    pub(crate) fn count(&mut self, mapping: &UsageMapping, searched: Searched<'_>) {
        for (pick, counted) in [
            (&mapping.input, &mut self.input),
            (&mapping.cached, &mut self.cached),
            (&mapping.output, &mut self.output),
            (&mapping.total, &mut self.total),
        ] {
            let Some(reported) = tokens_in(pick.as_ref(), searched) else {
                continue;
            };
            // Most servers report sums, so that the last ones count.
            let before = if mapping.adds {
                counted.unwrap_or(0)
            } else {
                0
            };
            *counted = Some(before.saturating_add(reported));
        }
        // The last event that names the model counts, as with numbers.
        if let Some(pick) = &mapping.model {
            for hit in pick.find(searched, &mut Vec::new()) {
                if let Value::String(model) = &*hit.value {
                    self.model = Some(model.clone());
                }
            }
        }
    }

    /// The model that the tokens are of; `None` if none was reported.
    pub(crate) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// The tokens; `None` if none were reported.
    pub(crate) fn reported(&self) -> Option<Usage> {
        if self.input.is_none() && self.output.is_none() && self.total.is_none() {
            return None;
        }
        let mut total = self.total;
        // One number alone is no sum.
        if total.is_none()
            && let Some(input) = self.input
            && let Some(output) = self.output
        {
            total = Some(input.saturating_add(output));
        }
        Some(Usage {
            input: Tokens::from(self.input),
            cached: Tokens::from(self.cached),
            output: Tokens::from(self.output),
            total: Tokens::from(total),
            ..Usage::UNKNOWN
        })
    }
}

/// The sum of the numbers that `pick` finds.
fn tokens_in(pick: Option<&CompiledPick>, searched: Searched<'_>) -> Option<u64> {
    let mut sum: Option<u64> = None;
    for hit in pick?.find(searched, &mut Vec::new()) {
        if let Some(number) = hit.value.as_u64() {
            sum = Some(sum.unwrap_or(0).saturating_add(number));
        }
    }
    sum
}
