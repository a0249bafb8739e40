//! What the screen shows. All text of notes is made visible: it never writes an escape to the terminal.

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect, Spacing};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::merge::MergeStrategy;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};
use unicode_width::UnicodeWidthStr;
use waynote::context::{Receipt, Section};
use waynote::secrets::masked;
use waynote::text::{grouped, plural};
use waynote::visible::{lines, visible};
use waynote::{Address, EntryType};

use super::app::{App, KEYS, Mode, Pane};
use super::fit::{end_of, padded, start_of, wrapped};
use super::typed;
use super::worker::{Item, Listing};
use crate::{session_view, table, when};

/// The smallest screen, and the narrowest with the scopes beside the notes.
const SMALLEST: (u16, u16) = (40, 10);
const WIDE: u16 = 72;

/// The most lines of a message at the bottom.
const MESSAGE: usize = 4;

/// What the bar shows of each section, and of the rest of the block: colour alone would not tell them apart.
const SHADES: [&str; 5] = ["█", "▓", "▒", "░", "·"];

/// Draws the screen.
pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, now: Timestamp, colour: bool) {
    let all = frame.area();
    if all.width < SMALLEST.0 || all.height < SMALLEST.1 {
        let (width, height) = SMALLEST;
        let text = format!(
            "The terminal is too small: {width} columns and {height} lines at least. q quits."
        );
        let text = wrapped(&text, all.width.into()).join("\n");
        return frame.render_widget(Paragraph::new(text), all);
    }
    let mut view = View { frame, now, colour };
    let footer = view.footer(app, all.width);
    let is_high = all.height >= 18;
    let [head, middle, block, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(5),
        Constraint::Length(if is_high { 4 } else { 3 }),
        Constraint::Length(footer.len().try_into().unwrap_or(1)),
    ])
    .areas(all);
    // The frames of neighbours share a line.
    let middle = Rect {
        height: middle.height + 1,
        ..middle
    };
    view.head(app, head);
    let right = match all.width >= WIDE {
        true => {
            let scopes = (all.width / 4).min(32);
            let columns = [Constraint::Length(scopes), Constraint::Min(30)];
            let [left, right] = Layout::horizontal(columns)
                .spacing(Spacing::Overlap(1))
                .areas(middle);
            view.scopes(app, left);
            Some(right)
        }
        false if app.pane == Pane::Scopes => {
            view.scopes(app, middle);
            None
        }
        false => Some(middle),
    };
    if let Some(right) = right {
        let parts = [Constraint::Fill(1), Constraint::Fill(1)];
        let [list, note] = Layout::vertical(parts)
            .spacing(Spacing::Overlap(1))
            .areas(right);
        view.notes(app, list);
        view.note(app, note);
    }
    view.block(app, block);
    view.frame.render_widget(Paragraph::new(footer), foot);
    view.dialog(app, all);
}

/// A text in one line, as a terminal may show it.
fn line(text: &str) -> String {
    visible(&masked(text))
}

struct View<'f, 'b> {
    frame: &'f mut Frame<'b>,
    now: Timestamp,
    colour: bool,
}

impl View<'_, '_> {
    fn fg(&self, colour: Color) -> Style {
        match self.colour {
            true => Style::new().fg(colour),
            false => Style::new(),
        }
    }

    /// The pane's frame with its title, and the room inside.
    fn pane(&mut self, title: &str, is_focused: bool, area: Rect) -> Rect {
        let style = match is_focused {
            true => self.fg(Color::Cyan).add_modifier(Modifier::BOLD),
            false => Style::new(),
        };
        let mark = if is_focused { "*" } else { "" };
        let title = Line::styled(format!(" {mark}{title} "), style);
        let block = Block::bordered()
            .merge_borders(MergeStrategy::Exact)
            .title(title);
        let inside = block.inner(area);
        self.frame.render_widget(block, area);
        inside
    }

