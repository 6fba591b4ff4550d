//! `ontrail-sdg`: the tool as a separate binary.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-sdg", ontrail_tool_sdg::run)
}
