"use strict";

// The tree: a search expands the branches that lead to matches, and hides the rest.
function explore(tree) {
  const branches = [...tree.querySelectorAll("details")];
  const items = [...tree.querySelectorAll("li")];
  const setAll = (open) => branches.forEach((branch) => { branch.open = open; });
  const within = tree.closest("section");
  within.querySelector(".open-all").addEventListener("click", () => setAll(true));
  within.querySelector(".close-all").addEventListener("click", () => setAll(false));
  const found = within.querySelector(".tree-found");
  within.querySelector(".tree-search").addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    let count = 0;
    items.forEach((item) => item.classList.toggle("away", wanted !== ""));
    items.forEach((item) => {
      const own = item.querySelector(".names");
      const match = wanted !== "" && own.textContent.toLowerCase().includes(wanted);
      own.classList.toggle("match", match);
      if (!match) return;
      count += 1;
      for (let up = item; up && up !== tree; up = up.parentElement) {
        up.classList.remove("away");
        if (up.tagName === "DETAILS") up.open = true;
      }
    });
    found.textContent = wanted === "" ? "" : `${count}`;
  });
}
document.querySelectorAll(".tree").forEach(explore);

// Collapsed parts are expanded for printing and collapsed again afterwards.
addEventListener("beforeprint", () => document.querySelectorAll("details:not([open])").forEach((part) => {
  part.open = true;
  part.dataset.forPaper = "";
}));
addEventListener("afterprint", () => document.querySelectorAll("details[data-for-paper]").forEach((part) => {
  part.open = false;
  delete part.dataset.forPaper;
}));

// The list of pages: filtered, sorted, shown in steps. Text from strangers becomes text nodes only.
function listPages(list) {
  const { crawls, reasons, words, rows } = JSON.parse(list.querySelector("script").textContent);
  const [CRAWL, NUMBER, TITLE, URL, RELEVANCE, RELEVANT, CLASS, SURE, LABEL, TRULY, PRIORITY, REASON, PARENT, ANCHOR] =
    Array.from({ length: 14 }, (_, place) => place);
  const STEP = 50;
  const state = { text: "", crawl: "", verdict: "", klass: "", by: null, down: false, shown: STEP };
  const body = list.querySelector("tbody");
  const heads = [...list.querySelectorAll("th[data-by]")];
  const status = list.querySelector(".status");
  const more = list.querySelector(".more");
  const texts = rows.map((row) => [row[TITLE], row[URL], row[ANCHOR]].join("\n").toLowerCase());
  const figure = (value) => (value === null ? "–" : value.toFixed(4));
  const keys = {
    number: (row) => row[NUMBER], title: (row) => row[TITLE] || row[URL], crawl: (row) => crawls[row[CRAWL]],
    relevance: (row) => row[RELEVANCE], priority: (row) => row[PRIORITY], class: (row) => row[CLASS], label: (row) => row[LABEL],
  };

  function element(name, content, className) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...[content].flat().filter((part) => part !== null && part !== ""));
    return made;
  }
  function link(href, text) {
    if (!/^https?:/.test(href)) return text || href;
    const made = element("a", text || href);
    made.href = href;
    made.rel = "noreferrer noopener";
    return made;
  }
  const mark = (value) => (value === null ? null : element("span", value ? words.yes : words.no, value ? "yes" : "no"));
  function cell(head, content, className) {
    const made = element("td", content, className);
    made.dataset.head = head;
    return made;
  }
  function drawn(row) {
    const anchor = row[ANCHOR] ? ` “${row[ANCHOR]}”` : "";
    const reason = [reasons[row[REASON]] ?? words.seed];
    if (row[PARENT]) reason.push(element("div", [`${words.found} `, link(row[PARENT], row[PARENT]), anchor], "faint"));
    const sure = row[SURE] === null ? "" : ` ${row[SURE].toFixed(2)}`;
    const cells = [
      cell(words.number, `${row[NUMBER]}`, "number"),
      cell(words.page, [element("div", row[TITLE] || words.untitled), element("div", link(row[URL], row[URL]), "url")], "what"),
      cell(words.relevance, [figure(row[RELEVANCE]), " ", mark(row[RELEVANT])], "number"),
      cell(words.class, row[CLASS] === null ? "–" : [row[CLASS], element("span", sure, "faint")]),
      cell(words.label, row[LABEL] === null ? "–" : [row[LABEL], " ", mark(row[TRULY])]),
      cell(words.priority, figure(row[PRIORITY]), "number"),
      cell(words.reason, reason, "reason"),
    ];
    if (crawls.length > 1) cells.splice(1, 0, cell(words.crawl, crawls[row[CRAWL]], "name"));
    return element("tr", cells);
  }
  function chosen() {
    const kept = rows.map((row, place) => [row, place]).filter(([row, place]) =>
      (state.crawl === "" || row[CRAWL] === Number(state.crawl))
      && (state.klass === "" || row[CLASS] === state.klass)
      && (state.verdict === "" || row[state.verdict.startsWith("own") ? RELEVANT : TRULY] === state.verdict.endsWith("yes"))
      && texts[place].includes(state.text));
    if (state.by) {
      const key = keys[state.by];
      const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
      // Rows without a value are last in both directions; equal rows keep their order.
      kept.sort(([a, at], [b, bt]) => {
        const [x, y] = [key(a), key(b)];
        if (x === null || y === null) return (x === null) - (y === null) || at - bt;
        return (state.down ? -compare(x, y) : compare(x, y)) || at - bt;
      });
    }
    return kept.map(([row]) => row);
  }
  function show() {
    const kept = chosen();
    body.replaceChildren(...kept.slice(0, state.shown).map(drawn));
    status.textContent = words.count.replace("%n", kept.length).replace("%m", rows.length);
    more.hidden = kept.length <= state.shown;
    heads.forEach((head) => head.setAttribute("aria-sort",
      head.dataset.by === state.by ? (state.down ? "descending" : "ascending") : "none"));
  }
  function set(change) {
    Object.assign(state, { shown: STEP }, change);
    show();
  }
  list.querySelector(".text").addEventListener("input", (event) => set({ text: event.target.value.trim().toLowerCase() }));
  for (const name of ["crawl", "verdict", "klass"]) {
    list.querySelector(`select.${name}`)?.addEventListener("change", (event) => set({ [name]: event.target.value }));
  }
  heads.forEach((head) => head.querySelector("button").addEventListener("click", () => {
    const by = head.dataset.by;
    // Relevance and priority start with the greatest value, all other columns with the least.
    const first = by === "relevance" || by === "priority";
    set({ by, down: state.by === by ? !state.down : first });
  }));
  // On narrow screens, where the column headings are hidden, a choice replaces them.
  list.querySelector(".sort-by").addEventListener("change", (event) => {
    const by = event.target.value || null;
    set({ by, down: by === "relevance" || by === "priority" });
  });
  more.addEventListener("click", () => {
    state.shown += STEP * 4;
    show();
  });
  show();
}
document.querySelectorAll(".page-list").forEach(listPages);
