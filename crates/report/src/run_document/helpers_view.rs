//! The tokens of helpers, apart from those of the agent under test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part;
use super::turn_view::TokensView;
use ananke_trace::outcome::{HelperTotals, TokenTotals};

part! {
    /// Tokens and cost of the agents that were asked in addition to the one under test; a question counts as a turn. A role is omitted
    /// if none was asked.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Helpers")]
    pub(crate) struct HelpersView of (helpers: &HelperTotals) {
        /// Tokens and cost of judges.
        #[schemars(extend("x-since" = "1.2"))]
        judge?: TokensView = asked(helpers.judge);
        /// Tokens and cost of simulators, which play the user.
        #[schemars(extend("x-since" = "1.2"))]
        simulator?: TokensView = asked(helpers.simulator);
        /// Tokens and cost of the agent that generated the tests.
        #[schemars(extend("x-since" = "1.2"))]
        generator?: TokensView = asked(helpers.generator);
    }
}

impl HelpersView {
    /// The tokens of helpers; `None` if none was asked.
    pub(crate) fn known(helpers: &HelperTotals) -> Option<Self> {
        if helpers.sum().turns == 0 {
            return None;
        }
        Some(Self::of(helpers))
    }
}

impl From<HelpersView> for HelperTotals {
    fn from(read: HelpersView) -> Self {
        Self {
            judge: totals(read.judge),
            simulator: totals(read.simulator),
            generator: totals(read.generator),
        }
    }
}

/// The tokens of a role; none if it is omitted.
fn totals(read: Option<TokensView>) -> TokenTotals {
    match read {
        Some(read) => read.totals(),
        None => TokenTotals::default(),
    }
}

fn asked(tokens: TokenTotals) -> Option<TokensView> {
    if tokens.turns == 0 {
        return None;
    }
    Some(TokensView::of(tokens))
}
