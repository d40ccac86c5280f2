//! Log of the compiler.

use crate::vendor::request::Response;

/// Name of the output that holds the log.
pub const LOG: &str = "stdout.log";

/// Lines about the progress of a build. The first is also present in builds that fail afterwards.
const PROGRESS: [&str; 2] = ["Build succeeded.", "Compilation from IR - skipping loading of FCL"];

/// Returns the messages of a build: the log without its progress.
pub fn messages(response: &Response) -> String {
    // In some releases the text ends with a zero byte.
    let log = String::from_utf8_lossy(response.output(LOG).unwrap_or_default()).replace('\0', "");
    let lines = log.lines().filter(|line| !PROGRESS.contains(&line.trim()));
    without_own_warnings(&lines.collect::<Vec<_>>())
}

/// Drops warnings about the compiler's own header from the lines of a log. In OpenCL C 2.0 and
/// later the precompiled headers cause one in each build for a device with doubles.
fn without_own_warnings(lines: &[&str]) -> String {
    let is_own = |line: &str, position: &str| {
        let included = line.starts_with("In file included from <built-in>:");
        included && position.starts_with("./CTHeader.h:") && position.contains(": warning: ")
    };
    let (mut log, mut rest) = (String::new(), lines);
    while let [line, after @ ..] = rest {
        rest = match after {
            // The position is followed by its line, a caret and, last, a blank line.
            [position, ..] if is_own(line, position) => match after.get(3..).unwrap_or_default() {
                ["", others @ ..] => others,
                others => others,
            },
            _ => {
                log += line;
                log.push('\n');
                after
            }
        };
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_about_the_own_header_are_dropped() {
        let own = ["In file included from <built-in>:2:", "./CTHeader.h:41:26: warning: unknown", "#pragma x", "  ^"];
        let other = ["In file included from 1:1:", "a.h:1:2: warning: unused", "int a;", "    ^"];
        let log = without_own_warnings(&[&own[..], &other, &own, &[""]].concat());
        assert_eq!(log.lines().collect::<Vec<_>>(), other);
        assert_eq!(without_own_warnings(&own[..2]), "");
        assert_eq!(without_own_warnings(&own[..1]), format!("{}\n", own[0]));
    }
}
