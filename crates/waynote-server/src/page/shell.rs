//! The frame around every view: the rail with the views, and the data for the script.

use maud::{DOCTYPE, Markup, html};
use strum::VariantArray;

use super::assets;
use super::site::{Site, View};
use super::words::{grouped, unseen};
use waynote::visible::visible;

/// A whole document with one of the views.
pub(crate) fn document(site: &Site<'_>, view: View, title: &str, main: &Markup) -> Markup {
    html! {
        (head(&counted(site, title), Some(site.store)))
        body data-store=(site.link("").href()) {
            a.skip href="#main" { "Skip to the content" }
            (rail(site, view))
            main id="main" tabindex="-1" { (main) }
            (keys())
        }
    }
}

/// The title with the number of questions before it, as mail programs do.
fn counted(site: &Site<'_>, title: &str) -> String {
    match site.seen.waiting().len() {
        0 => title.to_owned(),
        waiting => format!("({waiting}) {title}"),
    }
}

/// A document without a store: the list of stores, the form to sign in, an error before a store is known.
pub(crate) fn plain(title: &str, main: &Markup) -> Markup {
    html! {
        (head(title, None))
        body.plain {
            main id="main" {
                p.brand { i {} "waynote" }
                (main)
            }
        }
    }
}

fn head(title: &str, store: Option<&str>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en";
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) @if let Some(store) = store { " · " (store) } " · waynote" }
            link rel="icon" type="image/svg+xml" href=(assets::ICON.path);
            link rel="stylesheet" href=(assets::CSS.path);
            script src=(assets::JS.path) defer {}
        }
    }
}

fn rail(site: &Site<'_>, current: View) -> Markup {
    html! {
        header.rail {
            a.brand href=(site.view(View::Now).href()) { i {} "waynote" }
            nav aria-label="Views" data-live="views" {
                @for view in View::VARIANTS.iter().copied() {
                    a href=(site.view(view).href()) aria-current=[(view == current).then_some("page")] {
                        (view.title())
                        (count(site, view))
                    }
                }
            }
            div.foot {
                span.live data-live-state="off" role="status" { "not live: reload to see changes" }
                small { "store " span.mono { (site.store) } }
                @if let Some(token) = site.grant.name() {
                    form.inline method="post" action=(site.link("sign-out").href()) {
                        small { "as " (visible(token.as_str())) " · " button.plain-button { "sign out" } }
                    }
                }
                small.keys-hint {
                    kbd { "/" } " search " button.plain-button type="button" data-keys="" { kbd { "?" } " keys" }
                }
            }
        }
    }
}

fn count(site: &Site<'_>, view: View) -> Markup {
    html! {
        @match view {
            View::Notes => {
                @let notes = site.seen.notes(None);
                @if notes > 0 { span.dimmer.num { (grouped(notes)) (unseen(" notes")) } }
            }
            View::Sessions => {
                @let running = site.running();
                @if running > 0 { span.dimmer.num { (running) " live" } }
                @let waiting = site.seen.waiting().len();
                @if waiting > 0 { span.badge { (waiting) (unseen(if waiting == 1 { " question" } else { " questions" })) } }
            }
            _ => {}
        }
    }
}

/// The list of keys, which `?` shows.
fn keys() -> Markup {
    const KEYS: [(&str, &str); 8] = [
        ("j", "next in the list"),
        ("k", "previous in the list"),
        ("/", "search"),
        ("e", "edit the note"),
        ("p", "pin or unpin it"),
        ("u", "undo its last change"),
        ("Ctrl Enter", "send what you write"),
        ("?", "these keys"),
    ];
    html! {
        dialog id="keys" aria-labelledby="keys-title" {
            h2 id="keys-title" { "Keys" }
            dl {
                @for (key, what) in KEYS {
                    div { dt { @for key in key.split(' ') { kbd { (key) } } } dd { (what) } }
                }
            }
            form method="dialog" { button.btn { "Close" } }
        }
    }
}
