//! Inputs and outputs of a launch: arguments by name, patterns, pictures, printed and expected
//! results, faults as JSON.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use visakit_emulator::machine::memory::FIXED;

/// Temporary folder, removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("visakit-options-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn example(name: &str, platform: &str) -> String {
    visakit_testing::root().join(format!("examples/{name}/{name}.{platform}.zebin")).display().to_string()
}

/// Runs `visa run` and returns the exit code, standard output and standard error.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_visa")).arg("run").args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Runs `visa run --format json` and returns the exit code and the object.
fn run_json(arguments: &[&str]) -> (Option<i32>, Value) {
    let (exit, out, err) = run(&[arguments, &["--format", "json"]].concat());
    (exit, serde_json::from_str(&out).unwrap_or_else(|e| panic!("{arguments:?}: {e}\n{out}\n{err}")))
}

/// Arguments of ten sums, all by name: `a` is 0 to 9, and each element of `b` is 0.5.
fn sums<'a>(zebin: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let names = ["--arg", "n=u32:10", "--arg", "a=range:f32:10", "--arg", "b=fill:f32:10:0.5", "--arg", "c=zeros:40"];
    [&[zebin, "--global", "10"], &names[..], more].concat()
}

/// Memory at an address: an argument points into it, and its contents are read through surfaces and
/// by address.
#[test]
fn memory_has_an_address() {
    let scratch = Scratch::new("memory");
    let bytes: Vec<u8> = (0..20).flat_map(|n| (n as f32).to_le_bytes()).collect();
    std::fs::write(scratch.file("m.bin"), bytes).unwrap();
    let memory = format!("0x{:x}:{}", FIXED, scratch.file("m.bin"));
    let pointer = format!("--arg=a=u64:{}", FIXED + 40);
    for platform in ["skl", "tgllp", "dg2", "pvc"] {
        let zebin = example("vector_add", platform);
        let given = ["--arg=n=u32:10", "--arg=b=fill:f32:10:0.5", "--arg=c=zeros:40", "--expect=c=range:f32:10:10.5"];
        let all = [&[zebin.as_str(), "--global=10", pointer.as_str()][..], &given].concat();
        let (exit, out, err) = run(&[&all[..], &["--memory", &memory]].concat());
        assert_eq!(exit, Some(0), "{platform}: {out}{err}");
        assert_eq!(run(&all).0, Some(1), "{platform}");
    }
    let (exit, _, err) = run(&sums(&example("vector_add", "skl"), &["--memory", "0x10"]));
    assert!(exit == Some(2) && err.contains("memory-place"), "{err}");
}

#[test]
fn arguments_have_names() {
    let (scratch, zebin) = (Scratch::new("names"), example("vector_add", "skl"));
    let dump = format!("c={}", scratch.file("c.bin"));
    let (exit, out, err) = run(&sums(&zebin, &["--dump", &dump]));
    assert_eq!((exit, out.as_str()), (Some(0), ""), "{err}");
    assert_eq!(err, format!("wrote {} (40 bytes)\n", scratch.file("c.bin")));
    let expected: Vec<u8> = (0..10).flat_map(|n| (n as f32 + 0.5).to_le_bytes()).collect();
    assert_eq!(std::fs::read(scratch.file("c.bin")).unwrap(), expected);
    assert_eq!(run(&sums(&zebin, &["--dump", &dump, "--quiet"])).2, "");

    for option in ["--arg=d=zeros:4", "--dump=d=x.bin", "--print=d=f32", "--expect=d=x.bin"] {
        let (exit, out, err) = run(&sums(&zebin, &[option]));
        assert_eq!((exit, out.as_str()), (Some(2), ""), "{option}");
        assert!(err.contains("argument-unknown") && err.contains("no argument `d`"), "{err}");
        assert!(err.contains("argument 0 (`float* a`)") && err.contains("argument 3 (`uint n`)"), "{err}");
    }
    // An argument given by name and by index is given twice.
    let (exit, _, err) = run(&sums(&zebin, &["--arg", "0=zeros:40"]));
    assert!(exit == Some(2) && err.contains("argument-twice"), "{err}");
    // An argument may share another argument's buffer by name: each element is added to itself.
    let (exit, out, err) = run(&[
        &zebin,
        "--global",
        "4",
        "--arg",
        "a=range:f32:4",
        "--arg",
        "b=same:a",
        "--arg",
        "c=zeros:16",
        "--arg",
        "n=u32:4",
        "--print",
        "c",
    ]);
    assert_eq!((exit, out.as_str()), (Some(0), "c: 4 x f32\n  [0] 0.0 2.0 4.0 6.0\n"), "{err}");
}

