//! The arguments of `waynote ui`.

use clap::Args;

#[derive(Args)]
pub(crate) struct UiArgs {
    /// Print the link, and open no browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// The port to listen on [default: any free one]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) port: u16,
}
