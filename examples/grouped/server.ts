/**
 * @fileoverview Three grouped tools on one server, in either exposition.
 * @module examples/grouped/server
 */
import { defineServer } from "tenon";
import { ToolRegistry } from "tenon/grouped";
import type { App } from "./app.js";
import { createBillingTool } from "./billing.js";
import { createReportsTool } from "./reports.js";
import { createUsersTool } from "./users.js";

/** The tools, for a server of ours or of the official SDK. */
export function createOfficeTools(): ToolRegistry<App> {
  return new ToolRegistry<App>().registerAll(createUsersTool(), createBillingTool(), createReportsTool());
}

/** @param expose one tool for each area, or one for each action */
export function createOffice(expose: "grouped" | "flat") {
  return defineServer<App>({ name: "office", version: "1.0.0" })
    .tools(createOfficeTools(), { expose })
    .build();
}
