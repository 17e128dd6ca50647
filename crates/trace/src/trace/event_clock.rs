//! The times of a turn by the agent's own clock, if all of its events have a timestamp (SPEC 4, `clock: event`).
//!
//! Timestamps give the distance between events. The first event is placed at its arrival, since nothing else relates the
//! two clocks.

use std::ops::Range;

use super::{Event, Exchange, Trace};
use ananke_base::context::At;

/// Plausible timestamps in microseconds of Unix time: 2001 to 2286. Values in seconds or nanoseconds are outside.
const PLAUSIBLE: Range<u64> = 1_000_000_000_000_000..10_000_000_000_000_000;

/// The most microseconds by which the events may take longer than the response.
const SLACK: u64 = 1_000_000;

impl Trace {
    /// Takes the times of the turn that ends from its events, or warns why they stay those of arrival. The events of a
    /// replay turn happened long ago: their timestamps are ignored.
    pub(super) fn take_event_times(&mut self) {
        let Some(turn) = self.turns.last().filter(|turn| !turn.input.is_replay) else {
            return;
        };
        let exchanges = turn.exchanges.clone();
        let first = self
            .events
            .partition_point(|event| usize::from(event.exchange) < exchanges.start);
        match self.event_times(exchanges, first) {
            Ok(times) => self.restamp(first, &times),
            Err(why) => self.warn(format!(
                "the times of this turn are those of arrival: {why}"
            )),
        }
    }

    /// The time of each event from `first` on.
    fn event_times(&self, exchanges: Range<usize>, first: usize) -> Result<Vec<At>, String> {
        let mut times = Vec::with_capacity(self.events.len() - first);
        for (index, exchange) in self.exchanges[exchanges.clone()].iter().enumerate() {
            let is_of_it = |event: &&Event| usize::from(event.exchange) == exchanges.start + index;
            let events: Vec<&Event> = self.events[first + times.len()..]
                .iter()
                .take_while(is_of_it)
                .collect();
            let place = if exchanges.len() == 1 {
                String::new()
            } else {
                format!("answer {}: ", index + 1)
            };
            let stamps =
                (first + times.len()..).map(|event| self.stamps.get(event).copied().flatten());
            let numbered = (times.len() + 1..).zip(stamps);
            times.extend(times_of(exchange, &events, numbered).map_err(|why| place + &why)?);
        }
        Ok(times)
    }

    fn restamp(&mut self, first: usize, times: &[At]) {
        let time = |event: u32| {
            (event as usize)
                .checked_sub(first)
                .and_then(|index| times.get(index))
                .copied()
        };
        let set = |at: &mut At, event: u32| *at = time(event).unwrap_or(*at);
        for (event, at) in self.events[first..].iter_mut().zip(times) {
            event.at = *at;
        }
        let Some(turn) = self.turns.last() else {
            return;
        };
        for exchange in &mut self.exchanges[turn.exchanges.clone()] {
            exchange.ended = exchange.ended_by.and_then(time).or(exchange.ended);
        }
        for message in &mut self.messages[turn.messages.clone()] {
            if let Some(at) = &mut message.first_text {
                set(at, message.first_text_event);
            }
        }
        for index in turn.calls.clone().chain(turn.late_results.iter().copied()) {
            let call = &mut self.calls[index];
            set(&mut call.started, call.first_event);
            if let Some(at) = &mut call.args_done {
                set(at, call.args_done_event);
            }
            for result in &mut call.results {
                set(&mut result.at, result.event);
            }
        }
    }
}

/// The times of the events of one exchange; `reported` has the number of each in the turn and its timestamp.
fn times_of(
    exchange: &Exchange,
    events: &[&Event],
    reported: impl Iterator<Item = (usize, Option<u64>)>,
) -> Result<Vec<At>, String> {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Ok(Vec::new());
    };
    let mut stamps: Vec<u64> = Vec::with_capacity(events.len());
    for (number, stamp) in reported.take(events.len()) {
        let stamp = stamp.ok_or_else(|| format!("event {number} has no timestamp"))?;
        if !PLAUSIBLE.contains(&stamp) {
            return Err(format!(
                "event {number} has a timestamp that is not a Unix time in milliseconds"
            ));
        }
        if stamps.last().is_some_and(|before| *before > stamp) {
            return Err(format!(
                "event {number} has an earlier timestamp than the one before it"
            ));
        }
        stamps.push(stamp);
    }
    let begun = stamps.first().copied().unwrap_or_default();
    let stamped = stamps.last().map_or(0, |stamp| stamp - begun);
    let took = last.at.0.saturating_sub(exchange.sent.0);
    if stamped > took + SLACK {
        return Err(format!(
            "its timestamps span {} ms, but the response took {} ms",
            stamped / 1000,
            took / 1000
        ));
    }
    Ok(stamps
        .iter()
        .map(|stamp| At((first.at.0 + (stamp - begun)).min(last.at.0)))
        .collect())
}

#[cfg(test)]
mod tests {
    use crate::trace::{Change, Input, ResultContent, RunEnd, Trace};
    use ananke_base::context::At;

    const NOW: u64 = 1_795_292_437_000_000;

