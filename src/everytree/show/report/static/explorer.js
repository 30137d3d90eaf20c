// The explorer: filters, the table of people page by page, links to single people, and the CSV.

const PAGE = 25;

const page = (id) => document.getElementById(id);

function begin(data) {
  placeWitnesses(data);
  const state = { cell: 0, search: "", verdict: "", groups: {}, sort: "person", descending: false, page: 0, open: null };
  const view = { data, state, people: [], counts: null };
  fillControls(view);
  listen(view);
  if (!openFromAddress(view)) refresh(view);
  page("explorer").hidden = false;
  page("loading").remove();
  document.documentElement.dataset.explorer = "ready";
  performance.mark("ready");
}

function fillControls(view) {
  const { data } = view;
  const opening = Number(page("explorer").dataset.cell);
  view.state.cell = opening;
  const choose = page("choose-cell");
  const depths = [...new Set(data.cells.map((c) => c.depth))];
  data.cells.filter((cell) => cell.depth === depths[0]).forEach((cell) =>
    choose.append(make("option", { value: `${cell.sweep}|${cell.amount}`, text: cellName(cell) })));
  depths.forEach((d) => page("choose-depth").append(make("option", { value: d, text: d })));
  showCell(view);
  for (const c of data.groups) {
    const column = data.columns[c];
    const box = make("select", { id: `group-${c}` }, make("option", { value: "", text: "everybody" }));
    column.values.forEach((value, code) => box.append(make("option", { value: code, text: value })));
    if (column.codes.includes(-1)) box.append(make("option", { value: -1, text: "(missing)" }));
    page("groups").append(make("div", { class: "field" }, make("label", { for: box.id, text: column.name }), box));
    box.addEventListener("change", () => { view.state.groups[c] = box.value; turnTo(view, 0); });
  }
  const example = exampleSearch(data);
  page("search-whole").querySelector("code").textContent = example;
  page("search-whole").hidden = example === "";
  const said = [];
  if (data.left_out.length) said.push(`To keep this file small, these columns are not shown: ${data.left_out.join(", ")}.`);
  if (data.withheld.length) said.push(`Not copied into this file, because the tree does not see them, they are free text, or they were not asked for: ${data.withheld.join(", ")}.`);
  page("left-out").textContent = said.join(" ");
}

// The amount comes first: a long name is cut off at the end.
const cellName = (cell) => (cell.amount === cell.model ? cell.bias : `${cell.amount}, ${cell.bias}`);

function showCell(view) {
  const cell = view.data.cells[view.state.cell];
  page("choose-cell").value = `${cell.sweep}|${cell.amount}`;
  page("choose-depth").value = cell.depth;
}

function listen(view) {
  const { state, data } = view;
  const choice = () => {
    const [sweep, ...amount] = page("choose-cell").value.split("|");
    const depth = Number(page("choose-depth").value);
    state.cell = data.cells.findIndex((c) => c.sweep === Number(sweep) && c.amount === amount.join("|") && c.depth === depth);
    turnTo(view, 0);
  };
  page("choose-cell").addEventListener("change", choice);
  page("choose-depth").addEventListener("change", choice);
  page("choose-verdict").addEventListener("change", (e) => { state.verdict = e.target.value; turnTo(view, 0); });
  let waiting = 0;
  page("search").addEventListener("input", (e) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { state.search = e.target.value; turnTo(view, 0); }, 150);
  });
  page("filters").addEventListener("submit", (e) => e.preventDefault());
  page("clear").addEventListener("click", () => { clearFilters(view); turnTo(view, 0); });
  page("previous").addEventListener("click", () => turnTo(view, state.page - 1));
  page("next").addEventListener("click", () => turnTo(view, state.page + 1));
  page("download").addEventListener("click", () => download(view));
  page("people-rows").addEventListener("keydown", walk);
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
  window.addEventListener("hashchange", () => openFromAddress(view));
}

function clearFilters(view) {
  Object.assign(view.state, { search: "", verdict: "", groups: {}, sort: "person", descending: false });
  page("search").value = page("choose-verdict").value = "";
  page("groups").querySelectorAll("select").forEach((box) => { box.value = ""; });
}

function turnTo(view, number) {
  view.state.page = number;
  view.state.open = null;
  refresh(view);
}

function refresh(view) {
  const { data, state } = view;
  const { people, counts } = select(data, state);
  Object.assign(view, { people, counts });
  const pages = Math.max(1, Math.ceil(people.length / PAGE));
  state.page = Math.min(Math.max(0, state.page), pages - 1);
  for (const [letter, option] of [["", 0], ["r", 1], ["n", 2], ["u", 3]]) {
    const n = letter ? counts[letter] : counts.r + counts.n + counts.u;
    page("choose-verdict").options[option].textContent = `${letter ? VERDICTS[letter] : "all"} (${n.toLocaleString("en")})`;
  }
  const who = `${people.length.toLocaleString("en")} of ${data.n.toLocaleString("en")} people`;
  page("status").textContent = people.length ? `${who}, page ${state.page + 1} of ${pages.toLocaleString("en")}` : `${who}. Nobody passes these filters.`;
  page("previous").disabled = state.page === 0;
  page("next").disabled = state.page >= pages - 1;
  page("asked").textContent = data.cells[state.cell].model;
  page("filtered").textContent = `, ${filtersInWords(view).join(", ")}`;
  drawHead(view);
  drawRows(view);
}

