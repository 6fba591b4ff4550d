//! `ontrail-sdg`: the tool as a binary of its own.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-sdg", ontrail_tool_sdg::run)
}
