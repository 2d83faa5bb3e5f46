//! The laws of the schedule, over random batches.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{
    BatchOptions, OutputSpec, PolicyError, PreDecision, PreNext, PrePolicy, ResourceKeys, ToolCall, ToolContext,
    ToolError, ToolExecution, ToolRegistry, tool,
};

use crate::{Log, ms, paused, watch};

#[derive(Clone, Debug)]
struct Job {
    safe: bool,
    reads: Vec<u8>,
    writes: Vec<u8>,
    pre: u64,
    takes: u64,
    fails: bool,
}

#[derive(Clone, Debug)]
struct Plan {
    jobs: Vec<Job>,
    room: usize,
    cancel_at: Option<u64>,
    drop_at: Option<u64>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let keys = || prop::collection::vec(0_u8..3, 0..2);
    let job = (
        any::<bool>(),
        keys(),
        keys(),
        prop::sample::select(&[0_u64, 0, 0, 4][..]),
        0_u64..30,
        prop::bool::weighted(0.2),
    )
        .prop_map(|(safe, reads, writes, pre, takes, fails)| Job { safe, reads, writes, pre, takes, fails });
    let at = || prop::option::weighted(0.3, 0_u64..60);
    (prop::collection::vec(job, 0..9), 1_usize..5, at(), at()).prop_map(|(jobs, room, cancel_at, drop_at)| Plan {
        jobs,
        room,
        cancel_at,
        drop_at,
    })
}

/// Who is in its body, and what has gone wrong.
#[derive(Default, Debug)]
struct Floor {
    inside: BTreeMap<usize, Job>,
    most: usize,
    wrong: Vec<String>,
}

struct Inside(Arc<Mutex<Floor>>, usize);

impl Inside {
    fn enter(floor: &Arc<Mutex<Floor>>, at: usize, job: &Job) -> Self {
        let mut state = floor.lock().expect("sound");
        let mut wrong = Vec::new();
        for (other, running) in &state.inside {
            let keyed = |j: &Job| !j.reads.is_empty() || !j.writes.is_empty();
            let exclusive = |j: &Job| !j.safe && !keyed(j);
            if exclusive(job) || exclusive(running) {
                wrong.push(format!("{at} and {other} overlap, and one of them is exclusive"));
            }
            let meets = |a: &Job, b: &Job| a.writes.iter().any(|k| b.writes.contains(k) || b.reads.contains(k));
            if meets(job, running) || meets(running, job) {
                wrong.push(format!("{at} and {other} hold a key together that one of them writes"));
            }
        }
        state.wrong.extend(wrong);
        state.inside.insert(at, job.clone());
        state.most = state.most.max(state.inside.len());
        drop(state);
        Self(floor.clone(), at)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.lock().expect("sound").inside.remove(&self.1);
    }
}

#[derive(Debug)]
struct Pre(Log, Vec<u64>);

#[async_trait]
impl PrePolicy for Pre {
    fn name(&self) -> &str {
        "pre"
    }

    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        self.0.add(format!("pre:{}", cx.call_id()));
        let at: usize = cx.call_id().parse()?;
        tokio::time::sleep(ms(self.1[at])).await;
        next.run().await
    }
}

fn keys(job: &Job) -> ResourceKeys {
    let keys = job.reads.iter().fold(ResourceKeys::new(), |keys, key| keys.read(format!("k{key}")));
    job.writes.iter().fold(keys, |keys, key| keys.write(format!("k{key}")))
}

