//! Methods of a wrapper that hand a call on to the store inside.

/// Writes methods of [`Reader`](crate::Reader), [`Store`](crate::Store) and [`SideData`](crate::SideData) that hand the
/// call on to a store inside, for a wrapper that answers only some of them itself:
///
/// ```
/// use waynote::{Reader, pass_on};
///
/// struct Wrapper<S>(S);
///
/// impl<S: Reader> Reader for Wrapper<S> {
///     pass_on! { self => self.0; read select_at search take_damage rendered history_before one_state }
/// }
/// ```
#[macro_export]
macro_rules! pass_on {
    ($self:ident => $inner:expr; $($method:ident)+) => {
        $($crate::pass_on!(@ $method $self $inner);)+
    };
    (@ read $self:ident $inner:expr) => {
        fn read(&$self, ask: &$crate::store::Ask) -> $crate::Result<$crate::store::Answers> {
            $inner.read(ask)
        }
    };
    (@ select_at $self:ident $inner:expr) => {
        fn select_at(
            &$self,
            scopes: &[$crate::Scope],
            moment: $crate::AsOf,
        ) -> $crate::Result<Vec<$crate::Note>> {
            $inner.select_at(scopes, moment)
        }
    };
    (@ search $self:ident $inner:expr) => {
        fn search(&$self, request: &$crate::SearchRequest) -> $crate::Result<Vec<$crate::Hit>> {
            $inner.search(request)
        }
    };
    (@ search_over $self:ident $inner:expr) => {
        fn search_over(
            &$self,
            request: &$crate::SearchRequest,
            laid_over: &[$crate::Note],
        ) -> $crate::Result<Option<Vec<$crate::Hit>>> {
            $inner.search_over(request, laid_over)
        }
    };
    (@ others $self:ident $inner:expr) => {
        fn others(
            &$self,
            address: &$crate::Address,
        ) -> $crate::Result<Option<($crate::Note, Option<String>)>> {
            $inner.others(address)
        }
    };
    (@ take_damage $self:ident $inner:expr) => {
        fn take_damage(&$self) -> $crate::store::Damage {
            $inner.take_damage()
        }
    };
    (@ rendered $self:ident $inner:expr) => {
        fn rendered(
            &$self,
            ask: &$crate::context::BlockAsk,
        ) -> $crate::Result<Option<$crate::context::BlockAnswer>> {
            $inner.rendered(ask)
        }
    };
    (@ holder $self:ident $inner:expr) => {
        fn holder(&$self) -> $crate::Result<Option<$crate::Name>> {
            $inner.holder()
        }
    };
    (@ is_shared $self:ident $inner:expr) => {
        fn is_shared(&$self) -> $crate::Result<bool> {
            $inner.is_shared()
        }
    };
    (@ checkouts $self:ident $inner:expr) => {
        fn checkouts(&$self) -> Option<&dyn $crate::cites::Checkouts> {
            $inner.checkouts()
        }
    };
    (@ history_before $self:ident $inner:expr) => {
        fn history_before(
            &$self,
            address: &$crate::Address,
            before: Option<u64>,
            limit: usize,
        ) -> $crate::Result<Vec<$crate::Revision>> {
            $inner.history_before(address, before, limit)
        }
    };
    (@ one_state $self:ident $inner:expr) => {
        fn one_state(
            &$self,
            work: &mut dyn FnMut(&dyn $crate::Reader) -> $crate::Result<()>,
        ) -> $crate::Result<()> {
            $inner.one_state(work)
        }
    };
    (@ apply $self:ident $inner:expr) => {
        fn apply(
            &$self,
            changes: &[$crate::Change],
            stamp: &$crate::Stamp,
        ) -> $crate::Result<Vec<$crate::Applied>> {
            $inner.apply(changes, stamp)
        }
    };
    (@ record $self:ident $inner:expr) => {
        fn record(
            &$self,
            session: &$crate::Name,
            events: &[$crate::event::SessionEvent],
            lease: Option<u64>,
            stamp: &$crate::Stamp,
        ) -> $crate::Result<()> {
            $inner.record(session, events, lease, stamp)
        }
    };
    (@ forget $self:ident $inner:expr) => {
        fn forget(
            &$self,
            request: &$crate::Forget,
            stamp: &$crate::Stamp,
        ) -> $crate::Result<$crate::Forgotten> {
            $inner.forget(request, stamp)
        }
    };
    (@ would_forget $self:ident $inner:expr) => {
        fn would_forget(
            &$self,
            request: &$crate::Forget,
            stamp: &$crate::Stamp,
        ) -> $crate::Result<$crate::Forgotten> {
            $inner.would_forget(request, stamp)
        }
    };
    (@ verify $self:ident $inner:expr) => {
        fn verify(&$self) -> $crate::Result<$crate::Report> {
            $inner.verify()
        }
    };
    (@ heartbeat $self:ident $inner:expr) => {
        fn heartbeat(&$self, session: &$crate::Name, lease: u64) -> $crate::Result<()> {
            $inner.heartbeat(session, lease)
        }
    };
    (@ silence $self:ident $inner:expr) => {
        fn silence(
            &$self,
            session: &$crate::Name,
            lease: u64,
        ) -> $crate::Result<Option<std::time::Duration>> {
            $inner.silence(session, lease)
        }
    };
    (@ silences $self:ident $inner:expr) => {
        fn silences(
            &$self,
            loops: &[($crate::Name, u64)],
        ) -> $crate::Result<Option<Vec<Option<std::time::Duration>>>> {
            $inner.silences(loops)
        }
    };
    (@ checkpoint $self:ident $inner:expr) => {
        fn checkpoint(&$self) -> $crate::Result<bool> {
            $inner.checkpoint()
        }
    };
    (@ side_values $self:ident $inner:expr) => {
        fn side_values(&$self, space: &str) -> $crate::Result<Vec<$crate::store::SideValue>> {
            $inner.side_values(space)
        }
    };
    (@ put_side_values $self:ident $inner:expr) => {
        fn put_side_values(
            &$self,
            space: &str,
            values: &[$crate::store::SideValue],
            removed: &[String],
        ) -> $crate::Result<()> {
            $inner.put_side_values(space, values, removed)
        }
    };
    (@ keep_side_values $self:ident $inner:expr) => {
        fn keep_side_values(
            &$self,
            space: &str,
            values: &[$crate::store::SideValue],
            removed: &[String],
        ) -> $crate::Result<()> {
            $inner.keep_side_values(space, values, removed)
        }
    };
    (@ make_shared $self:ident $inner:expr) => {
        fn make_shared(&$self) -> $crate::Result<()> {
            $inner.make_shared()
        }
    };
}
