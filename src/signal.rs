//! Cancellation as participants see it: a linked chain that only ever narrows.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Cancellation as a participant of a call sees it.
///
/// A signal is a chain: it is cancelled when any of its links is. The first link is the caller's token; deadlines and
/// wrappers add links with [`with_token`](Signal::with_token) and [`with_timeout`](Signal::with_timeout). There is no way
/// to take a link away, so nothing detaches a call from its caller's cancellation. Cheap to clone.
///
/// ```
/// use tokio_util::sync::CancellationToken;
/// use toolgate::Signal;
///
/// let (caller, own) = (CancellationToken::new(), CancellationToken::new());
/// let narrowed = Signal::new(caller).with_token(own.clone());
/// assert!(!narrowed.is_cancelled());
/// own.cancel();
/// assert!(narrowed.is_cancelled());
/// ```
#[derive(Clone)]
pub struct Signal {
    owner: Arc<dyn HasNode>,
}

/// What owns a link. A call's state holds its first link itself, so that a call needs no allocation for it.
pub(crate) trait HasNode: Send + Sync {
    fn node(&self) -> &Node;
}

/// One link of the chain.
pub(crate) struct Node {
    cause: Cause,
    outer: Option<Signal>,
    /// When this was first seen cancelled, and by which cause.
    fired: OnceLock<Fired>,
    /// The token that [`Signal::token`] handed out.
    bridge: OnceLock<CancellationToken>,
    /// Whether its life is over: a token made later is cancelled from the start.
    ended: AtomicBool,
}

enum Cause {
    Token(CancellationToken),
    Deadline(Instant),
    Other(Signal),
}

#[derive(Clone, Copy)]
struct Fired {
    at: Instant,
    own: bool,
}

/// How close to the end of what the clock can tell no timer is armed.
pub(crate) const CLOCK_MARGIN: Duration = Duration::from_secs(1);

/// How a look at a signal treats deadlines. Bodies are polled before clocks: a deadline counts as fired once somebody
/// has looked at the clock, so that what settles in the same instant has settled in time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    /// Only what has fired already.
    Unread,
    /// A participant asks: past the deadline is past it.
    Past,
    /// The runtime's turn, after the participants had theirs.
    Reached,
}

impl Node {
    pub(crate) fn root(token: CancellationToken, outer: Option<Signal>) -> Self {
        Self::link(Cause::Token(token), outer)
    }

    fn link(cause: Cause, outer: Option<Signal>) -> Self {
        Self { cause, outer, fired: OnceLock::new(), bridge: OnceLock::new(), ended: AtomicBool::new(false) }
    }

    fn look(&self, clock: Clock) -> Option<Fired> {
        if self.is_quiet() { None } else { self.look_but(clock, &mut Vec::new()) }
    }

    /// Whether this is a token alone that has not fired: what most looks find.
    fn is_quiet(&self) -> bool {
        match (&self.cause, &self.outer) {
            (Cause::Token(token), None) => !token.is_cancelled(),
            _ => false,
        }
    }

    /// Whether it leads to no deadline and no other token: it fires by the doing of somebody, and not by itself.
    pub(crate) fn is_token_alone(&self) -> bool {
        matches!(self.cause, Cause::Token(_)) && self.outer.is_none()
    }

    /// `quiet` are the links with two ways on that have been looked at in vain: many ways may lead to one of them.
    fn look_but(&self, clock: Clock, quiet: &mut Vec<*const Node>) -> Option<Fired> {
        if let Some(fired) = self.fired.get() {
            return Some(*fired);
        }
        if quiet.iter().any(|known| std::ptr::addr_eq(*known, self)) {
            return None;
        }
        let found = self.look_at(clock, quiet);
        if found.is_none() && self.outer.is_some() && matches!(self.cause, Cause::Other(_)) {
            quiet.push(self);
        }
        found
    }

