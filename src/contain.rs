//! A participant's future behind a panic boundary, also when it is dropped.

use std::{
    any::Any,
    error::Error,
    fmt,
    future::Future,
    ops::{Deref, DerefMut},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a panicking participant said. Reaches observers as a failure's `source`, never a model.
#[derive(Debug, Clone)]
pub(crate) struct Panicked(Box<str>);

impl Panicked {
    /// Reads the payload and drops it; a payload whose own destructor panics is leaked.
    #[cold]
    pub(crate) fn from_payload(payload: Box<dyn Any + Send>) -> Self {
        let text = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "panic with a payload that is no text".to_owned());
        drop_contained(payload);
        Self(text.into())
    }

    /// Reads the payload of a destructor. The payload's destructor may panic too, and so may that panic's payload: there is
    /// no safe end but to leak it.
    #[cold]
    fn in_a_destructor(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<&str>().map_or("panic in a destructor", |s| s);
        let told = Self(text.into());
        std::mem::forget(payload);
        told
    }

    /// The future of what panicked before it gave one: it goes on with that panic when it is polled.
    #[cold]
    fn into_future<'a, T>(self) -> BoxFuture<'a, T> {
        let mut text = String::from(self.0);
        Box::pin(std::future::poll_fn(move |_| resume_unwind(Box::new(std::mem::take(&mut text)))))
    }

    /// Logs what a destructor said whom nobody asks any more.
    #[cold]
    pub(crate) fn report(&self) {
        tracing::error!(panic = %self, "a destructor panicked; the call is unharmed");
    }

    pub(crate) fn into_source(self) -> Arc<dyn Error + Send + Sync> {
        Arc::new(self)
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "panicked: {}", self.0)
    }
}

impl Error for Panicked {}

/// Runs foreign code that may panic.
pub(crate) fn contained<T>(f: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(f)).map_err(Panicked::from_payload)
}

/// Drops a foreign value whose destructor may panic; tells whether it did. Safe during unwinding: the second panic
/// does not leave this function.
pub(crate) fn drop_contained<T>(value: T) -> Option<Panicked> {
    match catch_unwind(AssertUnwindSafe(move || drop(value))) {
        Ok(()) => None,
        Err(payload) => Some(Panicked::in_a_destructor(payload)),
    }
}

/// Drops a foreign value; what its destructor says is logged. For what no participant is asked about any more.
pub(crate) fn let_go<T>(value: T) {
    if let Some(panic) = drop_contained(value) {
        panic.report();
    }
}

/// Holds a foreign value so that dropping it never panics. Each such value has a shell of its own: where two destructors
/// panic in one go, the second one would abort the process.
#[derive(Clone)]
pub(crate) struct Shell<T>(Option<T>);

impl<T> Shell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// The value, without its shell.
    pub(crate) fn into_inner(mut self) -> T {
        self.0.take().expect("it is full until it is dropped")
    }
}

impl<T> Deref for Shell<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it is full until it is dropped")
    }
}

impl<T> DerefMut for Shell<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it is full until it is dropped")
    }
}

impl<T> Drop for Shell<T> {
    fn drop(&mut self) {
        if let Some(value) = self.0.take() {
            let_go(value);
        }
    }
}

/// Owns a participant's boxed future: panics in its creation, its polls and its destructor end here.
pub(crate) struct Contained<'a, T> {
    /// Until it is done.
    future: Option<BoxFuture<'a, T>>,
}

impl<'a, T> Contained<'a, T> {
    /// `make` is foreign code too: it may panic before it gives a future.
    pub(crate) fn start(make: impl FnOnce() -> BoxFuture<'a, T>) -> Self {
        Self { future: Some(contained(make).unwrap_or_else(Panicked::into_future)) }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, Panicked>> {
        self.poll_with(cx, let_go)
    }

    /// [`poll`](Self::poll), for answers that cannot just be dropped where a panicking destructor spoils them.
    pub(crate) fn poll_with(&mut self, cx: &mut Context<'_>, spoiled: fn(T)) -> Poll<Result<T, Panicked>> {
        let Some(future) = &mut self.future else { return Poll::Pending };
        match contained(|| future.as_mut().poll(cx)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(match self.end() {
                None => Ok(value),
                Some(panic) => {
                    spoiled(value);
                    Err(panic)
                }
            }),
            Err(panic) => {
                self.end();
                Poll::Ready(Err(panic))
            }
        }
    }

    /// Drops the future, where it stands. Gives the panic of its destructor, if it panics.
    pub(crate) fn end(&mut self) -> Option<Panicked> {
        self.future.take().and_then(drop_contained)
    }
}

impl<T> Drop for Contained<'_, T> {
    fn drop(&mut self) {
        if self.future.is_some()
            && let Some(panic) = self.end()
        {
            panic.report();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("bomb");
        }
    }

    struct Payload;
    impl Drop for Payload {
        fn drop(&mut self) {
            std::panic::panic_any(Bomb);
        }
    }

    #[test]
    fn a_payload_that_panics_when_dropped_is_contained() {
        let got = contained(|| std::panic::panic_any(Payload));
        assert_eq!(
            got.map_err(|p| p.to_string()),
            Err::<(), _>("panicked: panic with a payload that is no text".into())
        );
    }

    #[test]
    fn a_destructor_that_panics_while_the_host_unwinds_does_not_abort() {
        let host = std::panic::catch_unwind(|| {
            let _held = Contained::<()>::start(|| {
                let bomb = Bomb;
                Box::pin(async move {
                    let _bomb = bomb;
                    std::future::pending::<()>().await;
                })
            });
            panic!("host");
        });
        assert!(host.is_err());
    }
}
