//! A note's Markdown as HTML, in which nothing can act on the page.
//!
//! HTML in a note is shown as text. A link leads only to the web or to a mail address. An image is a link: a note must
//! not make a browser ask a foreign server. Invisible characters are shown as codes, as a model gets them.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{
    Alignment, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html,
};
use waynote::secrets::masked;
use waynote::visible::lines;

/// Makes Markdown into HTML. Credentials are masked.
pub(crate) fn rendered(text: &str) -> Markup {
    let text = lines(&masked(&text.replace("\r\n", "\n")));
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut out = String::with_capacity(2 * text.len());
    html::push_html(&mut out, Parser::new_ext(&text, options).flat_map(harmless));
    PreEscaped(out)
}

fn harmless(event: Event<'_>) -> Vec<Event<'_>> {
    match event {
        // As text, escaped by the writer.
        Event::Html(html) | Event::InlineHtml(html) => vec![Event::Text(html)],
        Event::Start(Tag::HtmlBlock) => vec![Event::Start(Tag::Paragraph)],
        Event::End(TagEnd::HtmlBlock) => vec![Event::End(TagEnd::Paragraph)],
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            ..
        }) => vec![link(link_type, dest_url)],
        Event::Start(Tag::Image {
            link_type,
            dest_url,
            ..
        }) => vec![
            link(link_type, dest_url),
            Event::Text(CowStr::Borrowed("image: ")),
        ],
        Event::End(TagEnd::Image) => vec![Event::End(TagEnd::Link)],
        // The alignment would be a style attribute, which the page's policy forbids.
        Event::Start(Tag::Table(columns)) => vec![Event::Start(Tag::Table(vec![
            Alignment::None;
            columns.len()
        ]))],
        // The headings of a note stand below those of the page.
        Event::Start(Tag::Heading { level, .. }) => vec![Event::Start(Tag::Heading {
            level: below(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        })],
        Event::End(TagEnd::Heading(level)) => vec![Event::End(TagEnd::Heading(below(level)))],
        Event::TaskListMarker(is_done) => {
            let marker = if is_done { "☑ " } else { "☐ " };
            vec![Event::Text(CowStr::Borrowed(marker))]
        }
        // A line of a note stays a line.
        Event::SoftBreak => vec![Event::HardBreak],
        event => vec![event],
    }
}

/// The beginning of a link to an address of the web, or of a mail box; any other leads nowhere.
fn link(link_type: LinkType, url: CowStr<'_>) -> Event<'_> {
    let scheme = url
        .split_once(':')
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    Event::Start(Tag::Link {
        link_type,
        dest_url: match scheme.as_deref() {
            Some("http" | "https" | "mailto") => url,
            _ => CowStr::Borrowed("#"),
        },
        title: CowStr::Borrowed(""),
        id: CowStr::Borrowed(""),
    })
}

fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_shown() {
        insta::assert_snapshot!(rendered("# A\n\n`b` **c** [d](https://e.example)\n\n- [x] f\n\n|g|\n|:-:|\n|h|").into_string(), @r#"
        <h3>A</h3>
        <p><code>b</code> <strong>c</strong> <a href="https://e.example">d</a></p>
        <ul>
        <li>☑ f</li>
        </ul>
        <table><thead><tr><th>g</th></tr></thead><tbody>
        <tr><td>h</td></tr>
        </tbody></table>
        "#);
    }

    #[test]
    fn nothing_in_a_note_acts_on_the_page() {
        let tricks = [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<div\nonclick=alert(1)>\n\n</div>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](\u{1}javascript:alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "[x](vbscript:x \"onmouseover=alert(1)\")",
            "![x](http://tracker.example/p.png \"t\")",
            "<javascript:alert(1)>",
            "```\"><script>\n</code></pre><script>alert(1)</script>\n```",
            "<style>*{display:none}</style>",
            "<!-- --><svg/onload=alert(1)>",
            "</textarea></main><iframe src=//x>",
            "|a|\n|:-|\n|<b onclick=x>|",
            "&lt;script&gt; &#60;script&#62;",
        ];
        for trick in tricks {
            let html = rendered(trick).into_string();
            let lower = html.to_lowercase();
            for bad in [
                "<script",
                "<img",
                "<svg",
                "<iframe",
                "<style",
                "<div",
                "<b ",
                "style=",
                "href=\"javascript",
                "href=\"data",
                "href=\"vbscript",
            ] {
                assert!(!lower.contains(bad), "{trick}: {html}");
            }
        }
    }
}