#[test]
fn a_launch_file_gives_what_the_command_line_does_not() {
    let (scratch, zebin) = (Scratch::new("file"), example("vector_add", "skl"));
    let text = format!(
        "program = {zebin:?}\nglobal = 10\nlocal = 5\narg = ['0=range:f32:10', '1=fill:f32:10:1', '2=zeros:40', 'n=u32:10']\n\
         print = ['c=f32:2']\nexpect = ['c=range:f32:10:1']\n"
    );
    let path = scratch.file("l.toml");
    std::fs::write(&path, text).unwrap();
    let (exit, out, err) = run(&["--launch", &path]);
    assert_eq!(
        (exit, out.as_str(), err.as_str()),
        (Some(0), "c: 2 x f32\n  [0] 1.0 2.0\n", "1 argument as expected\n")
    );
    // The command line takes precedence over the launch file, even under the argument's other name.
    let (exit, out, _) =
        run(&["--launch", &path, "--arg", "b=fill:f32:10:2", "--arg", "3=u32:10", "--print", "2=f32:1"]);
    assert_eq!((exit, out.as_str()), (Some(1), "c: 1 x f32\n  [0] 2.0\n"));
}

#[test]
fn results_are_printed_as_numbers() {
    let zebin = example("vector_add", "skl");
    let (exit, out, err) = run(&sums(&zebin, &["--print", "c", "--print", "0=u32:2"]));
    let lines = "c: 10 x f32\n  [0] 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5\n  [8] 8.5 9.5\na: 2 x u32\n  [0]          0 1065353216\n";
    assert_eq!((exit, out.as_str()), (Some(0), lines), "{err}");
    let (exit, answer) = run_json(&sums(&zebin, &["--print", "c=f32:3", "--stats"]));
    let results = json!([{ "argument": 2, "name": "c", "type": "f32", "values": [0.5, 1.5, 2.5] }]);
    assert_eq!((exit, &answer["results"], &answer["findings"]), (Some(0), &results, &json!([])));
    assert!(answer["instructions"].as_u64().unwrap() > 0, "{answer}");
    for (option, expected) in
        [("--print=n", "print-index"), ("--print=c=f33", "print-syntax"), ("--print=c=f32:11", "it holds 10 values")]
    {
        let (exit, out, err) = run(&sums(&zebin, &[option]));
        assert!(exit == Some(2) && out.is_empty() && err.contains(expected), "{option}: {err}");
    }
}

/// Returns true if this machine has native code: the processors listed in the README.
fn has_native() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

#[test]
fn engines_do_what_they_are_called() {
    let zebin = example("vector_add", "skl");
    let native = |more: &[&str]| {
        let (exit, answer) = run_json(&sums(&zebin, &[&["--stats"], more].concat()));
        assert_eq!(exit, Some(0), "{answer}");
        answer["native"].as_u64().unwrap()
    };
    assert_eq!(native(&["--engine", "native"]) > 0, has_native());
    assert_eq!(native(&["--engine", "native", "--no-fallback"]) > 0, has_native());
    assert_eq!(native(&["--engine", "interpreter"]), 0);
    assert_eq!(native(&["--engine", "native", "--by-spec"]), 0);
}

