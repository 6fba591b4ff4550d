//! `ontrail-inspect`: the tool as a separate binary.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-inspect", ontrail_tool_inspect::run)
}
