//! The lines of code that each stage has added to a crate, and what for.

/// The lines of code that a stage adds for a protocol or a capability.
pub(crate) struct AddedLines {
    /// The stage, as in its title.
    pub(crate) stage: &'static str,
    /// The crate that gets them.
    pub(crate) krate: &'static str,
    /// The number of lines that were foreseen before the stage began.
    pub(crate) lines: usize,
    /// The protocol or the capability.
    pub(crate) what: &'static str,
}

/// The lines that stages have added. Rows are added and never raised, because a limit that moves with what it limits is a counter.
pub(crate) const ADDED: &[AddedLines] = &[
    AddedLines {
        stage: "35a",
        krate: "http",
        lines: 3_850,
        what: "agents behind HTTP APIs of their own",
    },
    AddedLines {
        stage: "35a",
        krate: "model",
        lines: 250,
        what: "texts that are filled when a request is sent",
    },
    AddedLines {
        stage: "35a",
        krate: "agents",
        lines: 100,
        what: "bodies that a protocol takes apart itself",
    },
    AddedLines {
        stage: "35a",
        krate: "agents",
        lines: 230,
        what: "the tool loop and retries for the protocols that follow",
    },
    AddedLines {
        stage: "35a",
        krate: "http",
        lines: 2_700,
        what: "targets that are proposed by a request and its response",
    },
    AddedLines {
        stage: "35a",
        krate: "agents",
        lines: 110,
        what: "the protocol that proposes a target",
    },
    AddedLines {
        stage: "35a",
        krate: "command",
        lines: 350,
        what: "proposals of `init`",
    },
    AddedLines {
        stage: "35a",
        krate: "http",
        lines: 700,
        what: "calls, arguments, results and errors that no path reads",
    },
    AddedLines {
        stage: "35a",
        krate: "lab",
        lines: 160,
        what: "recordings of such APIs, served at their own paths",
    },
    AddedLines {
        stage: "35a",
        krate: "model",
        lines: 100,
        what: "what one turn adds to its request",
    },
    AddedLines {
        stage: "35a",
        krate: "http",
        lines: 1_230,
        what: "requests of other clients, read back by the templates of a target",
    },
    AddedLines {
        stage: "35a",
        krate: "model",
        lines: 230,
        what: "texts and values that are read back by their templates",
    },
    AddedLines {
        stage: "35a",
        krate: "agents",
        lines: 130,
        what: "requests of other clients that a target recognizes",
    },
    AddedLines {
        stage: "35a",
        krate: "lab",
        lines: 260,
        what: "a proxy in front of such APIs",
    },
    AddedLines {
        stage: "35a",
        krate: "run",
        lines: 30,
        what: "what the turn of a program adds to its request",
    },
    AddedLines {
        stage: "35a",
        krate: "command",
        lines: 50,
        what: "what passed a proxy and is in no test",
    },
    AddedLines {
        stage: "35b",
        krate: "responses",
        lines: 3_000,
        what: "models of the Responses API",
    },
    AddedLines {
        stage: "35b",
        krate: "agents",
        lines: 650,
        what: "what APIs of models have in common: requests, rounds, tools of the server",
    },
    AddedLines {
        stage: "35c",
        krate: "run",
        lines: 420,
        what: "servers whose tools a model is given",
    },
    AddedLines {
        stage: "35c",
        krate: "report",
        lines: 370,
        what: "the tools that models pick, in every report",
    },
    AddedLines {
        stage: "35c",
        krate: "base",
        lines: 110,
        what: "amounts of money",
    },
    AddedLines {
        stage: "35c",
        krate: "model",
        lines: 110,
        what: "`prices`, limits of cost and of requests",
    },
    AddedLines {
        stage: "35c",
        krate: "trace",
        lines: 330,
        what: "the cost of what an agent did",
    },
    AddedLines {
        stage: "35c",
        krate: "openai",
        lines: 40,
        what: "the model that was asked, and cached tokens",
    },
    AddedLines {
        stage: "35c",
        krate: "agui",
        lines: 40,
        what: "the model of reported tokens, and cached tokens",
    },
    AddedLines {
        stage: "35c",
        krate: "http",
        lines: 50,
        what: "paths to the model and to cached tokens",
    },
    AddedLines {
        stage: "35c",
        krate: "agents",
        lines: 90,
        what: "the model of scripted tokens; targets that are a model",
    },
    AddedLines {
        stage: "35c",
        krate: "rules",
        lines: 190,
        what: "limits of cost and of requests",
    },
    AddedLines {
        stage: "35c",
        krate: "plan",
        lines: 260,
        what: "prices that are read, and what has none",
    },
    AddedLines {
        stage: "35c",
        krate: "conversation",
        lines: 70,
        what: "the tokens of helpers",
    },
    AddedLines {
        stage: "35c",
        krate: "run",
        lines: 190,
        what: "runs that stop at a cost",
    },
    AddedLines {
        stage: "35c",
        krate: "verify",
        lines: 60,
        what: "the model of spans",
    },
    AddedLines {
        stage: "35c",
        krate: "report",
        lines: 620,
        what: "cost in every report, and in comparisons",
    },
    AddedLines {
        stage: "35c",
        krate: "command",
        lines: 150,
        what: "`--max-cost`",
    },
    AddedLines {
        stage: "37a",
        krate: "agents",
        lines: 900,
        what: "agents in the process of a test",
    },
    AddedLines {
        stage: "37a",
        krate: "command",
        lines: 650,
        what: "turns that a client of a session makes, also for tests, and recorded sessions",
    },
    AddedLines {
        stage: "36a",
        krate: "anthropic",
        lines: 3_000,
        what: "models of the Messages API",
    },
    AddedLines {
        stage: "36a",
        krate: "agents",
        lines: 50,
        what: "requests whose path says their API; bases with and without a version",
    },
    AddedLines {
        stage: "36a",
        krate: "aisdk",
        lines: 3_000,
        what: "UI message streams of AI SDK",
    },
    AddedLines {
        stage: "38a",
        krate: "provider",
        lines: 3_000,
        what: "what stands in for the provider of a model: scripts, lanes, recordings",
    },
    AddedLines {
        stage: "38a",
        krate: "model",
        lines: 500,
        what: "`models` and the scripts of models, as they are written",
    },
    AddedLines {
        stage: "38a",
        krate: "agents",
        lines: 750,
        what: "the provider's side of APIs of models, with what each of them adds",
    },
    AddedLines {
        stage: "38a",
        krate: "trace",
        lines: 400,
        what: "calls of an agent to its model",
    },
    AddedLines {
        stage: "38a",
        krate: "rules",
        lines: 700,
        what: "rules about calls to a model",
    },
    AddedLines {
        stage: "38a",
        krate: "rules",
        lines: 700,
        what: "a monitor for each of ten rules about calls to a model, with the near misses in their failures",
    },
    AddedLines {
        stage: "38a",
        krate: "plan",
        lines: 500,
        what: "models that are read, checked and given to tests",
    },
    AddedLines {
        stage: "38a",
        krate: "conversation",
        lines: 100,
        what: "calls to a model in the order of a conversation",
    },
    AddedLines {
        stage: "38a",
        krate: "run",
        lines: 700,
        what: "models that stand beside a run, and the test of each request",
    },
    AddedLines {
        stage: "38a",
        krate: "report",
        lines: 600,
        what: "calls to a model in every report",
    },
    AddedLines {
        stage: "38a",
        krate: "command",
        lines: 600,
        what: "`ananke model`, `--models`",
    },
    AddedLines {
        stage: "38a",
        krate: "provider",
        lines: 1_300,
        what: "values put back, lines for `ignore`, recordings that are checked, lanes set while served, all paths of a provider",
    },
    AddedLines {
        stage: "38a",
        krate: "recording",
        lines: 250,
        what: "calls to models in recordings of the agent",
    },
];
