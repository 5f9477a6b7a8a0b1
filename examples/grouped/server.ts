/**
 * @fileoverview Server with three grouped tools, in grouped or flat mode.
 * @module examples/grouped/server
 */
import { defineServer } from "tenon";
import { ToolRegistry } from "tenon/grouped";
import type { App } from "./app.js";
import { createBillingTool } from "./billing.js";
import { createReportsTool } from "./reports.js";
import { createUsersTool } from "./users.js";

/** Creates the tools, for a Tenon server or an official SDK server. */
export function createOfficeTools(): ToolRegistry<App> {
  return new ToolRegistry<App>().registerAll(createUsersTool(), createBillingTool(), createReportsTool());
}

/** Creates the server. @param expose "grouped" lists one tool per area, "flat" lists one tool per action */
export function createOffice(expose: "grouped" | "flat") {
  return defineServer<App>({ name: "office", version: "1.0.0" })
    .tools(createOfficeTools(), { expose })
    .build();
}
