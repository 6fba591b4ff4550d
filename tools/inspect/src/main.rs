//! `ontrail-inspect`: the tool as a binary of its own.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-inspect", ontrail_tool_inspect::run)
}