/// One tool for each job: its declaration is what the job says.
fn build(plan: &Plan, floor: &Arc<Mutex<Floor>>, log: &Log) -> ToolRegistry {
    let registry = ToolRegistry::builder().grace(ms(0)).build().expect("good");
    for (at, job) in plan.jobs.iter().enumerate() {
        let (floor, log, own) = (floor.clone(), log.clone(), job.clone());
        let mut definition = tool(format!("job{at}")).output(OutputSpec::any()).body(move |_: ToolContext| {
            let (floor, log, job) = (floor.clone(), log.clone(), own.clone());
            async move {
                log.add(format!("body:{at}"));
                let _inside = Inside::enter(&floor, at, &job);
                tokio::time::sleep(ms(job.takes)).await;
                if job.fails { Err(ToolError::failed("scripted")) } else { Ok(json!(at)) }
            }
        });
        let wants = keys(job);
        if wants != ResourceKeys::new() {
            definition = definition.resources(move |_| wants.clone());
        } else if job.safe {
            definition = definition.concurrency_safe(|_| true);
        }
        registry.register(definition).expect("good");
    }
    registry.pre_policy(Pre(log.clone(), plan.jobs.iter().map(|j| j.pre).collect())).expect("good");
    watch(&registry, log);
    registry
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000),
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_laws_of_the_schedule(plan in plan()) {
        let (floor, log) = (Arc::new(Mutex::new(Floor::default())), Log::default());
        let registry = build(&plan, &floor, &log);
        let calls: Vec<_> = (0..plan.jobs.len()).map(|at| ToolCall::new(at.to_string(), format!("job{at}"))).collect();
        let (token, committed) = (CancellationToken::new(), Arc::new(Mutex::new(Vec::new())));
        let noted = committed.clone();
        let options = BatchOptions::new().max_parallel(plan.room).cancellation(token.clone()).on_commit(move |at, _| {
            noted.lock().expect("sound").push(at);
        });
        let (results, _) = paused(async {
            let cancel = async {
                if let Some(at) = plan.cancel_at {
                    tokio::time::sleep(ms(at)).await;
                    token.cancel();
                }
                std::future::pending::<()>().await;
            };
            let end = async {
                match plan.drop_at {
                    Some(at) => tokio::time::sleep(ms(at)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                results = registry.execute_batch(calls, options) => Some(results),
                () = cancel => None,
                () = end => None,
            }
        });
        let log = log.all();
        let places = |what: &str| {
            log.iter().filter_map(|l| l.strip_prefix(what)).map(|at| at.parse::<usize>().expect("a place")).collect::<Vec<_>>()
        };
        let everyone: Vec<usize> = (0..plan.jobs.len()).collect();
        // Every call has its one result, in model order, whatever happened.
        prop_assert_eq!(places("seen:"), everyone.clone());
        // Policies take the calls in model order.
        let pre = places("pre:");
        prop_assert!(pre.is_sorted(), "{pre:?}");
        let committed = committed.lock().expect("sound").clone();
        prop_assert!(committed.iter().copied().eq(0..committed.len()));
        if let Some(results) = &results {
            prop_assert_eq!(results.len(), plan.jobs.len());
            prop_assert_eq!(committed, everyone);
            for (at, result) in results.iter().enumerate() {
                match result.value() {
                    Some(value) => prop_assert_eq!(value, &json!(at)),
                    None => prop_assert!(plan.jobs[at].fails || token.is_cancelled()),
                }
            }
        }
        let floor = floor.lock().expect("sound");
        prop_assert!(floor.wrong.is_empty(), "{:?}", floor.wrong);
        prop_assert!(floor.most <= plan.room, "{} at a time", floor.most);
        prop_assert!(floor.inside.is_empty(), "nobody is left inside");
        // A barrier: what comes after is not even looked at before it is committed.
        for (at, job) in plan.jobs.iter().enumerate() {
            if job.safe || !job.reads.is_empty() || !job.writes.is_empty() {
                continue;
            }
            let place = |what: String| log.iter().position(|l| *l == what);
            if let (Some(seen), Some(next)) = (place(format!("seen:{at}")), place(format!("pre:{}", at + 1))) {
                prop_assert!(seen < next, "{log:?}");
            }
            if let (Some(own), Some(last)) = (place(format!("pre:{at}")), at.checked_sub(1).and_then(|b| place(format!("seen:{b}")))) {
                prop_assert!(last < own, "{log:?}");
            }
        }
    }
}
