/**
 * @fileoverview Starts the fixture server with its workers, and sends requests to it.
 * @module tests/tenon/support/transport/workers/program
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished, vi } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { buildFixture } from "../../../../../../tests/support/stdio-child.js";
import { modernCall, modernPost } from "../../../../../../tests/support/http-messages.js";

/** The fixture server. */
export interface Program {
  readonly process: ChildProcess;
  /** Resolves with the exit code, or the signal that ended the process. */
  readonly ended: Promise<number | string>;
  stderr(): string;
  /** Process IDs of the workers that listen or have listened, in the order of their start. */
  workers(): readonly number[];
  /** Waits until the server is listening. Returns the URL of its endpoint. */
  listening(): Promise<string>;
}

/** Starts the fixture server. It is killed after the test. */
export function startProgram(options: object = {}, env: Readonly<Record<string, string>> = {}): Program {
  const fixture = new URL("./fixture.ts", import.meta.url).href;
  const child = spawn(process.execPath, [buildFixture(fixture)], {
    env: { ...process.env, OPTIONS: JSON.stringify(options), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const closed = once(child, "close") as Promise<[number | null, string | null]>;
  const ended = closed.then(([code, signal]) => code ?? signal ?? "unknown");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    process: child,
    ended,
    stderr: () => stderr,
    workers: () => [...stdout.matchAll(/^worker (\d+)/gm)].map(([, pid]) => Number(pid)),
    async listening() {
      return vi.waitFor(() => {
        const url = /listening on (\S+)/.exec(stderr)?.[1];
        if (url === undefined) throw new Error(`The server is not listening: ${stderr}`);
        return url;
      });
    },
  };
}

/** Calls a tool on a connection of its own, and returns the result. */
export async function call(url: string, name: string, args: JsonObject = {}): Promise<JsonObject> {
  const { headers, ...init } = modernCall(name, args, { capabilities: TASKS });
  return send(url, { ...init, headers: { ...(headers as object), connection: "close" } });
}

/** Calls a method of the Tasks extension. */
export function taskMethod(url: string, method: string, taskId: string): Promise<JsonObject> {
  const { headers, ...init } = modernPost(
    method,
    { taskId },
    { capabilities: TASKS, headers: { "mcp-name": taskId } },
  );
  return send(url, { ...init, headers: { ...(headers as object), connection: "close" } });
}

/** Returns the text of a tool's result. */
export function textOf(result: JsonObject): string {
  const [first] = result["content"] as readonly { readonly text: string }[]; // Safe: the fixture's tools return a text
  return first?.text ?? "";
}

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

async function send(url: string, init: RequestInit): Promise<JsonObject> {
  const response = await fetch(url, init);
  const body = (await response.json()) as { readonly result?: JsonObject; readonly error?: unknown }; // Safe: JSON-RPC
  if (body.result === undefined) throw new Error(`Status ${response.status}: ${JSON.stringify(body.error)}`);
  return body.result;
}
