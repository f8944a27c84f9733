// Lists everything a user could read or use in the viewport of this document.
// Runs in an isolated world (the page can't see or change it). Other documents (iframes) list themselves.

const ROLES = {
  button: "button", link: "link", checkbox: "checkbox", radio: "radio", switch: "switch", textbox: "field",
  searchbox: "field", spinbutton: "field", combobox: "combobox", slider: "slider", scrollbar: "slider", tab: "tab",
  menuitem: "item", menuitemcheckbox: "checkbox", menuitemradio: "radio", option: "item", treeitem: "item",
  row: "item", listitem: "item", gridcell: "item", img: "image", image: "image", dialog: "dialog",
  alertdialog: "dialog", heading: "heading", progressbar: "progress", meter: "progress", list: "list",
  listbox: "list", tree: "list", grid: "list", table: "list", menu: "menu", menubar: "group",
};
const INPUTS = {
  button: "button", submit: "button", reset: "button", image: "button", file: "button", color: "button",
  checkbox: "checkbox", radio: "radio", range: "slider",
};
const TAGS = {
  BUTTON: "button", SUMMARY: "button", TEXTAREA: "field", SELECT: "combobox", OPTION: "item", IMG: "image",
  DIALOG: "dialog", PROGRESS: "progress", METER: "progress", H1: "heading", H2: "heading", H3: "heading",
  H4: "heading", H5: "heading", H6: "heading", LEGEND: "heading", VIDEO: "image", CANVAS: "image",
};
// Elements a worker may want to use, even if the page's author did not mark them as usable.
const USABLE = new Set(["button", "link", "checkbox", "radio", "switch", "field", "combobox", "slider", "tab", "item"]);
// Usable or not, what is inside them has names of its own.
const HOLDERS = new Set(["field", "menu", "group"]);
const TYPED = new Set(["date", "time", "datetime-local", "month", "week"]);
const FORMATS = { date: "YYYY-MM-DD", time: "HH:MM", "datetime-local": "YYYY-MM-DDTHH:MM", month: "YYYY-MM", week: "YYYY-Www", color: "#rrggbb", file: "a file's path" };
const SKIPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "TITLE", "BR", "WBR", "DATALIST",
  "title", "desc", "defs", "style", "script", "metadata", "clipPath", "mask", "symbol", "linearGradient", "radialGradient", "pattern", "filter"]);
// Elements whose content is always shown inside their own box, so that all of it can be skipped if it is far away.
const ROWS = new Set(["TR", "LI", "P", "TD", "DT", "DD", "OPTION", "PRE"]);
// Besides custom elements, these can have a shadow.
const HOSTS = new Set(["DIV", "SPAN", "SECTION", "ARTICLE", "MAIN", "NAV", "HEADER", "FOOTER", "ASIDE", "P"]);
// Pieces of a line; what is inside of them is a part of it.
const PIECES = new Set(["SPAN", "STRONG", "B", "I", "EM", "SMALL", "U", "S", "MARK", "SUB", "SUP", "TIME", "ABBR", "CODE", "Q", "CITE", "VAR", "DATA", "FONT", "BR", "WBR"]);
const MOST_PIECES = 12;
// What stands before a control and is no label of it.
const NO_LABELS = "button,a[href],input,select,textarea,[role=button],[role=link],h1,h2,h3,ul,ol,table,pre";
const LONGEST_LABEL = 60;
// Words that tell something and name nothing.
const SENTENCE = /\S+\s+\S+\s+\S+.*[.!]$|\S{6,}[。！]$/;
const MOST_AROUND = 4;
// What libraries call the part of a slider that is moved, where they give it no role.
const SLIDERS = /\b(?:slider|range)[\w-]*[-_]{1,2}(?:handle|thumb|knob)\b/i;
// What libraries call a tab, or the row of them, where they give it no role.
const TAB = /(?:^|\s)(?:[\w-]*[-_])?tab(?:[-_]{1,2}(?:item|link|button|btn|label|title|header|nav))?(?:\s|$)/i;
const TABS = /(?:^|\s)(?:[\w-]*[-_])?tabs(?:\s|$)/i;
const CURRENT = /(?:^|[\s_-])(?:active|current|selected)(?:\s|$)/i;
const MENU_PARTS = ":scope > [role=menu], :scope > [role^=menuitem], :scope > ul > [role^=menuitem]";
// What libraries call the keys beside an entry of a menu.
const KEYS = "kbd,[class*=shortcut i],[class*=accelerator i],[class*=keybinding i]";
const MOST_SUSPECTS = 40;
// Shapes of a drawing that has few of them: a chart has many, and an icon is small.
const SHAPES = { circle: "circle", ellipse: "ellipse", rect: "rectangle", polygon: "polygon" };
const MOST_SHAPES = 8;
const MANY = 1500;
const MANY_ROWS = 40;
const FAR = 400;
const TINY = 6;
const LARGEST_ICON = 64;
const SHORTEST_TRACK = 60;
const LONGEST = 300;
// What a field holds may be read to its end ("copy the text in …").
const LONGEST_VALUE = 2000;

const tidy = (text, most = LONGEST) => (text || "").replace(/[\s\u00a0]+/g, " ").trim().slice(0, most);
// Shadow roots that a page has closed; the caller finds them by the browser's own protocol.
const closed = { roots: new WeakMap(), asked: new WeakSet() };
const rootOf = (el) => el.shadowRoot || closed.roots.get(el) || null;
const parentOf = (el) => el.assignedSlot || el.parentElement || (el.getRootNode() instanceof ShadowRoot ? el.getRootNode().host : null);
const childrenOf = (el) => {
  const root = rootOf(el);
  if (root) return root.children;
  if (el.tagName === "SLOT") { const given = el.assignedNodes(); if (given.length) return given.filter((node) => node.nodeType === 1); }
  return el.children;
};
/** Returns the nodes that are shown inside an element: its own, those of its shadow, or those that a slot was given. */
const shownNodes = (el) => {
  const root = rootOf(el);
  if (root) return root.childNodes;
  const given = el.tagName === "SLOT" ? el.assignedNodes() : [];
  return given.length ? given : el.childNodes;
};

