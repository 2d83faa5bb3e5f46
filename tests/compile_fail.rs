//! What the types promise: programs that break a promise do not compile.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

#[test]
fn promises_hold_at_compile_time() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

/// A copy of the package without its tests, in a folder of its own.
fn copy_of_the_package(to: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"));
    if to.exists() {
        fs::remove_dir_all(to).expect("an earlier copy can be removed");
    }
    fs::create_dir_all(to).expect("a folder for the copy can be made");
    for file in ["Cargo.toml", "Cargo.lock", "README.md"] {
        fs::copy(from.join(file), to.join(file)).expect("a file of the package can be copied");
    }
    for folder in ["src", "benches", "examples"] {
        copy_folder(&from.join(folder), &to.join(folder));
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder for the copy can be made");
    for entry in fs::read_dir(from).expect("a folder of the package can be listed") {
        let path = entry.expect("an entry can be read").path();
        let name = path.file_name().expect("an entry has a name");
        let target = to.join(name);
        // A workspace of its own further in may have been built.
        if name == "target" {
            continue;
        }
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file of the package can be copied");
        }
    }
}

/// Checks the library in `package`; the dependencies are compiled once, for all copies.
fn check(package: &Path) -> Output {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["check", "--lib", "--offline", "--quiet", "--color=never"])
        .current_dir(package)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("copies-target"))
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .output()
        .expect("cargo can be run")
}

/// Replaces one piece of the pipeline, which has to be there once.
fn edit(package: &Path, from: &str, to: &str) {
    let file = package.join("src/pipeline/mod.rs");
    let text = fs::read_to_string(&file).expect("the copy has a pipeline");
    assert_eq!(text.matches(from).count(), 1, "{from:?} is in src/pipeline/mod.rs once; the test has to follow it");
    fs::write(&file, text.replace(from, to)).expect("the copy can be edited");
}

#[test]
fn a_pipeline_that_skips_a_stage_does_not_compile() {
    let package: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("copy");
    copy_of_the_package(&package);
    let untouched = check(&package);
    assert!(untouched.status.success(), "{}", String::from_utf8_lossy(&untouched.stderr));

    // What the next stage needs cannot be had without the stage that is skipped.
    let skips = [
        ("let cleared = guard::guard(call, approved, keys)?;", "let cleared = approved;", "Cleared"),
        (
            "    match approval::unasked(verdict) {
        Ok(approved) => Ok(approved),
        Err(reason) => approval::approval(call, reason).await,
    }",
            "    Ok(verdict)",
            "Approved",
        ),
        ("Err(reason) => approval::approval(call, reason).await,", "Err(reason) => Ok(reason),", "Approved"),
        ("let verdict = pre_execute::pre_execute(call, admitted).await?;", "let verdict = admitted;", "Verdict"),
        ("let admitted = admit::check(call)?;", "let admitted = ();", "Admitted"),
    ];
    for (stage, without, proof) in skips {
        copy_of_the_package(&package);
        edit(&package, stage, without);
        let skipped = check(&package);
        let said = String::from_utf8_lossy(&skipped.stderr);
        assert!(!skipped.status.success(), "without {stage:?} it compiles");
        assert!(said.contains("error[E0308]: mismatched types"), "{said}");
        assert!(said.contains(proof), "{proof} is not named: {said}");
    }
}