    fn look_at(&self, clock: Clock, quiet: &mut Vec<*const Node>) -> Option<Fired> {
        let outer = self.outer.as_ref().and_then(|o| o.owner.node().look_but(clock, quiet));
        let fired = match (outer, &self.cause) {
            (Some(outer), _) => Fired { at: outer.at, own: false },
            (None, Cause::Token(token)) if token.is_cancelled() => Fired { at: Instant::now(), own: true },
            (None, Cause::Other(signal)) => Fired { at: signal.owner.node().look_but(clock, quiet)?.at, own: true },
            (None, Cause::Deadline(at)) => {
                let over = match clock {
                    Clock::Unread => false,
                    Clock::Past => Instant::now() > *at,
                    Clock::Reached => Instant::now() >= *at,
                };
                if !over {
                    return None;
                }
                Fired { at: *at, own: true }
            }
            (None, Cause::Token(_)) => return None,
        };
        Some(*self.fired.get_or_init(|| fired))
    }

    /// Whether it has fired. Exact.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.look(Clock::Past).is_some()
    }

    /// Whether it has fired, by what is known without a look at the clock.
    pub(crate) fn has_fired(&self) -> bool {
        self.look(Clock::Unread).is_some()
    }

    /// The clock's turn: since when it is cancelled, if it is.
    pub(crate) fn fired_at(&self) -> Option<Instant> {
        self.look(Clock::Reached).map(|f| f.at)
    }

    /// Whether it fired by its own cause, and not by an outer link.
    pub(crate) fn fired_by_itself(&self) -> bool {
        self.look(Clock::Unread).is_some_and(|f| f.own)
    }

    /// Passes a cancellation on to the token that was handed out; tells whether somebody got news.
    pub(crate) fn follow(&self) -> bool {
        match self.bridge.get() {
            Some(bridge) if !bridge.is_cancelled() && self.has_fired() => {
                bridge.cancel();
                true
            }
            _ => false,
        }
    }

    /// Ends the life of this link: whoever holds its token is told. `alone` says that nobody else has a handle on it, so that
    /// nobody can be asking for its token just now.
    pub(crate) fn end(&self, alone: bool) {
        self.ended.store(true, if alone { Ordering::Relaxed } else { Ordering::SeqCst });
        if let Some(bridge) = self.bridge.get() {
            bridge.cancel();
        }
    }
}

impl HasNode for Node {
    fn node(&self) -> &Node {
        self
    }
}

impl Signal {
    /// A signal that fires when `token` is cancelled.
    pub fn new(token: CancellationToken) -> Self {
        Self::from_node(Node::link(Cause::Token(token), None))
    }

    /// A signal that never fires.
    pub fn never() -> Self {
        Self::new(CancellationToken::new())
    }

    fn from_node(node: Node) -> Self {
        Self { owner: Arc::new(node) }
    }

    pub(crate) fn of_call(owner: Arc<dyn HasNode>) -> Self {
        Self { owner }
    }

    /// This signal, narrowed: it also fires when `token` is cancelled.
    #[must_use]
    pub fn with_token(&self, token: CancellationToken) -> Self {
        Self::from_node(Node::link(Cause::Token(token), Some(self.clone())))
    }

