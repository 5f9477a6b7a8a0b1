/**
 * @fileoverview Renders the list of conversations.
 * @module examples/agent/page/task-list
 */
import { h, replaceLinks } from "./dom.js";

const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/**
 * Creates the function that renders the list.
 * @param {HTMLUListElement} element
 * @returns {(state: import("./types.js").State) => void}
 */
export function createTaskList(element) {
  return ({ tasks, taskId, busy }) => {
    replaceLinks(
      element,
      tasks.map((task) => {
        const isBusy = busy.has(task.taskId);
        const link = h(
          "a",
          { href: `#${task.taskId}`, "aria-current": task.taskId === taskId ? "page" : undefined },
          h("span", { class: "task-title" }, task.title || "Untitled"),
          h(
            "span",
            { class: isBusy ? "task-time busy" : "task-time" },
            isBusy ? "working…" : ago(task.updatedAt),
          ),
        );
        return h("li", {}, link);
      }),
    );
  };
}

/** @type {(iso: string) => string} */
function ago(iso) {
  const seconds = (Date.now() - Date.parse(iso)) / 1_000;
  if (Number.isNaN(seconds)) return "";
  if (seconds < 60) return "just now";
  if (seconds < 3_600) return AGO.format(-Math.round(seconds / 60), "minute");
  if (seconds < 86_400) return AGO.format(-Math.round(seconds / 3_600), "hour");
  if (seconds < 604_800) return AGO.format(-Math.round(seconds / 86_400), "day");
  return new Date(iso).toLocaleDateString();
}