    /// A turn whose call is opened and answered: sent at 0, its four events arrive together after 3 s.
    fn turn(trace: &mut Trace, stamps: [Option<u64>; 4]) {
        trace.begin_turn(Input::default());
        trace.begin_exchange(At(0));
        let result = ResultContent::Text("ok".into());
        let changes = [
            Change::CallOpened {
                id: "c".into(),
                name: "a".into(),
                subagent: None,
            },
            Change::CallAnswered {
                id: "c".into(),
                result,
                is_error: None,
            },
            Change::MessageText {
                id: "m".into(),
                delta: "hi".into(),
            },
            Change::RunEnded(RunEnd::Finished),
        ];
        let mut deltas = Vec::new();
        for (change, stamp) in changes.into_iter().zip(stamps) {
            trace.event(At(3_000_000));
            if let Some(stamp) = stamp {
                trace.apply(At(3_000_000), Change::Stamped(stamp), &mut deltas);
            }
            trace.apply(At(3_000_000), change, &mut deltas);
        }
        trace.end_exchange(At(3_000_000));
        trace.end_turn(&mut deltas);
    }

    /// The times of the call's start and end, of the text and of the end of the run, or the warning.
    fn times(stamps: [Option<u64>; 4]) -> Result<[u64; 4], String> {
        let mut trace = Trace::default().by_event_clock();
        turn(&mut trace, stamps);
        let (call, message) = (&trace.calls[0], &trace.messages[0]);
        let ended = trace.exchanges[0].ended.unwrap();
        let times = [
            call.started,
            call.ended(),
            message.first_text.unwrap(),
            ended,
        ]
        .map(|at| at.0);
        match trace.turns[0].warnings.first() {
            Some(warning) => {
                Err(warning.replace("the times of this turn are those of arrival: ", ""))
            }
            None => Ok(times),
        }
    }

    #[test]
    fn events_are_as_far_apart_as_they_tell() {
        let at = |ms: u64| Some(NOW + ms * 1000);
        // The first is where it arrived; nothing comes about after it arrived.
        assert_eq!(times([at(0), at(0), at(0), at(0)]), Ok([3_000_000; 4]));
        let mut trace = Trace::default().by_event_clock();
        trace.begin_turn(Input::default());
        trace.begin_exchange(At(0));
        let mut deltas = Vec::new();
        for (arrival, ms) in [(100_000, 0), (5_000_000, 700), (5_000_000, 900)] {
            trace.event(At(arrival));
            trace.apply(At(arrival), Change::Stamped(NOW + ms * 1000), &mut deltas);
        }
        trace.apply(
            At(5_000_000),
            Change::RunEnded(RunEnd::Finished),
            &mut deltas,
        );
        trace.end_turn(&mut deltas);
        let events: Vec<u64> = trace.events.iter().map(|event| event.at.0).collect();
        assert_eq!(events, [100_000, 800_000, 1_000_000]);
        assert_eq!(trace.turn_micros(&trace.turns[0]), 1_000_000);
    }

    #[test]
    fn one_event_without_a_sane_time_leaves_the_turn_as_it_arrived() {
        let at = |ms: u64| Some(NOW + ms * 1000);
        let refused = |stamps, words: &str| assert_eq!(times(stamps), Err(words.to_owned()));
        refused([at(0), None, at(1), at(2)], "event 2 has no timestamp");
        refused(
            [at(0), at(5), at(4), at(6)],
            "event 3 has an earlier timestamp than the one before it",
        );
        let seconds = NOW / 1_000;
        refused(
            [Some(seconds); 4],
            "event 1 has a timestamp that is not a Unix time in milliseconds",
        );
        refused(
            [at(0), at(1), at(2), at(9000)],
            "its timestamps span 9000 ms, but the response took 3000 ms",
        );
    }

    #[test]
    fn an_event_is_named_by_its_number_in_its_answer() {
        let warnings = |answers: &[[Option<u64>; 2]], turns: usize| {
            let mut trace = Trace::default().by_event_clock();
            let mut deltas = Vec::new();
            for _ in 0..turns {
                trace.begin_turn(Input::default());
                for answer in answers {
                    trace.begin_exchange(At(0));
                    for stamp in answer {
                        trace.event(At(1));
                        if let Some(stamp) = *stamp {
                            trace.apply(At(1), Change::Stamped(stamp), &mut deltas);
                        }
                    }
                    trace.end_exchange(At(1));
                }
                trace.end_turn(&mut deltas);
            }
            trace.turns.last().unwrap().warnings.concat()
        };
        let (stamped, unstamped) = ([Some(NOW); 2], [Some(NOW), None]);
        let of = |event: &str| {
            format!("the times of this turn are those of arrival: {event} has no timestamp")
        };
        assert_eq!(warnings(&[unstamped], 2), of("event 2"));
        assert_eq!(warnings(&[stamped, unstamped], 2), of("answer 2: event 4"));
        assert_eq!(warnings(&[stamped, stamped], 2), "");
    }

    #[test]
    fn without_the_setting_nothing_is_looked_at() {
        let mut trace = Trace::default();
        turn(&mut trace, [None; 4]);
        assert_eq!(trace.turns[0].warnings, [""; 0]);
        assert_eq!(trace.calls[0].started, At(3_000_000));
    }
}