    fn row(&mut self, area: Rect, index: usize, line: Line<'_>) {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        if index < area.height {
            let row = Rect {
                y: area.y + index,
                height: 1,
                ..area
            };
            self.frame.render_widget(line, row);
        }
    }

    fn head(&mut self, app: &App, area: Rect) {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let width = usize::from(area.width);
        let mut spans = vec![Span::styled(" waynote  ", bold)];
        let room = width.saturating_sub(14);
        match (&app.mode, &app.query) {
            (Mode::Search(words), _) => {
                spans.push(Span::styled("/ ", bold));
                spans.extend(typed(words, room));
            }
            (_, Some(query)) => {
                spans.push(Span::styled("/ ", bold));
                spans.push(Span::raw(end_of(&line(query), room)));
            }
            _ => spans.push(Span::raw(end_of(&line(&app.store), room))),
        }
        self.row(area, 0, Line::from(spans));
    }

    fn scopes(&mut self, app: &App, area: Rect) {
        let is_focused = app.pane == Pane::Scopes;
        let inside = self.pane("scopes", is_focused, area);
        let height = usize::from(inside.height);
        let top = app
            .row
            .saturating_sub(height / 2)
            .min(app.rows.len().saturating_sub(height));
        for (index, row) in app.rows.iter().enumerate().skip(top).take(height) {
            let at = if index == app.row { "▸" } else { " " };
            let number = row
                .notes
                .map_or(String::new(), |notes| grouped(notes) + " ");
            let (indent, mark) = match (&row.of, row.asks) {
                (None, _) => ("", ""),
                (Some(Listing::Scope(_)), true) => ("", "! "),
                (Some(Listing::Scope(_)), false) => ("  ", ""),
                _ => ("", ""),
            };
            let room = usize::from(inside.width)
                .saturating_sub(number.len() + indent.len() + mark.len() + 2);
            let name = end_of(&line(&row.name), room);
            let text = padded(
                &format!("{at}{indent}{mark}{name}"),
                &number,
                inside.width.into(),
            );
            let style = match (row.of.is_none(), row.asks) {
                (true, _) => Style::new().add_modifier(Modifier::BOLD),
                (_, true) => self.fg(Color::Yellow),
                _ => Style::new(),
            };
            let style = chosen(style, index == app.row, is_focused);
            self.row(inside, index - top, Line::styled(text, style));
        }
    }

    fn notes(&mut self, app: &mut App, area: Rect) {
        let is_focused = app.pane == Pane::Notes;
        let total = app.total();
        let title = match (&app.read, total) {
            (None, _) => "notes".into(),
            (_, 0) => "no notes".into(),
            (Some(read), _) => {
                let more = if read.is_more { "+" } else { "" };
                let found = if app.query.is_some() {
                    "found "
                } else {
                    "notes "
                };
                let at = grouped(app.chosen as u64 + 1);
                format!("{found}{at} of {}{more}", grouped(total as u64))
            }
        };
        let inside = self.pane(&title, is_focused, area);
        let lines = if inside.height >= 6 { 2 } else { 1 };
        let height = (usize::from(inside.height) / lines).max(1);
        app.height = height;
        let top = app
            .chosen
            .saturating_sub(height / 2)
            .min(total.saturating_sub(height));
        if total == 0 && app.read.is_some() {
            let text = match (&app.query, &app.list) {
                (Some(_), _) => "No note has these words.",
                (_, Listing::Here) => "No note applies in this directory. e writes its note.",
                (_, Listing::Latest) => "There are no notes yet. e writes that of this directory.",
                _ => "Nothing is noted here.",
            };
            for (index, text) in wrapped(text, usize::from(inside.width) - 2)
                .iter()
                .enumerate()
            {
                self.row(inside, index, Line::raw(format!(" {text}")));
            }
        }
        for index in top..total.min(top + height) {
            let at = (index - top) * lines;
            let is_chosen = index == app.chosen;
            let mark = if is_chosen { "▸" } else { " " };
            let Some(item) = app.at(index) else {
                self.row(inside, at, Line::raw(format!("{mark}…")));
                continue;
            };
            let [one, two] = self.item(item, mark, inside.width.into(), lines == 1);
            let style = |of: Style| chosen(of, is_chosen, is_focused);
            self.row(inside, at, one.patch_style(style(Style::new())));
            if lines == 2 {
                self.row(inside, at + 1, two);
            }
        }
    }

    /// The two lines of a note; in the first one, its text too if there is one line only.
    fn item(&self, item: &Item, mark: &str, width: usize, is_short: bool) -> [Line<'static>; 2] {
        let note = &item.note;
        let name = line(&name(item));
        let text = match &item.found {
            Some(found) => format!("{} {found}", table::stale(note).trim_start()),
            None => table::preview(note),
        };
        let text = line(text.trim_start());
        let pinned = if note.pinned { "pinned" } else { "" };
        let age = when::ago(note.updated_at, self.now);
        let end = format!("  {pinned}  {age} ");
        let room = width.saturating_sub(end.width() + 1);
        let name = match is_short {
            true => format!("{name}  {text}"),
            false => name,
        };
        let name = start_of(&name, room);
        let blanks = " ".repeat(room.saturating_sub(name.width()));
        let of_type = note
            .kind
            .as_ref()
            .map_or(Style::new(), |kind| self.of_type(kind));
        let first = Line::from(vec![
            Span::raw(mark.to_owned()),
            Span::styled(name, of_type.add_modifier(Modifier::BOLD)),
            Span::raw(blanks + "  "),
            Span::styled(pinned, self.fg(Color::Cyan)),
            Span::raw(format!("  {age} ")),
        ]);
        let second = start_of(&text, width.saturating_sub(3));
        [first, Line::raw(format!("  {second}"))]
    }

    fn of_type(&self, kind: &EntryType) -> Style {
        self.fg(match session_view::style(kind).get_fg_color() {
            Some(anstyle::Color::Ansi(anstyle::AnsiColor::Red)) => Color::Red,
            Some(anstyle::Color::Ansi(anstyle::AnsiColor::Green)) => Color::Green,
            Some(anstyle::Color::Ansi(anstyle::AnsiColor::Cyan)) => Color::Cyan,
            _ => Color::Yellow,
        })
    }

    fn note(&mut self, app: &mut App, area: Rect) {
        let is_focused = app.pane == Pane::Note;
        let title = match (app.about(), app.item()) {
            (Some(_), _) => "session".into(),
            (_, Some(item)) => start_of(
                &line(&item.note.address.masked()),
                usize::from(area.width) - 6,
            ),
            _ => "note".into(),
        };
        let inside = self.pane(&title, is_focused, area);
        let width = usize::from(inside.width).saturating_sub(2);
        let (text, last) = match (app.about(), app.item()) {
            (Some(about), _) => (about.to_owned(), String::new()),
            (_, Some(item)) => (text_of(item), self.about_note(app, item)),
            _ => return,
        };
        let mut rows = wrapped(&text, width);
        let foot = wrapped(&last, width);
        let foot = if last.is_empty() { &[][..] } else { &foot[..] };
        let height = usize::from(inside.height).saturating_sub(foot.len()).max(1);
        app.scroll_end = rows.len().saturating_sub(height);
        app.scroll = app.scroll.min(app.scroll_end);
        if app.pane == Pane::Note {
            app.height = height;
        }
        let more = rows.len().saturating_sub(app.scroll + height);
        rows.drain(..app.scroll);
        rows.truncate(height);
        if more > 0
            && let Some(last) = rows.last_mut()
        {
            *last = format!("… {} more", plural(more as u64 + 1, "line"));
        }
        for (index, row) in rows.into_iter().enumerate() {
            self.row(inside, index, Line::raw(format!(" {row}")));
        }
        let dim = Style::new().add_modifier(Modifier::DIM);
        for (index, row) in foot.iter().enumerate() {
            self.row(inside, height + index, Line::styled(format!(" {row}"), dim));
        }
    }

    /// The line below a note: its revision, author, age, tokens, and how often sessions were given it.
    fn about_note(&self, app: &App, item: &Item) -> String {
        let note = &item.note;
        let mut parts = vec![match note.seen() {
            Some(seen) if seen > 1 => format!("seen {seen} times"),
            Some(_) => "entry".into(),
            None => format!("revision {}", note.revision),
        }];
        parts.push(line(note.author.as_str()));
        parts.push(when::ago(note.updated_at, self.now));
        let tokens = waynote_tokens::count(&note.content.shown());
        parts.push(plural(tokens as u64, "token"));
        parts.extend(note.resolved_by.map(|_| "resolved".into()));
        let sessions = app.read.as_ref().map_or(0, |read| read.sessions);
        if sessions > 0 {
            let given = item.given;
            parts.push(format!(
                "given to {given} of {}",
                plural(sessions as u64, "session")
            ));
        }
        parts.join(" · ")
    }

    fn block(&mut self, app: &App, area: Rect) {
        let Some(receipt) = &app.receipt else {
            self.pane("block of this directory", false, area);
            return;
        };
        let budget = match receipt.budget {
            0 => "no limit".into(),
            budget => format!(
                "{} of {} tokens",
                grouped(receipt.tokens as u64),
                grouped(budget as u64)
            ),
        };
        let inside = self.pane(&format!("block of this directory: {budget}"), false, area);
        let parts = sections(receipt);
        let width = usize::from(inside.width).saturating_sub(2);
        let colours = [
            Color::Magenta,
            Color::Green,
            Color::Cyan,
            Color::Yellow,
            Color::Gray,
        ];
        let whole = receipt
            .budget
            .max(parts.iter().map(|(_, tokens)| tokens).sum())
            .max(1);
        let (mut bar, mut legend, mut used) = (vec![Span::raw(" ")], vec![Span::raw(" ")], 0);
        for (((name, tokens), shade), colour) in parts.into_iter().zip(SHADES).zip(colours) {
            if tokens == 0 {
                continue;
            }
            let style = self.fg(colour);
            let columns = (tokens * width).div_ceil(whole).min(width - used);
            used += columns;
            bar.push(Span::styled(shade.repeat(columns), style));
            legend.push(Span::styled(shade.to_owned(), style));
            legend.push(Span::raw(format!(" {name} {}   ", grouped(tokens as u64))));
        }
        if legend.len() == 1 {
            legend.push(Span::raw("nothing"));
        }
        for (notes, what) in [(receipt.lines, "shortened"), (receipt.left_out, "left out")] {
            if notes > 0 {
                legend.push(Span::raw(format!("{} {what}   ", plural(notes, "note"))));
            }
        }
        if inside.height > 1 {
            self.row(inside, 0, Line::from(bar));
        }
        let last = usize::from(inside.height).saturating_sub(1);
        self.row(inside, last, Line::from(legend));
    }

    /// The lines at the bottom: what happened, or the keys.
    fn footer(&self, app: &App, width: u16) -> Vec<Line<'static>> {
        let width = usize::from(width).saturating_sub(2);
        let yellow = self.fg(Color::Yellow);
        let text = match &app.mode {
            Mode::Delete(address, _) => {
                let shown = line(&address.masked());
                format!("Delete {shown}? y deletes it (u brings it back), any other key keeps it.")
            }
            Mode::Search(_) => "type words · enter to the notes · Esc ends the search".into(),
            Mode::Answer(..) => "enter answers · Esc leaves it".into(),
            _ if !app.said.is_empty() => lines(&masked(&app.said)),
            _ if app.waits_long() => "waiting for the store …".into(),
            _ => {
                let keys =
                    "j k move  / search  e edit  p pin  u undo  a answer  tab pane  ? keys  q quit";
                let short = "j k  / search  e edit  u undo  tab pane  ? keys  q";
                let keys = if keys.len() <= width { keys } else { short };
                return vec![Line::raw(format!(" {keys}"))];
            }
        };
        let mut rows = wrapped(text.trim(), width);
        rows.truncate(MESSAGE);
        let rows = rows.into_iter();
        rows.map(|row| Line::styled(format!(" {row}"), yellow))
            .collect()
    }

    fn dialog(&mut self, app: &App, all: Rect) {
        let width = all.width.saturating_sub(4).min(76);
        let inner = usize::from(width) - 4;
        let (title, rows): (String, Vec<Line<'static>>) = match &app.mode {
            Mode::Keys => {
                let rows = KEYS.iter().flat_map(|(key, what)| {
                    let what = wrapped(what, inner - 18);
                    what.into_iter().enumerate().map(move |(index, what)| {
                        let key = if index == 0 { *key } else { "" };
                        Line::raw(format!("{key:<18}{what}"))
                    })
                });
                ("keys".into(), rows.collect())
            }
            Mode::Answer(session, question, words) => {
                let asked = wrapped(&lines(&masked(&question.question)), inner);
                let mut rows: Vec<Line<'_>> = asked.into_iter().map(Line::raw).collect();
                rows.truncate(usize::from(all.height).saturating_sub(6));
                let mut spans = vec![Span::raw("> ")];
                spans.extend(typed(words, inner - 4));
                rows.extend([Line::raw(""), Line::from(spans)]);
                let iteration = question.iteration;
                (
                    format!("{} asks (#{iteration})", line(session.as_str())),
                    rows,
                )
            }
            _ => return,
        };
        let height = u16::try_from(rows.len() + 2)
            .unwrap_or(u16::MAX)
            .min(all.height);
        let area = Rect {
            x: (all.width - width) / 2,
            y: (all.height - height) / 2,
            width,
            height,
        };
        self.frame.render_widget(Clear, area);
        let inside = self.pane(&title, true, area);
        for (index, row) in rows.into_iter().enumerate() {
            let room = Rect {
                x: inside.x + 1,
                width: inside.width - 2,
                ..inside
            };
            self.row(room, index, row);
        }
    }
}