function activeElement(root = document) {
  let el = root.activeElement;
  while (el && rootOf(el)?.activeElement) el = rootOf(el).activeElement;
  return el;
}

function isEditable(el) {
  if (el.isContentEditable) return !(el.parentElement && el.parentElement.isContentEditable);
  if (el.tagName === "TEXTAREA") return !el.readOnly && !el.disabled;
  return el.tagName === "INPUT" && !(el.type in INPUTS) && el.type !== "hidden" && !el.readOnly && !el.disabled;
}

/** Returns the select box that a page has hidden, for what it has drawn in its place; null for anything else. */
function hiddenSelect(el) {
  for (let around = el, depth = 0; around && depth < 5 && !around.matches("form,body,fieldset"); around = parentOf(around), depth++) {
    const selects = around.querySelectorAll("select");
    if (selects.length > 1) return null;
    const shown = selects.length ? tidy(selects[0].selectedOptions[0]?.label) : "";
    const own = selects.length && (el.contains(selects[0]) || selects[0].nextElementSibling?.contains(el));
    if (selects.length) return (own || (shown && textOf(el) === shown)) && isUnseen(selects[0]) ? selects[0] : null;
  }
  return null;
}

function isUnseen(el) {
  const box = el.getBoundingClientRect();
  if (empty(cut([box.left, box.top, box.right, box.bottom], clipOf(parentOf(el)))) || box.width < TINY || box.height < TINY) return true;
  return !el.checkVisibility({ visibilityProperty: true, opacityProperty: true });
}

function roleOf(el) {
  const said = (el.getAttribute("role") || "").trim().split(/\s+/)[0];
  if (said === "textbox" && el.getAttribute("aria-readonly") === "true" && !el.isContentEditable && el.tagName !== "INPUT" && el.tagName !== "TEXTAREA") return "";
  if (said in ROLES) return ROLES[said];
  const tag = el.tagName;
  if (tag === "INPUT") return el.type === "hidden" ? "" : INPUTS[el.type] || (el.list ? "combobox" : "field");
  if (tag === "SELECT") return el.multiple || el.size > 1 ? "list" : "combobox";
  if (tag === "A" && isTab(el)) return "tab";
  if (tag === "A" || tag === "AREA" || tag === "a") return el.href ? "link" : el.title ? "button" : "";
  if (tag === "svg") return labelOf(el) || titleOf(el) ? "image" : "";
  if (tag in TAGS) return TAGS[tag];
  if (el.tabIndex >= 0 && SLIDERS.test(el.getAttribute("class") || "") && isBare(el)) return "slider";
  if (el.isContentEditable && isEditable(el)) return "field";
  return el.hasAttribute("tabindex") && el.querySelector(MENU_PARTS) ? "menu" : "";
}

const classOf = (el) => el?.getAttribute("class") || "";

/** True for a link that the page's author calls a tab: by its own class, its item's, or that of the row. */
const isTab = (el) => TAB.test(classOf(el)) || (el.parentElement?.tagName === "LI" && (TAB.test(classOf(el.parentElement)) || TABS.test(classOf(el.parentElement.parentElement))));

// --- names ---------------------------------------------------------------------------------------------

/** Returns the title of a drawing or of a part of it. */
const titleOf = (el) => (el instanceof SVGElement ? tidy([...el.children].find((child) => child.tagName === "title")?.textContent) : "");

/** Returns the text as it is shown, with what is in shadows and slots. */
function flatText(node) {
  if (node.nodeType === 3) return node.data;
  if (node.nodeType !== 1 || SKIPPED.has(node.tagName) || !node.checkVisibility?.()) return node.tagName === "SLOT" ? [...shownNodes(node)].map(flatText).join(" ") : "";
  return [...shownNodes(node)].map(flatText).join(" ");
}

function textOf(el) {
  if (el instanceof SVGElement) return titleOf(el) || tidy([...el.querySelectorAll("text")].map((one) => one.textContent).join(" ") || (el.tagName === "text" || el.tagName === "tspan" ? el.textContent : ""));
  const text = rootOf(el) || el.getRootNode() instanceof ShadowRoot ? tidy(flatText(el)) : tidy(el.tagName === "LABEL" && el.control ? labelText(el) : el.innerText ?? el.textContent);
  return withoutSigns(el, text) || pictureText(el) || drawnText(el);
}

/** Returns the text without the keys beside it and the words that a font draws as icons; they are all there is on some buttons. */
function withoutSigns(el, text) {
  if (!/[a-z]/i.test(text) || !el.childElementCount) return text;
  let rest = text;
  for (const keys of el.querySelectorAll(KEYS)) { const word = tidy(keys.textContent); if (word && rest.endsWith(word)) rest = rest.slice(0, -word.length); }
  for (const sign of el.querySelectorAll("[translate=no],[class*=material-icons],[class*=material-symbols]")) {
    const word = tidy(sign.textContent);
    if (/^[a-z0-9_]+$/.test(word) && /icons?\b|symbols/i.test(getComputedStyle(sign).fontFamily)) rest = rest.replace(word, "");
  }
  return tidy(rest) || text;
}

/** Returns what the pictures in an element say of themselves. */
function pictureText(el) {
  const pictures = el.querySelectorAll("img[alt],svg[aria-label],[role=img][aria-label],svg>title,[title]");
  return tidy([...new Set([...pictures].map((p) => p.getAttribute("alt") || p.getAttribute("aria-label") || p.getAttribute("title") || p.textContent))].join(" "));
}

