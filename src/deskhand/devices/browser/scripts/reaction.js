// Tells whether the page did anything about a click: what its scripts changed, without what changes by itself.

const OFTEN = 3;
const MOST_CHANGED = 60;
const MOST_INSIDE = 30;
const reaction = { watching: false, seen: false, alone: new WeakMap(), changed: new Set(), fresh: new Set(), added: new Set() };

/** Counts how often a node changed while nothing was done: a clock, a carousel, a film's time. */
const changesAlone = (node) => reaction.alone.get(node) || 0;

const observer = new MutationObserver((records) => {
  const nodes = new Set(records.map((record) => record.target));
  for (const record of records) if (changesAlone(record.target) < OFTEN) noteChanged(record);
  for (const node of nodes) {
    if (reaction.watching) reaction.seen ||= changesAlone(node) < OFTEN;
    else reaction.alone.set(node, changesAlone(node) + 1);
  }
});
observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

// What a page does while the pointer arrives (it lights up what is under it) comes of no click.
addEventListener("pointerdown", () => {
  if (!reaction.watching) return;
  observer.takeRecords();
  reaction.seen = false;
  reaction.changed.clear();
}, true);

/** Keeps where something new came up. */
function noteChanged(record) {
  const own = record.type === "characterData" || [...record.addedNodes].some((node) => node.nodeType === 3);
  const target = record.target.nodeType === 1 ? record.target : record.target.parentElement;
  for (const el of [...record.addedNodes, ...(own || record.type === "attributes" ? [target] : [])]) {
    if (el?.nodeType === 1 && reaction.changed.size < MOST_CHANGED) reaction.changed.add(el);
    // What only got another class may have been there before, unless it is shown by that and holds little.
    if (el?.nodeType === 1 && reaction.fresh.size < MOST_CHANGED && (record.type !== "attributes" || !el.childElementCount)) reaction.fresh.add(el);
  }
  for (const node of record.addedNodes) if (node.nodeType === 1 && reaction.added.size < MOST_CHANGED) reaction.added.add(node);
}

/** Begins to watch, right before a click. */
deskhand.noteStill = () => { reaction.watching = true; reaction.seen = false; reaction.changed.clear(); reaction.fresh.clear(); reaction.added.clear(); };

/** Returns the elements that are new since then, or whose own words are. */
deskhand.listFresh = () => [...reaction.fresh].filter((el) => el.isConnected);

/** Returns the elements that were put into the page since then. */
deskhand.listAdded = () => [...reaction.added].filter((el) => el.isConnected);

/** Returns the elements that are new or changed since then, and not by themselves; of many, the first. */
deskhand.listChanged = () => {
  const shown = [...reaction.changed].filter((el) => el.isConnected);
  return [...new Set(shown.flatMap((el) => [el, ...[...el.querySelectorAll("*")].slice(0, MOST_INSIDE)]))];
};

/** True if nothing came of the click since then; a field that takes the keyboard and the inside of shadows are not told. */
deskhand.isIdle = () => {
  const watched = reaction.watching, hit = deskhand.hit;
  reaction.watching = false;
  if (!watched || !hit || hit.getRootNode() instanceof ShadowRoot) return false;
  const takes = hit.closest("input:not([type=button]):not([type=submit]):not([type=reset]):not([type=image]), textarea, select, option, label, [contenteditable], canvas, video, audio");
  return !takes && !reaction.seen;
};
