//! Parser of the section: YAML with limits on its numbers.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use visakit_diag::{Diagnostic, QUOTED, Severity};

use super::{Keys, ZeInfo};
use crate::limits::{SIMD_SIZES, YAML_DEPTH, YAML_NODES};

/// Parses the section. `file` is the name of the zebin, or of the YAML file.
///
/// # Errors
/// Fails if the text is not YAML, or a documented key has a value of the wrong kind. The message
/// has the line and column in `.ze_info`.
pub fn parse(file: &str, text: &str) -> Result<ZeInfo, Box<Diagnostic>> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: YAML_DEPTH,
            max_nodes: YAML_NODES,
            max_events: YAML_NODES * 2,
        },
    };
    let mut info: ZeInfo = serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let message = first_line(&error.without_snippet().to_string());
        // The parser has its own recursion limit.
        let help = match message.contains("recursion limit") {
            true => format!("lists and maps may be nested at most {YAML_DEPTH} deep"),
            false => "the argument layout cannot be read; zebin-spec/zeinfo.md lists the keys".to_owned(),
        };
        let mut finding =
            Diagnostic::new("ze-info-syntax", Severity::Error, format!("{file}(.ze_info)"), message).help(help);
        if let Some(place) = error.location() {
            finding.line = u32::try_from(place.line()).unwrap_or(0);
            finding.column = u32::try_from(place.column()).unwrap_or(0);
            let line = usize::try_from(place.line()).unwrap_or(0);
            finding.quote = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().to_owned();
        }
        Box::new(finding)
    })?;
    // One unknown key is enough to refuse a kernel; copies of all would take quadratic memory.
    let first = Keys { place: info.keys.place.clone(), unknown: info.keys.unknown.iter().take(1).cloned().collect() };
    for kernel in &mut info.kernels {
        kernel.section = first.clone();
    }
    let mut places: Vec<_> = info.kernels.iter_mut().flat_map(|kernel| kernel.places_mut()).collect();
    places.sort_by_key(|place| place.line);
    let mut lines = (1..).zip(text.lines());
    let mut last = (0, "");
    for place in places {
        if last.0 < place.line {
            last = lines.find(|(number, _)| *number == place.line).unwrap_or_default();
        }
        place.quote = if last.1.len() < QUOTED { last.1.to_owned() } else { String::new() };
    }
    Ok(info)
}

/// Deserialises a number of at most `MOST`.
pub(super) fn at_most<'de, const MOST: u32, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    within::<MOST, D>(u32::deserialize(from)?)
}

/// Deserialises an optional number of at most `MOST`.
pub(super) fn some_at_most<'de, const MOST: u32, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    Option::deserialize(from)?.map(within::<MOST, D>).transpose()
}

fn within<'de, const MOST: u32, D: Deserializer<'de>>(number: u32) -> Result<u32, D::Error> {
    let refused = || D::Error::custom(format!("{number} is too large; the limit is {MOST}"));
    (number <= MOST).then_some(number).ok_or_else(refused)
}

/// Deserialises the number of channels of a thread.
pub(super) fn simd_size<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let size = u32::deserialize(from)?;
    let refused = || {
        D::Error::custom(format!(
            "the number of channels of a thread must be 1, 8, \
     16 or 32, not {size}"
        ))
    };
    SIMD_SIZES.contains(&size).then_some(size).ok_or_else(refused)
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::{AddrMode, ArgType};
    use crate::limits::{ARGUMENT_INDEX, PAYLOAD_BYTES, PRIVATE_BYTES, SLM_BYTES};

    const SMALL: &str = "---
version: '1.20'
kernels:
  - name: k
    something_new: { a: [1, 2] }
    execution_env:
      grf_count: 128
      simd_size: 16
      required_work_group_size: [ 16, 2, 1 ]
    payload_arguments:
      - arg_type: arg_bypointer
        offset: 0
        size: 0
        arg_index: 0
        addrmode: stateful
        addrspace: global
        access_type: readonly
      - arg_type: from_the_future
        offset: 32
        size: 8
