//! `ontrail-seeds`: the tool as a separate binary.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-seeds", ontrail_tool_seeds::run)
}
