//! The report of `ananke mutate --json`: one object.

use ananke::mutation::{MutationReport, Score, SurvivingMutant};
use serde_json::{Map, Value, json};

/// The report as JSON; `per_second` is how many changes were evaluated in a second.
pub(super) fn json(report: &MutationReport, per_second: f64) -> Value {
    let mut object = counts(&report.total);
    object.insert("mutants_per_second".to_owned(), json!(per_second.round()));
    let named = |key: &str, name: &str, score: &Score| {
        let mut object = Map::from_iter([(key.to_owned(), json!(name))]);
        object.extend(counts(score));
        Value::Object(object)
    };
    let tests = report
        .tests
        .iter()
        .map(|test| named("id", &test.id, &test.score));
    object.insert("tests".to_owned(), tests.collect());
    let operators = report
        .operators()
        .map(|of| named("name", of.operator.name(), &of.score));
    object.insert("operators".to_owned(), operators.collect());
    object.insert(
        "survivors".to_owned(),
        report.survivors.iter().map(survivor).collect(),
    );
    let otherwise = report.killed_otherwise.iter().map(|mutant| {
        let mut object = survivor(mutant);
        object["finding"] = json!(mutant.other_finding);
        object
    });
    object.insert("otherwise".to_owned(), otherwise.collect());
    Value::Object(object)
}

fn counts(score: &Score) -> Map<String, Value> {
    let percent = score
        .percent()
        .map(|percent| (percent * 100.0).floor() / 100.0);
    let counts = json!({
        "score": percent,
        "total": score.total(),
        "killed": score.killed,
        "killed_by_protocol": score.killed_by_protocol,
        "killed_otherwise": score.killed_otherwise,
        "not_shown": score.not_shown,
        "harmless": score.harmless,
        "survived": score.survived,
    });
    match counts {
        Value::Object(counts) => counts,
        _ => Map::new(),
    }
}

fn survivor(survivor: &SurvivingMutant) -> Value {
    let suggestion = survivor.suggestion.as_ref().map(|suggestion| {
        json!({
            "yaml": suggestion.yaml,
            "level": suggestion.level_words(),
            "file": suggestion.file,
            "line": suggestion.line,
            "version": suggestion.version,
        })
    });
    json!({
        "test": survivor.test,
        "operator": survivor.operator.name(),
        "severity": survivor.severity.as_str(),
        "event": survivor.event,
        "change": survivor.change,
        "suggestion": suggestion,
    })
}