...
";

    #[test]
    fn reads_known_keys_and_passes_over_others() {
        let info = parse("k.zebin", SMALL).unwrap();
        let kernel = &info.kernels[0];
        assert_eq!(kernel.execution_env.simd_size, 16);
        assert_eq!(kernel.execution_env.required_work_group_size, [16, 2, 1]);
        assert_eq!(kernel.execution_env.work_group_walk_order_dimensions, [0, 1, 2]);
        assert_eq!(kernel.payload_arguments[0].arg_type, ArgType::ByPointer);
        assert_eq!(kernel.payload_arguments[0].addrmode, Some(AddrMode::Stateful));
        assert_eq!(kernel.payload_arguments[1].arg_type.to_string(), "from_the_future");
    }

    #[test]
    fn unknown_keys_are_kept_with_their_places() {
        let text = SMALL
            .replace("size: 8", "size: 8\n        gap: { of: 3 }")
            .replace("grf_count: 128", "grf_count: 128\n      has_sample: true\n      has_wings: true");
        let info = parse("k.zebin", &text).unwrap();
        let found: Vec<_> = info.kernels[0].unknown_keys().collect();
        let places: Vec<_> = found
            .iter()
            .map(|(what, key, place)| (*what, *key, place.line, place.column, place.quote.as_str()))
            .collect();
        assert_eq!(
            places,
            [
                ("a kernel", "something_new", 5, 5, "    something_new: { a: [1, 2] }"),
                ("an execution environment", "has_wings", 9, 7, "      has_wings: true"),
                ("a payload argument", "gap", 23, 9, "        gap: { of: 3 }"),
            ]
        );
        let second = &info.kernels[0].payload_arguments[1].keys.place;
        assert_eq!((second.line, second.quote.as_str()), (20, "      - arg_type: from_the_future"));
    }

    #[test]
    fn wrong_values_are_located() {
        let text = SMALL.replace("simd_size: 16", "simd_size: sixteen");
        let error = parse("k.zebin", &text).unwrap_err();
        assert_eq!((error.code, error.line), ("ze-info-syntax", 8), "{error:?}");
        assert!(error.quote.contains("sixteen"));
    }

    /// Each number is accepted at its limit, and refused at its place just above.
    #[test]
    fn limits_are_located() {
        for (key, most) in [
            ("execution_env: { slm_size: N }", SLM_BYTES),
            ("execution_env: { private_size: N }", PRIVATE_BYTES),
            ("execution_env: { inline_data_payload_size: N }", PAYLOAD_BYTES),
            ("payload_arguments: [{ arg_type: arg_byvalue, arg_index: N }]", ARGUMENT_INDEX),
            ("payload_arguments: [{ arg_type: arg_byvalue, source_offset: N }]", PAYLOAD_BYTES),
            ("payload_arguments: [{ arg_type: arg_byvalue, offset: N }]", PAYLOAD_BYTES),
            ("payload_arguments: [{ arg_type: arg_byvalue, size: N }]", PAYLOAD_BYTES),
            ("payload_arguments: [{ arg_type: arg_byvalue, slm_alignment: N }]", SLM_BYTES),
            ("binding_table_indices: [{ bti_value: 0, arg_index: N }]", ARGUMENT_INDEX),
            ("per_thread_memory_buffers: [{ type: global, usage: private_space, size: N }]", PRIVATE_BYTES),
        ] {
            let text =
                |number: u32| format!("kernels:\n  - name: k\n    {}\n", key.replace('N', &number.to_string()));
            assert!(parse("k", &text(most)).is_ok(), "{key}");
            for number in [most + 1, u32::MAX] {
                let error = parse("k", &text(number)).unwrap_err();
                assert_eq!((error.code, error.line), ("ze-info-syntax", 3), "{key}: {error:?}");
                assert!(error.message.contains(&format!("the limit is {most}")), "{error:?}");
            }
        }
        for size in [0, 2, 9, 31, 33] {
            let error = parse("k", &SMALL.replace("simd_size: 16", &format!("simd_size: {size}"))).unwrap_err();
            assert!(error.line == 8 && error.message.contains("1, 8, 16 or 32"), "{error:?}");
        }
        for size in SIMD_SIZES {
            assert!(parse("k", &SMALL.replace("simd_size: 16", &format!("simd_size: {size}"))).is_ok());
        }
    }

    #[test]
    fn yaml_has_a_depth_and_a_size() {
        let nested = |depth: usize| format!("other: {}{}\n", "[".repeat(depth - 1), "]".repeat(depth - 1));
        assert!(parse("k", &nested(YAML_DEPTH)).is_ok());
        for depth in [YAML_DEPTH + 1, 100_000] {
            let error = parse("k", &nested(depth)).unwrap_err();
            assert!(error.line == 1, "{error:?}");
            let said = format!("{} {}", error.message, error.help);
            assert!(said.contains("depth") || said.contains("64 deep"), "{error:?}");
        }
        // The map, the key and the list count as nodes too.
        let long = |nodes: usize| format!("other: [{}]\n", "1,".repeat(nodes - 3));
        assert!(parse("k", &long(YAML_NODES)).is_ok());
        let error = parse("k", &long(YAML_NODES + 1)).unwrap_err();
        assert!(error.message.contains("nodes"), "{error:?}");
    }
}
