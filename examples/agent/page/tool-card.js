/**
 * @fileoverview Shows a tool call as a card, from the first character that the model writes to the result.
 * @module examples/agent/page/tool-card
 */
import { h, setChildren } from "./dom.js";

/** @typedef {import("./types.js").ToolItem} ToolItem */

const STATUS = {
  writing: "Writing",
  running: "Running",
  done: "Done",
  failed: "Failed",
  interrupted: "Stopped",
};

/** Maximum length of a one-line value, and of a result that is shown without folding. */
const SHORT = { line: 60, chars: 240, lines: 6 };

/**
 * Creates an empty card and the function that updates it.
 * @returns {{ element: HTMLElement, update: (item: ToolItem) => void }}
 */
export function createToolCard() {
  const name = h("code", { class: "tool-name" });
  const chip = h("span", { class: "chip" });
  const params = h("dl", { class: "params" });
  const progress = h("p", { class: "progress" });
  const outcome = h("div", { class: "outcome" });
  const element = h(
    "section",
    { class: "card tool" },
    h("header", {}, h("span", { class: "tool-icon", "aria-hidden": "true" }), name, chip),
    params,
    progress,
    outcome,
  );
  /** @type {unknown} */
  let result;
  return {
    element,
    update(item) {
      element.dataset["status"] = item.status;
      element.setAttribute("aria-label", `Tool ${item.name}: ${STATUS[item.status]}`);
      name.textContent = item.name;
      chip.textContent = STATUS[item.status];
      setParams(params, toEntries(item.params), item.status === "writing");
      progress.textContent = item.text;
      progress.hidden = item.text === "" || item.text === item.error;
      outcome.hidden =
        item.error === "" && ["", undefined, null, item.text].some((empty) => empty === item.result);
      const next = item.error === "" ? item.result : item.error;
      if (next === result) return;
      result = next;
      const content =
        item.error === "" ? foldable(toText(item.result)) : h("p", { class: "trouble" }, item.error);
      outcome.replaceChildren(content);
    },
  };
}

/** @type {(list: HTMLElement, entries: readonly (readonly [string, string])[], isWriting: boolean) => void} */
function setParams(list, entries, isWriting) {
  list.hidden = entries.length === 0;
  const rows = entries.map(([key, value], index) => {
    const row = list.children[index] ?? h("div", {}, h("dt"), h("dd", { tabindex: "0" }));
    const [term, box] = row.children;
    if (term !== undefined && term.textContent !== key) term.textContent = key;
    if (box !== undefined && box.textContent !== value) {
      box.textContent = value;
      // Keeps the end of the text visible while the model writes.
      if (isWriting) box.scrollTop = box.scrollHeight;
    }
    return row;
  });
  setChildren(list, rows);
}

/** @type {(params: unknown) => readonly (readonly [string, string])[]} */
function toEntries(params) {
  if (params === undefined || params === null || params === "") return [];
  if (typeof params !== "object" || Array.isArray(params)) return [["input", toText(params)]];
  return Object.entries(params).map(([key, value]) => [key, toText(value)]);
}

/** @type {(value: unknown) => string} */
function toText(value) {
  if (typeof value === "string") return value;
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  if (isList) return value.map((one) => `• ${one}`).join("\n");
  const compact = JSON.stringify(value) ?? "";
  return compact.length <= SHORT.line ? compact : JSON.stringify(value, null, 2);
}

/** @type {(text: string) => HTMLElement} */
function foldable(text) {
  const box = h("pre", { tabindex: "0", role: "group", "aria-label": "Result" }, text);
  const isShort = text.length <= SHORT.chars && text.split("\n", SHORT.lines + 1).length <= SHORT.lines;
  return isShort ? box : h("details", {}, h("summary", {}, `Result (${size(text)})`), box);
}

/** @type {(text: string) => string} */
function size(text) {
  return text.length < 1_000
    ? `${text.length} characters`
    : `${Math.round(text.length / 1_000)} thousand characters`;
}