/** Returns the kind of a plain shape in a drawing; empty for anything else. */
function shapeName(el) {
  const drawing = el.tagName in SHAPES ? el.ownerSVGElement : null, around = drawing?.getBoundingClientRect();
  if (!drawing || around.width <= LARGEST_ICON || drawing.querySelectorAll(Object.keys(SHAPES).join()).length > MOST_SHAPES) return "";
  const box = el.getBoundingClientRect();
  if (box.width < TINY || box.height < TINY || box.width > around.width / 2 || getComputedStyle(el).fill === "none") return "";
  if (el.tagName === "polygon") return el.points.length === 3 ? "triangle" : "polygon";
  return el.tagName === "rect" && Math.abs(box.width - box.height) < 1 ? "square rectangle" : SHAPES[el.tagName];
}

/** Returns the letters that a style puts into an element without text; signs of icon fonts say nothing. */
function drawnText(el) {
  const drawn = ["::before", "::after"].map((part) => getComputedStyle(el, part).content.match(/^"(.*)"$/)?.[1] || "");
  return tidy(drawn.join("").replace(/[\ue000-\uf8ff]/g, ""));
}

function labelOf(el) {
  const ids = el.getAttribute("aria-labelledby");
  if (ids) {
    const root = el.getRootNode();
    // What stands in it is its value, not its name.
    const named = ids.split(/\s+/).map((id) => root.getElementById(id)).filter((one) => one && (!el.contains(one) || one.getAttribute("aria-label")));
    const text = tidy([...new Set(named.map((one) => tidy(one.getAttribute("aria-label")) || one.textContent))].join(" "));
    if (text) return text;
  }
  const said = tidy(el.getAttribute("aria-label"));
  if (said) return said;
  if (el.labels && el.labels.length) return tidy([...el.labels].map((label) => labelText(label).trim() || pictureText(label)).join(" "));
  return "";
}

function labelText(label) {
  // Without the text inside the control itself: a wrapped select would be named by all of its options.
  let text = "";
  for (const node of label.childNodes) {
    if (node.nodeType === 3) text += node.data;
    else if (node.nodeType === 1 && !node.matches("select,textarea,input,button")) text += " " + labelText(node);
  }
  return text;
}

const CONTROLS = "input:not([type=hidden]),select,textarea,[contenteditable=true],[contenteditable=''],[role=textbox],[role=combobox],[role=spinbutton],[role=slider]";

/** Returns the words beside a control that nothing names: those of its row of a table, or the only ones around it. */
function wordsBeside(el) {
  const row = el.closest("tr,[role=row]"), cell = el.closest("td,[role=cell],[role=gridcell]");
  if (row && cell && row.contains(cell)) {
    const first = [...row.children].find((one) => one !== cell && !one.querySelector(CONTROLS) && textOf(one));
    return first ? firstLine(first) : "";
  }
  for (let up = parentOf(el), at = el, depth = 0; up && depth < MOST_AROUND; at = up, up = parentOf(up), depth++) {
    if (up.matches("fieldset,form,table,[role=group],[role=dialog]") || up.querySelectorAll(CONTROLS).length > 1) return "";
    for (let before = at.previousElementSibling; before; before = before.previousElementSibling) {
      const words = before.matches(NO_LABELS) || before.matches("[aria-hidden=true]") || before.querySelector(NO_LABELS) ? "" : firstLine(before);
      if (words) return words.length <= LONGEST_LABEL && !SENTENCE.test(words) ? words : "";
    }
  }
  return "";
}

const firstLine = (el) => tidy((el.innerText || "").trim().split("\n")[0]);

function nameOf(el, role) {
  const label = labelOf(el);
  if (label) return label;
  const title = () => tidy(el.getAttribute("title"));
  const beside = () => title() || (el.matches(CONTROLS) && !hintOf(el) ? wordsBeside(el) : "");
  if (el.tagName === "INPUT") {
    if (["submit", "button", "reset"].includes(el.type)) return tidy(el.value) || title() || el.type;
    if (el.type === "checkbox" || el.type === "radio") return title();
    return tidy(el.alt) || beside() || (el.type === "file" ? "Choose file" : "");
  }
  if (el.tagName === "IMG") return tidy(el.alt) || title();
  if (el.tagName === "SELECT" || el.tagName === "TEXTAREA" || role === "field") return beside();
  if (el.tagName === "OPTION") return tidy(el.label);
  if (role === "dialog" || role === "list" || role === "menu" || role === "group") return title();
  if (role !== "text" && role !== "heading" && isHolder(el)) return title();
  return textOf(el) || title();
}

function valueOf(el, role) {
  if (el.tagName === "SELECT") return tidy([...el.selectedOptions].map((o) => o.label).join(", "));
  if (el.tagName === "INPUT") {
    if (el.type === "password") return "•".repeat(el.value.length);
    if (el.type === "file") return tidy([...el.files].map((f) => f.name).join(", "));
    if (el.type in INPUTS && el.type !== "range" && el.type !== "color") return "";
    return el.value.slice(0, LONGEST_VALUE);
  }
  if (el.tagName === "TEXTAREA") return el.value.slice(0, LONGEST_VALUE);
  if (el.tagName === "PROGRESS" || el.tagName === "METER") return String(el.value);
  if (role === "field" && el.isContentEditable) return tidy(el.innerText, LONGEST_VALUE);
  if (role === "combobox" && el.getAttribute("role") === "combobox") return tidy(el.innerText.replace(/[\u200b-\u200d\ufeff]/g, ""));
  return tidy(el.getAttribute("aria-valuetext") || el.getAttribute("aria-valuenow"));
}

