// What the page says is wrong with what was entered: a refused form, fields marked as invalid, messages of errors.

const MARKED = '[aria-invalid="true"], [role="alert"], [aria-live="assertive"], [class*="error" i], [class*="invalid" i], [class*="danger" i]';
const WRONG = /\b(errors?|invalid|required|incorrect|wrong|failed|missing|must|can'?t be|cannot|not valid|not match|too (short|long)|try again|please (enter|fill|choose|select|provide|correct|check))\b|错误|无效|必填|不能为空|不正确|不匹配|请(输入|填写|选择|检查|重试)|失败/i;
// Sentences that say by themselves that something was not done, without a mark or a colour.
const REFUSED = new RegExp([
  "already (been )?(taken|exists?|in use|registered|used)\\b", "^(an? )?(unexpected |internal |server |network |validation )?error\\b", "went wrong", "try (it )?again\\b",
  "(failed|unable) to \\w+", "\\w+ (has )?failed([.!:]|$| because| with)", "could(n['’]t| not) (be )?\\w+", "\\b(access|permission) denied", "\\b\\w+ (limit|quota) (was |has been )?(exceeded|reached)",
  "(was|were|is|are|has|have) not (been )?(saved|sent|created|added|deleted|updated|changed|submitted|accepted|found|allowed|available|valid|correct|permitted|possible)",
  "(was|were|been|is|are) (denied|refused|rejected|declined|forbidden|blocked)", "(has|have|is|are) expired", "\\binsufficient \\w+", "\\b(invalid|incorrect|wrong) \\w+", "\\b[45]\\d\\d:? [A-Z][a-z]+", "\\bunauthori[sz]ed\\b",
  "(do|does|did)(n['’]t| not) (match|exist)", "\\b(is|are) required\\b", "\\bmust (be|have|contain|not|match)\\b", "can(['’]?t|not) be (empty|blank|null)", "too (short|long)\\b", "please (enter|fill|choose|select|provide|correct|check)\\b",
  "已(经)?(被|存在|占用|注册|过期|超时)", "失败|错误|出错|无法|未能|不能为空|必填|无效|不正确|不匹配|不一致|重试|被拒绝|没有权限|余额不足|请(重新|稍后|先)",
].join("|"), "i");
const LONGEST_ANSWER = 160;
// An answer says little; what says more is content, which may speak of errors of all kinds.
const MOST_SAID = 300;
const MORE = "input:not([type=hidden]),select,textarea,[role=textbox],[role=combobox],table,ul";
const MOST_BUTTONS = 2;
const NO_ANSWER = "button,a,label,input,select,textarea,pre,code,option,li,td,th,h1,h2,summary,[contenteditable],[role=button],[role=tab],[role=menuitem],[role=option]";
const UNFOLDS = "summary,[aria-expanded],[aria-haspopup],[role=tab],[role=menuitem],[role=option],[data-toggle],[data-bs-toggle]";
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

/** Returns the sentences that came up since the last action and are all that it brought, and that say it was not done. */
function listRefusals() {
  if (deskhand.hit?.closest(UNFOLDS) || deskhand.listAdded().some((el) => el.matches(MORE))) return [];
  const fresh = deskhand.listFresh();
  return deskhand.listChanged().filter((el) => {
    if (!hasOwnText(el) || el.closest(NO_ANSWER)) return false;
    const text = tidy(el.innerText);
    if (text.length > LONGEST_ANSWER || /[?？]$/.test(text) || !REFUSED.test(text)) return false;
    const around = fresh.filter((one) => one.contains(el));
    return around.length > 0 && !around.some(isContent);
  });
}

/** True for what brings more than an answer: much to read, or something to fill in. */
const isContent = (el) => (el.innerText || "").length > MOST_SAID || el.querySelector(MORE) !== null || el.querySelectorAll("button,a").length > MOST_BUTTONS;

/** Returns such sentences that stand there already. */
function listOldRefusals() {
  const walk = document.createTreeWalker(document.body || document, NodeFilter.SHOW_TEXT), said = new Set();
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const el = node.parentElement;
    if (el && node.data.length <= LONGEST_ANSWER && REFUSED.test(node.data) && isShown(el)) said.add(tidy(el.innerText));
  }
  return said;
}

/** True for a sentence in red; a red word may only mark a field that has to be filled in. */
function isRedSentence(el) {
  if (!hasOwnText(el) || el.closest("label") || !/\S\s+\S|[\u4e00-\u9fff]{4}/.test(el.textContent)) return false;
  const [red, green, blue] = (getComputedStyle(el).color.match(/[\d.]+/g) || []).map(Number);
  return red > 120 && red > 1.8 * green && red > 1.8 * blue;
}

function shownErrors() {
  const found = new Map(), plain = new Set(listRefusals());
  for (const el of [...listSuspicious(), ...plain]) {
    if (el === document.body || el === document.documentElement || !isShown(el)) continue;
    const text = errorOf(el) || (plain.has(el) ? tidy(el.innerText) : "");
    if (text && ![...found.keys()].some((other) => other.includes(text) || text.includes(other))) found.set(text, el);
  }
  return found;
}

/** Remembers what is wrong before an action. */
deskhand.noteErrors = () => { deskhand.noteStill(); saving.asked = false; refused.fields = []; late.heeded = false; deskhand.errorsBefore = new Set([...shownErrors().keys(), ...listOldRefusals()]); };

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
