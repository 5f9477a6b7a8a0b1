import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { serveAgentPage } from "@tenon/agent/page";
import { createAgent } from "./agent.js";
import { SUGGESTIONS } from "./demo-model.js";
import { chooseModel } from "./model.js";

if (existsSync(".env")) loadEnvFile();
await start().catch((error: unknown) => {
  console.error(`Could not start the agent: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});

async function start(): Promise<void> {
  const { model, description } = chooseModel(process.env);
  const server = createAgent({ model, notes: new Map(), storagePath: "storage" });
  const page = await serveAgentPage(server, {
    port: Number(process.env["PORT"] || 10013),
    title: "my-mcp-server",
    suggestions: SUGGESTIONS,
    logger: console,
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void page.close());
  console.log(`Open ${page.url} in a browser. Press Ctrl+C to stop.\nModel: ${description}`);
}
