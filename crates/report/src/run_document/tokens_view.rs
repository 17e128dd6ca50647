//! The tokens of several turns, as readers get them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::omitted::counted;
use super::part::part;
use super::turn_view::{UsageView, partial};
use ananke_trace::outcome::TokenTotals;

part! {
    /// The tokens of several turns.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "TokenTotals")]
    pub(crate) struct TokensView of (tokens: TokenTotals) {
        /// The sum of what was reported; a number is omitted if a part of it is unknown.
        usage?: UsageView = UsageView::known(tokens.usage, |tokens| tokens.whole().and_then(counted));
        /// What is known of the numbers of which a part is unknown; omitted if there is nothing.
        partial_usage?: UsageView = UsageView::known(tokens.usage, partial);
        /// The number of turns of agents.
        turns: usize = tokens.turns;
        /// How many of these turns reported no tokens; omitted if all reported some.
        without_usage?: usize = counted(tokens.unreported);
    }
}

impl From<TokensView> for TokenTotals {
    fn from(read: TokensView) -> Self {
        let usage = UsageView::read(read.usage, read.partial_usage);
        Self {
            usage: usage.unwrap_or_default(),
            turns: read.turns,
            unreported: read.without_usage.unwrap_or_default(),
        }
    }
}