function hintOf(el) {
  const hint = tidy(el.getAttribute("placeholder") || el.getAttribute("aria-placeholder") || el.dataset?.placeholder);
  if (el.tagName === "INPUT" && el.type === "range") return `${el.min || 0} to ${el.max || 100}`;
  return hint || (el.tagName === "INPUT" ? FORMATS[el.type] || "" : "");
}

/** Returns what a pointer over the element would show, if that is another name than its own. */
function tooltipOf(el, name) {
  const told = tidy(el.getAttribute("title") || el.getAttribute("data-tooltip") || el.getAttribute("data-original-title"));
  return told && name && told.toLowerCase() !== name.toLowerCase() ? told : "";
}

function checkedOf(el) {
  if (el.tagName === "INPUT" && (el.type === "checkbox" || el.type === "radio")) return el.indeterminate ? null : el.checked;
  const said = el.getAttribute("aria-checked") ?? el.getAttribute("aria-pressed");
  return said === "true" ? true : said === "false" ? false : null;
}

// --- what can be seen -----------------------------------------------------------------------------------

const clips = { of: new WeakMap() };

/** Returns the part of the viewport where an element's descendants can show; each ancestor is read once per listing. */
function clipOf(el) {
  if (!el) return deskhand.clip;
  let clip = clips.of.get(el);
  if (clip) return clip;
  clip = clipOf(parentOf(el));
  const style = getComputedStyle(el);
  if (style.position === "fixed") clip = deskhand.clip;
  const opened = style.overflowX === "visible" && style.overflowY === "visible";
  if (!opened && el !== document.documentElement && el !== document.body) {
    const box = el.getBoundingClientRect();
    clip = cut(clip, [box.left, box.top, box.right, box.bottom]);
  }
  clips.of.set(el, clip);
  return clip;
}

const cut = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
const empty = (b) => b[2] - b[0] < 1 || b[3] - b[1] < 1;

function deepest(x, y) {
  let el = document.elementFromPoint(x, y);
  while (el && rootOf(el)) {
    const root = rootOf(el);
    let inner = root.elementFromPoint(x, y);
    // Text in a slot belongs to the host, but is drawn inside of what holds the slot.
    if (inner === el) inner = root.elementsFromPoint(x, y).find((one) => one.getRootNode() === root);
    if (!inner || inner === el) break;
    el = inner;
  }
  return el;
}

/** True if `hit` is the target, a part of it, or its label. */
function reaches(hit, target) {
  for (let el = hit; el; el = parentOf(el)) {
    if (el === target) return true;
    if (el.tagName === "LABEL" && el.control === target) return true;
    if (target.tagName === "LABEL" && el === target.control) return true;
  }
  return false;
}

/** Returns the box to aim at: all of it if its middle is free, else the free third nearest to the middle, else none. */
function freeBox(el, box) {
  const [w, h] = [(box[2] - box[0]) / 3, (box[3] - box[1]) / 3];
  for (const [i, j] of [[1, 1], [0, 1], [2, 1], [1, 0], [1, 2], [0, 0], [2, 0], [0, 2], [2, 2]]) {
    const cell = [box[0] + i * w, box[1] + j * h, box[0] + (i + 1) * w, box[1] + (j + 1) * h];
    if (reaches(deepest((cell[0] + cell[2]) / 2, (cell[1] + cell[3]) / 2), el)) return i === 1 && j === 1 ? box : cell;
  }
  return null;
}

/** True if nothing that is painted lies over the middle of these words: a transparent layer takes clicks, but hides nothing. */
function isLegible(el, box) {
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  for (const over of el.getRootNode().elementsFromPoint?.(x, y) ?? []) {
    if (reaches(over, el) || over.contains(el)) return true;
    if (isPainted(over)) return false;
  }
  return false;
}

function isPainted(el) {
  if (el.matches("img,canvas,video,iframe,frame,object,embed,svg,input,select,textarea") || hasOwnText(el)) return true;
  const style = getComputedStyle(el);
  return style.backgroundImage !== "none" || !/^rgba\(.*, 0\)$|^transparent$/.test(style.backgroundColor) || style.backdropFilter !== "none";
}

/** Returns the element's box; of a link that wraps over lines, the largest piece: the middle of all may be outside. */
function boxOf(el, role, box = el.getBoundingClientRect()) {
  if (role === "link" || role === "text" || (role === "button" && getComputedStyle(el).display === "inline")) {
    const pieces = el.getClientRects();
    if (pieces.length > 1) box = [...pieces].reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a));
  }
  return [box.left, box.top, box.right, box.bottom];
}

/** Returns the box of the text itself: a block is as wide as the page, and a label's box may include its field. */
function textBox(el) {
  const range = document.createRange();
  let all = null;
  for (const node of shownNodes(el)) {
    const shown = node.nodeType === 3 ? /\S/.test(node.data) : node.nodeType === 1 && !hasOwnText(el) && PIECES.has(node.tagName) && /\S/.test(node.textContent);
    if (!shown) continue;
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    all = all ? [Math.min(all[0], box.left), Math.min(all[1], box.top), Math.max(all[2], box.right), Math.max(all[3], box.bottom)] : [box.left, box.top, box.right, box.bottom];
  }
  return all || boxOf(el, "text");
}

/** Returns the box where it can be clicked; null if it is hidden, scrolled away or covered. */
function visibleBox(el, role, box) {
  const shown = cut(box, clipOf(role === "option" ? parentOf(parentOf(el)) : parentOf(el)));
  if (empty(shown)) return null;
  const drawn = el.tagName === "INPUT" && (el.type in INPUTS);  // a drawn checkbox often hides the real one by opacity
  if (!el.checkVisibility({ visibilityProperty: true, opacityProperty: !drawn })) return null;
  return freeBox(el, shown) || ((role === "text" || role === "heading") && isLegible(el, shown) ? shown : null);
}

