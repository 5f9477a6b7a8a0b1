/**
 * @fileoverview Converts a frame from the server to an item.
 * @module examples/agent/page/to-item
 */
import { list, text } from "./values.js";

/** @typedef {import("./types.js").Item} Item */
/** @typedef {Readonly<Record<string, unknown>>} Data */

/**
 * Converts a frame to an item. `before` is the existing item for the same message, if any.
 * @type {(type: string, input: { data: Data, key: string, before: Item | undefined }) => Item | undefined}
 */
export function toItem(type, { data, key, before }) {
  const said = text(data["message"]);
  switch (type) {
    case "userSendMessage":
      return { kind: "user", key, text: said, isPending: false };
    case "message":
    case "think":
      return toText(type, { data, key, before });
    case "tool":
      return toTool(data, key);
    case "askFollowupQuestion":
      return {
        kind: "question",
        key,
        text: text(data["question"]),
        options: list(data["suggestOptions"]).map(text),
      };
    case "completionResult":
      return toText("completion", { data, key, before });
    case "interrupt":
      return { kind: "notice", key, severity: "info", text: "Stopped." };
    case "error":
      return { kind: "notice", key, severity: "error", text: said };
    case "alert":
      return { kind: "notice", key, severity: toSeverity(data["severity"]), text: said };
    default:
      return undefined;
  }
}

/**
 * Appends the text of a partial message. A complete message replaces the text.
 * @type {(kind: "message" | "think" | "completion", input: { data: Data, key: string, before: Item | undefined })
 * => Item}
 */
function toText(kind, { data, key, before }) {
  const isPartial = data["partial"] === true;
  const soFar = before?.kind === kind ? before.text : "";
  const said = text(data["message"]);
  return {
    kind,
    key,
    text: isPartial ? soFar + said : said,
    isPartial,
    isCut: data["status"] === "interrupted",
  };
}

/** @type {(data: Data, key: string) => Item} */
function toTool(data, key) {
  const known = /** @type {const} */ (["writing", "running", "done", "failed", "interrupted"]);
  const otherwise = data["partial"] === true ? "running" : "done";
  return {
    kind: "tool",
    key,
    name: text(data["toolName"]) || "tool",
    status: known.find((status) => status === data["status"]) ?? otherwise,
    params: data["params"],
    text: text(data["message"]),
    result: data["toolResult"],
    error: text(data["error"]),
  };
}

/** @type {(value: unknown) => "info" | "warning" | "error"} */
function toSeverity(value) {
  return value === "error" || value === "warning" ? value : "info";
}
