//! How cost grows: processor time and peak memory of the whole process for n and for 10 n of everything that a project
//! or an agent may have many of. `cargo bench --bench growth -- rows` measures only what has that word in its name.
//!
//! Nothing is asserted but that the program did its work. A row is marked where ten times as much costs more than ten
//! times as much, beyond what an almost empty project costs. `ANANKE` names another binary than the one just built.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a table is printed, and a process is measured"
)]

#[path = "../../tests/golden_cases/agent.rs"]
mod agent;
mod cost;
mod subject;

use cost::Cost;
use subject::Subject;

/// Growth of this much is reported: ten times as much, and what sorting, caches and the machine add.
const SUSPICIOUS: f64 = 15.0;
/// What a measurement differs by from one to the next, in seconds and in MiB.
const NOISE: (f64, f64) = (0.03, 2.0);

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let base = measure(&subject::smallest(), 1);
    println!(
        "an almost empty project: {:.3} s, {:.1} MiB",
        base.seconds, base.mebibytes
    );
    println!(
        "{:<14} {:>7} {:>9} {:>9} {:>7} {:>10} {:>10} {:>7}",
        "", "n", "n", "10 n", "ratio", "n", "10 n", "ratio"
    );
    let mut suspects = Vec::new();
    for subject in subject::all() {
        if !words.is_empty()
            && !words
                .iter()
                .any(|word| subject.name.contains(word.as_str()))
        {
            continue;
        }
        let (once, ten) = (
            measure(&subject, subject.count),
            measure(&subject, subject.count * 10),
        );
        let time = ratio(once.seconds, ten.seconds, base.seconds, NOISE.0);
        let memory = ratio(once.mebibytes, ten.mebibytes, base.mebibytes, NOISE.1);
        println!(
            "{:<14} {:>7} {:>7.2} s {:>7.2} s {:>7} {:>6.1} MiB {:>6.1} MiB {:>7}{}",
            subject.name,
            subject.count,
            once.seconds,
            ten.seconds,
            shown(time),
            once.mebibytes,
            ten.mebibytes,
            shown(memory),
            if ten.is_complete {
                ""
            } else {
                "  stopped: it takes too long"
            },
        );
        let is_suspect = |ratio: Option<f64>| ratio.is_some_and(|ratio| ratio > SUSPICIOUS);
        if is_suspect(time) || is_suspect(memory) || !ten.is_complete {
            suspects.push(subject.name);
        }
    }
    println!(
        "grew by more than ten: {}",
        if suspects.is_empty() {
            "none".to_owned()
        } else {
            suspects.join(", ")
        }
    );
}

/// The cheapest of three runs, which the machine disturbed least; of long runs, the only one.
fn measure(subject: &Subject, count: usize) -> Cost {
    let project = subject.project(count);
    let first = project.run();
    if first.seconds > 1.0 {
        return first;
    }
    [project.run(), project.run()]
        .into_iter()
        .fold(first, Cost::cheapest)
}

/// By how much a cost grew beyond the base; `None` where it did not grow by more than noise.
fn ratio(once: f64, ten: f64, base: f64, noise: f64) -> Option<f64> {
    (ten - once > noise).then(|| (ten - base) / (once - base).max(noise / 10.0))
}

fn shown(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.1}"))
}
