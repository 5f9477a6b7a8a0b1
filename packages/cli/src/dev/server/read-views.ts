/**
 * @fileoverview Reads the views of a module's tools for the development page, such as one tool per action.
 * @module cli/dev/server/read-views
 */
import type { JsonObject } from "@tenon/internal/json";
import { isTenonServer, readModule } from "../../tokens/module-views.js";
import { AS_LISTED, describeView } from "../../tokens/views.js";
import type { SentViews } from "../messages/messages.js";
import type { LoadedModule } from "./load-module.js";

/** Reads the views, except the list that clients see. Returns none for servers of other frameworks. */
export async function readViews({ server, context }: LoadedModule): Promise<SentViews> {
  const own = server.type === "shared" ? server.server : undefined;
  if (!isTenonServer(own)) return { definitions: [], views: [] };
  const { views } = await readModule(own, { key: AS_LISTED, revision: "latest", context });
  const definitions: JsonObject[] = [];
  const indexes = new Map<string, number>();
  // Most views share most definitions, so each definition is sent once.
  const indexOf = (tool: JsonObject) => {
    const text = JSON.stringify(tool);
    const known = indexes.get(text) ?? definitions.push(tool) - 1;
    indexes.set(text, known);
    return known;
  };
  const listed = describeView(AS_LISTED);
  const sent = views
    .map(({ key, tools }) => ({ title: describeView(key), tools: tools.map(indexOf) }))
    .filter(({ title }) => title !== listed);
  return { definitions, views: sent };
}
