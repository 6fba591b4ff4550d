//! `ontrail-lab`: the tool as a separate binary.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-lab", ontrail_tool_lab::run)
}
