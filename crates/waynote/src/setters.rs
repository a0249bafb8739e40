//! Setters of options: one for each field that a caller may change.

/// Writes setters. Those of `or_none` also take none.
macro_rules! setters {
    (
        $(exact { $($(#[$about:meta])* $exact:ident: $type:ty;)* })?
        $(or_none { $($(#[$of:meta])* $option:ident: $inner:ty;)* })?
    ) => {
        $($(
            $(#[$about])*
            pub fn $exact(self, $exact: $type) -> Self {
                Self { $exact, ..self }
            }
        )*)?
        $($(
            $(#[$of])*
            pub fn $option(self, $option: impl Into<Option<$inner>>) -> Self {
                Self { $option: $option.into(), ..self }
            }
        )*)?
    };
}
