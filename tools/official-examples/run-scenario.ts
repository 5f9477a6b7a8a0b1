/**
 * @fileoverview Runs a scenario against an example, and returns what the client saw in a comparable form.
 * @module tools/official-examples/run-scenario
 */
import { type Example, startExample, stdioCommand } from "./example-process.js";
import type { Scenario } from "./scenarios/scenario.js";

/** Starts an example, runs a scenario against it, and stops it. @throws with the example's output on failure */
export async function runScenario(example: Example, scenario: Scenario): Promise<unknown> {
  if (scenario.kind === "stdio") return toComparable(await scenario.run(stdioCommand(example)));
  const running = await startExample({ ...example, ...scenario.start });
  try {
    return toComparable(await scenario.run(running));
  } catch (error) {
    throw new Error(`${example.file} failed. Its output: ${running.output()}`, { cause: error });
  } finally {
    await running.stop();
  }
}

/**
 * Replaces values that differ between two runs: IDs (by order of appearance), times, and ports. Removes three known
 * differences, which have tests of their own: the version of JSON Schema, the default task support of a tool, and
 * built-in capabilities.
 */
function toComparable(value: unknown): unknown {
  const ids = new Map<string, string>();
  const text = JSON.stringify(value, (key, inner: unknown) => {
    if (key === "$schema" || (key === "execution" && isForbidden(inner))) return undefined;
    return key === "capabilities" ? withoutBuiltIn(inner as Capabilities) : inner;
  });
  const stable = text
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b[\da-f]{32}\b/g, (id) => {
      if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`);
      return ids.get(id) ?? "";
    })
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>")
    .replaceAll(/localhost:\d+/g, "localhost:<port>");
  return JSON.parse(stable) as unknown;
}

/** Part of a server's capabilities. */
interface Capabilities {
  readonly logging?: object;
  readonly resources?: { readonly subscribe?: boolean };
}

function withoutBuiltIn({ logging: _, resources, ...rest }: Capabilities): object {
  if (resources === undefined) return rest;
  const { subscribe: _subscribe, ...others } = resources;
  return { ...rest, resources: others };
}

function isForbidden(execution: unknown): boolean {
  return JSON.stringify(execution) === '{"taskSupport":"forbidden"}';
}