// --- the list -------------------------------------------------------------------------------------------

const hasOwnText = (el) => {
  for (const node of shownNodes(el)) if (node.nodeType === 3 && /\S/.test(node.data)) return true;
  return false;
};

/** True for a line of words that is put together of several pieces: "2", "items", "left". */
function isSplitLine(el) {
  if (el.childElementCount < 2 || el.childElementCount > MOST_PIECES || rootOf(el) || el.tagName === "SLOT") return false;
  let words = 0;
  for (const piece of el.querySelectorAll("*")) {
    if (piece.childElementCount > MOST_PIECES || !PIECES.has(piece.tagName) || piece.hasAttribute("role") || piece.hasAttribute("onclick") || piece.hasAttribute("tabindex")) return false;
    const style = getComputedStyle(piece);
    if (style.display !== "inline" || style.cursor === "pointer" || rootOf(piece)) return false;
    if (hasOwnText(piece)) words += 1;
  }
  return words > 1;
}

/** Returns the words of pieces that are set side by side without a gap, as one: "doc" and ".txt". */
function touchingText(el) {
  const pieces = [...el.children];
  if (pieces.length < 2 || pieces.length > MOST_PIECES || hasOwnText(el) || rootOf(el)) return "";
  if (!pieces.every((piece) => PIECES.has(piece.tagName) && !piece.childElementCount && hasOwnText(piece) && !piece.hasAttribute("role") && !usableByStyle(piece))) return "";
  const boxes = pieces.map((piece) => piece.getBoundingClientRect());
  const touch = (a, b) => Math.abs(b.left - a.right) < 1.5 && Math.abs(b.top - a.top) < b.height / 2;
  return boxes.every((box, i) => !i || touch(boxes[i - 1], box)) ? tidy(pieces.map((piece) => piece.textContent).join("")) : "";
}

function usableByStyle(el) {
  if (el.hasAttribute("onclick") || (el.tabIndex >= 0 && el.hasAttribute("tabindex"))) return true;
  if (getComputedStyle(el).cursor !== "pointer") return false;
  const parent = parentOf(el);
  return !parent || getComputedStyle(parent).cursor !== "pointer";
}

/** True for what can be used only by its style or the keyboard and holds several things: each has a name of its own. */
function isHolder(el) {
  if (el.matches("tr,[role=row]") && el.querySelectorAll("td,[role=gridcell],[role=cell]").length > 1) return true;
  if (roleOf(el) || el.tagName === "LABEL") return false;
  const own = hasOwnText(el);
  let parts = own ? 1 : 0;
  for (const child of childrenOf(el)) {
    const usable = child.matches("button,a[href],input,select,textarea,[tabindex],[role]");
    // Beside text of its own, words in bold or a link's icon are a part of that text.
    if (SKIPPED.has(child.tagName) || !(usable || (!own && (textOf(child) || child.matches("img,svg"))))) continue;
    if (++parts > 1 || isHolder(child)) return true;
  }
  return false;
}

/** True for an icon made of a font or a picture: it has nothing inside, and a label or a sign of what it shows. */
const isIcon = (el) => isBare(el) && !!(el.getAttribute("aria-label") || el.getAttribute("title") || (isPicture(el) && iconWords(el)));
const isBare = (el) => !el.childElementCount && !hasOwnText(el);

