//! Patterns of paths, as git's `includeIf` and the setting `repos` have them: `*` and `?` stay within a part, `**` is any
//! number of parts.

/// True if the whole path fits the pattern. The time grows with the product of their lengths, whatever they are.
pub fn matches(pattern: &str, path: &str) -> bool {
    let mut pattern: Vec<&str> = pattern.split('/').collect();
    // What ends so fits all that is inside, and not the directory itself.
    if pattern.last() == Some(&"**") {
        pattern.push("*");
    }
    let path: Vec<&str> = path.split('/').collect();
    fits(
        &pattern,
        &path,
        |part| *part == "**",
        |of, part| part_matches(of, part),
    )
}

fn part_matches(pattern: &str, part: &str) -> bool {
    let chars = |text: &str| text.chars().collect::<Vec<char>>();
    let (pattern, part) = (chars(pattern), chars(part));
    fits(
        &pattern,
        &part,
        |of| *of == '*',
        |of, char| *of == '?' || of == char,
    )
}

/// Fits items to a pattern, in which some items are stars and stand for any number. Only the last star is tried again.
fn fits<T>(
    pattern: &[T],
    items: &[T],
    is_star: impl Fn(&T) -> bool,
    is_one: impl Fn(&T, &T) -> bool,
) -> bool {
    let (mut next, mut item) = (0, 0);
    let mut again = None;
    while item < items.len() {
        match (pattern.get(next), again) {
            (Some(of), _) if is_star(of) => {
                again = Some((next, item));
                next += 1;
            }
            (Some(of), _) if is_one(of, &items[item]) => {
                next += 1;
                item += 1;
            }
            (_, Some((star, from))) => {
                again = Some((star, from + 1));
                (next, item) = (star + 1, from + 1);
            }
            (_, None) => return false,
        }
    }
    pattern[next..].iter().all(is_star)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_within_a_part_and_two_do_not() {
        for (pattern, path, fits) in [
            ("/h/work/**", "/h/work/shop/.git", true),
            ("/h/work/**", "/h/work", false),
            ("**/shop/.git", "/h/work/shop/.git", true),
            ("**/shop/**", "/h/shop/a/.git", true),
            ("/h/*/shop", "/h/a/shop", true),
            ("/h/*/shop", "/h/a/b/shop", false),
            ("packages/?i*", "packages/pixel", true),
            ("packages/*", "packages", false),
        ] {
            assert_eq!(matches(pattern, path), fits, "{pattern} {path}");
        }
    }
}
