//! Misspelt phrases on real pages. Each phrase of the grammar, misspelt in many ways, is still
//! understood or is a finding at its line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use visakit_codegen::model::{Model, Page};
use visakit_codegen::phrase::{Fact, PHRASES, Phrase, said};
use visakit_codegen::{load, places, read_dir, read_placed};
use visakit_diag::Diagnostic;

#[test]
fn on_our_pages() {
    // Two phrases occur only in the vendor's pages, and `Index by` only in a chapter.
    assert_eq!(misspell(&visakit_testing::root().join("spec")), PHRASES.len() - 3);
}

#[test]
fn on_the_documents() {
    let Some(folder) = visakit_testing::upstream("on_the_documents") else { return };
    for revision in ["2022-12", "2025-02"] {
        // The vendor's documents lack the phrases of our grammar: shared lists, defaults, accesses,
        // copies and others.
        assert_eq!(misspell(&folder.join(revision)), 8, "{revision}");
    }
}

/// spec/README.md shows exactly the phrases of the table, each with its meaning.
#[test]
fn the_readme_has_the_same_phrases() {
    let text = std::fs::read_to_string(visakit_testing::root().join("spec/README.md")).unwrap();
    let (_, table) = text.split_once("| phrase | meaning |\n| --- | --- |\n").unwrap();
    let rows = table.lines().take_while(|l| l.starts_with('|'));
    let shown: Vec<&str> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
    for example in &shown {
        let read = said(example);
        let understood = matches!(read.as_slice(), [one] if one.problem.is_none() && one.fact.is_some());
        assert!(understood, "{example}: {read:?}");
    }
    let leads: BTreeSet<&str> = shown.iter().map(|e| said(e)[0].phrase.lead).collect();
    let vendors = ["MBZ", "Must have one of"];
    let table: BTreeSet<&str> = PHRASES.iter().map(|p| p.lead).filter(|l| !vendors.contains(l)).collect();
    assert_eq!(leads, table);
}

/// Correct pages have no findings of these kinds. In the vendor's documents the findings come from
/// facts in other words, and from prose that begins like a phrase.
#[test]
fn unchanged_pages_are_silent() {
    let (_, ours) = read_dir(&visakit_testing::root().join("spec")).unwrap();
    assert!(ours.is_empty(), "{ours:#?}");
    let Some(folder) = visakit_testing::upstream("unchanged_pages_are_silent") else { return };
    for (revision, ranges) in [("2022-12", 6), ("2025-02", 7)] {
        let (_, found) = read_dir(&folder.join(revision)).unwrap();
        let count = |code: &str| found.iter().filter(|d| d.code == code).count();
        // Facts that are not read: `Restriction: type UD` (4), `Valid value is` (2) and `index to
        // the string` (2).
        assert_eq!(count("phrase-unknown"), 8, "{revision}");
        // Facts that are not read: `See …` without a link (14), `Only for …`, `Only valid …` and
        // similar (9), `index of the variable` without a kind (5), types for some operations only
        // or with a remark (4).
        assert_eq!(count("phrase-syntax"), 32, "{revision}");
        // An index to a label in a field that is not an index, and a member's range followed by
        // more words.
        assert_eq!(count("phrase-idle"), 2, "{revision}");
        // Ranges whose ends are names, such as `[1-thread_group_size]`, and `0-4` without brackets.
        assert_eq!(count("range-syntax"), ranges, "{revision}");
        // Misspelt conditions: `Present only of` (2) and `present only for …` (2). One of the four
        // is on a member.
        assert_eq!(count("presence-syntax"), 4, "{revision}");
        // Members without bold names (7) or with an asterisk inside a name, and a condition in
        // prose.
        assert_eq!(count("structure-syntax"), 9, "{revision}");
        let never =
            ["mark-syntax", "mark-contradiction", "table-column", "list-syntax", "bits-syntax", "type-syntax"];
        let damage = ["item-broken", "heading-broken", "fence-broken", "list-gap", "link-name", "index-line"];
        for code in never.into_iter().chain(damage) {
            assert_eq!(count(code), 0, "{revision}: {code}");
        }
    }
}

/// Phrase on a page, for one test.
struct Site<'a> {
    page: &'a Page,
    at: usize,
    line: usize,
    lead: &'a str,
    wrong: Vec<String>,
}

