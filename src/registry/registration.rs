//! Handles on what is registered.

use std::{
    fmt,
    sync::{Arc, Weak},
};

use crate::{
    call::{ScopeId, ScopeKey},
    register_error::Problem,
    registry::Shared,
    view::Snapshot,
};

/// One thing that was registered.
///
/// Dropping the handle does **not** unregister: a guard must not vanish because a value was ignored. Take it out with
/// [`remove`](Self::remove), or tie it to a scope of code with [`into_guard`](Self::into_guard).
#[derive(Clone)]
pub struct Registration {
    pub(crate) shared: Weak<Shared>,
    pub(crate) place: Option<(ScopeId, ScopeKey)>,
    pub(crate) id: u64,
    pub(crate) warnings: Arc<[Problem]>,
}

impl Registration {
    /// What is suspicious about the schemas of a tool that was registered, and was taken all the same: a misspelt
    /// keyword, an enum or a default of another type, a property that is required and not taken, a keyword that says
    /// nothing about the stated type, an unknown dialect. The field is `parameters` or `output`, and the message begins with
    /// a pointer to the subschema. They are logged as warnings too. Values of the schema are not quoted.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolgate::{OutputSpec, ToolRegistry, tool};
    ///
    /// let schema = json!({"type": "object", "properties": {"days": {"type": "integer", "minimun": 1}}});
    /// let registration = ToolRegistry::new().register(
    ///     tool("forecast").parameters(schema).output(OutputSpec::text()).body(|_cx| async { Ok("sun".into()) }),
    /// )?;
    /// let [warning] = registration.warnings() else { panic!("one warning") };
    /// assert_eq!(warning.field(), "parameters");
    /// assert_eq!(
    ///     warning.message(),
    ///     r#"/properties/days: "minimun" is no keyword and says nothing; did you mean "minimum"?"#
    /// );
    /// # Ok::<(), toolgate::RegisterError>(())
    /// ```
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// Takes it out, in one step. False if it was gone already.
    pub fn remove(&self) -> bool {
        self.shared.upgrade().is_some_and(|shared| remove_all(&shared, self.place.as_ref(), &[self.id]))
    }

    /// A guard that takes it out when it is dropped.
    pub fn into_guard(self) -> RegistrationGuard {
        RegistrationGuard { registration: Some(self) }
    }
}

/// Takes several registrations of one layer out, in one step; false if none was there.
pub(crate) fn remove_all(shared: &Arc<Shared>, place: Option<&(ScopeId, ScopeKey)>, ids: &[u64]) -> bool {
    let place = place.map(|(id, key)| (id, *key));
    let removed = shared.update(|next: &mut Snapshot| {
        let mut any = false;
        if next.approver.as_ref().is_some_and(|(id, _)| ids.contains(id)) {
            next.approver = None;
            any = true;
        }
        if let Some(layer) = next.layer(place) {
            let mut layer = (*layer).clone();
            let mut changed = false;
            for id in ids {
                changed |= layer.remove(*id);
            }
            if changed {
                next.set_layer(place, layer);
            }
            any |= changed;
        }
        Ok(any)
    });
    removed.unwrap_or(false)
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("scope", &self.place.as_ref().map(|p| &p.0))
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Takes a registration out when it is dropped.
#[derive(Debug)]
#[must_use = "what it guards is taken out when it is dropped"]
pub struct RegistrationGuard {
    registration: Option<Registration>,
}

impl RegistrationGuard {
    /// Lets the registration stay.
    pub fn keep(mut self) -> Option<Registration> {
        self.registration.take()
    }
}

impl Drop for RegistrationGuard {
    fn drop(&mut self) {
        if let Some(registration) = self.registration.take() {
            registration.remove();
        }
    }
}
