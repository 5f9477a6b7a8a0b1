/**
 * @fileoverview Renders text that may still grow. Unchanged blocks keep their elements.
 * @module examples/agent/page/rich-text
 */
import { toBlocks, toSpans } from "./blocks.js";
import { h, setChildren } from "./dom.js";

/** @typedef {import("./blocks.js").Block} Block */

/** Blocks that each element currently shows. @type {WeakMap<Element, readonly Block[]>} */
const shown = new WeakMap();

/**
 * Renders text in an element, and replaces only blocks that changed.
 * @param {Element} element
 * @param {string} text
 */
export function setRichText(element, text) {
  const before = shown.get(element) ?? [];
  const blocks = toBlocks(text);
  const children = blocks.map((block, index) => {
    const old = element.children[index];
    return old !== undefined && isSame(block, before[index]) ? old : toElement(block);
  });
  setChildren(element, children);
  shown.set(element, blocks);
}

/** @type {(a: Block, b: Block | undefined) => boolean} */
function isSame(a, b) {
  const { kind, lines } = b ?? { kind: undefined, lines: [] };
  return (
    a.kind === kind && a.lines.length === lines.length && a.lines.every((line, at) => line === lines[at])
  );
}

/** @type {(block: Block) => HTMLElement} */
function toElement({ kind, lines }) {
  switch (kind) {
    case "code":
      return h(
        "pre",
        { tabindex: "0", role: "group", "aria-label": "Code" },
        h("code", {}, lines.join("\n")),
      );
    case "heading":
      return h("h3", {}, ...lines.flatMap(spans));
    case "bullets":
      return h("ul", {}, ...lines.map((line) => h("li", {}, ...spans(line))));
    case "numbers":
      return h("ol", {}, ...lines.map((line) => h("li", {}, ...spans(line))));
    default:
      return h(
        "p",
        {},
        ...lines.flatMap((line, index) => (index === 0 ? spans(line) : [h("br"), ...spans(line)])),
      );
  }
}

/** @type {(line: string) => readonly (Node | string)[]} */
function spans(line) {
  return toSpans(line).map(({ kind, text }) => {
    if (kind === "code") return h("code", {}, text);
    return kind === "bold" ? h("strong", {}, text) : text;
  });
}
