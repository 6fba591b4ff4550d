//! Properties of every picture, checked on random diagrams and networks.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_diagram::{
    Diagram, Draw, Layout, Mark, Network, NetworkEdge, Node, NodeId, Shape, Spot,
};
use proptest::prelude::*;

fn diagrams() -> impl Strategy<Value = Diagram> {
    let labels = prop::collection::vec("[a-z暴雨灾害<&\" ]{0,12}", 0..6);
    let nodes = prop::collection::vec((labels.clone(), labels), 0..14);
    (nodes, prop::collection::vec((any::<usize>(), any::<usize>()), 0..30), any::<bool>()).prop_map(
        |(nodes, lines, is_tree)| {
            let shape = if is_tree { Shape::Tree } else { Shape::Lattice };
            let mut diagram = Diagram::new("title", shape);
            let node = |(above, below)| Node::new().above(above).below(below).detail("<detail>");
            let ids: Vec<NodeId> =
                nodes.into_iter().map(|texts| diagram.add(node(texts))).collect();
            // Including lines from a node to itself, duplicate lines and cycles.
            for (upper, lower) in lines.into_iter().filter(|_| !ids.is_empty()) {
                diagram.connect(ids[upper % ids.len()], ids[lower % ids.len()]);
            }
            diagram
        },
    )
}

fn networks() -> impl Strategy<Value = Network> {
    let marks = prop::sample::select(vec![Mark::Plain, Mark::Odd, Mark::Hollow]);
    let spot = ("[a-z暴雨灾害<&\" ]{0,12}", prop::num::f64::ANY, marks);
    let links = prop::collection::vec((any::<usize>(), any::<usize>(), prop::num::f64::ANY), 0..40);
    (prop::collection::vec(spot, 0..25), links).prop_map(|(spots, links)| {
        let mut network = Network::new("<title>", "legend & more");
        let mut ids = Vec::new();
        for (label, size, mark) in spots {
            let (figure, detail) = ("0.5".to_owned(), "<detail>".to_owned());
            ids.push(network.add(Spot { label, figure, detail, size, mark }));
        }
        for (from, to, strength) in links.into_iter().filter(|_| !ids.is_empty()) {
            let (from, to) = (ids[from % ids.len()], ids[to % ids.len()]);
            network.connect(NetworkEdge { from, to, strength, label: "0.5".to_owned() });
        }
        network
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nodes_lie_within_the_picture_and_apart(diagram in diagrams()) {
        let layout = Layout::of(&diagram);
        for (place, a) in layout.nodes.iter().enumerate() {
            prop_assert!(a.x.is_finite() && a.y.is_finite());
            prop_assert!((0.0..=layout.width).contains(&a.x) && (0.0..=layout.height).contains(&a.y));
            for b in &layout.nodes[..place] {
                prop_assert!((a.x - b.x).abs() + (a.y - b.y).abs() > 10.0);
            }
        }
    }

    #[test]
    fn every_diagram_can_be_written(diagram in diagrams()) {
        let svg = diagram.to_svg();
        resvg::usvg::roxmltree::Document::parse(&svg).unwrap();
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let dot = diagram.to_dot();
        prop_assert_eq!(dot.lines().last(), Some("}"));
        prop_assert_eq!(svg, diagram.to_svg());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Holds for any numbers, including NaN and infinities; the picture is the same each time.
    #[test]
    fn nodes_of_a_network_lie_within_the_picture_and_apart(network in networks()) {
        let (places, width, height) = network.layout();
        for (place, a) in places.iter().enumerate() {
            prop_assert!((0.0..=width).contains(&a.x) && (0.0..=height).contains(&a.y), "{a:?}");
            for b in &places[..place] {
                prop_assert!((a.x - b.x).hypot(a.y - b.y) > 20.0, "{a:?} {b:?}");
            }
        }
        let svg = network.to_svg();
        resvg::usvg::roxmltree::Document::parse(&svg).unwrap();
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
        prop_assert_eq!(&svg, &network.to_svg());
        let dot = network.to_dot();
        prop_assert_eq!(dot.lines().last(), Some("}"));
        prop_assert!(!dot.contains("NaN") && !dot.contains("inf"));
    }
}

#[test]
fn strong_edges_are_short() {
    let mut network = Network::new("three", "");
    let ids = ["a", "b", "c"]
        .map(|label| network.add(Spot { label: label.to_owned(), ..Spot::default() }));
    for (from, to, strength) in [(0, 1, 1.0), (1, 2, 0.1), (0, 2, 0.1)] {
        let label = strength.to_string();
        network.connect(NetworkEdge { from: ids[from], to: ids[to], strength, label });
    }
    let (places, ..) = network.layout();
    let apart = |a: usize, b: usize| (places[a].x - places[b].x).hypot(places[a].y - places[b].y);
    assert!(apart(0, 1) < apart(1, 2) && apart(0, 1) < apart(0, 2));
}

#[test]
fn labels_of_one_layer_do_not_overlap() {
    let mut diagram = Diagram::new("wide", Shape::Lattice);
    let top = diagram.add(Node::new().above(["灾害"]));
    let labels = ["一个相当长的中文标签", "a", "a rather long label in English", "暴雨"];
    let nodes: Vec<NodeId> =
        labels.iter().map(|&label| diagram.add(Node::new().above([label]))).collect();
    nodes.iter().for_each(|&node| diagram.connect(top, node));
    let layout = Layout::of(&diagram);
    let mut boxes: Vec<(f64, f64)> = nodes
        .iter()
        .zip(labels)
        .map(|(&node, label)| {
            let columns = label.chars().map(|c| if c.is_ascii() { 0.5 } else { 1.0 }).sum::<f64>();
            (layout.nodes[node.index()].x, columns * 13.0)
        })
        .collect();
    boxes.sort_by(|a, b| a.0.total_cmp(&b.0));
    for pair in boxes.windows(2) {
        assert!(pair[0].0 + pair[0].1 / 2.0 < pair[1].0 - pair[1].1 / 2.0, "{boxes:?}");
    }
    // The upper node is centred above the lower ones.
    let x = |node: NodeId| layout.nodes[node.index()].x;
    let middle = nodes.iter().map(|&node| x(node)).sum::<f64>() / nodes.len() as f64;
    assert!((x(top) - middle).abs() < 1.0);
}

#[test]
fn a_swap_removes_a_crossing() {
    let mut diagram = Diagram::new("crossed", Shape::Lattice);
    let [a, b, c, d] = std::array::from_fn(|_| diagram.add(Node::new()));
    diagram.connect(a, d);
    diagram.connect(b, c);
    assert_eq!(Layout::of(&diagram).crossings, 0);
}