#[test]
fn results_are_compared() {
    let (scratch, zebin) = (Scratch::new("expect"), example("vector_add", "skl"));
    let right: Vec<f32> = (0..10).map(|n| n as f32 + 0.5).collect();
    let write = |name: &str, values: &[f32]| {
        std::fs::write(scratch.file(name), values.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>()).unwrap();
        format!("c={}", scratch.file(name))
    };
    let exact = write("right", &right);
    let mut near = right.clone();
    near[4] = near[4].next_up();
    near[7] += 0.25;
    let near = write("near", &near);
    let short = write("short", &right[..9]);
    let with = |expect: &str| run(&sums(&zebin, &["--expect", expect]));
    for expect in [
        exact.clone(),
        "c=range:f32:10:0.5".to_owned(),
        format!("{near},abs=0.25"),
        format!("{near},rel=0.04"),
        format!("{near},ulp=600000"),
    ] {
        assert_eq!(with(&expect), (Some(0), String::new(), "1 argument as expected\n".to_owned()), "{expect}");
    }
    let (exit, out, err) = with(&near);
    assert_eq!((exit, out.as_str()), (Some(1), ""), "{err}");
    assert!(
        err.contains("result-differs")
            && err.contains("2 of 10 elements (f32): [4] is 4.5, not 4.5000005; [7] is 7.5, not 7.75"),
        "{err}"
    );
    assert!(with(&format!("{near},ulp=1")).2.contains("1 of 10 elements"));
    let (exit, _, err) = with(&short);
    assert!(exit == Some(1) && err.contains("has 40 bytes; 36 were expected"), "{err}");
    for (expect, expected) in [
        ("c=/nowhere/at/all", "/nowhere/at/all"),
        ("n=zeros:4", "expect-index"),
        ("c", "expect-syntax"),
        ("c=zeros:40,abs=much", "`abs=much` is neither a tolerance nor a type"),
    ] {
        let (exit, out, err) = with(expect);
        assert!(exit == Some(2) && out.is_empty() && err.contains(expected), "{expect}: {err}");
    }
    let (exit, answer) = run_json(&sums(&zebin, &["--expect", &near]));
    assert_eq!((exit, &answer["findings"][0]["code"]), (Some(1), &json!("result-differs")));
    let mismatch = &answer["mismatches"][0];
    assert_eq!(
        (&mismatch["differ"], &mismatch["first"][1]),
        (&json!(2), &json!({ "index": 7, "got": 7.5, "expected": 7.75 }))
    );
}

#[test]
fn random_numbers_are_the_same_everywhere() {
    // Published values of the generator for this seed: the upper halves of its first numbers.
    let zebin = example("vector_add", "skl");
    let (exit, answer) = run_json(&[
        &zebin,
        "--global",
        "2",
        "--arg",
        "0=random:u32:2:1234567",
        "--arg",
        "1=random:f32:2:3",
        "--arg",
        "2=zeros:8",
        "--arg",
        "3=u32:2",
        "--print",
        "0=u32",
        "--print",
        "1",
    ]);
    let drawn = [6_457_827_717_110_365_317_u64 >> 32, 3_203_168_211_198_807_973 >> 32];
    assert_eq!((exit, &answer["results"][0]["values"]), (Some(0), &json!(drawn)));
    let floats = answer["results"][1]["values"].as_array().unwrap();
    assert!(floats.iter().all(|n| (0.0..1.0).contains(&n.as_f64().unwrap())), "{floats:?}");
}

#[test]
fn what_cannot_be_written_is_said_before_the_run() {
    // A run that took place would fault.
    let zebin = example("vector_add", "pvc");
    let faulty = ["--arg", "0=zeros:4", "--arg", "1=zeros:4", "--arg", "2=zeros:4", "--arg", "3=u32:10"];
    let run_with = |dump: &str| run(&[&[&zebin, "--global", "10", "--dump", dump], &faulty[..]].concat());
    for (dump, expected) in [
        ("2=/nowhere/at/all.bin", "no folder /nowhere/at"),
        ("2=/tmp", "it is a folder"),
        ("2=p.png:9x9:r32f", "dump-size"),
    ] {
        let (exit, out, err) = run_with(dump);
        assert!(exit == Some(2) && out.is_empty() && err.contains(expected), "{dump}: {err}");
        assert!(!err.contains("fault"), "{err}");
    }
    let (exit, _, err) = run_with("2=-");
    assert!(exit == Some(1) && err.contains("fault-memory"), "{err}");
}