/** True if a style draws a small picture in it. */
function isPicture(el) {
  const style = getComputedStyle(el), box = el.getBoundingClientRect();
  if (box.width < TINY || box.height < TINY || box.width > LARGEST_ICON || box.height > LARGEST_ICON) return false;
  return /^url\(/.test(style.content) || /url\(/.test(style.backgroundImage) || /url\(/.test(style.maskImage || "");
}

/** Returns the words by which the author of a page calls an icon that says nothing itself: its class (`fa fa-trash`), or its symbol. */
function iconWords(el) {
  if (el.childElementCount > 1 || tidy(el.textContent)) return "";
  if (el.tagName === "INPUT" || el.tagName === "TEXTAREA") return labelOf(el) || hintOf(el) ? "" : tidy(classOf(el)).slice(0, 80);
  if (el.tagName === "SELECT" || el.tagName === "IMG") return "";
  const parts = [el, el.firstElementChild].filter(Boolean);
  const used = parts.map((part) => part.querySelector?.("use")?.getAttribute("href")?.split("#").pop() || "");
  return tidy(parts.map((part) => part.getAttribute("class") || "").concat(used).join(" ")).slice(0, 80);
}

function scrollsOf(el) {
  const style = getComputedStyle(el), moves = /auto|scroll|overlay/;  // asked first: the sizes cost ten times as much
  if (moves.test(style.overflowY) && el.scrollHeight > el.clientHeight + 1) return true;
  return moves.test(style.overflowX) && el.scrollWidth > el.clientWidth + 1;
}

/** True if the document itself can be scrolled by a user; what its body says of overflow is said of the viewport. */
function documentScrolls() {
  const root = document.scrollingElement || document.documentElement;
  if (!document.body || !root) return false;
  const style = getComputedStyle(document.documentElement), opened = style.overflowX === "visible" && style.overflowY === "visible";
  const told = opened ? getComputedStyle(document.body) : style, fixed = /hidden|clip/;
  if (!fixed.test(told.overflowY) && root.scrollHeight > root.clientHeight + 1) return true;
  return !fixed.test(told.overflowX) && root.scrollWidth > root.clientWidth + 1;
}

function describe(el, role, box, parent) {
  const editable = isEditable(el);
  const enabled = !(el.matches(":disabled") || el.getAttribute("aria-disabled") === "true" || el.closest("[inert]"));
  const name = nameOf(el, role);
  return {
    role, box, parent, enabled, editable: editable && enabled, name, value: valueOf(el, role),
    hint: hintOf(el) || (USABLE.has(role) ? tooltipOf(el, name) : ""), id: el.id || el.dataset?.testid || el.getAttribute("name") || iconWords(el),
    focused: el === deskhand.active && el !== document.body, checked: checkedOf(el),
    selected: el.getAttribute("aria-selected") === "true" || el.matches('[aria-current]:not([aria-current=false])') || (el.tagName === "OPTION" && el.selected) || (role === "item" && !el.hasAttribute("aria-selected") && CHOSEN.test(classOf(el))) || (role === "tab" && !el.hasAttribute("role") && (CURRENT.test(classOf(el)) || CURRENT.test(classOf(el.parentElement)))),
    clickable: false, scrollable: scrollsOf(el), password: el.tagName === "INPUT" && el.type === "password",
    sends: sendsOf(el), expanded: expandedOf(el),
    multiline: el.tagName === "TEXTAREA" || el.getAttribute("aria-multiline") === "true" || (role === "field" && el.isContentEditable),
  };
}

/** Returns whether what can be unfolded is; null for anything else. A list item with a list of its own below is one too. */
function expandedOf(el) {
  const said = el.getAttribute("aria-expanded");
  if (said === "true" || said === "false") return said === "true";
  if (el.tagName === "SUMMARY") return !!el.parentElement?.open;
  const item = el.tagName === "LI" ? el : el.parentElement?.tagName === "LI" && el.tagName !== "UL" && el.tagName !== "OL" ? el.parentElement : null;
  const below = item && [...item.children].find((child) => child.tagName === "UL" || child.tagName === "OL");
  return below && below.childElementCount ? below.checkVisibility() : null;
}

/** Returns the method and the address of the request that a link, or the button of a form, is made for. */
function sendsOf(el) {
  if (el.tagName === "A") {
    const opens = /^https?:$/.test(el.protocol) && el.href.split("#")[0] !== location.href.split("#")[0];
    return opens ? `GET ${el.href}`.slice(0, LONGEST) : "";
  }
  const form = el.form, submits = form && ((el.tagName === "BUTTON" && el.type === "submit") || (el.tagName === "INPUT" && ["submit", "image"].includes(el.type)));
  if (!submits) return "";
  // By attributes: a field named "action" hides the form's own.
  const method = el.getAttribute("formmethod") || form.getAttribute("method") || "get";
  try {
    const to = new URL(el.getAttribute("formaction") || form.getAttribute("action") || "", document.baseURI);
    return `${method.toUpperCase()} ${to.href}`.slice(0, LONGEST);
  } catch {
    return "";
  }
}

/** Returns the elements at a grid of points: a fixed box may be a descendant of an element that is far away. */
function shownAnywhere() {
  const found = new Set(), [left, top, right, bottom] = deskhand.clip;
  for (let i = 0; i < 8; i++) {
    for (let j = 0; j < 5; j++) {
      let el = deepest(left + ((i + 0.5) * (right - left)) / 8, top + ((j + 0.5) * (bottom - top)) / 5);
      for (; el && !found.has(el); el = parentOf(el)) found.add(el);
    }
  }
  return found;
}

/** True if the element may have a shadow that the page has closed: nothing that is inside of it can be seen from here. */
function isSuspect(el) {
  if (rootOf(el) || closed.asked.has(el)) return false;
  if (el.tagName.includes("-")) return el.matches(":defined");
  return HOSTS.has(el.tagName) && !el.firstChild && el.scrollHeight >= TINY && el.getBoundingClientRect().width >= TINY;
}

/** Takes in what the browser says of a suspect: its closed shadow, or that it has none. */
deskhand.settleSuspect = (number, root) => {
  const el = deskhand.suspects[number];
  closed.asked.add(el);
  if (root) closed.roots.set(el, root);
};

class Listing {
  constructor() {
    this.items = [];
    this.targets = [];
    this.frames = [];
    this.stoodFor = new Set();
    this.drawn = new Map();
    this.suspects = [];
    this.editors = findEditors();
    this.shown = document.getElementsByTagName("*").length > MANY ? shownAnywhere() : null;
  }

  add(el, item, box) {
    this.targets.push({ el, box, role: item.role, name: item.name });
    return this.items.push(item) - 1;
  }

  /** Adds the document as a scrollable area. What is on the page is not inside of it: it is no list of rows. */
  addDocument() {
    const el = document.documentElement, box = [...deskhand.clip];
    this.add(el, { ...describe(el, "group", box, null), name: "", id: "", scrollable: true, selected: false }, el.getBoundingClientRect());
  }

  visit(el, parent, quiet) {
    if (SKIPPED.has(el.tagName) || this.stoodFor.has(el)) return;
    const box = el.getBoundingClientRect();
    const sized = box.width > 0 && box.height > 0;
    if (!sized && !el.checkVisibility() && getComputedStyle(el).display !== "contents") return;
    const clip = deskhand.clip;
    const seen = sized && box.right > clip[0] && box.bottom > clip[1] && box.left < clip[2] && box.top < clip[3];
    if (seen && (el.tagName === "IFRAME" || el.tagName === "FRAME")) return this.frame(el, parent);
    if (seen) [parent, quiet] = this.consider(el, box, parent, quiet);
    else if (!sized && el.tagName === "INPUT") this.addDrawn(el, parent);
    else if (sized && this.canSkip(el, box)) return;
    if (el.tagName === "SLOT" && !quiet && hasOwnText(el)) this.addOwnText(el, parent);
    if (isSuspect(el)) this.suspects.push(el);
    if ((el.tagName === "SELECT" && !(el.multiple || el.size > 1))) return;
    for (const child of this.near(childrenOf(el))) this.visit(child, parent, quiet);
  }

  /** Returns those of many rows that are near the viewport, by binary search: rows are in order. */
  near(children) {
    if (children.length < MANY_ROWS || !ROWS.has(children[0].tagName)) return children;
    const from = this.firstRow(children, (box) => box.bottom > deskhand.clip[1] - FAR);
    const to = this.firstRow(children, (box) => box.top > deskhand.clip[3] + FAR);
    return Array.prototype.slice.call(children, from, to);
  }

  firstRow(rows, is) {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (is(rows[middle].getBoundingClientRect())) high = middle; else low = middle + 1;
    }
    return low;
  }

  /** True if it is far from the viewport, and nothing inside it is known to be shown elsewhere. */
  canSkip(el, box) {
    const [left, top, right, bottom] = deskhand.clip;
    if (box.bottom > top - FAR && box.top < bottom + FAR && box.right > left - FAR && box.left < right + FAR) return false;
    return ROWS.has(el.tagName) || (this.shown !== null && !this.shown.has(el));
  }

  /** Adds the element if it is useful; returns the parent and the quietness for its children. */
  consider(el, rect, parent, quiet) {
    if (this.editors.has(el)) return [this.addEditor(el, rect, parent), true];
    let role = roleOf(el);
    if (el.tagName === "LABEL" && el.control && this.standsFor(el, parent)) return [parent, true];
    const split = isSplitLine(el), joined = split ? "" : touchingText(el), own = hasOwnText(el) || split || !!joined;
    const usable = (USABLE.has(role) && !(role === "item" && !el.matches("option,[role=option],[role^=menuitem],[role=treeitem]") && !usableByStyle(el))) || (role !== "list" && role !== "dialog" && role !== "menu" && usableByStyle(el));
    // A box around a combobox is that combobox, and has no name of its own.
    if (!role && usable && rect.height <= HIGHEST_COMBO && el.querySelector(COMBO)) return [parent, quiet];
    if (!role && usable && CHOICE.test(classOf(el))) role = "item";
    const choice = !usable && !quiet && this.drawn.size > 0 && this.isChoice(el);
    const scrolls = !usable && el !== document.documentElement && el !== document.body && scrollsOf(el);
    if (el.getAttribute("aria-hidden") === "true") quiet = true;
    if (!usable && role === "item") role = "";
    if (choice) role = "item";
    const drawn = usable && (!role || (role === "button" && el.tagName === "BUTTON") || (role === "combobox" && !el.matches("input,select"))) ? hiddenSelect(el) : null;
    if (drawn) { role = "combobox"; this.drawn.set(el, drawn); }
    const shape = !usable && !role && el instanceof SVGElement && !titleOf(el) ? shapeName(el) : "";
    if (shape) role = "image";
    if (!role) role = usable ? "button" : scrolls ? "group" : own && !quiet ? "text" : isIcon(el) ? "image" : "";
    if (!role || (!usable && !scrolls && quiet && role !== "dialog")) return [parent, quiet];
    if (role === "image" && !usable && !shape && !nameOf(el, role) && !(isBare(el) && isPicture(el) && iconWords(el))) return [parent, quiet];
    const box = visibleBox(el, role, role === "text" || role === "heading" ? textBox(el) : boxOf(el, role, rect));
    if (isCombo(el)) return [this.addCombo(el, box, rect, parent), quiet];
    if (!box && el.type === "range") return [this.addTrack(el, parent), quiet];
    if (!box) return [this.addDrawn(el, parent), quiet];
    const item = describe(el, role, box, parent);
    if (shape) Object.assign(item, { name: shape, id: "drawn-shape" });
    if (drawn) Object.assign(item, { name: nameOf(drawn, role), value: valueOf(drawn, role), enabled: item.enabled && !drawn.disabled });
    item.clickable = (usable || choice) && item.enabled;
    if (joined) item.name = labelOf(el) || joined;
    if (!usable && (role === "text" || role === "heading") && !item.name) return [parent, quiet];
    const speaks = role === "text" || role === "heading" || choice || (usable && !HOLDERS.has(role) && !drawn && !isHolder(el));
    const number = this.add(el, item, rect);
    if (own && !quiet && !speaks && role !== "field") this.addOwnText(el, number);
    return [number, quiet || speaks];
  }

  /** True for one of the choices of a select box that the page draws itself, in the list that it draws for them. */
  isChoice(el) {
    if (!el.matches("li,div,span,a,button") || el.querySelector("li,div")) return false;
    let at = parentOf(el);
    while (at && !this.drawn.has(at)) at = parentOf(at);
    const words = at && (el.tagName === "LI" || at !== parentOf(el)) ? textOf(el) : "";
    return words !== "" && [...this.drawn.get(at).options].some((option) => tidy(option.label) === words) && (el.tagName === "LI" || !!el.closest("ul,ol,[role=listbox]"));
  }

  /** Adds the text that stands in an element beside other things which have names of their own. */
  addOwnText(el, parent) {
    const name = tidy([...shownNodes(el)].filter((node) => node.nodeType === 3).map((node) => node.data).join(" "));
    // A slot has no box of its own, nor has it a say in what is shown.
    const box = visibleBox(el.tagName === "SLOT" ? parentOf(el) : el, "text", textBox(el));
    if (box && name) this.add(el, { ...describe(el, "text", box, parent), name, value: "", id: "", focused: false, scrollable: false, selected: false }, el.getBoundingClientRect());
  }

  /** Adds a label in place of its control if only the label can be seen. */
  standsFor(label, parent) {
    const control = label.control;
    if (!["checkbox", "radio", "file"].includes(control.type)) return false;
    if (drawnControl(control)) return false;
    const real = boxOf(control, ""), tiny = real[2] - real[0] < TINY || real[3] - real[1] < TINY;
    if (!tiny && visibleBox(control, "", real)) return false;
    const box = visibleBox(label, "", boxOf(label, ""));
    if (!box) return false;
    this.stoodFor.add(control);
    const item = describe(control, roleOf(control), box, parent);
    item.clickable = item.enabled;
    this.add(label, item, label.getBoundingClientRect());
    return true;
  }

  /** Adds a combobox with what the page shows as chosen in it; where its field can't be seen, the box that is drawn around. */
  addCombo(el, box, rect, parent) {
    const around = comboBox(el), small = !box || box[2] - box[0] < SHORTEST_TRACK;
    const drawn = around && small ? visibleBox(around, "", boxOf(around, "")) : null;
    if (!box && !drawn) return parent;
    const item = describe(el, "combobox", drawn || box, parent);
    item.value ||= around ? comboValue(around) : "";
    return this.add(drawn ? around : el, { ...item, clickable: item.enabled }, drawn ? around.getBoundingClientRect() : rect);
  }

  /** Adds a hidden control in the place of what is drawn for it; returns the parent if nothing is. */
  addDrawn(el, parent) {
    const around = drawnControl(el), box = around && visibleBox(around, "", boxOf(around, ""));
    if (!box) return parent;
    const item = describe(el, roleOf(el), box, parent);
    return this.add(around, { ...item, clickable: item.enabled }, around.getBoundingClientRect());
  }

  /** Adds a slider that only listens and is drawn by others around it: in their place. */
  addTrack(el, parent) {
    for (let up = parentOf(el), depth = 0; up && depth < MOST_AROUND + 2; up = parentOf(up), depth++) {
      const rect = up.getBoundingClientRect();
      if (rect.width < SHORTEST_TRACK || rect.height < 1) continue;
      const box = visibleBox(up, "", boxOf(up, ""));
      if (!box) return parent;
      const item = describe(el, "slider", box, parent);
      return this.add(up, { ...item, clickable: item.enabled }, rect);
    }
    return parent;
  }

  /** Adds an editor that draws its text itself, in place of the field that catches its keys. */
  addEditor(el, rect, parent) {
    const field = this.editors.get(el), box = visibleBox(el, "field", boxOf(el, "field", rect));
    if (!box) return parent;
    this.stoodFor.add(field);
    const item = { ...describe(field, "field", box, parent), name: labelOf(field) || wordsBeside(el), value: tidy(shownBeside(field)) };
    return this.add(el, { ...item, clickable: item.enabled, editable: item.enabled }, rect);
  }

  /** Adds what is wrong to the item that says it; to the first one if that is out of sight. */
  blame(el, text) {
    const number = this.targets.findLastIndex((target) => target.el.contains(el) || el.contains(target.el));
    if (this.items.length) this.items[Math.max(number, 0)].error = text;
  }

  frame(el, parent) {
    const box = visibleBox(el, "", boxOf(el, ""));
    if (box) this.frames.push({ el, parent, at: this.items.length, clip: clipOf(parentOf(el)) });
  }
}

/** Lists this document in its own CSS pixels; `clip` is the part of it that is visible from outside. */
deskhand.list = (clip) => {
  const view = viewOf();
  deskhand.clip = clip ? cut(clip, [0, 0, view.width, view.height]) : [0, 0, view.width, view.height];
  deskhand.active = activeElement();
  clips.of = new WeakMap();
  const listing = new Listing();
  if (documentScrolls() && !empty(deskhand.clip)) listing.addDocument();
  if (document.body) listing.visit(document.documentElement, null, false);
  for (const [text, wrong] of deskhand.lateErrors()) listing.blame(wrong, text);
  deskhand.targets = listing.targets;
  deskhand.frames = listing.frames.map((f) => f.el);
  deskhand.suspects = listing.suspects.slice(0, MOST_SUSPECTS);
  return { view, suspects: deskhand.suspects.length, items: listing.items.map(short), frames: listing.frames.map((f) => ({ parent: f.parent, at: f.at, ...frameBox(f.el, f.clip) })) };
};

/** Drops default values, which make up most of a long list. */
const short = ({ enabled, ...item }) => {
  if (!enabled) item.disabled = true;
  for (const key in item) if (item[key] === "" || item[key] === null || (item[key] === false && key !== "checked" && key !== "expanded")) delete item[key];
  return item;
};

function viewOf() {
  const seen = window.visualViewport;
  return {
    width: innerWidth, height: innerHeight, ratio: devicePixelRatio,
    left: seen ? seen.offsetLeft : 0, top: seen ? seen.offsetTop : 0, pinch: seen ? seen.scale : 1,
  };
}
deskhand.view = viewOf;

/** Returns where the inside of an iframe lies in this document, after borders, padding and transforms. */
function frameBox(el, clip) {
  const outer = el.getBoundingClientRect(), style = getComputedStyle(el);
  const [sx, sy] = [outer.width / (el.offsetWidth || 1), outer.height / (el.offsetHeight || 1)];
  const px = (name) => parseFloat(style[name]) || 0;
  const left = outer.left + (el.clientLeft + px("paddingLeft")) * sx, top = outer.top + (el.clientTop + px("paddingTop")) * sy;
  const width = (el.clientWidth - px("paddingLeft") - px("paddingRight")) * sx, height = (el.clientHeight - px("paddingTop") - px("paddingBottom")) * sy;
  return { inner: [left, top, left + width, top + height], clip: cut(clip, [left, top, left + width, top + height]) };
}

/** For each point, true if it hits the iframe and is not covered by this document. */
deskhand.open = (frame, points) => points.map(([x, y]) => deepest(x, y) === deskhand.frames[frame]);
