//! The tokens of helpers, apart from those of the agent under test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part;
use super::turn_view::TokensView;
use ananke_trace::outcome::{HelperTotals, TokenTotals};

part! {
    /// The tokens of the agents that were asked in addition to the one under test; a question counts as a turn. A role is omitted
    /// if none was asked.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Helpers")]
    pub(crate) struct HelpersView of (helpers: &HelperTotals) {
        /// Those of judges.
        #[schemars(extend("x-since" = "1.2"))]
        judge?: TokensView = asked(helpers.judge);
        /// Those of simulators, which play the user.
        #[schemars(extend("x-since" = "1.2"))]
        simulator?: TokensView = asked(helpers.simulator);
        /// Those of the agent that generated the tests.
        #[schemars(extend("x-since" = "1.2"))]
        generator?: TokensView = asked(helpers.generator);
    }
}

impl HelpersView {
    /// The tokens of helpers; `None` if none was asked.
    pub(crate) fn known(helpers: &HelperTotals) -> Option<Self> {
        (helpers.sum().turns > 0).then(|| Self::of(helpers))
    }
}

impl From<HelpersView> for HelperTotals {
    fn from(read: HelpersView) -> Self {
        let of = |view: Option<TokensView>| view.map(TokenTotals::from).unwrap_or_default();
        Self {
            judge: of(read.judge),
            simulator: of(read.simulator),
            generator: of(read.generator),
        }
    }
}

fn asked(tokens: TokenTotals) -> Option<TokensView> {
    (tokens.turns > 0).then(|| TokensView::of(tokens))
}
