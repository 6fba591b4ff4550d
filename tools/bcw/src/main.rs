//! `ontrail-bcw`: the tool as a separate binary.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-bcw", ontrail_tool_bcw::run)
}
