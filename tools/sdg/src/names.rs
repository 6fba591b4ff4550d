//! Lists of names that fit into the last column of a table.

use ontrail_cli::{count, width};

/// Greatest width of a table, without its indentation.
const WIDEST: usize = 98;
/// Width of the space between two columns.
const SPACE: usize = 2;

/// Returns the room for the last column of a table whose other columns have these heads and cells.
pub(crate) fn room(heads: &[&str], rows: &[Vec<String>]) -> usize {
    let wide = |(column, head): (usize, &&str)| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell));
        cells.fold(width(head), usize::max) + SPACE
    };
    WIDEST.saturating_sub(heads.iter().enumerate().map(wide).sum())
}

/// Joins as many names as fit into the room, but at least one. If some are left out, the number of
/// all names follows.
pub(crate) fn joined(names: &[String], room: usize) -> String {
    let all = names.join(", ");
    let [first, others @ ..] = names else { return all };
    if others.is_empty() || width(&all) <= room {
        return all;
    }
    let end = format!(", … ({})", count(names.len() as u64));
    let mut text = first.clone();
    for name in others {
        let longer = format!("{text}, {name}");
        if width(&longer) + width(&end) > room {
            break;
        }
        text = longer;
    }
    text + &end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_are_left_out_if_there_is_no_room() {
        let rivers = names(&["river", "dyke", "flood"]);
        assert_eq!(joined(&rivers, 18), "river, dyke, flood");
        assert_eq!(joined(&rivers, 17), "river, … (3)");
        assert_eq!(joined(&rivers, 0), "river, … (3)");
        assert_eq!(joined(&names(&["river"]), 0), "river");
        assert_eq!(joined(&[], 9), "");
    }

    #[test]
    fn han_characters_are_two_columns_wide() {
        let terms = names(&["暴雨", "洪水", "堤坝"]);
        assert_eq!(joined(&terms, 16), "暴雨, 洪水, 堤坝");
        assert_eq!(joined(&terms, 15), "暴雨, … (3)");
        let rows = [names(&["暴雨灾害"]), names(&["x"])];
        assert_eq!(room(&["term"], &rows), WIDEST - 8 - SPACE);
    }
}
