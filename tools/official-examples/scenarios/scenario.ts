/**
 * @fileoverview Scenario types: what a client does with an official example.
 * @module tools/official-examples/scenarios/scenario
 */
import type { ExampleClient } from "../example-client.js";
import type { Example, RunningExample, StdioCommand } from "../example-process.js";

/** Use of an HTTP example. Returns what the client saw. */
export interface HttpScenario {
  readonly kind: "http";
  readonly start?: Pick<Example, "args" | "hasAuthServer">;
  run(example: RunningExample): Promise<unknown>;
}

/** Use of a stdio example. Returns what the client saw. */
export interface StdioScenario {
  readonly kind: "stdio";
  run(command: StdioCommand): Promise<unknown>;
}

/** Use of an example. */
export type Scenario = HttpScenario | StdioScenario;

/** Lists the tools as one step. */
export async function listTools(connected: ExampleClient): Promise<void> {
  await connected.step("tools/list", (client) => client.listTools());
}

/** Returns a response's status, content type, and text. */
export async function request(url: string, init: RequestInit = {}): Promise<object> {
  const response = await fetch(url, init);
  const type = response.headers.get("content-type");
  return { status: response.status, type, text: await response.text() };
}
