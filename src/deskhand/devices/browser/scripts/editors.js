// Editors that keep a text of their own: what they draw, what they would copy, and giving them text as a paste does.

/** True for a field that only catches keys for an editor which draws its text elsewhere (Monaco, CodeMirror 5). */
function isSink(el) {
  if (el.editContext) return true;
  if (el.tagName !== "TEXTAREA" || el.readOnly || el.disabled) return false;
  const box = el.getBoundingClientRect(), style = getComputedStyle(el);
  const unseen = box.width <= 2 || box.height <= 2 || style.opacity === "0" || style.color === "rgba(0, 0, 0, 0)" || !el.checkVisibility({ visibilityProperty: true });
  return unseen || (!!parentOf(el) && (parentOf(el).offsetWidth <= 3 || parentOf(el).offsetHeight <= 0) && getComputedStyle(parentOf(el)).overflow === "hidden");
}

/** Returns the editors that draw their text themselves: each box that is seen, with the field that catches its keys. */
function findEditors() {
  const found = new Map();
  for (const el of document.querySelectorAll("textarea,[role=textbox]")) {
    if (el.tabIndex < 0 || el.getAttribute("aria-readonly") === "true" || !isSink(el) || !el.checkVisibility({ visibilityProperty: true })) continue;
    let around = parentOf(el);
    while (around && (around.offsetWidth < EDITOR_SIZE || around.offsetHeight < EDITOR_SIZE)) around = parentOf(around);
    const others = around ? [...around.querySelectorAll(CONTROLS)].filter((one) => one !== el && one.tabIndex >= 0) : [];
    if (around && around !== document.body && around !== document.documentElement && !others.length && shownWithin(el, around)) found.set(around, el);
  }
  return found;
}

const EDITOR_SIZE = 16;

/** True if the field lies where the editor is: one that is moved out of sight serves something else. */
function shownWithin(el, around) {
  const [inner, outer] = [el.getBoundingClientRect(), around.getBoundingClientRect()];
  return inner.left >= outer.left - EDITOR_SIZE && inner.left <= outer.right && inner.top >= outer.top - EDITOR_SIZE && inner.top <= outer.bottom;
}

/** Returns the text that the editor around a sink draws: that of the nearest ancestor which shows any. */
function shownBeside(el) {
  for (let up = parentOf(el); up && up !== document.body; up = parentOf(up)) {
    const text = withoutNumbers((up.innerText || "").replace(/\u00a0/g, " ").replace(/[\u200b-\u200d\ufeff]/g, "").trim());
    if (text || up.getAttribute("role") === "code" || /editor|codemirror/i.test(String(up.className))) return text;
  }
  return "";
}

/** Leaves out the lines of digits alone: beside a text they are the numbers of its lines. */
const withoutNumbers = (text) => text.split("\n").filter((line) => !/^\s*\d+\s*$/.test(line)).join("\n");

/** Reads what the editor around a sink draws until it shows this text; returns what it shows. Blanks are its own matter. */
deskhand.readShown = async (wanted, patience) => {
  const until = performance.now() + patience, bare = (text) => withoutNumbers(text).replace(/\s+/g, "");
  for (;;) {
    const shown = shownBeside(deskhand.field), holds = bare(shown).includes(bare(wanted));
    if (holds || performance.now() >= until) return { shown, holds };
    await nextFrame();
  }
};

/** Returns the lines that an editable element draws, joined: each block is one, and a break at its end only holds it open. */
const readLines = (host) => linesOf(host).join("\n").replace(/\u00a0/g, " ");

function linesOf(block) {
  const lines = [], kept = /pre|break-spaces/.test(getComputedStyle(block).whiteSpace);
  let open = false;
  for (const node of block.childNodes) {
    if (node.nodeType === 1 && !/^(inline|contents|none)/.test(getComputedStyle(node).display) && node.tagName !== "BR") {
      lines.push(...linesOf(node));
      open = false;
      continue;
    }
    const text = inlineText(node);
    if (!open && !kept && !/[^ \t\n]/.test(text) && node.nodeType === 3) continue;
    const [first, ...others] = text.split("\n");
    if (open) lines[lines.length - 1] += first;
    else lines.push(first);
    lines.push(...others);
    open = true;
  }
  if (open && lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
  return lines.length ? lines : [""];
}

function inlineText(node) {
  if (node.nodeType === 3) return node.data;
  if (node.tagName === "BR") return "\n";
  return [...node.childNodes].map(inlineText).join("").replace(/[\u200b\ufeff]/g, "");
}

/** Waits until the field draws just these lines; returns the lines that it draws. */
deskhand.readDrawn = async (wanted, patience) => {
  const until = performance.now() + patience;
  for (;;) {
    const lines = readLines(deskhand.field);
    if (lines === wanted || performance.now() >= until) return lines;
    await nextFrame();
  }
};

const clipboardEvent = (type, clipboardData) => new ClipboardEvent(type, { clipboardData, bubbles: true, cancelable: true, composed: true });

/** Gives the focused editor a text as a paste does, without the clipboard; true if it takes pastes into its own hands. */
deskhand.paste = (text) => {
  const given = new DataTransfer();
  given.setData("text/plain", text);
  return !deskhand.field.dispatchEvent(clipboardEvent("paste", given));
};

/** Returns what would be copied now, without the clipboard; waits until that is this text. */
deskhand.readCopied = async (wanted, patience) => {
  const until = performance.now() + patience;
  for (;;) {
    const text = copied();
    if (text === wanted || performance.now() >= until) return text;
    await nextFrame();
  }
};

function copied() {
  const el = deskhand.field, given = new DataTransfer();
  if (!el.dispatchEvent(clipboardEvent("copy", given))) return given.getData("text/plain").replace(/\r\n/g, "\n");
  return typeof el.value === "string" ? el.value.slice(el.selectionStart, el.selectionEnd) : "";
}
