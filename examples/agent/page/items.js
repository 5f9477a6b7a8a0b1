/**
 * @fileoverview Creates and updates the elements that show a conversation's items.
 * @module examples/agent/page/items
 */
import { button, h, replaceLinks } from "./dom.js";
import { setRichText } from "./rich-text.js";
import { createToolCard } from "./tool-card.js";

/** @typedef {import("./types.js").Item} Item */
/**
 * An item's context: its position, and a flag that is true while the user can answer it.
 * @typedef {{ readonly onAnswer: (text: string) => void, readonly canAnswer: boolean, readonly isLast: boolean }}
 * Surroundings
 */
/** @typedef {{ element: HTMLElement, update: (item: Item, around: Surroundings) => void }} ItemView */

/** @type {Readonly<Record<string, string>>} */
const PART_STATUS = { running: "Running", completed: "Done", failed: "Failed", interrupted: "Stopped" };

/**
 * Creates the element for a kind of item, and the function that updates it.
 * @param {Item["kind"]} kind
 * @returns {ItemView}
 */
export function createItem(kind) {
  switch (kind) {
    case "user":
      return createUser();
    case "think":
      return createThought();
    case "tool":
      return createTool();
    case "question":
      return createQuestion();
    case "completion":
      return createCompletion();
    case "parts":
      return createParts();
    case "notice":
      return createNotice();
    default:
      return createMessage();
  }
}

/** @returns {ItemView} */
function createUser() {
  const body = h("p");
  const element = h("div", { class: "user" }, h("span", { class: "visually-hidden" }, "You: "), body);
  return {
    element,
    update(item) {
      if (item.kind !== "user") return;
      body.textContent = item.text;
      element.classList.toggle("pending", item.isPending);
    },
  };
}

/** @returns {ItemView} */
function createMessage() {
  const body = h("div", { class: "rich" });
  const cut = h("p", { class: "hint" }, "Stopped before the end");
  const speaker = h("span", { class: "visually-hidden" }, "Agent: ");
  const element = h("div", { class: "message" }, speaker, body, cut);
  return {
    element,
    update(item, { isLast }) {
      if (item.kind !== "message") return;
      setRichText(body, item.text);
      element.classList.toggle("streaming", item.isPartial && isLast);
      cut.hidden = !item.isCut;
    },
  };
}

/** @returns {ItemView} */
function createThought() {
  const body = h("div", { class: "rich" });
  const label = h("summary");
  const element = h("details", { class: "think" }, label, body);
  return {
    element,
    update(item, { isLast }) {
      if (item.kind !== "think") return;
      const isLive = item.isPartial && isLast;
      label.textContent = isLive ? "Thinking…" : "Thought";
      element.classList.toggle("streaming", isLive);
      setRichText(body, item.text);
    },
  };
}

/** @returns {ItemView} */
function createTool() {
  const { element, update } = createToolCard();
  return {
    element,
    update(item) {
      if (item.kind === "tool") update(item);
    },
  };
}

/** @returns {ItemView} */
function createQuestion() {
  const body = h("div", { class: "rich" });
  const options = h("div", { class: "options", role: "group", "aria-label": "Suggested answers" });
  const element = h(
    "section",
    { class: "card question", "aria-label": "Question" },
    h("header", {}, "Question"),
    body,
    options,
  );
  return {
    element,
    update(item, { onAnswer, canAnswer }) {
      if (item.kind !== "question") return;
      setRichText(body, item.text);
      options.hidden = !canAnswer || item.options.length === 0;
      options.replaceChildren(
        ...(canAnswer ? item.options.map((text) => button(text, () => onAnswer(text))) : []),
      );
    },
  };
}

/** @returns {ItemView} */
function createCompletion() {
  const body = h("div", { class: "rich" });
  const element = h(
    "section",
    { class: "card completion", "aria-label": "Task result" },
    h("header", {}, h("span", { class: "check", "aria-hidden": "true" }), "Task completed"),
    body,
  );
  return {
    element,
    update(item) {
      if (item.kind !== "completion") return;
      element.classList.toggle("streaming", item.isPartial);
      setRichText(body, item.text);
    },
  };
}

/** @returns {ItemView} */
function createParts() {
  const rows = h("ol");
  const element = h(
    "section",
    { class: "card parts", "aria-label": "Parts of the task" },
    h("header", {}, "Parts of this task"),
    rows,
  );
  return {
    element,
    update(item) {
      if (item.kind !== "parts") return;
      replaceLinks(
        rows,
        item.parts.map(({ index, taskId, status, label }) =>
          h(
            "li",
            { "data-status": status },
            h("a", { href: `#${taskId}` }, label || `Part ${index + 1}`),
            h("span", { class: "chip" }, PART_STATUS[status] ?? status),
          ),
        ),
      );
    },
  };
}

/** @returns {ItemView} */
function createNotice() {
  const element = h("p", { class: "notice" });
  return {
    element,
    update(item) {
      if (item.kind !== "notice") return;
      element.dataset["severity"] = item.severity;
      element.textContent = item.text;
    },
  };
}
