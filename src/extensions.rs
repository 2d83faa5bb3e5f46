//! Typed values that travel with a call.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    fmt,
    sync::Arc,
};

use crate::contain::Shell;

type Foreign = Shell<Arc<dyn Any + Send + Sync>>;

/// Values of the caller's own, by type, that every participant of a call can read.
///
/// Cheap to clone: the values are shared. Nested calls inherit them.
///
/// ```
/// use toolgate::{Extensions, ToolCall};
///
/// #[derive(Debug, PartialEq)]
/// struct Tenant(u32);
///
/// let call = ToolCall::new("call_1", "read_file").with_extension(Tenant(7));
/// assert_eq!(call.extensions().get::<Tenant>(), Some(&Tenant(7)));
/// # let _ = Extensions::new();
/// ```
#[derive(Clone, Default)]
pub struct Extensions {
    values: Option<Arc<HashMap<TypeId, Foreign>>>,
}

impl Extensions {
    /// No values; costs nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts `value` in, in place of an earlier one of the same type. Clones made before do not see it.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let values = self.values.get_or_insert_default();
        Arc::make_mut(values).insert(TypeId::of::<T>(), Shell::new(Arc::new(value)));
    }

    /// The value of type `T`, if there is one.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.values.as_ref()?.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// These values, and those of `others` whose types are not among them.
    pub(crate) fn over(self, others: &Self) -> Self {
        match (&self.values, &others.values) {
            (_, None) => self,
            (None, Some(_)) => others.clone(),
            (Some(own), Some(theirs)) => {
                let mut all = (**theirs).clone();
                all.extend(own.iter().map(|(kind, value)| (*kind, value.clone())));
                Self { values: Some(Arc::new(all)) }
            }
        }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.as_ref().map_or(0, |v| v.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions").field("len", &self.len()).finish()
    }
}
