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
    (fn $self:ident $inner:expr, $method:ident($($name:ident: $type:ty),*) -> $answer:ty) => {
        fn $method(&$self, $($name: $type),*) -> $answer {
            $inner.$method($($name),*)
        }
    };
    (@ read $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, read(ask: &$crate::store::Ask) -> $crate::Result<$crate::store::Answers> }
    };
    (@ select_at $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, select_at(
            scopes: &[$crate::Scope], moment: $crate::AsOf
        ) -> $crate::Result<Vec<$crate::Note>> }
    };
    (@ search $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, search(
            request: &$crate::SearchRequest
        ) -> $crate::Result<Vec<$crate::Hit>> }
    };
    (@ search_over $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, search_over(
            request: &$crate::SearchRequest, laid: &[$crate::Note]
        ) -> $crate::Result<Option<Vec<$crate::Hit>>> }
    };
    (@ others $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, others(
            address: &$crate::Address
        ) -> $crate::Result<Option<($crate::Note, Option<String>)>> }
    };
    (@ take_damage $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, take_damage() -> $crate::store::Damage }
    };
    (@ rendered $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, rendered(
            ask: &$crate::context::BlockAsk
        ) -> $crate::Result<Option<$crate::context::BlockAnswer>> }
    };
    (@ holder $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, holder() -> $crate::Result<Option<$crate::Name>> }
    };
    (@ is_shared $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, is_shared() -> $crate::Result<bool> }
    };
    (@ checkouts $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, checkouts() -> Option<&dyn $crate::cites::Checkouts> }
    };
    (@ history_before $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, history_before(
            address: &$crate::Address, before: Option<u64>, limit: usize
        ) -> $crate::Result<Vec<$crate::Revision>> }
    };
    (@ one_state $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, one_state(
            work: &mut dyn FnMut(&dyn $crate::Reader) -> $crate::Result<()>
        ) -> $crate::Result<()> }
    };
    (@ apply $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, apply(
            changes: &[$crate::Change], stamp: &$crate::Stamp
        ) -> $crate::Result<Vec<$crate::Applied>> }
    };
    (@ record $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, record(
            session: &$crate::Name, events: &[$crate::event::SessionEvent], lease: Option<u64>, stamp: &$crate::Stamp
        ) -> $crate::Result<()> }
    };
    (@ forget $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, forget(
            request: &$crate::Forget, stamp: &$crate::Stamp
        ) -> $crate::Result<$crate::Forgotten> }
    };
    (@ would_forget $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, would_forget(
            request: &$crate::Forget, stamp: &$crate::Stamp
        ) -> $crate::Result<$crate::Forgotten> }
    };
    (@ verify $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, verify() -> $crate::Result<$crate::Report> }
    };
    (@ heartbeat $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, heartbeat(session: &$crate::Name, lease: u64) -> $crate::Result<()> }
    };
    (@ silence $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, silence(
            session: &$crate::Name, lease: u64
        ) -> $crate::Result<Option<std::time::Duration>> }
    };
    (@ silences $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, silences(
            loops: &[($crate::Name, u64)]
        ) -> $crate::Result<Option<Vec<Option<std::time::Duration>>>> }
    };
    (@ checkpoint $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, checkpoint() -> $crate::Result<bool> }
    };
    (@ side_values $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, side_values(
            space: &str
        ) -> $crate::Result<Vec<$crate::store::SideValue>> }
    };
    (@ put_side_values $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, put_side_values(
            space: &str, values: &[$crate::store::SideValue], removed: &[String], writing: $crate::engine::Writing
        ) -> $crate::Result<()> }
    };
    (@ make_shared $self:ident $inner:expr) => {
        $crate::pass_on! { fn $self $inner, make_shared() -> $crate::Result<()> }
    };
}
