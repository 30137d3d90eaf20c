// Reads the packed people and answers questions about them. Nothing here touches the page.

const VERDICTS = { r: "robust", n: "not robust", u: "unknown" };

async function unpack(base64) {
  const packed = atob(base64.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const valueOf = (column, p) => (column.codes[p] < 0 ? "(missing)" : column.values[column.codes[p]]);
const labelOf = (data, code) => (code < 0 ? "(a label unseen in training)" : data.label_names[code]);
const ownLabel = (data, code) => (code < 0 ? labelOf(data, code) : data.labels[code]);

// The number of each person's witness in every cell, or why there is no verdict, worked out once: people in order.
function placeWitnesses(data) {
  for (const cell of data.cells) {
    cell.witnessOf = new Map();
    cell.holdsOf = new Map();
    cell.whyOf = new Map();
    let next = 0, open = 0;
    for (let p = 0; p < data.n; p++) {
      if (cell.verdicts[p] === "n") {
        cell.holdsOf.set(p, cell.holds[next]);
        cell.witnessOf.set(p, cell.witnesses[next++]);
      }
      if (cell.verdicts[p] === "u") cell.whyOf.set(p, cell.why.words[cell.why.of[open++]]);
    }
    cell.radius = data.radii.find((r) => r.sweep === cell.sweep && r.depth === cell.depth) || null;
    cell.predicted = data.predictions[cell.depth];
  }
}

// A radius in words: the largest amount, the value of "?", for which the prediction provably stays.
function radiusText(radius, p) {
  const low = radius.lower[p], high = radius.upper[p];
  if (low < 0 && high > 0) return `below ${high}`;
  if (low < 0) return high === 0 ? (radius.ties.includes(p) ? "a tie" : "none") : "unknown";
  if (high === low + 1) return String(low);
  if (high < 0) return `at least ${low}`;
  return `${low} to ${high - 1}`;
}

// Amounts are numbers of records only where the family has a single component; "?" stands for itself elsewhere.
function radiusSentence(radius, p) {
  const low = radius.lower[p], high = radius.upper[p];
  const number = (n) => n.toLocaleString("en");
  const records = (n) => (n === 1 ? "1 record" : `${number(n)} records`);
  const known = (n) => (radius.single ? `A change of at most ${records(n)} that gives another label is known.`
    : `With ? = ${number(n)} a change that gives another label is known.`);
  if (radius.ties.includes(p)) {
    return "The prediction hangs on a tie: another way of breaking it gives another label, with no record changed.";
  }
  if (low < 0) {
    const nothing = radius.single ? "Nothing is proved, not even for the table as it is."
      : `Under ${radius.family} nothing is proved, not even with ? = 0.`;
    return high < 0 ? nothing : `${nothing} ${known(high)}`;
  }
  const alone = low ? `Proved for every change of up to ${records(low)}.` : "Proved for the table as it is.";
  const proved = radius.single ? alone : `Proved under ${radius.family} for every ? up to ${number(low)}.`;
  if (high === low + 1) {
    return radius.single ? `${proved} A change of ${records(high)} that gives another label is known.` : `${proved} ${known(high)}`;
  }
  if (high < 0) {
    return low >= radius.most ? `${proved} No larger amount was looked at.` : `${proved} No change is known that gives another label.`;
  }
  return `${proved} ${known(high)} What is between is unknown.`;
}

// How text is compared in a search: without regard to case and accents.
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

// A search for a whole value, by a column and a value of this table; empty where no name is one word.
function exampleSearch(data) {
  for (const column of data.columns) {
    const value = column.values[column.codes[0]];
    if (!value || value.includes('"') || /[\s"=]/.test(column.name)) continue;
    return `${column.name}=${/\s/.test(value) ? `"${value}"` : value}`;
  }
  return "";
}

// Search: every word must occur in some value; "age=34" asks for a whole value, "#12" for a person.
function makeMatcher(data, text) {
  const words = fold(text).match(/[^\s"=]+="[^"]*"|"[^"]*"|\S+/g) || [];
  const tests = words.map((word) => {
    if (/^#\d+$/.test(word)) return (p) => p === Number(word.slice(1));
    const at = word.indexOf("=");
    const column = at > 0 && data.columns.find((c) => fold(c.name) === word.slice(0, at).replaceAll('"', ""));
    if (column) {
      const wanted = word.slice(at + 1).replaceAll('"', "");
      const fits = column.values.map((v) => fold(v) === wanted);
      return (p) => fits[column.codes[p]] === true;
    }
    const part = word.replaceAll('"', "");
    const found = data.columns
      .map((c) => ({ codes: c.codes, fits: c.values.map((v) => fold(v).includes(part)) }))
      .filter((c) => c.fits.includes(true));
    const named = data.names;
    return (p) => found.some((c) => c.fits[c.codes[p]]) || (named !== null && fold(named[p]).includes(part));
  });
  return (p) => tests.every((test) => test(p));
}

// Who passes the filters, in the order asked for. Counts are by verdict, before the verdict filter.
function select(data, state) {
  const cell = data.cells[state.cell];
  const matches = makeMatcher(data, state.search);
  const wanted = Object.entries(state.groups).filter(([, code]) => code !== "");
  const counts = { r: 0, n: 0, u: 0 };
  const people = [];
  for (let p = 0; p < data.n; p++) {
    if (!wanted.every(([c, code]) => data.columns[c].codes[p] === Number(code)) || !matches(p)) continue;
    counts[cell.verdicts[p]] += 1;
    if (state.verdict === "" || cell.verdicts[p] === state.verdict) people.push(p);
  }
  const key = sortKey(data, cell, state.sort);
  const sign = state.descending ? -1 : 1;
  if (key) people.sort((a, b) => sign * (key(a) - key(b)) || a - b);
  else if (state.descending) people.reverse();
  return { people, counts };
}

function sortKey(data, cell, sort) {
  if (sort === "predicted") return (p) => cell.predicted[p];
  if (sort === "truth") return (p) => data.truth[p];
  if (sort === "verdict") return (p) => "rnu".indexOf(cell.verdicts[p]);
  if (sort === "radius" && cell.radius) {
    const { lower, upper } = cell.radius;
    return (p) => lower[p] + (upper[p] < 0 ? 0.9 : upper[p] === lower[p] + 1 ? 0 : 0.5);
  }
  if (/^\d+$/.test(sort)) return (p) => data.columns[sort].codes[p];
  return null;
}

function toCsv(data, state, people) {
  const cell = data.cells[state.cell];
  const quote = (v) => (/[",\r\n]/.test(v) ? `"${v.replaceAll('"', '""')}"` : v);
  const head = ["person", ...(data.names ? ["index"] : []), ...data.columns.map((c) => c.name), "bias", "depth",
    "prediction", ...(data.truth ? ["true label"] : []), "verdict", "labels not excluded",
    ...(cell.radius ? ["radius proved", "radius refuted"] : []), "records in witness"];
  const lines = people.map((p) => {
    const witness = cell.witnessOf.has(p) ? data.witnesses[cell.witnessOf.get(p)] : null;
    const end = cell.radius ? cell.radius.upper[p] : -1;
    return [p, ...(data.names ? [data.names[p]] : []), ...data.columns.map((c) => (c.codes[p] < 0 ? "" : valueOf(c, p))),
      cell.model, cell.depth, ownLabel(data, cell.predicted[p]), ...(data.truth ? [ownLabel(data, data.truth[p])] : []),
      VERDICTS[cell.verdicts[p]], possibleLabels(data, cell, p, ownLabel).join(" "),
      ...(cell.radius ? [cell.radius.lower[p], end < 0 ? "" : end] : []),
      witness ? witness.flipped.length + witness.removed.length + witness.added[1] - witness.added[0] : ""];
  });
  return [head, ...lines].map((line) => line.map((v) => quote(String(v))).join(",")).join("\r\n") + "\r\n";
}

// What no proof excludes: for people who are not proved that is every label.
function possibleLabels(data, cell, p, named = labelOf) {
  return cell.verdicts[p] === "r" ? [named(data, cell.predicted[p])] : data.labels.map((_, code) => named(data, code));
}
