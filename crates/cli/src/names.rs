//! Lists of names that fit into the last column of a table.

use ontrail_numbers::count;

use crate::table::width;

/// Greatest width of a table, without its indentation.
const WIDEST: usize = 98;
/// Width of the space between two columns.
const SPACE: usize = 2;

/// Returns the room for the last column of a table whose other columns have these heads and cells.
#[must_use]
pub fn room_for_names(heads: &[&str], rows: &[Vec<String>]) -> usize {
    let wide = |(column, head): (usize, &&str)| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell));
        cells.fold(width(head), usize::max) + SPACE
    };
    WIDEST.saturating_sub(heads.iter().enumerate().map(wide).sum())
}

/// Joins as many names as fit into the room, but at least one. If some are left out, the number of
/// all names follows.
#[must_use]
pub fn join_names<T: AsRef<str>>(names: &[T], room: usize) -> String {
    let all: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let [first, others @ ..] = all.as_slice() else { return String::new() };
    let text = all.join(", ");
    if others.is_empty() || width(&text) <= room {
        return text;
    }
    let end = format!(", … ({})", count(names.len() as u64));
    let mut text = (*first).to_owned();
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
        assert_eq!(join_names(&rivers, 18), "river, dyke, flood");
        assert_eq!(join_names(&rivers, 17), "river, … (3)");
        assert_eq!(join_names(&rivers, 0), "river, … (3)");
        assert_eq!(join_names(&names(&["river"]), 0), "river");
        assert_eq!(join_names::<String>(&[], 9), "");
    }

    #[test]
    fn han_characters_are_two_columns_wide() {
        let terms = names(&["暴雨", "洪水", "堤坝"]);
        assert_eq!(join_names(&terms, 16), "暴雨, 洪水, 堤坝");
        assert_eq!(join_names(&terms, 15), "暴雨, … (3)");
        let rows = [names(&["暴雨灾害"]), names(&["x"])];
        assert_eq!(room_for_names(&["term"], &rows), WIDEST - 8 - SPACE);
    }
}
