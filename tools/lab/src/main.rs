//! `ontrail-lab`: the tool as a binary of its own.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-lab", ontrail_tool_lab::run)
}
