// The focused field: what it holds, setting it, and reading it back.

/** Describes the focused field; for a text field also what it may hold once this text is typed. */
deskhand.focus = (text, clear) => {
  const facts = focused();
  if (facts.kind !== "text" && facts.kind !== "editable") return facts;
  if (facts.kind === "text" && !clear && isRenaming(text)) deskhand.selectAll();
  return { ...facts, wanted: expected(text, clear) };
};

/** Returns the number of the iframe that has the focus; null if this document itself has it. */
deskhand.focusedFrame = () => {
  const el = activeElement();
  return el && (el.tagName === "IFRAME" || el.tagName === "FRAME") ? arrive(el).frame : null;
};

function focused() {
  const el = activeElement();
  if (!el || el === document.body || el === document.documentElement) return { kind: document.designMode === "on" ? "editable" : "none" };
  if (el.tagName === "IFRAME" || el.tagName === "FRAME") return arrive(el);
  deskhand.field = el.isContentEditable ? editingHost(el) : el;
  const field = deskhand.field;
  const facts = { kind: "none", value: "", exact: false, password: false, name: nameOf(field, roleOf(field)), most: -1 };
  if (field.isContentEditable) return { ...facts, kind: "editable", value: readText(field), lines: readLines(field), paragraphs: !!field.querySelector("p") };
  if (field.tagName === "SELECT") return { ...facts, kind: "select" };
  if (field.tagName === "INPUT" && field.type === "file") return { ...facts, kind: "file" };
  if (field.tagName === "INPUT" && (TYPED.has(field.type) || field.type === "color" || field.type === "range")) return { ...facts, kind: "valued", format: FORMATS[field.type] || "a number" };
  if (isSink(field)) return { ...facts, kind: "sink", value: shownBeside(field) };
  if (!isEditable(field)) return { ...facts, kind: field.readOnly ? "fixed" : "none" };
  return { ...facts, kind: "text", value: field.value, exact: field.selectionStart !== null, password: field.type === "password", most: field.maxLength };
}

/** True if the page has selected a name up to its ending, and the text has that ending, too: it would be there twice. */
function isRenaming(text) {
  const { selectionStart: start, selectionEnd: end, value } = deskhand.field;
  const ending = value.slice(end ?? value.length);
  return start === 0 && end > 0 && /^\.\w+$/.test(ending) && text.endsWith(ending);
}

function editingHost(el) {
  while (el.parentElement && el.parentElement.isContentEditable) el = el.parentElement;
  return el;
}

const readText = (el) => (el.isContentEditable ? el.innerText.replace(/\u00a0/g, " ").replace(/\n+$/, "") : el.value);

function expected(text, clear) {
  const el = deskhand.field, before = readText(el);
  if (clear) return [el.isContentEditable ? text.replace(/\n+$/, "") : text];
  if (el.isContentEditable || el.selectionStart === null) return [before + text, text];
  return [before.slice(0, el.selectionStart) + text + before.slice(el.selectionEnd)];
}

/** Returns what the cells of a code, one letter each, hold together. */
deskhand.cells = () => {
  const all = [...deskhand.first.getRootNode().querySelectorAll("input[maxlength='1']")];
  return all.slice(all.indexOf(deskhand.first)).map((cell) => cell.value).join("");
};

/** Selects everything in the field, so that the next text replaces it. */
deskhand.selectAll = () => {
  const el = deskhand.field;
  if (!el.isContentEditable) return el.select();
  const range = document.createRange();
  range.selectNodeContents(el);
  const selection = el.ownerDocument.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
};

// Browsers count an empty line of an editor as one or two line ends.
const alike = (want, value) => want === value || (deskhand.field.isContentEditable && want.replace(/\n+/g, "\n") === value.replace(/\n+/g, "\n"));

/** Reads the field until it holds one of `wants`: some editors need a frame or two to show what was typed. */
deskhand.readBack = async (wants, patience) => {
  const until = performance.now() + patience;
  for (;;) {
    const value = readText(deskhand.field), match = wants.find((want) => alike(want, value));
    if (match !== undefined) return match;
    if (performance.now() >= until) return value;
    await nextFrame();
  }
};

function announce(el) {
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
}

// --- select boxes ----------------------------------------------------------------------------------------

