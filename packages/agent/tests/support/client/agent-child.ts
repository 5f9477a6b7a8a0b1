/**
 * @fileoverview Agent server in a child process that the test kills. Prints its URL.
 * @module tests/agent/support/client/agent-child
 */
import { AgentServerBuilder } from "../../../src/builder.js";
import { createScriptedModel } from "../../../src/models/scripted-model.js";

const [storage = "", port = "0", answer = ""] = process.argv.slice(2);
const server = new AgentServerBuilder()
  .storagePath(storage)
  .model(createScriptedModel([answer], { delayMs: 5 }))
  .build();
const { url } = await server.start({ port: Number(port) });
process.stdout.write(`${url}\n`);