/// A line that is being typed, with the cursor on the character that it stands before.
fn typed(words: &typed::Line, room: usize) -> [Span<'static>; 3] {
    let (before, after) = words.parts();
    let mut after = after.chars();
    let under = after
        .next()
        .map_or(" ".into(), |char| line(&char.to_string()));
    [
        Span::raw(end_of(&line(&before), room)),
        Span::styled(under, Style::new().add_modifier(Modifier::REVERSED)),
        Span::raw(line(after.as_str())),
    ]
}

fn chosen(style: Style, is_chosen: bool, is_focused: bool) -> Style {
    match (is_chosen, is_focused) {
        (true, true) => style.add_modifier(Modifier::REVERSED),
        (true, false) => style.add_modifier(Modifier::UNDERLINED),
        _ => style,
    }
}

/// A note's name in a list. An entry is known by its iteration and its type; its id tells nothing.
fn name(item: &Item) -> String {
    let note = &item.note;
    match &note.address {
        Address::Session(session, _) => {
            let kind = note.kind.as_ref().map_or("entry", EntryType::as_str);
            let iteration = table::iteration(note.iteration);
            let resolved = note.resolved_by.map_or("", |_| " (resolved)");
            format!("session:{session} {iteration} {kind}{resolved}")
        }
        address => address.masked(),
    }
}

/// The text of a note, as a terminal may show it.
fn text_of(item: &Item) -> String {
    let note = &item.note;
    let text = lines(&masked(&note.content.shown().replace("\r\n", "\n")));
    match table::stale(note).trim_start() {
        "" => text,
        stale => format!("{}\n{text}", line(stale)),
    }
}

/// The tokens of each section of a block, and of what is around them.
fn sections(receipt: &Receipt) -> [(&'static str, usize); 5] {
    let of = |section: Section| {
        let claims = receipt.claims.iter();
        let tokens = claims
            .filter(|claim| claim.section == section)
            .map(|claim| claim.tokens);
        (section.as_str(), tokens.sum())
    };
    let [one, two, three, four] = Section::ALL.map(of);
    [
        one,
        two,
        three,
        four,
        ("headings", receipt.headings + receipt.last_line),
    ]
}
