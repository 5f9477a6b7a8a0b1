/**
 * @fileoverview Reads settings of handlers from a server in the same process. Clients do not receive them.
 * @module cli/doctor/facts/read-settings
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ToolSettings } from "./capture.js";

/** Reads the deadlines of a server's tools. Returns `undefined` if the server does not describe them. */
export function readSettings(server: unknown): readonly ToolSettings[] | undefined {
  const tools = describedTools(server);
  if (tools === undefined || !tools.every((tool) => Object.hasOwn(tool, "deadlineMs"))) return undefined;
  return tools.flatMap(({ definition, deadlineMs }) => {
    const name = isJsonObject(definition) ? definition["name"] : undefined;
    return typeof name === "string"
      ? [{ tool: name, deadlineMs: typeof deadlineMs === "number" ? deadlineMs : null }]
      : [];
  });
}

function describedTools(server: unknown): readonly JsonObject[] | undefined {
  if (typeof server !== "object" || server === null || !("describe" in server)) return undefined;
  if (typeof server.describe !== "function") return undefined;
  const description: unknown = server.describe();
  const tools = isJsonObject(description) ? description["tools"] : undefined;
  return Array.isArray(tools) ? (tools as unknown[]).filter(isJsonObject) : undefined;
}
