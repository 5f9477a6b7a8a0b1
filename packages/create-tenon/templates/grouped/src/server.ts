import { defineServer } from "tenon";
import { type App, notes } from "./notes.js";

/** Context of the running server. The `tenon` command and src/main.ts pass it to every handler. */
export const context: App = { notes: new Map([["hello", "Welcome!"]]) };

export default defineServer<App>({ name: "my-mcp-server", version: "0.1.0" }).tools(notes);
