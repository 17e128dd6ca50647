//! The time that the turns of a conversation may take, and the amount that an agent may send.

use std::time::Duration;

use ananke_agents::Limits;
use ananke_base::context::At;
use ananke_base::text::duration;
use ananke_trace::outcome::{ErrorKind, Problem};

/// The keys that set the time of a turn, of a test and of a simulated conversation.
const OF_TURN: &str = "`timeout_ms` of the turn or of the target sets it (default: 2 minutes)";
const OF_TEST: &str = "`timeout_ms` of the test, or `--timeout`, sets it";
const OF_CONVERSATION: &str = "`timeout_ms` of `simulate` sets it";

/// The longest time that an agent has to be silent before that shows that it does not respond; less if its target has less.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);

/// The limits of every turn of a conversation, whatever the source of its input.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The limits of each turn; its timeout is that of a turn that has none of its own.
    pub turn: Limits,
    /// Whether the timeout of a turn is the default: it gives way to a longer limit of the duration of the turn.
    pub is_default_timeout: bool,
    /// The time of the whole conversation: of the agent, in turns whose time is virtual, and by the deadline of
    /// the limits everything else as well.
    pub whole: Option<Duration>,
}

/// The rest of the time of a simulated conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// The rest of the time.
    pub left: Duration,
    /// The whole time.
    pub of: Duration,
}

/// The part of a budget that one turn gets.
pub(super) struct TurnBudget {
    /// The limits of its first exchange.
    pub(super) limits: Limits,
    /// The time of an exchange whose silence shows that the agent does not respond.
    pub(super) shows_silence: Duration,
    /// The time that the turn itself may take.
    own: Duration,
    /// The time for the whole test.
    whole: Option<Duration>,
    /// The time for the conversation, if less of it is left than of the time for the whole test.
    conversation: Option<Duration>,
}

impl Budget {
    /// The part of the budget for one turn. The turn may have an `own_timeout`, and a rule may limit its duration to
    /// `longest_duration`. The turns before it took `used` of the time for the test, and left `conversation` of the time for a
    /// simulated conversation.
    pub(super) fn of_turn(
        &self,
        own_timeout: Option<Duration>,
        longest_duration: Option<Duration>,
        used: Duration,
        conversation: Option<TimeLeft>,
    ) -> TurnBudget {
        // A default timeout gives way to a rule that allows a longer duration: such a turn would time out before it could pass.
        let mut target_timeout = self.turn.timeout;
        if let Some(longest) = longest_duration
            && self.is_default_timeout
        {
            target_timeout = target_timeout.max(longest);
        }
        let own = own_timeout.unwrap_or(target_timeout);

        // The shortest of three times ends the turn: its own, the rest of the test's and the rest of the conversation's.
        let left_for_test = match self.whole {
            Some(whole) => whole.saturating_sub(used),
            None => Duration::MAX,
        };
        let mut timeout = own.min(left_for_test);
        // The time of the conversation is noted only if it can be the shortest one: the message about a timeout names it.
        let mut conversation_time = None;
        if let Some(time) = conversation
            && time.left < left_for_test
        {
            timeout = timeout.min(time.left);
            conversation_time = Some(time.of);
        }
        TurnBudget {
            limits: Limits {
                timeout,
                // A child token: the stop of the run cancels the turn, and to cancel the turn stops nothing else.
                cancel: self.turn.cancel.child_token(),
                ..self.turn.clone()
            },
            // A turn whose time was shortened says little, so silence is measured by the timeout of the target.
            shows_silence: self.turn.timeout.min(LONGEST_SILENCE),
            own,
            whole: self.whole,
            conversation: conversation_time,
        }
    }
}

