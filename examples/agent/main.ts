/**
 * @fileoverview `npm run example -- agent`: runs the agent and its page on this machine. Uses the model configured in
 * the environment, or a scripted model that works offline.
 * @module examples/agent/main
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createOpenAiModel, openAiOptionsFromEnv } from "@tenon/agent";
import { createDemoModel } from "./script.js";
import { startAgent } from "./server.js";

const DEFAULT_PORT = 10_013;
const DEFAULT_STORAGE = join(homedir(), ".tenon", "agent-example");

const { values } = parseArgs({
  // `npm run example` passes the example's name first.
  allowPositionals: true,
  options: {
    port: { type: "string", default: String(DEFAULT_PORT) },
    storage: { type: "string", default: DEFAULT_STORAGE },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(`Usage: npm run example -- agent [--port N] [--storage FOLDER]
  --port     port to listen on (default: ${DEFAULT_PORT}; 0 picks a free port)
  --storage  folder for conversations (default: ${DEFAULT_STORAGE})

To use a real model, set OPENAI_MODEL and either OPENAI_API_KEY or OPENAI_BASE_URL.
OPENAI_TOOL_CALLS selects the format of tool calls (xml or native).
Without these variables, the example uses a scripted model.`);
} else {
  await run();
}

async function run(): Promise<void> {
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port must be an integer from 0 to 65535; got ${JSON.stringify(values.port)}.`);
  }
  const { model, name } = chooseModel(process.env);
  const { url, close } = await startAgent({ model, port, storagePath: values.storage, logger: console });
  console.log(`The agent is ready.

  page      ${url}
  model     ${name}
  storage   ${values.storage}

Press Ctrl+C to stop.`);
  const stop = () => void close().then(() => console.log("Stopped."));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
}

function chooseModel(env: NodeJS.ProcessEnv) {
  if (!env["OPENAI_API_KEY"] && !env["OPENAI_BASE_URL"]) {
    return {
      model: createDemoModel(),
      name: "scripted (set OPENAI_API_KEY or OPENAI_BASE_URL to use a real model)",
    };
  }
  const options = openAiOptionsFromEnv(env);
  const where = new URL(options.baseUrl ?? "https://api.openai.com").host;
  return { model: createOpenAiModel(options), name: `${options.model} at ${where}` };
}
