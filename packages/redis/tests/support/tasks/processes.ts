/**
 * @fileoverview Starts nodes as processes of their own, for tests that kill them.
 * @module tests/redis/support/tasks/processes
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../../../../../tools/compile-program.js";

/** Begin of a run. `run` is 0 if the task ended instead. */
export interface RunStart {
  readonly taskId: string;
  readonly at: number;
  readonly run: number;
}

/** Node in its own process. */
export interface WorkerProcess {
  readonly runs: RunStart[];
  readonly reports: string[];
  send(signal: NodeJS.Signals): void;
  /** Ends the first runs of a process in the mode `hold`. */
  release(): void;
  /** Kills the process and waits for its end. */
  kill(): Promise<void>;
}

/** Starts a node and waits until it runs tasks. */
export async function startWorker(url: string, prefix: string, mode: "hold" | "run"): Promise<WorkerProcess> {
  const file = fileURLToPath(new URL("worker-process.ts", import.meta.url));
  const child = fork(compileProgram(file), [url, prefix, mode], { execArgv: [] });
  const runs: RunStart[] = [];
  const reports: string[] = [];
  const exited = once(child, "exit");
  await new Promise<void>((resolve, reject) => {
    void exited.then(() => reject(new Error("The worker process ended.")));
    child.on("message", (message: "ready" | RunStart | { readonly report: string }) => {
      if (message === "ready") resolve();
      else if ("report" in message) reports.push(message.report);
      else runs.push(message);
    });
  });
  return {
    runs,
    reports,
    send: (signal) => child.kill(signal),
    release: () => child.send("release"),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
