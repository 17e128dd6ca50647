//! The totals of a turn: its text, its times and its tokens.

use super::{Cost, CostGap, Exchange, Trace, TurnRanges, Usage};
use ananke_base::context::At;

impl Trace {
    /// The text of a turn: the agent's messages in order, joined by newlines, empty ones ignored (SPEC 6).
    pub fn turn_text(&self, turn: &TurnRanges) -> String {
        let texts: Vec<&str> = self
            .messages_of(turn)
            .filter(|message| message.is_text())
            .map(|message| message.text.as_str())
            .collect();
        texts.join("\n")
    }

    /// The text of all turns except replay turns, joined by newlines, empty ones ignored.
    pub fn text(&self) -> String {
        self.text_of(|_| true)
    }

    /// The text of the turns whose index is wanted, except replay turns, joined by newlines, empty ones ignored.
    pub fn text_of(&self, wanted: impl Fn(usize) -> bool) -> String {
        let turns = self
            .turns
            .iter()
            .enumerate()
            .filter(|(index, turn)| !turn.input.is_replay && wanted(*index));
        let texts: Vec<String> = turns
            .map(|(_, turn)| self.turn_text(turn))
            .filter(|text| !text.is_empty())
            .collect();
        texts.join("\n")
    }

    /// The agent's time in a turn in microseconds: from the request to the terminal event of each exchange.
    pub fn turn_micros(&self, turn: &TurnRanges) -> u64 {
        self.exchanges_of(turn).iter().map(Exchange::micros).sum()
    }

    /// The moment `at` on the agent's own clock of a turn: microseconds since its first request, without the time
    /// between its exchanges.
    pub fn agent_micros(&self, turn: &TurnRanges, at: At) -> u64 {
        let exchanges = self.exchanges_of(turn).iter();
        exchanges
            .map(|exchange| at.0.saturating_sub(exchange.sent.0).min(exchange.micros()))
            .sum()
    }

    /// The tokens of a turn; `None` if no run of it ended.
    pub fn turn_usage(&self, turn: &TurnRanges) -> Option<Usage> {
        let exchanges = self.exchanges_of(turn).iter();
        exchanges
            .filter_map(|exchange| exchange.usage)
            .reduce(|sum, usage| sum + usage)
    }

    /// The cost of a turn; unknown if no run of it ended.
    pub fn turn_cost(&self, turn: &TurnRanges) -> Cost {
        match self.turn_usage(turn) {
            Some(usage) => usage.cost,
            None => Cost::UNKNOWN,
        }
    }

    /// The reasons why the cost of a turn is not known, or not all of it, each once in words; none if it is known, or if there are no prices.
    pub fn cost_gaps(&self, turn: &TurnRanges) -> Vec<String> {
        let mut gaps = Vec::new();
        if self.prices.is_none() || !self.turn_cost(turn).is_partial {
            return gaps;
        }
        for exchange in self.exchanges_of(turn) {
            for gap in &exchange.cost_gaps {
                let words = gap.to_string();
                if !gaps.contains(&words) {
                    gaps.push(words);
                }
            }
        }
        // A run that ended without a word of its tokens gives no reason of its own.
        if gaps.is_empty() {
            gaps.push(CostGap::NoTokens.to_string());
        }
        gaps
    }

    /// The moment at which the first request of a turn was sent.
    pub fn turn_start(&self, turn: &TurnRanges) -> Option<At> {
        Some(self.exchanges.get(turn.exchanges.start)?.sent)
    }

    /// The moment at which the last exchange of a turn ended.
    pub fn turn_end(&self, turn: &TurnRanges) -> Option<At> {
        self.exchanges_of(turn).last()?.ended
    }

    fn exchanges_of(&self, turn: &TurnRanges) -> &[Exchange] {
        self.exchanges
            .get(turn.exchanges.clone())
            .unwrap_or_default()
    }
}