#[test]
fn streams() {
    let zebin = example("vector_add", "skl");
    let mut process = Command::new(env!("CARGO_BIN_EXE_visa"))
        .args(["run", &zebin, "--global", "2", "--arg", "0=file:-", "--arg", "1=zeros:8", "--arg", "2=zeros:8"])
        .args(["--arg", "3=u32:2", "--dump", "2=-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = [1.5_f32, -2.0].map(f32::to_le_bytes).concat();
    std::io::Write::write_all(&mut process.stdin.take().unwrap(), &bytes).unwrap();
    let output = process.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(0), bytes));
}

#[test]
fn faults_are_data() {
    let zebin = example("vector_add", "pvc");
    let arguments = [
        &zebin,
        "--global",
        "20",
        "--local",
        "20",
        "--arg",
        "a=range:f32:10",
        "--arg",
        "b=zeros:80",
        "--arg",
        "c=zeros:80",
        "--arg",
        "n=u32:20",
    ];
    let (exit, answer) = run_json(&arguments);
    assert_eq!((exit, &answer["findings"][0]["code"]), (Some(1), &json!("fault-memory")));
    assert_eq!(answer["findings"][0]["file"], zebin.as_str());
    let fault = &answer["fault"];
    assert_eq!(
        (&fault["kernel"], &fault["group"], &fault["local_id"]),
        (&json!("vector_add"), &json!([0, 0, 0]), &json!([10, 0, 0]))
    );
    assert_eq!((&fault["channel"], &fault["source_line"]), (&json!(10), &Value::Null));
    assert!(fault["text"].as_str().unwrap().starts_with("lsc_load.ugm"), "{fault}");
    assert_eq!(fault["text_line"], answer["findings"][0]["line"]);
    assert_eq!(answer["results"], json!([]));

    // With `--dump-on-fault`, the contents until the fault are printed.
    let (exit, answer) = run_json(&[&arguments[..], &["--dump-on-fault", "--print", "a=f32:2"]].concat());
    assert_eq!((exit, &answer["results"][0]["values"]), (Some(1), &json!([0.0, 1.0])));
    // The first enabled work item represents a thread that exceeds its budget.
    let (exit, answer) = run_json(&[&arguments[..], &["--max-instructions", "3"]].concat());
    assert_eq!((exit, &answer["findings"][0]["code"]), (Some(1), &json!("fault-budget")));
    assert_eq!(answer["fault"]["local_id"], json!([0, 0, 0]));
}

#[test]
fn the_help_says_the_forms_the_limit_and_the_exit_codes() {
    let (exit, out, _) = run(&["--help"]);
    let all = ["range:TYPE:COUNT", "image:FORMAT:PATH.png", "8589934592", "Exit codes:", "Examples:", "--expect"];
    assert!(exit == Some(0) && all.iter().all(|text| out.contains(text)), "{out}");
    let (_, short, _) = run(&["-h"]);
    assert!(short.contains("Exit codes:") && !short.contains("range:TYPE"), "{short}");
}

fn has_compiler() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join("ocloc").is_file());
    if !found {
        eprintln!("skipped: `ocloc` is not defined here");
    }
    found
}

