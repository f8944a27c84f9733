// What the page says is wrong with what was entered: a refused form, fields marked as invalid, messages of errors.

const MARKED = '[aria-invalid="true"], [role="alert"], [aria-live="assertive"], [class*="error" i], [class*="invalid" i], [class*="danger" i]';
const WRONG = /\b(errors?|invalid|required|incorrect|wrong|failed|missing|must|can'?t be|cannot|not valid|not match|too (short|long)|try again|please (enter|fill|choose|select|provide|correct|check))\b|错误|无效|必填|不能为空|不正确|不匹配|请(输入|填写|选择|检查|重试)|失败/i;
const PRESSED = "button, a, summary, input[type=submit], input[type=button], input[type=image], [role=button], [role=link], [role=menuitem]";
const MOST_ERRORS = 3;

// A form that the browser itself refuses shows only a bubble, which is in no screenshot.
const refused = { fields: [] };
window.addEventListener("invalid", (event) => { refused.fields.push(event.target); }, true);
window.addEventListener("submit", () => { refused.fields = []; }, true);

// A link that saves a file, clicked by whomever: the browser begins with it only after the click.
const saving = { asked: false };
window.addEventListener("click", (event) => {
  if (event.composedPath().some((el) => el.matches?.("a[download]"))) setTimeout(() => { saving.asked ||= !event.defaultPrevented; });
}, true);

const isShown = (el) => el.getClientRects().length > 0 && el.checkVisibility({ visibilityProperty: true, opacityProperty: true });

function errorOf(el) {
  if (el.getAttribute("aria-invalid") === "true") {
    const ids = `${el.getAttribute("aria-errormessage") || ""} ${el.getAttribute("aria-describedby") || ""}`.split(/\s+/);
    const said = tidy(ids.map((id) => (id && el.getRootNode().getElementById(id)?.textContent) || "").join(" "));
    return `${nameOf(el, roleOf(el)) || hintOf(el) || "a field"}: ${said || el.validationMessage || "invalid"}`;
  }
  const text = tidy(el.innerText);
  return text.length < 200 && WRONG.test(text) ? text : "";
}

/** Returns what says that something is wrong: by its mark, or in red words that came up since the last action. */
const listSuspicious = () => [...document.querySelectorAll(MARKED), ...deskhand.listChanged().filter(isRedSentence)];

/** True for a sentence in red; a red word may only mark a field that has to be filled in. */
function isRedSentence(el) {
  if (!hasOwnText(el) || el.closest("label") || !/\S\s+\S|[\u4e00-\u9fff]{4}/.test(el.textContent)) return false;
  const [red, green, blue] = (getComputedStyle(el).color.match(/[\d.]+/g) || []).map(Number);
  return red > 120 && red > 1.8 * green && red > 1.8 * blue;
}

function shownErrors() {
  const found = new Map();
  for (const el of listSuspicious()) {
    if (el === document.body || el === document.documentElement || !isShown(el)) continue;
    const text = errorOf(el);
    if (text && ![...found.keys()].some((other) => other.includes(text) || text.includes(other))) found.set(text, el);
  }
  return found;
}

/** Remembers what is wrong before an action. */
deskhand.noteErrors = () => { deskhand.noteStill(); saving.asked = false; refused.fields = []; late.heeded = false; deskhand.errorsBefore = new Set(shownErrors().keys()); };

// An answer may come after the look that follows an action: until the next input, each listing tells what is wrong.
const late = { heeded: false, before: null };
for (const kind of ["keydown", "beforeinput", "mousedown"]) window.addEventListener(kind, (event) => { if (event.isTrusted) late.heeded = false; }, true);

/** Returns what is wrong by now although the look right after the action did not see it, with its element. */
deskhand.lateErrors = () => (late.heeded ? findErrorsSince(late.before) : []);

/** True if a link that saves a file was clicked since then. */
deskhand.isSaving = () => saving.asked;

/** Returns what is wrong since then, and whether the page did nothing at all about a click. */
deskhand.newErrors = async (clicked) => ({ said: await findNewErrors(clicked), idle: clicked && deskhand.isIdle() });

async function findNewErrors(clicked) {
  const before = deskhand.errorsBefore;
  deskhand.errorsBefore = null;
  // Leaving a field for another one may show an error, too: nothing was handed in by that.
  if (clicked && before && !deskhand.hit?.closest(PRESSED)) return [];
  await deskhand.drawn();
  Object.assign(late, { heeded: true, before });
  return findErrorsSince(before).map(([text]) => text);
}

/** On another page only fields that are marked are wrong, since its words may be its content. */
function findErrorsSince(before) {
  const said = [];
  for (const el of refused.fields) {
    if (el.isConnected && el.validationMessage) said.push([`${nameOf(el, roleOf(el)) || hintOf(el) || el.name || "a field"}: ${el.validationMessage}`, el]);
  }
  for (const [text, el] of said.length ? [] : shownErrors()) {
    const again = el.getAttribute("aria-invalid") === "true" && deskhand.hit?.form && deskhand.hit.form === el.form;
    if (before ? again || !before.has(text) : el.getAttribute("aria-invalid") === "true") said.push([text, el]);
  }
  return said.slice(0, MOST_ERRORS);
}
