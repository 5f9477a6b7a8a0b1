/**
 * @fileoverview Runs an agent project as a process, and talks to it as its page does.
 * @module tests/support/template/run-agent
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";

/** Runs a program in a project, on a free port. It is killed at the end of the test. */
export function runAgent(
  [command = "", ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
) {
  const { PATH = "" } = process.env;
  const child = spawn(command, args, { cwd, env: { PATH, PORT: "0", ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exit = once(child, "close").then(([code]: (number | null)[]) => code);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  /** Waits for a whole line that starts with a text. */
  const line = (start: string) =>
    vi.waitFor(
      () =>
        output
          .split("\n")
          .slice(0, -1)
          .find((one) => one.startsWith(start)) ?? expect.fail(output),
      { timeout: 60_000, interval: 50 },
    );
  return { child, exit, line };
}

/** Returns the URL in a line. */
export function toUrl(line: string): string {
  return /http:\S+/.exec(line)?.[0] ?? expect.fail(line);
}

interface Frame {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Connects to an agent's page. `send` resolves at the end of the run. */
export async function connectToAgent(url: string) {
  const { origin } = new URL(url);
  const socket = new WebSocket(url.replace(/^http/, "ws"), { origin });
  onTestFinished(() => socket.terminate());
  let frames: Frame[] = [];
  socket.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString()) as Frame));
  await once(socket, "open");
  const last = (type: string) => frames.findLast((frame) => frame.type === type)?.data ?? {};
  const send = async (frame: Frame) => {
    frames = [];
    socket.send(JSON.stringify(frame));
    await vi.waitFor(() => expect(last("conversationOver")).not.toEqual({}), { timeout: 60_000 });
    return { over: last("conversationOver"), approval: last("approval"), text: last("message")["message"] };
  };
  return { send };
}
