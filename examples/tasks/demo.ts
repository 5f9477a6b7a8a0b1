/**
 * @fileoverview Two runs of the client: a report that is finished after the user has answered, and one that is
 * cancelled. Prints each step.
 * @module examples/tasks/demo
 */
import { connect, followTask, type Json, type Send, type TaskView } from "./client.js";

/** Arguments for the demo. */
export interface DemoOptions {
  readonly url: string;
  readonly print: (line: string) => void;
}

/** Runs both parts, and returns the final states of the two tasks. */
export async function runDemo({ url, print }: DemoOptions): Promise<readonly [TaskView, TaskView]> {
  const send = connect(url);
  print("1. The client creates a task, polls it, and answers its question.\n");
  const finished = await runReport(send, { topic: "Sales", chapters: 3, print });
  print("\n2. The client creates a longer task, and cancels it when a chapter is done.\n");
  const cancelled = await runReport(send, {
    topic: "Costs",
    chapters: 20,
    print,
    cancelAt: /^Chapter /,
  });
  return [finished, cancelled];
}

interface ReportRun {
  readonly topic: string;
  readonly chapters: number;
  readonly print: (line: string) => void;
  /** Cancels the task when its status message matches. */
  readonly cancelAt?: RegExp;
}

async function runReport(send: Send, { topic, chapters, print, cancelAt }: ReportRun): Promise<TaskView> {
  const args = { topic, chapters };
  print(`client  tools/call write_report ${JSON.stringify(args)}`);
  const created = await send("tools/call", { name: "write_report", arguments: args });
  const taskId = String(created["taskId"]);
  print(`client  got the task ${taskId}: ${String(created["status"])}`);
  let cancelling: Promise<Json> | undefined;
  const task = await followTask(send, taskId, {
    onStatus({ status, statusMessage = "" }) {
      print(`client  tasks/get: ${status}${statusMessage === "" ? "" : `, "${statusMessage}"`}`);
      if (cancelAt?.test(statusMessage) !== true || cancelling !== undefined) return;
      print("client  tasks/cancel");
      cancelling = send("tasks/cancel", { taskId });
    },
    answer(key, { message }) {
      print(`client  asks the user: ${String(message)}`);
      print(`client  tasks/update with the answer to "${key}": managers`);
      return { action: "accept", content: { audience: "managers" } };
    },
  });
  await cancelling;
  if (task.result !== undefined) print(`client  result: ${JSON.stringify(task.result["structuredContent"])}`);
  return task;
}