// What is chosen, as text: on paper the boxes are gone.
function filtersInWords({ data, state }) {
  const said = [`depth ${data.cells[state.cell].depth}`];
  if (state.verdict) said.push(VERDICTS[state.verdict]);
  for (const [c, code] of Object.entries(state.groups)) {
    if (code !== "") said.push(`${data.columns[c].name} ${code < 0 ? "(missing)" : data.columns[c].values[code]}`);
  }
  if (state.search.trim()) said.push(`search “${state.search.trim()}”`);
  return said;
}

function columnsOf(view) {
  const { data, state } = view;
  const cell = data.cells[state.cell];
  const shown = [{ key: "person", title: "Person" }, { key: "verdict", title: "Verdict" }, { key: "predicted", title: "Predicted" }];
  if (data.truth) shown.push({ key: "truth", title: "True" });
  if (cell.radius) shown.push({ key: "radius", title: cell.radius.single ? "Radius" : "Radius (?)" });
  data.groups.forEach((c) => shown.push({ key: String(c), title: data.columns[c].name, kind: "group" }));
  return shown;
}

function drawHead(view) {
  const { state } = view;
  const row = make("tr");
  for (const { key, title, kind } of columnsOf(view)) {
    const sorted = state.sort === key;
    const button = make("button", { type: "button", "data-sort": key, text: title });
    button.addEventListener("click", () => {
      state.descending = sorted && !state.descending;
      state.sort = key;
      turnTo(view, 0);
      page("people-head").querySelector(`[data-sort="${key}"]`).focus();
    });
    row.append(make("th", { scope: "col", class: kind, "aria-sort": sorted ? (state.descending ? "descending" : "ascending") : "none" }, button));
  }
  page("people-head").replaceChildren(row);
}

function drawRows(view) {
  const { data, state, people } = view;
  const cell = data.cells[state.cell];
  const shown = columnsOf(view);
  const rows = [];
  for (const p of people.slice(state.page * PAGE, (state.page + 1) * PAGE)) {
    const open = state.open === p;
    const button = make("button", { type: "button", class: "who", "data-person": p, "aria-expanded": String(open), "aria-controls": open ? `details-${p}` : null, text: String(p) });
    button.addEventListener("click", () => toggle(view, p));
    const texts = { predicted: () => labelOf(data, cell.predicted[p]), truth: () => labelOf(data, data.truth[p]), radius: () => radiusText(cell.radius, p) };
    const line = make("tr", { class: open ? "open" : null });
    for (const { key, kind } of shown) {
      if (key === "person") line.append(make("th", { scope: "row" }, button, ...(data.names ? [" ", make("small", { text: data.names[p] })] : [])));
      else if (key === "verdict") line.append(make("td", {}, mark(cell.verdicts[p])));
      else line.append(make("td", { class: kind, text: texts[key] ? texts[key]() : valueOf(data.columns[key], p) }));
    }
    rows.push(line);
    if (open) rows.push(make("tr", { class: "details" }, make("td", { colspan: shown.length }, personDetails(data, cell, p))));
  }
  page("people-rows").replaceChildren(...rows);
}

const buttonOf = (p) => page("people-rows").querySelector(`button[data-person="${p}"]`);

function toggle(view, p) {
  const { state } = view;
  state.open = state.open === p ? null : p;
  history.replaceState(null, "", state.open === null ? "#people" : `#person=${p}&cell=${state.cell}`);
  drawRows(view);
  buttonOf(p).focus();
}

// A link such as #person=12&cell=3 opens that person, whatever was filtered before.
function openFromAddress(view) {
  const { data, state } = view;
  const asked = new URLSearchParams(location.hash.slice(1));
  if (!/^\d+$/.test(asked.get("person") || "")) return false;
  const p = Number(asked.get("person")), cell = asked.get("cell");
  if (/^\d+$/.test(cell || "") && Number(cell) < data.cells.length) state.cell = Number(cell);
  clearFilters(view);
  showCell(view);
  if (p >= data.n) {
    state.open = null;
    refresh(view);
    page("status").textContent = `There is no person ${p}; the people are numbered from 0 to ${data.n - 1}.`;
    return true;
  }
  Object.assign(state, { open: p, page: Math.floor(p / PAGE) });
  refresh(view);
  page("explorer").hidden = false;
  buttonOf(p).focus({ preventScroll: true });
  buttonOf(p).closest("tr").scrollIntoView({ block: "start" });
  return true;
}

function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !event.target.matches("button.who")) return;
  const all = [...page("people-rows").querySelectorAll("button.who")];
  const next = all[all.indexOf(event.target) + step];
  if (next) { event.preventDefault(); next.focus(); }
}

function download(view) {
  const text = toCsv(view.data, view.state, view.people);
  const address = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
  const link = make("a", { href: address, download: "people.csv" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
  page("status").textContent = `${view.people.length.toLocaleString("en")} people written to people.csv.`;
}

if (typeof DecompressionStream === "undefined") {
  page("loading").textContent = "This browser is too old to list the people. Any browser since 2023 can.";
} else {
  unpack(page("packed-people").textContent).then(begin).catch((error) => {
    page("loading").textContent = `The list of people could not be read: ${error.message}. The file may be damaged.`;
    throw error;
  });
}
