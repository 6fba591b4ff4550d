#![doc = include_str!("../README.md")]

mod reply;
mod request;
mod server;

pub use reply::{Answer, Reply, Script, Then};
pub use request::Request;
pub use server::{Limits, Server};