fn source(scratch: &Scratch, text: &str) -> String {
    let path = scratch.file("k.cl");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn faults_name_the_line_of_the_source_and_leave_what_was_printed() {
    if !has_compiler() {
        return;
    }
    let scratch = Scratch::new("source");
    let text = "kernel void k(global int *out, uint n) {\n  uint i = get_global_id(0);\n  printf(\"item %u\\n\", i);\n  \
                out[i * n] = 1;\n}\n";
    let path = source(&scratch, text);
    let arguments =
        [path.as_str(), "--platform", "pvc", "--global", "2", "--arg", "out=zeros:4", "--arg", "n=u32:1000"];
    let (exit, out, err) = run(&arguments);
    assert_eq!((exit, out.as_str()), (Some(1), "item 0\nitem 1\n"), "{err}");
    assert!(
        err.contains("k.cl:4:3") && err.contains("out[i * n] = 1;") && err.contains("local id (1, 0, 0)"),
        "{err}"
    );
    let (_, answer) = run_json(&arguments);
    let finding = &answer["findings"][0];
    assert_eq!((&finding["file"], &finding["line"]), (&json!(path), &json!(4)));
    assert_eq!(answer["printf"], "item 0\nitem 1\n");
    assert_eq!((&answer["fault"]["source_line"], &answer["fault"]["kernel"]), (&json!(4), &json!("k")));
}

#[test]
fn barriers_that_are_not_reached_have_a_local_id() {
    if !has_compiler() {
        return;
    }
    let scratch = Scratch::new("barrier");
    let text = "kernel void k(global int *out) {\n  if (get_local_id(0) >= 32) barrier(CLK_LOCAL_MEM_FENCE);\n  \
                out[get_global_id(0)] = 1;\n}\n";
    let path = source(&scratch, text);
    let arguments = [path.as_str(), "--platform", "pvc", "--global", "64", "--local", "64", "--arg", "out=zeros:256"];
    let (exit, answer) = run_json(&arguments);
    assert_eq!((exit, &answer["findings"][0]["code"]), (Some(1), &json!("fault-barrier")), "{answer}");
    assert_eq!(answer["fault"]["local_id"], json!([32, 0, 0]), "{answer}");
}

#[test]
fn pictures_are_images() {
    if !has_compiler() {
        return;
    }
    let scratch = Scratch::new("pictures");
    let text = "kernel void k(read_only image2d_t in, write_only image2d_t out) {\n  int2 at = (int2)(get_global_id(0), \
                get_global_id(1));\n  write_imagef(out, at, read_imagef(in, at).zyxw);\n}\n";
    let path = source(&scratch, text);
    let (before, after) = (scratch.file("in.png"), scratch.file("out.png"));
    let pixels: Vec<u8> = (0..3 * 2 * 3).map(|n| n * 10).collect();
    let mut encoder = png::Encoder::new(std::fs::File::create(&before).unwrap(), 3, 2);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    let (first, dump) = (format!("in=image:rgba8unorm:{before}"), format!("out={after}:3x2:rgba8unorm"));
    let (exit, _, err) = run(&[
        &path,
        "--platform",
        "tgllp",
        "--global",
        "3,2",
        "--arg",
        &first,
        "--arg",
        "out=image:rgba8unorm:3x2:zeros",
        "--dump",
        &dump,
    ]);
    assert_eq!(exit, Some(0), "{err}");
    let swapped: Vec<u8> = pixels.chunks(3).flat_map(|p| [p[2], p[1], p[0], 255]).collect();
    assert_eq!(decoded(Path::new(&after)), swapped);

    for (image, expected) in [
        (format!("in=image:rgba8unorm:4x4:{before}"), "the picture has 3x2 pixels"),
        (format!("in=image:argb8unorm:{before}"), "cannot be converted to an image of format argb8unorm"),
        (format!("in=image:purple:{before}"), "unknown image format `purple`"),
        (format!("in=image:rgba8unorm:{}", scratch.file("none.png")), "none.png"),
    ] {
        let (exit, _, err) = run(&[
            &path,
            "--platform",
            "tgllp",
            "--global",
            "3,2",
            "--arg",
            &image,
            "--arg",
            "out=image:rgba8unorm:3x2:zeros",
        ]);
        assert!(exit == Some(2) && err.contains(expected), "{image}: {err}");
    }
}

/// Returns the bytes of a picture's pixels.
fn decoded(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}
