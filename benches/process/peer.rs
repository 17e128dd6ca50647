//! The program next to Hurl, which tests HTTP: the same number of requests to the same server, the same facts checked in each
//! response, the same number of jobs. Both run in turn, and ratios are those of pairs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::agent::Agent;
use crate::measure::{self, Process, Times};
use crate::project::{self, Project};

/// The command that installs Hurl where it is looked for; the version is the newest for the compiler of this project.
const INSTALL: &str = "cargo install --locked hurl --version 8.0.1 --root target/peer";

/// A comparison.
struct Comparison {
    name: &'static str,
    tests: usize,
    jobs: usize,
    /// The time that the agent takes for each response.
    latency: Duration,
    /// The number of events that bring the text of a response.
    deltas: usize,
    pairs: usize,
    /// The number of runs of each program in a pair: the kernel counts processor time in hundredths of a second.
    runs: usize,
}

const COMPARISONS: [Comparison; 6] = [
    Comparison {
        name: "one test",
        tests: 1,
        jobs: 1,
        latency: Duration::ZERO,
        deltas: 1,
        pairs: 9,
        runs: 30,
    },
    Comparison {
        name: "200 tests, one job",
        tests: 200,
        jobs: 1,
        latency: Duration::ZERO,
        deltas: 1,
        pairs: 15,
        runs: 4,
    },
    Comparison {
        name: "200 tests, two jobs",
        tests: 200,
        jobs: 2,
        latency: Duration::ZERO,
        deltas: 1,
        pairs: 15,
        runs: 4,
    },
    Comparison {
        name: "200 tests of 30 events, two jobs",
        tests: 200,
        jobs: 2,
        latency: Duration::ZERO,
        deltas: 30,
        pairs: 15,
        runs: 4,
    },
    Comparison {
        name: "200 tests of 300 events, two jobs",
        tests: 200,
        jobs: 2,
        latency: Duration::ZERO,
        deltas: 300,
        pairs: 9,
        runs: 2,
    },
    Comparison {
        name: "200 tests of 100 ms, 8 jobs",
        tests: 200,
        jobs: 8,
        latency: Duration::from_millis(100),
        deltas: 1,
        pairs: 3,
        runs: 1,
    },
];

/// Measures both, with a run that is kept and with one that is not.
pub(crate) fn peer() {
    let Some(hurl) = hurl() else {
        assert!(
            std::env::var_os("CI").is_none(),
            "Hurl is not installed: {INSTALL}"
        );
        println!("  not measured: Hurl is not installed ({INSTALL})");
        return;
    };
    for comparison in &COMPARISONS {
        let agent = Agent::answering(comparison.latency, comparison.deltas);
        for (kept, suffix) in [(0, ""), (10, ", kept")] {
            let config = project::keeping(&agent, kept);
            let project = Project::new(&config, comparison.tests, project::one_turn);
            for number in 0..comparison.tests {
                project.put(&format!("{number:05}.hurl"), &request(&agent, number));
            }
            println!("  {}{suffix}", comparison.name);
            comparison.measure(&project, &hurl);
        }
    }
}

/// The program: the one that `HURL` names, else the one that [`INSTALL`] installs.
fn hurl() -> Option<PathBuf> {
    let named = std::env::var_os("HURL").map(PathBuf::from);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peer/bin/hurl");
    named.or(Some(own)).filter(|path| path.is_file())
}

/// The cost of some runs of a program.
struct Cost {
    wall: Duration,
    cpu: Duration,
}

impl Comparison {
    fn measure(&self, project: &Project, hurl: &Path) {
        let jobs = self.jobs.to_string();
        let files: Vec<String> = (0..self.tests)
            .map(|number| format!("{number:05}.hurl"))
            .collect();
        let ours = || project.ananke(&["run", "--parallel", &jobs]);
        let theirs = || {
            let mut arguments = vec!["--test", "--jobs", &jobs];
            arguments.extend(files.iter().map(String::as_str));
            project.program(hurl, &arguments)
        };
        ours().run();
        theirs().run();
        let pairs: Vec<[Cost; 2]> = (0..self.pairs)
            .map(|_| [self.cost(&ours), self.cost(&theirs)])
            .collect();
        let print = |what: &str, of: fn(&Cost) -> Duration| {
            let [own, other] = [0, 1].map(|side| {
                let times = pairs.iter().map(|pair| of(&pair[side]));
                Times::of(times.collect()).median() * 1e3
            });
            let ratio = median(
                pairs
                    .iter()
                    .map(|[own, other]| of(own).as_secs_f64() / of(other).as_secs_f64())
                    .collect(),
            );
            println!("    {what:<12} {own:>9.1} ms   Hurl {other:>9.1} ms   ratio {ratio:.2}");
        };
        print("time", |cost| cost.wall);
        print("processor", |cost| cost.cpu);
        if let (Some(own), Some(other)) = (ours().instructions(), theirs().instructions()) {
            println!(
                "    {:<12} {:>9.1} mil. Hurl {:>9.1} mil. ratio {:.2}",
                "instructions",
                millions(own),
                millions(other),
                millions(own) / millions(other)
            );
        }
        let peaks = [ours().peak_kib(), theirs().peak_kib()].map(super::mebibytes);
        let [own, other] = peaks;
        println!(
            "    {:<12} {own:>9.1} MiB  Hurl {other:>9.1} MiB  ratio {:.2}",
            "memory",
            own / other
        );
    }

    /// The cost of one run, as the mean of several.
    fn cost(&self, process: &impl Fn() -> Process) -> Cost {
        let (started, before) = (Instant::now(), measure::time_of_children());
        for _ in 0..self.runs {
            process().run();
        }
        let runs = u32::try_from(self.runs).unwrap_or(u32::MAX);
        Cost {
            wall: started.elapsed() / runs,
            cpu: measure::time_of_children().saturating_sub(before) / runs,
        }
    }
}

/// A number of instructions, in millions.
#[expect(
    clippy::cast_precision_loss,
    reason = "a number that is printed with one decimal place"
)]
fn millions(instructions: u64) -> f64 {
    instructions as f64 / 1e6
}

/// The one in the middle.
fn median(mut ratios: Vec<f64>) -> f64 {
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or_default()
}

/// The request of the test `number`, with the facts that the test checks.
fn request(agent: &Agent, number: usize) -> String {
    let address = agent.address();
    format!(
        "# order {number} is found
POST http://{address}/agent
Content-Type: application/json
Accept: text/event-stream
{{\"threadId\":\"t-{number}\",\"runId\":\"r-{number}\",\"state\":{{}},\"messages\":[{{\"id\":\"m-{number}\",\"role\":\"user\",\"content\":\"Where is my order {number}?\"}}],\"tools\":[],\"context\":[],\"forwardedProps\":{{}}}}
HTTP 200
[Asserts]
header \"Content-Type\" contains \"text/event-stream\"
duration < 60000
body contains \"RUN_FINISHED\"
body contains \"find_order\"
body matches /(?s)receipt.*R-/
body not matches /\"content\":\"[^\"]*(error|failed)/
body not contains \"delete_order\"
body matches /O-[0-9]+/
body not matches /exception/
body not matches /fatal/
"
    )
}
