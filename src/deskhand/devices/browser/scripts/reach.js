// The hit-test before a click: does the point hit the intended element? Waits for the page's own frames.

const FRAME_MS = 50; // in a hidden tab no frame is drawn, but the loop must go on

const nextFrame = () =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, FRAME_MS);
    requestAnimationFrame(() => { clearTimeout(timer); resolve(); });
  });

const sameBox = (a, b) => !!a && !!b && a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;

function animating(el) {
  for (let up = el; up; up = parentOf(up)) {
    for (const motion of up.getAnimations?.() ?? []) {
      if (motion.playState === "running" && Number.isFinite(motion.effect?.getComputedTiming().endTime)) return true;
    }
  }
  return false;
}

/** Returns the element that replaced the intended one: frameworks replace nodes by equal ones. */
function standsIn(hit, meant) {
  for (let el = hit; el; el = parentOf(el)) {
    const role = roleOf(el) || (el.tagName === "LABEL" ? meant.role : "");
    if ((role || "button") === meant.role && nameOf(el, role) === meant.name) return el;
  }
  return null;
}

function shortly(el) {
  if (!el) return "nothing";
  const name = textOf(el).slice(0, 60) || labelOf(el);
  return `<${el.tagName.toLowerCase()}>${name ? ` “${name}”` : ""}`;
}

function judge(x, y, meant) {
  const hit = deepest(x, y);
  if (!meant) return { hit, target: hit, ok: true }; // a scrollbar hits no element, but can be clicked
  if (meant.el.isConnected) return { hit, target: meant.el, ok: reaches(hit, meant.el) };
  const target = standsIn(hit, meant);
  return { hit, target: target || meant.el, ok: !!target };
}

const KINDS = { INPUT: (el) => (el.type === "file" ? "file" : TYPED.has(el.type) || el.type === "color" ? "picker" : ""), SELECT: (el) => (el.multiple || el.size > 1 ? "" : "select") };

function kindOf(el) {
  if (el.tagName === "LABEL" && el.control) el = el.control;
  if (el.tagName === "IFRAME" || el.tagName === "FRAME") return "frame";
  if (el.tagName === "OPTION" && el.closest("select")?.multiple) return "option";
  const kind = el.tagName in KINDS && !el.disabled ? KINDS[el.tagName](el) : "";
  // A select that the page draws itself is in the screenshot.
  return kind === "select" && getComputedStyle(el).appearance === "base-select" ? "" : kind;
}

/** Waits until (x, y) hits the intended element and it does not move; `meant` is an item, a frame, or nothing. */
deskhand.reach = async (x, y, meant, patience) => {
  const target = meant.item != null ? deskhand.targets?.[meant.item] : meant.frame != null ? { el: deskhand.frames[meant.frame] } : null;
  const until = performance.now() + patience;
  let before = target?.box, first = true, seen;
  for (;;) {
    seen = judge(x, y, target);
    const box = seen.target?.getBoundingClientRect();
    const known = first && target?.el === seen.target;
    if (seen.ok && (!box || sameBox(box, before)) && !(known && animating(seen.target))) break;
    if (performance.now() >= until) break;
    [before, first] = [box, false];
    await nextFrame();
  }
  if (!seen.ok) {
    const gone = target && !target.el.isConnected, box = !gone && target?.el.getBoundingClientRect();
    const away = box && !(x >= box.left && x < box.right && y >= box.top && y < box.bottom);
    return { ok: false, why: gone ? "gone" : away ? "moved" : "covered", by: shortly(seen.hit) };
  }
  return { ...arrive(seen.hit), x, y };
};

/** Describes what was hit. Frames are numbered as in the listing, so that the caller can go on inside. */
function arrive(hit) {
  if (!hit) return { ok: true, kind: "" };
  const kind = kindOf(hit);
  if (kind === "frame") {
    deskhand.frames ??= [];
    let frame = deskhand.frames.indexOf(hit);
    if (frame < 0) frame = deskhand.frames.push(hit) - 1;
    const outer = frameBox(hit, [0, 0, innerWidth, innerHeight]);
    return { ok: true, kind, frame, inner: outer.inner };
  }
  deskhand.hit = hit.tagName === "LABEL" && hit.control ? hit.control : hit;
  return { ok: true, kind };
}

/** Keeps the next press from opening a native pop-up (select, calendar, colours), which no screenshot shows. */
deskhand.holdBack = () => {
  const el = deskhand.hit, done = new AbortController();
  const hold = (event) => {
    if (event.composedPath()[0] !== el && !el.contains(event.target)) return;
    event.preventDefault();
    if (event.type === "mousedown") el.focus({ preventScroll: true });
    if (event.type === "click") done.abort();
  };
  const kinds = el.tagName === "SELECT" ? ["mousedown", "click"] : ["click"];
  // Capturing: otherwise the pop-up would open if the page stops the event on its way.
  for (const kind of kinds) window.addEventListener(kind, hold, { signal: done.signal, capture: true });
};

/** Waits until a scroll is drawn. */
deskhand.drawn = async () => { await nextFrame(); await nextFrame(); };

/** Returns what a wheel at this point would scroll, its size, and whether it can still scroll. */
deskhand.scroller = (x, y, dx, dy) => {
  const hit = deepest(x, y);
  const arrived = arrive(hit);
  const root = document.scrollingElement || document.documentElement;
  for (let el = hit; el; el = parentOf(el)) {
    if (el === document.body || el === document.documentElement) el = root;
    if ((el === root || scrollsOf(el)) && roomIn(el, dx, dy)) {
      const size = el === root ? [innerWidth, innerHeight] : [el.clientWidth, el.clientHeight];
      return { ...arrived, x, y, width: size[0], height: size[1], room: true };
    }
    if (el === root) break;
  }
  return { ...arrived, x, y, width: innerWidth, height: innerHeight, room: false };
};

function roomIn(el, dx, dy) {
  const style = getComputedStyle(el), fixed = /hidden|clip/;
  if (dy && fixed.test(style.overflowY)) return false;
  if (dx && fixed.test(style.overflowX)) return false;
  if (dy > 0) return el.scrollTop + el.clientHeight < el.scrollHeight - 1;
  if (dy < 0) return el.scrollTop > 0;
  // A right-to-left page counts from zero downwards.
  const most = el.scrollWidth - el.clientWidth, left = getComputedStyle(el).direction === "rtl" ? most + el.scrollLeft : el.scrollLeft;
  return dx > 0 ? left < most - 1 : left > 0;
}

// --- from outside ------------------------------------------------------------------------------------------

/** Converts a point of the screenshot to CSS pixels of this (the top) document. */
deskhand.css = (x, y) => {
  const view = viewOf();
  const css = (at, start, end) => Math.min((at + 0.5) / (view.ratio * view.pinch) + start, end - 1); // it rounds up
  return [css(x, view.left, innerWidth), css(y, view.top, innerHeight)];
};

/** Converts shares of an iframe's inside to CSS pixels of this document; correct under zoom and transforms, too. */
deskhand.part = (...shares) => shares.map((share, i) => share * (i % 2 ? innerHeight : innerWidth));
