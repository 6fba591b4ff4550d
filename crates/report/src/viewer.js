"use strict";
// Pictures that can be panned, zoomed, searched and collapsed. A page may hold any number of them.

function look(viewer) {
  const part = (name) => viewer.querySelector(name);
  const data = JSON.parse(part("script").textContent);
  const view = part(".view");
  const svg = part("svg");
  const detail = part(".detail");
  const isWhole = viewer.classList.contains("whole");
  const nodes = [...svg.querySelectorAll(".node")];
  const edges = [...svg.querySelectorAll(".edge")].map((path) => ({
    path, from: Number(path.dataset.from), to: Number(path.dataset.to),
  }));
  const whole = { w: svg.viewBox.baseVal.width, h: svg.viewBox.baseVal.height };
  const box = { x: 0, y: 0, w: whole.w, h: whole.h };

  // Panning and zooming change the part of the picture that is shown.
  const show = () => svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`);
  const unit = () => Math.max(box.w / view.clientWidth, box.h / view.clientHeight);
  function fit() {
    Object.assign(box, { x: 0, y: 0, w: whole.w, h: whole.h });
    show();
  }
  function zoom(factor, x, y) {
    const point = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
    box.x = point.x - (point.x - box.x) * factor;
    box.y = point.y - (point.y - box.y) * factor;
    box.w *= factor;
    box.h *= factor;
    show();
  }
  function zoomMiddle(factor) {
    const place = view.getBoundingClientRect();
    zoom(factor, place.left + place.width / 2, place.top + place.height / 2);
  }
  // If the text would be too small to read, the picture is enlarged at first, at its first node.
  function begin() {
    fit();
    const least = 0.6;
    if (unit() * least > 1 && nodes.length && view.clientWidth > 0) {
      const first = nodes[0].getBBox();
      box.w = view.clientWidth / least;
      box.h = view.clientHeight / least;
      const middle = { x: first.x + first.width / 2, y: first.y + first.height / 2 };
      box.x = Math.min(Math.max(middle.x - box.w / 2, 0), Math.max(whole.w - box.w, 0));
      box.y = Math.min(Math.max(middle.y - box.h / 2, 0), Math.max(whole.h - box.h, 0));
      show();
    }
  }
  view.addEventListener("wheel", (event) => {
    // Within a longer page, the wheel without Ctrl scrolls the page.
    if (!isWhole && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(Math.exp(event.deltaY * 0.0015), event.clientX, event.clientY);
  }, { passive: false });
  const pointers = new Map();
  let moved = false;
  view.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, event);
    moved = false;
  });
  view.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    if (Math.abs(dx) + Math.abs(dy) < 2 && !moved) return;
    moved = true;
    view.classList.add("dragging");
    if (pointers.size === 2) {
      const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
      const apart = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY);
      zoom(apart(before) / Math.max(apart(event), 1), other.clientX, other.clientY);
    } else {
      box.x -= dx * unit();
      box.y -= dy * unit();
      show();
    }
    pointers.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    view.addEventListener(end, (event) => {
      pointers.delete(event.pointerId);
      view.classList.remove("dragging");
    });
  }
  part(".fit").addEventListener("click", fit);
  part(".closer").addEventListener("click", () => zoomMiddle(0.7));
  part(".farther").addEventListener("click", () => zoomMiddle(1 / 0.7));

  // Collapsing hides the nodes that can be reached only through collapsed nodes.
  const folded = new Set();
  function refold() {
    const tops = nodes.map((_, id) => id).filter((id) => !edges.some((edge) => edge.to === id));
    const shown = new Set();
    const open = tops;
    while (open.length) {
      const id = open.pop();
      if (shown.has(id)) continue;
      shown.add(id);
      if (!folded.has(id)) edges.filter((edge) => edge.from === id).forEach((edge) => open.push(edge.to));
    }
    nodes.forEach((node, id) => {
      node.classList.toggle("hidden", !shown.has(id));
      node.classList.toggle("folded", folded.has(id));
    });
    edges.forEach((edge) => edge.path.classList.toggle("hidden",
      !shown.has(edge.to) || !shown.has(edge.from) || folded.has(edge.from)));
  }
  // Only hierarchies can be collapsed.
  const unfold = part(".unfold");
  unfold?.addEventListener("click", () => {
    folded.clear();
    refold();
  });
  nodes.forEach((node, id) => {
    node.addEventListener("dblclick", () => {
      if (unfold && edges.some((edge) => edge.from === id)) {
        if (!folded.delete(id)) folded.add(id);
        refold();
      }
    });
    node.addEventListener("click", () => {
      if (moved) return;
      edges.forEach((edge) => edge.path.classList.toggle("near", edge.from === id || edge.to === id));
      const { above, below, detail: more } = data.nodes[id];
      detail.textContent = [...above, ...below, more].filter((line) => line).join("\n");
      detail.hidden = detail.textContent === "";
    });
  });
  detail.addEventListener("click", () => {
    detail.hidden = true;
  });

  // A search marks the nodes whose labels contain the text.
  const texts = data.nodes.map((node) => [...node.above, ...node.below].join("\n").toLowerCase());
  const found = part(".found");
  part(".search").addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    svg.classList.toggle("searching", wanted !== "");
    let count = 0;
    nodes.forEach((node, id) => {
      const match = wanted !== "" && texts[id].includes(wanted);
      node.classList.toggle("found", match);
      count += match;
    });
    found.textContent = wanted === "" ? "" : `${count}`;
  });

  // The whole picture is printed.
  let before = null;
  addEventListener("beforeprint", () => {
    before = { ...box };
    fit();
  });
  addEventListener("afterprint", () => {
    Object.assign(box, before);
    show();
  });
  begin();
}

document.querySelectorAll(".viewer").forEach(look);
