//! Conditions on platforms and versions, as sets of platforms and in words.

use visakit_spec_tools::export::{Bound, Platform};

/// Platforms of the specification, for conditions.
pub(crate) struct Platforms<'a>(pub(crate) &'a [Platform]);

impl Platforms<'_> {
    /// Returns the position of a platform by any of its names; a name of several rows stands for
    /// the first.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let is = |known: &String| known.eq_ignore_ascii_case(name);
        self.0
            .iter()
            .position(|one| is(&one.name))
            .or_else(|| self.0.iter().position(|one| one.aliases.iter().any(is)))
    }

    /// Returns true if a platform fulfils all conditions. Conditions on versions hold.
    fn holds(&self, platform: usize, bounds: &[Bound]) -> bool {
        bounds.iter().all(|bound| match bound {
            Bound::FromPlatform(name) => self.position(name).is_none_or(|from| platform >= from),
            Bound::BeforePlatform(name) => self.position(name).is_none_or(|before| platform < before),
            Bound::OnlyPlatform(name) => self.position(name).is_none_or(|only| platform == only),
            Bound::FromVersion(_) | Bound::BeforeVersion(_) => true,
        })
    }

    /// Returns for each platform whether one of the alternatives holds; no alternative means all.
    pub(crate) fn on(&self, alternatives: &[Vec<Bound>]) -> Vec<bool> {
        let any = |at| alternatives.is_empty() || alternatives.iter().any(|bounds| self.holds(at, bounds));
        (0..self.0.len()).map(any).collect()
    }

    /// Returns the names of the platforms on which one of the alternatives holds, for the filter;
    /// empty if they hold everywhere.
    pub(crate) fn filter(&self, alternatives: &[Vec<Bound>]) -> String {
        let on = self.on(alternatives);
        if on.iter().all(|on| *on) {
            return String::new();
        }
        // A fact of no platform must not look like a fact of all.
        let names: Vec<&str> =
            self.0.iter().zip(&on).filter(|(_, on)| **on).map(|(one, _)| one.name.as_str()).collect();
        if names.is_empty() { "-".to_owned() } else { names.join(" ") }
    }
}

/// Describes alternatives of conditions in words; `all platforms` if there are none.
pub(crate) fn said(alternatives: &[Vec<Bound>]) -> String {
    if alternatives.iter().all(Vec::is_empty) {
        return "all platforms".to_owned();
    }
    alternatives.iter().map(|bounds| words(bounds)).collect::<Vec<_>>().join(", or ")
}

/// Describes conditions in words; empty if there are none.
pub(crate) fn words(bounds: &[Bound]) -> String {
    let word = |bound: &Bound| match bound {
        Bound::FromPlatform(name) => format!("since {name}"),
        Bound::BeforePlatform(name) => format!("until before {name}"),
        Bound::OnlyPlatform(name) => format!("only {name}"),
        Bound::FromVersion(version) => format!("since version {version}"),
        Bound::BeforeVersion(version) => format!("before version {version}"),
    };
    bounds.iter().map(word).collect::<Vec<_>>().join(" ")
}