impl TurnBudget {
    /// The problem of a turn that timed out. Its last request was sent at `sent` and had `limits`; `reached` is the progress of
    /// the response, as the end of the message. The message and its help name the time that was too short.
    pub(super) fn timed_out(&self, sent: At, limits: &Limits, reached: &str) -> Problem {
        // `Limits::until` is the deadline or the end of the timeout, whichever comes first. The deadline is that of the whole
        // test.
        let is_past_deadline = limits.until(sent) < sent.plus(limits.timeout);
        let is_past_test = is_past_deadline && self.whole.is_some();

        // A turn with less than its own time got the rest of another one: that of the conversation, if it was noted, or the
        // test's.
        let is_shortened = self.limits.timeout < self.own;
        if let Some(time) = self.conversation
            && is_shortened
            && !is_past_test
        {
            let message = conversation_timeout(time, reached);
            return Problem::new(ErrorKind::Timeout, message).help(OF_CONVERSATION);
        }
        if let Some(whole) = self.whole
            && (is_past_test || is_shortened)
        {
            let after = duration::chosen(whole);
            let message = format!("timeout after {after} for the whole test{reached}");
            return Problem::new(ErrorKind::Timeout, message).help(OF_TEST);
        }

        // The turn had all of its own time. A helper, which has no time for the whole test, also gets here after the deadline of
        // its test: its caller looks at that.
        let after = duration::chosen(self.own);
        let message = format!("timeout after {after}{reached}");
        Problem::new(ErrorKind::Timeout, message).help(OF_TURN)
    }
}

/// The message of a conversation that took longer than `allowed`, after it got as far as `reached` says.
pub fn conversation_timeout(allowed: Duration, reached: &str) -> String {
    format!(
        "timeout after {} for the conversation{reached}",
        duration::chosen(allowed)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smaller_time_counts() {
        let seconds = Duration::from_secs;
        let budget = Budget {
            whole: Some(seconds(10)),
            ..crate::fakes::budget()
        };
        let turn = |own, used| {
            let turn = budget.of_turn(own, None, used, None);
            (
                turn.limits.timeout,
                turn.timed_out(At::default(), &turn.limits, "").message,
            )
        };
        let of_turn = |after: &str| format!("timeout after {after}");
        let of_test = "timeout after 10 s for the whole test".to_owned();
        assert_eq!(turn(None, seconds(0)), (seconds(5), of_turn("5 s")));
        assert_eq!(
            turn(Some(seconds(10)), seconds(0)),
            (seconds(10), of_turn("10 s")),
            "equal to the limit"
        );
        assert_eq!(turn(None, seconds(7)), (seconds(3), of_test.clone()));
        assert_eq!(
            turn(Some(seconds(1)), seconds(7)),
            (seconds(1), of_turn("1 s"))
        );
        assert_eq!(turn(None, seconds(12)), (seconds(0), of_test));
    }

    #[test]
    fn the_deadline_counts_whatever_the_agent_took() {
        let seconds = Duration::from_secs;
        let deadline = Some(At::default().plus(seconds(10)));
        let budget = crate::fakes::budget();
        let turn = Limits {
            deadline,
            ..budget.turn
        };
        let budget = Budget {
            turn,
            is_default_timeout: false,
            whole: Some(seconds(10)),
        };
        let turn = budget.of_turn(None, None, seconds(0), None);
        for (sent, expected) in [
            (1, "timeout after 5 s"),
            (7, "timeout after 10 s for the whole test"),
        ] {
            let sent = At::default().plus(seconds(sent));
            assert_eq!(turn.timed_out(sent, &turn.limits, "").message, expected);
        }
    }

    #[test]
    fn the_default_timeout_gives_way_to_a_longer_limit() {
        let seconds = Duration::from_secs;
        let of_turn = |is_default_timeout, own, limit| {
            let budget = Budget {
                is_default_timeout,
                ..crate::fakes::budget()
            };
            budget
                .of_turn(own, Some(limit), Duration::ZERO, None)
                .limits
                .timeout
        };
        assert_eq!(of_turn(true, None, seconds(9)), seconds(9));
        assert_eq!(of_turn(true, None, seconds(2)), seconds(5));
        assert_eq!(of_turn(true, Some(seconds(3)), seconds(9)), seconds(3));
        assert_eq!(of_turn(false, None, seconds(9)), seconds(5));
    }

    #[test]
    fn the_time_of_the_conversation_counts_if_less_of_it_is_left() {
        let seconds = Duration::from_secs;
        for (whole, left, expected) in [
            (None, 3, "timeout after 50 s for the conversation"),
            (None, 9, "timeout after 5 s"),
            (Some(10), 3, "timeout after 50 s for the conversation"),
            (Some(2), 3, "timeout after 2 s for the whole test"),
        ] {
            let budget = Budget {
                whole: whole.map(seconds),
                ..crate::fakes::budget()
            };
            let time = TimeLeft {
                left: seconds(left),
                of: seconds(50),
            };
            let turn = budget.of_turn(None, None, Duration::ZERO, Some(time));
            assert_eq!(
                turn.timed_out(At::default(), &turn.limits, "").message,
                expected
            );
        }
    }
}
