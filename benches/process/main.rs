//! The whole program as a user starts it: how fast it is there, how fast it goes through many tests, and how much
//! memory it takes. `cargo bench --bench process -- memory` measures only what has that word in its heading.
//!
//! Nothing here is asserted but that the program did its work: numbers depend on the machine, and what it does beside.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a table is printed, and time is what is measured"
)]

mod agent;
mod measure;
mod peer;
mod project;
mod turns;

use std::path::Path;
use std::time::{Duration, Instant};

use agent::Agent;
use measure::Times;
use project::Project;

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let measurements: [(&str, fn()); 11] = [
        ("start: one test, the whole process", start),
        (
            "many: 200 tests of one turn over loopback, the whole process",
            many,
        ),
        (
            "parallel: 200 tests against an agent that takes 100 ms, 8 at once",
            parallel,
        ),
        ("memory: 200 and 20,000 tests with a JUnit report", memory),
        ("pace: 2,000 tests with a JUnit report", pace),
        (
            "reports: 10,000 tests of which every tenth fails, one report at a time",
            reports,
        ),
        (
            "replay: 1,000 recorded tests of one turn and 30 events each",
            replay,
        ),
        (
            "keeping: what it costs to keep a run, and to show one",
            keeping,
        ),
        ("check: 10,000 files, beside the YAML crate alone", check),
        (
            "session: 2,000 turns of an embedded agent, in Rust and over JSON-RPC",
            turns::turns,
        ),
        ("peer: next to Hurl, in pairs", peer::peer),
    ];
    for (heading, measure) in measurements {
        if words.is_empty() || words.iter().any(|word| heading.contains(word.as_str())) {
            println!("\n{heading}");
            measure();
        }
    }
}

fn start() {
    let agent = Agent::serve();
    for (place, config) in [
        ("embedded", project::embedded()),
        ("loopback", project::loopback(&agent)),
    ] {
        let project = Project::new(&config, 1, project::one_turn);
        let times = measure::repeat(200, || project.ananke(&["run"]).run());
        times.print(place);
    }
    let project = Project::new(&project::embedded(), 1, project::one_turn);
    measure::repeat(200, || project.ananke(&["--version"]).run())
        .print("`--version`, for comparison");
}

fn many() {
    let agent = Agent::serve();
    let project = Project::new(&project::loopback(&agent), 200, project::one_turn);
    measure::repeat(20, || project.ananke(&["run"]).run()).print("loopback");
    // One run more than those that are measured.
    println!(
        "  {:<36} {} in 21 runs",
        "connections",
        agent.served().connections
    );
    let project = Project::new(&project::embedded(), 200, project::one_turn);
    measure::repeat(20, || project.ananke(&["run"]).run()).print("embedded");
}

/// Nothing can be faster than 25 rounds of 100 ms.
fn parallel() {
    let agent = Agent::thinking_for(Duration::from_millis(100));
    let project = Project::new(&project::loopback(&agent), 200, project::one_turn);
    let times = measure::repeat(5, || project.ananke(&["run", "--parallel", "8"]).run());
    times.print("8 at once");
    let above = |seconds: f64| (seconds / 2.5 - 1.0) * 100.0;
    println!(
        "  {:<36} best {:>8.1} %    median {:>8.1} %",
        "above the floor of 2.5 s",
        above(times.best()),
        above(times.median())
    );
    Times::of(agent.served().late).print("the agent itself came late by");
    let peak = project
        .ananke(&["run", "--parallel", "8", "--junit", "report.xml"])
        .peak_kib();
    println!("  {:<36} {:>6.1} MiB", "peak memory", mebibytes(peak));
}

fn memory() {
    let agent = Agent::serve();
    for tests in [200, 20_000] {
        for (place, config) in [
            ("embedded", project::embedded()),
            ("loopback", project::loopback(&agent)),
        ] {
            let project = Project::new(&config, tests, project::one_turn);
            // Peaks depend on how the threads of a process interleave: the largest of three counts.
            let peak = (0..3).map(|_| peak(&project)).max().unwrap_or_default();
            println!(
                "  {:<36} {:>6.1} MiB at most",
                format!("{tests} tests, {place}"),
                mebibytes(peak)
            );
        }
    }
    let project = Project::new(&project::embedded(), 20_000, project::three_turns);
    println!(
        "  {:<36} {:>6.1} MiB",
        "20000 tests of 3 turns, embedded",
        mebibytes(peak(&project))
    );
}

fn peak(project: &Project) -> u64 {
    project.ananke(&["run", "--junit", "report.xml"]).peak_kib()
}

fn pace() {
    let agent = Agent::serve();
    for (place, config) in [
        ("embedded", project::embedded()),
        ("loopback", project::loopback(&agent)),
    ] {
        let project = Project::new(&config, 2000, project::one_turn);
        measure::repeat(5, || {
            project.ananke(&["run", "--junit", "report.xml"]).run()
        })
        .print(place);
    }
}

