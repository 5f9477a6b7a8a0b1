/**
 * @fileoverview Three grouped tools on one server, in either exposition.
 * @module examples/grouped/server
 */
import { defineServer } from "tenon";
import { loadToon, ToolRegistry } from "tenon/grouped";
import type { App } from "./app.js";
import { createBillingTool } from "./billing.js";
import { createReportsTool } from "./reports.js";
import { createUsersTool } from "./users.js";

/** The tools, for a server of ours or of the official SDK. */
export async function createOfficeTools(): Promise<ToolRegistry<App>> {
  const toon = await loadToon();
  return new ToolRegistry<App>().registerAll(createUsersTool(), createBillingTool(), createReportsTool(toon));
}

/** @param expose one tool for each area, or one for each action */
export async function createOffice(expose: "grouped" | "flat") {
  return defineServer<App>({ name: "office", version: "1.0.0" })
    .tools(await createOfficeTools(), { expose })
    .build();
}
