// Controls that a page draws itself around a field or a box that is too small or too clear to be seen.

const COMBO = "input[role=combobox],input[aria-haspopup=listbox]";
const HIGHEST_COMBO = 120;
const WIDEST_SWITCH = 200;
// What libraries call a choice of a list, where they give it no role.
const CHOICE = /(?:^|\s)(?:[\w-]*[-_])?(?:option|select-item|dropdown-item)(?:\s|$)/i;
const CHOSEN = /(?:^|\s)[\w-]*[-_]selected(?:\s|$)/i;

const isCombo = (el) => el.tagName === "INPUT" && el.matches(COMBO);

/** Returns the largest box around the field of a combobox that has nothing else to use in it; null if there is none. */
function comboBox(field) {
  let box = null;
  for (let up = parentOf(field), depth = 0; up && depth < MOST_AROUND + 1; up = parentOf(up), depth++) {
    if (up.matches("form,body,fieldset,td,li") || up.querySelectorAll(CONTROLS).length > 1 || up.querySelector("label")) break;
    const rect = up.getBoundingClientRect();
    if (rect.height > HIGHEST_COMBO) break;
    if (rect.height >= TINY && rect.width >= TINY) box = up;
  }
  return box;
}

/** Returns what the page shows as chosen beside the field: one word, or a chip for each of several. */
function comboValue(box) {
  const words = [];
  for (const part of box.querySelectorAll("*")) {
    if (!hasOwnText(part) || part.closest("[class*=placeholder i],button,[role=button],svg,[aria-live]")) continue;
    const rect = part.getBoundingClientRect();
    const text = rect.width > TINY && rect.height > TINY && isShown(part) ? tidy(part.textContent) : "";
    if (/[\p{L}\p{N}]/u.test(text) && !words.includes(text)) words.push(text);
  }
  return words.join(", ");
}

/** Returns what is drawn in place of a hidden checkbox, radio button or switch, right around it; null if nothing is. */
function drawnControl(el) {
  if (el.tagName !== "INPUT" || (el.type !== "checkbox" && el.type !== "radio")) return null;
  const up = el.parentElement, rect = up?.getBoundingClientRect();
  if (!up || up.tagName === "LABEL" || up.closest("label") || up.querySelectorAll("input").length > 1) return null;
  return rect.width >= TINY && rect.height >= TINY && rect.width <= WIDEST_SWITCH && rect.height <= LARGEST_ICON && !tidy(up.innerText) ? up : null;
}
