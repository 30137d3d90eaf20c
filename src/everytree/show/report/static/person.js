// One person in full: the record, the verdict at every amount, and the training records that change it.

const SHOWN_AT_FIRST = 40;

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

const mark = (letter) => make("span", { class: `verdict ${VERDICTS[letter].replace(" ", "-")}`, text: VERDICTS[letter] });

function personDetails(data, cell, p) {
  const box = make("div", { class: "person", id: `details-${p}` });
  const letter = cell.verdicts[p];
  box.append(make("h3", { text: `Person ${p}${data.names ? ` (${data.names[p]})` : ""}` }));
  box.append(verdictSentence(data, cell, p, letter), facts(data, cell, p), record(data, p), amounts(data, cell, p));
  if (letter === "n") box.append(...witnessPart(data, cell, p));
  box.append(checking(cell, p, letter));
  return box;
}

function verdictSentence(data, cell, p, letter) {
  const predicted = labelOf(data, cell.predicted[p]);
  const words = {
    r: `Proved: every tree that could be learned from a table that this assumption allows predicts ${predicted}.`,
    n: letter === "n" ? refuted(data, cell, p) : "",
    u: cell.whyOf.get(p),
  };
  return make("p", { class: "says" }, mark(letter), words[letter]);
}

const recordsIn = (witness) => witness.flipped.length + witness.removed.length + witness.added[1] - witness.added[0];

function refuted(data, cell, p) {
  const holds = cell.holdsOf.get(p);
  if (!recordsIn(data.witnesses[cell.witnessOf.get(p)])) return "Refuted: no record has to change. The training table as it is gives another label when ties between splits are broken in another way.";
  const loose = holds !== null && holds < data.tries;
  return `Refuted: with the changed records below, the retrained tree gives another label${loose ? ", depending on how ties between splits are broken" : ""}.`;
}

function tiesSentence(data, cell, p) {
  const holds = cell.holdsOf.get(p);
  if (holds === null) return "Whether this hangs on how ties are broken was not tried; the command below does.";
  if (holds === data.tries) return `Holds on all ${data.tries} orders: the tree gives this label with each of ${data.tries} other seeds and orders of columns.`;
  return `Depends on how ties are broken: ${holds} of ${data.tries} other seeds and orders of columns give this label.`;
}

function facts(data, cell, p) {
  const list = make("dl", { class: "facts" });
  const add = (name, value) => list.append(make("div", {}, make("dt", { text: name }), make("dd", { text: value })));
  add("Predicted", labelOf(data, cell.predicted[p]));
  if (data.truth) add(`True ${data.label}`, labelOf(data, data.truth[p]));
  add("Labels not excluded", possibleLabels(data, cell, p).join(", "));
  if (cell.radius) add(cell.radius.single ? "Radius in records" : "Radius, as the value of ?", radiusSentence(cell.radius, p));
  return list;
}

function record(data, p) {
  const list = make("dl", { class: "record" });
  for (const column of data.columns) {
    list.append(make("div", {}, make("dt", { text: column.name }), make("dd", { text: valueOf(column, p) })));
  }
  return list;
}

function amounts(data, cell, p) {
  const same = data.cells.filter((c) => c.sweep === cell.sweep && c.depth === cell.depth);
  if (same.length < 2) return "";
  const line = make("p", { class: "amounts" }, `${cell.bias}, depth ${cell.depth}: `);
  for (const other of same) {
    line.append(make("span", other === cell ? { class: "this" } : {}, `${other.amount} `, mark(other.verdicts[p])), " ");
  }
  return line;
}

