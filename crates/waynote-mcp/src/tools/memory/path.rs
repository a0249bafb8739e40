//! Paths below `/memories`, and the notes that they are.
//!
//! The file `/memories/a/b.md` of agent NAME is the note of the place `/memories/NAME/a/b.md`: a path is a path, so any
//! name fits, directories are those above a file, and each agent has its own files.

use waynote::{Base, Name, Place};

use crate::reply::Refusal;

/// The root directory of all files.
pub(super) const ROOT: &str = "/memories";

/// A path at or below `/memories`, without `.`, `..` and double slashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Path(String);

impl Path {
    pub(super) fn read(typed: &str) -> Result<Self, Refusal> {
        let outside = || {
            Refusal::only(format!(
                "Path must start with {ROOT}, got: {}",
                shown(typed)
            ))
        };
        let inside = typed.strip_prefix(ROOT).ok_or_else(outside)?;
        if !inside.is_empty() && !inside.starts_with('/') {
            return Err(outside());
        }
        let mut parts: Vec<&str> = Vec::new();
        for part in inside.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or_else(|| escape(typed))?;
                }
                part => parts.push(part),
            }
        }
        let decoded = percent_encoding::percent_decode_str(inside).decode_utf8_lossy();
        if decoded.split(['/', '\\']).any(|part| part == "..")
            && !inside.split('/').any(|part| part == "..")
        {
            // Hidden steps upwards are meant for another program; here they would only be odd names.
            return Err(escape(typed));
        }
        let path = parts.iter().map(|part| format!("/{part}")).collect();
        Ok(Self(path))
    }

    /// A path made from a place's name.
    pub(super) fn of_place(place: &str, agent: &Name) -> Option<Self> {
        let inside = place.strip_prefix(&top(agent))?;
        (inside.is_empty() || inside.starts_with('/')).then(|| Self(inside.to_owned()))
    }

    pub(super) fn place(&self, agent: &Name) -> Result<Place, Refusal> {
        // The path is absolute, so neither home nor a working directory matters.
        let base = Base::new("/nowhere", "/")?;
        Ok(Place::resolve(&format!("{}{}", top(agent), self.0), &base)?)
    }

    pub(super) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The directories above it, the nearest first, without `/memories` itself.
    pub(super) fn above(&self) -> Vec<Self> {
        let cuts = self.0.rmatch_indices('/').map(|(cut, _)| cut);
        cuts.filter(|cut| *cut > 0)
            .map(|cut| Self(self.0[..cut].to_owned()))
            .collect()
    }

    /// Its path relative to a directory above it: `a/b`, or empty for the directory itself.
    pub(super) fn below<'p>(&'p self, directory: &Self) -> Option<&'p str> {
        let rest = self.0.strip_prefix(&directory.0)?;
        if rest.is_empty() {
            return Some(rest);
        }
        rest.strip_prefix('/')
    }

    /// The same file below another directory.
    pub(super) fn moved(&self, from: &Self, to: &Self) -> Option<Self> {
        match self.below(from)? {
            "" => Some(to.clone()),
            rest => Some(Self(format!("{}/{rest}", to.0))),
        }
    }

    pub(super) fn join(&self, part: &str) -> Self {
        Self(format!("{}/{part}", self.0))
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{ROOT}{}", shown(&self.0))
    }
}

/// The place with an agent's files.
fn top(agent: &Name) -> String {
    let name = agent.as_str().replace('%', "%25").replace('/', "%2F");
    let name = match name.as_str() {
        "." => "%2E",
        ".." => "%2E%2E",
        name => name,
    };
    format!("{ROOT}/{name}")
}

fn escape(typed: &str) -> Refusal {
    Refusal::only(format!(
        "Path {} would escape {ROOT} directory",
        shown(typed)
    ))
}

fn shown(text: &str) -> String {
    waynote::visible::visible(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_at_or_below_memories_are_taken() {
        let read = |typed: &str| Path::read(typed).map(|path| path.to_string()).ok();
        assert_eq!(read("/memories"), Some("/memories".into()));
        assert_eq!(read("/memories/"), Some("/memories".into()));
        assert_eq!(
            read("/memories//a/./b/../C.md"),
            Some("/memories/a/C.md".into())
        );
        for outside in [
            "/memoriesX",
            "memories/a",
            "",
            "/etc/passwd",
            "/memories/..",
            "/memories/../etc",
            "/memories/a/../../b",
            "/memories/%2e%2e/etc",
            "/memories/..\\x",
        ] {
            assert_eq!(read(outside), None, "{outside}");
        }
    }

    #[test]
    fn a_path_is_a_place_of_its_agent() {
        let agent = |name: &str| name.parse::<Name>().unwrap();
        let path = Path::read("/memories/a/b.md").unwrap();
        let place = path.place(&agent("default")).unwrap();
        assert_eq!(place.as_str(), "/memories/default/a/b.md");
        assert_eq!(
            Path::of_place(place.as_str(), &agent("default")),
            Some(path.clone())
        );
        assert_eq!(Path::of_place(place.as_str(), &agent("defaul")), None);
        assert_eq!(
            path.place(&agent("..")).unwrap().as_str(),
            "/memories/%2E%2E/a/b.md"
        );
        assert_eq!(
            path.place(&agent("x/y")).unwrap().as_str(),
            "/memories/x%2Fy/a/b.md"
        );
    }
}
