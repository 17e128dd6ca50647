//! The speed at which an agent answers.

use std::str::FromStr;
use std::time::Duration;

use ananke_agents::{ServedEnd, ServedResponse};

/// The factor by which it is faster than the recording, or at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed(f64);

impl Speed {
    /// As fast as it did.
    pub const ORIGINAL: Self = Self(1.0);

    /// The response at this speed.
    pub(super) fn applied_to(self, mut response: ServedResponse) -> ServedResponse {
        response.after = self.of(response.after);
        response
            .frames
            .iter_mut()
            .for_each(|frame| frame.after = self.of(frame.after));
        if let ServedEnd::Breaks(after) = &mut response.end {
            *after = self.of(*after);
        }
        response
    }

    /// A moment that was so long after the request.
    fn of(self, after: Duration) -> Duration {
        if self.0.is_infinite() {
            Duration::ZERO
        } else {
            after.div_f64(self.0)
        }
    }
}

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "max" {
            return Ok(Self(f64::INFINITY));
        }
        match text.parse::<f64>() {
            Ok(times) if (0.001..=1_000_000.0).contains(&times) => Ok(Self(times)),
            _ => Err("expected a number from 0.001 to 1000000, such as 10 for ten times faster, or `max`"
                .to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_comes_sooner_or_later() {
        let second = Duration::from_secs(1);
        for (text, expected) in [("1", 1000), ("10", 100), ("0.5", 2000), ("max", 0)] {
            let speed: Speed = text.parse().unwrap();
            assert_eq!(speed.of(second), Duration::from_millis(expected), "{text}");
        }
        for wrong in ["0", "-1", "fast", "inf", "NaN", ""] {
            assert!(wrong.parse::<Speed>().is_err(), "{wrong}");
        }
    }
}