    /// This signal, narrowed: it also fires `timeout` from now. A timeout beyond what the clock can tell never fires.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        self.deadline(timeout).unwrap_or_else(|| self.with_token(CancellationToken::new()))
    }

    /// This signal with a deadline as its last link, unless the deadline is beyond what the clock can tell.
    pub(crate) fn deadline(&self, timeout: Duration) -> Option<Self> {
        let at = Instant::now().checked_add(timeout)?;
        // Timers round up, and panic where that is beyond the clock.
        at.checked_add(CLOCK_MARGIN)?;
        Some(Self::from_node(Node::link(Cause::Deadline(at), Some(self.clone()))))
    }

    /// This signal, narrowed by another: it fires when either does.
    #[must_use]
    pub fn narrowed_by(&self, other: Signal) -> Self {
        if other.includes(self) {
            return other;
        }
        if self.includes(&other) {
            return self.clone();
        }
        Self::from_node(Node::link(Cause::Other(other), Some(self.clone())))
    }

    /// Whether `outer` is this signal or a link that it leads to.
    fn includes(&self, outer: &Signal) -> bool {
        let mut found = false;
        self.each_link(|node| found |= std::ptr::addr_eq(node, outer.owner.node()));
        found
    }

    /// Visits every link that this signal leads to, each once, however many ways lead there.
    fn each_link<'a>(&'a self, mut visit: impl FnMut(&'a Node)) {
        let mut seen: Vec<*const Node> = Vec::new();
        let mut todo = vec![self];
        while let Some(signal) = todo.pop() {
            let node = signal.owner.node();
            if seen.iter().any(|known| std::ptr::addr_eq(*known, node)) {
                continue;
            }
            seen.push(node);
            visit(node);
            if let Cause::Other(other) = &node.cause {
                todo.push(other);
            }
            todo.extend(&node.outer);
        }
    }

    /// Whether it has fired. Exact: there is no delay between a cancellation and this answer.
    pub fn is_cancelled(&self) -> bool {
        self.node().is_cancelled()
    }

    pub(crate) fn node(&self) -> &Node {
        self.owner.node()
    }

    /// The clock's turn: since when it is cancelled, if it is.
    pub(crate) fn fired_at(&self) -> Option<Instant> {
        self.node().fired_at()
    }

    /// Whether it fired by its own link, and not by an outer one. False while it has not fired.
    pub fn fired_by_itself(&self) -> bool {
        self.node().fired_by_itself()
    }

    /// Waits until it fires.
    ///
    /// # Cancellation
    ///
    /// Dropping the future is free of effects.
    pub fn cancelled(&self) -> Cancelled {
        Cancelled { signal: self.clone(), waits: None }
    }

    /// A token for interfaces that want one.
    ///
    /// Made on first use. It fires when the signal's own token is cancelled, follows the outer links at the next poll
    /// of the call, and fires when the run that this signal belongs to ends or is dropped. Cancelling it cancels
    /// nothing else. The token of a signal that you have narrowed yourself follows outer links and deadlines only while
    /// it is given to [`ExecuteNext::run_with`](crate::ExecuteNext::run_with); elsewhere await [`cancelled`](Self::cancelled).
    pub fn token(&self) -> CancellationToken {
        let node = self.owner.node();
        let bridge = node.bridge.get_or_init(|| match &node.cause {
            Cause::Token(token) => token.child_token(),
            _ => CancellationToken::new(),
        });
        if self.is_cancelled() || node.ended.load(Ordering::SeqCst) {
            bridge.cancel();
        }
        bridge.clone()
    }

    pub(crate) fn follow(&self) -> bool {
        self.node().follow()
    }

    pub(crate) fn end(&self) {
        self.owner.node().end(false);
    }

    /// A link that fires when `cancel` is called on the result's token: the life of one run of a body.
    pub(crate) fn scoped(&self) -> (Self, CancellationToken) {
        let token = CancellationToken::new();
        (self.with_token(token.clone()), token)
    }
}

impl From<CancellationToken> for Signal {
    fn from(token: CancellationToken) -> Self {
        Self::new(token)
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signal").field("cancelled", &self.node().has_fired()).finish()
    }
}

/// The future of [`Signal::cancelled`].
#[must_use = "futures do nothing unless polled"]
pub struct Cancelled {
    signal: Signal,
    waits: Option<Vec<Wait>>,
}

enum Wait {
    Token(Pin<Box<WaitForCancellationFutureOwned>>),
    Clock(Pin<Box<Sleep>>),
}

impl Cancelled {
    fn gather(signal: &Signal) -> Vec<Wait> {
        let mut waits = Vec::new();
        signal.each_link(|node| match &node.cause {
            Cause::Token(token) => waits.push(Wait::Token(Box::pin(token.clone().cancelled_owned()))),
            Cause::Deadline(at) => waits.push(Wait::Clock(Box::pin(tokio::time::sleep_until(*at)))),
            Cause::Other(_) => {}
        });
        waits
    }
}

impl Future for Cancelled {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        if this.signal.fired_at().is_some() {
            return Poll::Ready(());
        }
        let waits = this.waits.get_or_insert_with(|| Self::gather(&this.signal));
        let mut woken = false;
        for wait in waits {
            woken |= match wait {
                Wait::Token(token) => token.as_mut().poll(cx).is_ready(),
                Wait::Clock(sleep) => sleep.as_mut().poll(cx).is_ready(),
            };
        }
        if woken && this.signal.fired_at().is_some() { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl fmt::Debug for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancelled").field("signal", &self.signal).finish_non_exhaustive()
    }
}