function witnessPart(data, cell, p) {
  const witness = data.witnesses[cell.witnessOf.get(p)];
  const counted = [[witness.flipped.length, "label", "changed"], [witness.removed.length, "row", "removed"],
    [witness.added[1] - witness.added[0], "row", "added"]];
  const said = counted.filter(([n]) => n).map(([n, what, done]) => `${n} ${what}${n === 1 ? "" : "s"} ${done}`).join(", ");
  const before = labelOf(data, cell.predicted[p]), after = labelOf(data, witness.after);
  const seed = witness.seed === null ? "" : ` Ties are broken with random_state=${witness.seed}.`;
  const parts = [
    make("h4", { text: "The records that change the prediction" }),
    make("p", { text: `${said || "No record changes: ties are broken in another way"}. Prediction: ${before} before, ${after} after retraining.${seed}` }),
  ];
  parts.push(make("p", { class: "ties", text: tiesSentence(data, cell, p) }));
  const rows = recordRows(data, witness);
  if (rows.length) parts.push(recordTable(data, rows));
  if (witness.pools.length) {
    const list = make("ul", { class: "pools" });
    witness.pools.forEach(([changed, size], i) =>
      list.append(make("li", { text: `Set ${letterOf(i)}: ${changed} of ${size.toLocaleString("en")} records that the search could not tell apart. Others of them can take their place; retraining shows whether a choice does the same.` })));
    parts.push(list);
  }
  parts.push(make("p", { class: "note", text: "This shows what the assumption allows. It does not show that these records are wrong." }));
  return parts;
}

const letterOf = (i) => (i < 26 ? String.fromCharCode(65 + i) : `${i + 1}`);

// One row for each changed record: change, row number, label before and after, set, and all columns.
const OF_CHANGE = 5;

function recordRows(data, witness) {
  const old = data.records, rows = [];
  const set = (i) => (witness.pool[i] < 0 ? "" : letterOf(witness.pool[i]));
  const known = (r) => old.columns.map((c) => valueOf(c, r));
  witness.flipped.forEach((r, i) =>
    rows.push(["flip", String(old.rows[r]), labelOf(data, old.labels[r]), labelOf(data, witness.to[i]), set(i), ...known(r)]));
  witness.removed.forEach((r, i) =>
    rows.push(["remove", String(old.rows[r]), labelOf(data, old.labels[r]), "", set(witness.flipped.length + i), ...known(r)]));
  for (let a = witness.added[0]; a < witness.added[1]; a++) {
    rows.push(["add", "", "", labelOf(data, data.added.labels[a]), "", ...data.added.columns.map((c) => valueOf(c, a))]);
  }
  return rows;
}

function recordTable(data, rows) {
  const columns = (data.records.columns.length ? data.records : data.added).columns.map((c) => c.name);
  const heads = ["change", "row", `${data.label} before`, `${data.label} after`, "set", ...columns];
  const used = heads.map((_, i) => i >= OF_CHANGE || rows.some((row) => row[i])); // no heading above nothing
  const line = make("tr");
  heads.forEach((name, i) => used[i] && line.append(make("th", { scope: "col", text: name })));
  const body = make("tbody");
  const fill = (from, to) => rows.slice(from, to).forEach((row) => {
    const tr = make("tr");
    row.forEach((value, i) => used[i] && tr.append(make("td", { text: value })));
    body.append(tr);
  });
  fill(0, SHOWN_AT_FIRST);
  const table = make("table", { class: "records" }, make("caption", { class: "hidden", text: "Changed training records" }), make("thead", {}, line), body);
  const box = make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Changed training records" }, table);
  if (rows.length <= SHOWN_AT_FIRST) return box;
  const more = make("button", { type: "button", text: `Show all ${rows.length} records` });
  more.addEventListener("click", () => { fill(SHOWN_AT_FIRST); more.remove(); box.focus(); });
  return make("div", {}, box, more);
}

// A command whose lines never end within the two dashes of an option.
function commandLine(text) {
  const words = text.split(/( --[a-z-]+)/);
  return make("code", {}, ...words.map((word) => (word.startsWith(" --") ? make("span", { class: "option", text: word }) : word)));
}

function checking(cell, p, letter) {
  const command = `${cell.commands[letter === "r" ? 1 : 0]} ${p}`;
  const words = { r: "Check it again: ", n: "See it again: ", u: "Look again, for this person alone: " };
  const box = make("p", { class: "command" }, make("span", { text: words[letter] }), commandLine(command));
  if (letter === "r" && cell.engine === "auto") {
    box.append(" ", make("small", { text: "A proof by path programs is not repeated by this checker, which then says “not confirmed”." }));
  }
  return box;
}