/// Misspells each phrase on a page that has it. Returns the number of phrases in the folder.
#[track_caller]
fn misspell(folder: &Path) -> usize {
    let (pages, files) = load(folder).unwrap();
    let chapters = ["lists.md", "2_datatypes.md", "5_operands.md", "platforms.md"];
    let chapters: Vec<&Page> = pages.iter().filter(|p| chapters.contains(&p.path.as_str())).collect();
    let mut sites: Vec<Site<'_>> = Vec::new();
    // Each phrase gets its own page, so that one run tests one mistake of each phrase. The rarest
    // phrase chooses first.
    let having = |phrase: &Phrase| -> Vec<(&Page, usize)> {
        let instructions = pages.iter().filter(|p| p.path.starts_with("instructions/"));
        instructions.filter_map(|p| Some((p, place(p, phrase)?))).collect()
    };
    let mut all: Vec<_> = PHRASES.iter().map(|p| (p, having(p))).collect();
    all.sort_by_key(|(_, pages)| pages.len());
    for (phrase, having) in &all {
        let free = |(p, _): &&(&Page, usize)| !sites.iter().any(|s| s.page.path == p.path);
        let Some(&(page, at)) = having.iter().find(free) else { continue };
        let line = page.text[..at].matches('\n').count() + 1;
        let lead = &page.text[at..at + phrase.lead.len()];
        let wrong = mistakes(lead);
        assert!(wrong.len() >= 5, "{lead}");
        sites.push(Site { page, at, line, lead, wrong });
    }
    let read = |nth: Option<usize>| -> (Model, Vec<Diagnostic>) {
        let mut all: Vec<Page> = chapters.iter().map(|p| (*p).clone()).collect();
        for site in &sites {
            let wrong = nth.and_then(|n| site.wrong.get(n)).map_or(site.lead, String::as_str);
            let (head, tail) = (&site.page.text[..site.at], &site.page.text[site.at + site.lead.len()..]);
            all.push(Page { text: format!("{head}{wrong}{tail}"), ..site.page.clone() });
        }
        read_placed(all, Some(files.clone()))
    };
    let key = |d: &Diagnostic| (d.file.clone(), d.code, d.line, d.message.clone());
    let (right, before) = read(None);
    let facts = places(&right);
    let before: BTreeSet<_> = before.iter().map(key).collect();
    let most = sites.iter().map(|s| s.wrong.len()).max().unwrap_or(0);
    let mut missed = Vec::new();
    for nth in 0..most {
        let (model, findings) = read(Some(nth));
        let now = places(&model);
        for site in sites.iter().filter(|s| nth < s.wrong.len()) {
            let told = findings.iter().any(|d| {
                let here = d.file == site.page.shown && d.line as usize == site.line;
                here && !before.contains(&key(d)) && !d.help.is_empty()
            });
            if !told && said_by(&now, &model, site.page) != said_by(&facts, &right, site.page) {
                missed.push(format!("{}:{}: `{}` -> `{}`", site.page.path, site.line, site.lead, site.wrong[nth]));
            }
        }
    }
    assert!(missed.is_empty(), "{} mistakes go unnoticed:\n{}", missed.len(), missed.join("\n"));
    sites.len()
}

/// Returns the facts of a page among those of all places.
fn said_by(all: &BTreeMap<String, BTreeSet<String>>, model: &Model, page: &Page) -> Vec<(String, BTreeSet<String>)> {
    let of = |at: u32| model.pages.get(at as usize).is_some_and(|p| p.path == page.path);
    let names: Vec<String> =
        model.instructions.iter().filter(|i| of(i.at.page)).map(|i| format!("{} ", i.name)).collect();
    assert!(!names.is_empty(), "{}", page.path);
    all.iter().filter(|(p, _)| names.iter().any(|n| p.starts_with(n))).map(|(p, f)| (p.clone(), f.clone())).collect()
}

/// Returns the offset at which a field, bits or a member of a page has the phrase as a fact.
fn place(page: &Page, phrase: &Phrase) -> Option<usize> {
    let mut start = 0;
    for line in page.text.split_inclusive('\n') {
        let from = start;
        start += line.len();
        let bare = line.trim_start();
        if !bare.starts_with("- **") && !bare.starts_with("- Bit[") {
            continue;
        }
        let behind = line.find("** ").or_else(|| line.find("]: ")).map_or(line.len(), |i| i + 3);
        let fact = said(&line[behind..]).into_iter().find(|s| {
            s.phrase.lead == phrase.lead && s.problem.is_none() && !matches!(s.fact, Some(Fact::ValuesFollow))
        });
        // The vendor's pages have some double blanks.
        let start_of = |r: &std::ops::Range<usize>| line[behind..][r.clone()].starts_with(char::is_uppercase);
        // In the middle of a sentence a misspelt phrase is prose.
        let fact = fact.filter(|s| {
            start_of(&s.range) || line[behind..].trim_start().starts_with(&line[behind..][s.range.clone()])
        });
        let of = |s: &std::ops::Range<usize>| line[behind..][s.clone()].get(..phrase.lead.len()).map(str::to_owned);
        if let Some(found) = fact.filter(|s| of(&s.range).is_some_and(|t| t.eq_ignore_ascii_case(phrase.lead))) {
            return Some(from + behind + found.range.start);
        }
    }
    None
}

/// Returns all variants of a phrase with one mistake.
fn mistakes(lead: &str) -> Vec<String> {
    let words: Vec<&str> = lead.split(' ').collect();
    let mut out = BTreeSet::new();
    let mut with = |i: usize, word: String| {
        let mut all: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        all[i] = word;
        out.insert(all.iter().filter(|w| !w.is_empty()).cloned().collect::<Vec<_>>().join(" "));
    };
    for (i, word) in words.iter().enumerate() {
        let letters: Vec<char> = word.chars().collect();
        let colon = if word.ends_with(':') { ":" } else { "" };
        let bare = word.trim_end_matches(':');
        for at in [1, bare.len() - 1] {
            let (head, tail) = (letters[..at].iter().collect::<String>(), &letters[at..]);
            let rest = |n: usize| tail.get(n..).unwrap_or(&[]).iter().collect::<String>();
            with(i, format!("{head}{}", rest(1)));
            with(i, format!("{head}{0}{0}{1}", letters[at], rest(1)));
            with(i, format!("{head}x{}", rest(1)));
            if let [a, b, ..] = tail {
                with(i, format!("{head}{b}{a}{}", rest(2)));
            }
        }
        with(i, format!("{bare}s{colon}"));
        with(i, bare.to_owned());
        with(i, format!("{bare}:"));
        if words.len() > 1 {
            with(i, String::new());
        }
        if *word == "zero" {
            with(i, "0".to_owned());
        }
    }
    out.insert(lead.to_uppercase());
    out.insert(lead.to_lowercase());
    out.insert(lead.replace(' ', ""));
    out.insert(format!("{lead} the"));
    out.insert(format!("The {lead}"));
    out.remove(lead);
    out.into_iter().collect()
}