/// What each report adds to a run with the shortest one.
fn reports() {
    let project = Project::new(&project::embedded(), 10_000, project::every_tenth_fails);
    let ananke = |arguments: &[&str]| project.ananke(arguments).expecting(1);
    let told: [(&str, &[&str]); 4] = [
        ("console, `--quiet`", &["run", "--quiet"]),
        ("console", &["run"]),
        ("console, `-v`", &["run", "-v"]),
        ("`--json`", &["run", "--json"]),
    ];
    for (name, arguments) in told {
        let times = measure::repeat(5, || ananke(arguments).run());
        let size = ananke(arguments).printed();
        report(name, &times, ananke(arguments).peak_kib(), size);
    }
    for file in ["r.xml", "r.json", "r.jsonl", "r.md", "r.tap", "r.html"] {
        let arguments = ["run", "--quiet", "-o", file];
        let times = measure::repeat(5, || ananke(&arguments).run());
        report(
            &format!("`-o {file}`"),
            &times,
            ananke(&arguments).peak_kib(),
            project.size_of(file),
        );
    }
    let strict = ["run", "--quiet", "--junit-profile", "strict", "-o", "r.xml"];
    let times = measure::repeat(5, || ananke(&strict).run());
    report(
        "the same, `strict`",
        &times,
        ananke(&strict).peak_kib(),
        project.size_of("r.xml"),
    );
}

fn report(name: &str, times: &Times, peak: u64, bytes: u64) {
    let (best, median) = (times.best(), times.median());
    println!(
        "  {name:<24} best {best:>7.2} s   median {median:>7.2} s   peak {:>6.1} MiB   {bytes:>10} bytes",
        mebibytes(peak)
    );
}

fn replay() {
    let agent = Agent::telling(30);
    let project = Project::new(&project::loopback(&agent), 1000, project::one_turn);
    measure::repeat(5, || project.ananke(&["run", "--record", "kept"]).run())
        .print("live and recorded");
    measure::repeat(5, || project.ananke(&["run"]).run()).print("live");
    measure::repeat(10, || project.ananke(&["run", "--replay", "kept"]).run()).print("replayed");
    let parallel = ["run", "--replay", "kept", "--parallel", "2"];
    measure::repeat(10, || project.ananke(&parallel).run()).print("replayed, 2 at once");
    let peak = (0..3)
        .map(|_| project.ananke(&["run", "--replay", "kept"]).peak_kib())
        .max();
    println!(
        "  {:<36} {:>6.1} MiB",
        "peak memory, replayed",
        mebibytes(peak.unwrap_or_default())
    );
}

/// What keeping a run adds, each run that is kept after one that is not; and how long a kept run of many tests is searched.
fn keeping() {
    let measured = [
        ("200 tests of one turn, 11 events", 200, 11),
        ("100 tests of 10 turns, 100 events", 100, 100),
    ];
    for (name, tests, events) in measured {
        let write = if tests == 200 {
            project::one_turn
        } else {
            project::ten_turns
        };
        let agent = Agent::telling(events);
        let [dropped, kept] = [0, 10].map(|kept| {
            let config = project::keeping(&agent, kept);
            Project::new(&config, tests, write)
        });
        let [mut without, mut with] = [Vec::new(), Vec::new()];
        for is_counted in std::iter::once(false).chain([true; 20]) {
            let pair = [&dropped, &kept].map(|project| project.ananke(&["run"]).run());
            if is_counted {
                without.push(pair[0]);
                with.push(pair[1]);
            }
        }
        let more = with.iter().zip(&without).map(|(with, without)| {
            let [with, without] = [with, without].map(Duration::as_secs_f64);
            (with / without - 1.0) * 100.0
        });
        let mut more: Vec<f64> = more.collect();
        more.sort_by(f64::total_cmp);
        Times::of(without).print(&format!("{name}, not kept"));
        Times::of(with).print(&format!("{name}, kept"));
        let [least, middle, most] = [0, more.len() / 2, more.len() - 1].map(|index| more[index]);
        println!(
            "  {:<36} median {middle:.1} %, from {least:.1} to {most:.1}",
            "more in a pair"
        );
        let [without, with] = [&dropped, &kept].map(|project| project.ananke(&["run"]).peak_kib());
        let [without, with] = [without, with].map(mebibytes);
        println!(
            "  {:<36} {without:.1} and {with:.1} MiB",
            "peak memory, not kept and kept"
        );
    }
    let agent = Agent::serve();
    let config = project::keeping(&agent, 1);
    let project = Project::new(&config, 10_000, project::every_tenth_fails);
    project.ananke(&["run", "-q", "-j", "8"]).expecting(1).run();
    for arguments in [&["show", "1"][..], &["show"]] {
        let times = measure::repeat(10, || project.ananke(arguments).run());
        times.print(&format!("`{}` of 10,000 tests", arguments.join(" ")));
    }
}

fn check() {
    let project = Project::new(&project::embedded(), 10_000, project::three_turns);
    let files = project.files();
    let baseline = measure::repeat(5, || read_with_the_crate(&files));
    baseline.print("the YAML crate, one thread");
    measure::repeat(5, || project.ananke(&["check"]).run()).print("`ananke check`");
    let one_core = measure::repeat(5, || project.ananke(&["check"]).on_one_core().run());
    one_core.print("`ananke check`, on one core");
    println!(
        "  {:<36} {:.2}",
        "one core, times the crate alone",
        one_core.best() / baseline.best()
    );
}

/// The least that reading the files costs: the same crate, with the result dropped.
fn read_with_the_crate(files: &[impl AsRef<Path>]) -> Duration {
    let started = Instant::now();
    for file in files {
        let text = std::fs::read_to_string(file).expect("a file of the project can be read");
        let _: serde::de::IgnoredAny =
            serde_yaml::from_str(&text).expect("a file of the project is YAML");
    }
    started.elapsed()
}

#[expect(clippy::cast_precision_loss, reason = "a peak has fewer than 52 bits")]
fn mebibytes(kib: u64) -> f64 {
    kib as f64 / 1024.0
}