deskhand.options = (hit) => {
  if (hit) deskhand.field = deskhand.hit;
  const box = deskhand.field.getBoundingClientRect();
  const options = [...deskhand.field.options].map((o, index) => ({ index, label: tidy(o.label), enabled: !o.disabled && !o.parentElement.disabled }));
  return { box: [box.left, box.top, box.right, box.bottom], options, selected: deskhand.field.selectedIndex };
};

deskhand.choose = (index) => {
  const el = deskhand.field;
  el.focus({ preventScroll: true });
  if (el.selectedIndex !== index) { el.selectedIndex = index; announce(el); }
  return tidy(el.selectedOptions[0]?.label);
};

/** Returns the option these words mean: equal, else ignoring case, else by value, else the only one that starts so. */
deskhand.optionFor = (words) => {
  const labels = [...deskhand.field.options].map((o) => tidy(o.label)), wanted = tidy(words), low = wanted.toLowerCase();
  const exact = labels.indexOf(wanted);
  if (exact >= 0) return exact;
  const alike = labels.findIndex((l) => l.toLowerCase() === low);
  if (alike >= 0) return alike;
  const value = [...deskhand.field.options].findIndex((o) => o.value === wanted);
  if (value >= 0) return value;
  const begins = labels.map((l, i) => (low && l.toLowerCase().startsWith(low) ? i : -1)).filter((i) => i >= 0);
  return begins.length === 1 ? begins[0] : -1;
};

// --- dates, times, colours, sliders ------------------------------------------------------------------------

const two = (n) => String(n).padStart(2, "0");

const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
const MONTH = `(${MONTHS.match(/.../g).join("|")})[a-z]*\\.?`;
// "24 December 2026", "24th of Dec, 2026", "December 24, 2026"
const NAMED_DAY = new RegExp(`(?:\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?${MONTH}|\\b${MONTH}\\s+(\\d{1,2})(?:st|nd|rd|th)?),?\\s+(\\d{4})\\b`, "i");

function dateIn(text) {
  let m = text.match(/(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})/);
  if (m) return `${m[1]}-${two(m[2])}-${two(m[3])}`;
  m = text.match(/(\d{1,2})\/(\d{1,2})\/(\d{4})/); // as the empty field shows it: mm/dd/yyyy
  if (m) return `${m[3]}-${two(m[1])}-${two(m[2])}`;
  m = text.match(NAMED_DAY);
  return m ? `${m[5]}-${two(MONTHS.indexOf((m[2] || m[3]).toLowerCase()) / 3 + 1)}-${two(m[1] || m[4])}` : "";
}

function timeIn(text) {
  const m = text.match(/(\d{1,2}):(\d{2})(:\d{2})?\s*([ap])?/i);
  if (!m) return "";
  let hour = Number(m[1]);
  if (m[4]) hour = (hour % 12) + (m[4].toLowerCase() === "p" ? 12 : 0);
  return `${two(hour)}:${m[2]}${m[3] || ""}`;
}

function plainly(text, type) {
  if (type === "date") return dateIn(text) || text;
  if (type === "time") return timeIn(text) || text;
  if (type === "datetime-local") return dateIn(text) && timeIn(text) ? `${dateIn(text)}T${timeIn(text)}` : text;
  return type === "color" ? text.toLowerCase() : text;
}

/** Sets a field that takes no typed text; returns what it then holds, and what it should hold. */
deskhand.assign = (text) => {
  const el = deskhand.field, wanted = text ? plainly(text.trim(), el.type) : "";
  const before = el.value;
  el.value = wanted;
  if (wanted && el.value !== wanted && Number(el.value) !== Number(wanted || NaN)) { const held = el.value; el.value = before; return { held, wanted }; }
  const held = el.value;
  if (el.type === "range" && held !== before) return { held, wanted: held, key: stepBeside(el) };
  if (held !== before) announce(el);
  return { held, wanted: held };
};

/** Puts a slider one step beside its value; returns the key that leads back, so that the page hears of it from the browser. */
function stepBeside(el) {
  const value = el.value;
  el.stepDown();
  if (el.value !== value) return "ArrowUp";
  el.stepUp();
  if (el.value !== value) return "ArrowDown";
  announce(el);
  return "";
}

deskhand.held = () => deskhand.field.value;
