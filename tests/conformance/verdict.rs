//! Runs many scenarios and says how they went.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::{check::differences, run::run, scenario::Scenario, silence::silence_scripted_panics};

#[derive(Debug, Default)]
pub(crate) struct Verdict {
    passed: usize,
    pub(crate) failures: Vec<String>,
}

impl Verdict {
    pub(crate) fn of(scenarios: Vec<Result<Scenario, String>>) -> Self {
        let mut verdict = Self::default();
        for scenario in scenarios {
            match scenario {
                Ok(scenario) => verdict.add(&scenario),
                Err(problem) => verdict.failures.push(problem),
            }
        }
        verdict
    }

    fn add(&mut self, scenario: &Scenario) {
        silence_scripted_panics();
        let found = match catch_unwind(AssertUnwindSafe(|| run(scenario))) {
            Ok(Ok(report)) => differences(&scenario.expect, &report),
            Ok(Err(error)) => vec![format!("no runtime: {error}")],
            Err(_) => vec!["a panic came out of the call or of the runner".to_owned()],
        };
        if found.is_empty() {
            self.passed += 1;
        } else {
            self.failures.push(format!("{}\n    {}", scenario.name, found.join("\n    ")));
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "FAILED {failure}")?;
        }
        write!(f, "{} scenarios passed, {} failed, none left out", self.passed, self.failures.len())
    }
}
