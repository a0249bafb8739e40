//! Arguments of `waynote trust`.

use std::ffi::OsString;

use clap::Args;

use super::values::given_path;

#[derive(Args)]
pub(crate) struct TrustArgs {
    /// A directory in the checkout [default: the working directory]
    #[arg(value_name = "DIR", value_parser = given_path())]
    pub(crate) directory: Option<OsString>,
    /// Read them no longer
    #[arg(long)]
    pub(crate) remove: bool,
}
