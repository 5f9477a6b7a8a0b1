/**
 * @fileoverview Tools that run as tasks for clients with the Tasks extension. A client polls such a task and answers its
 * questions, and the task continues if the client disconnects.
 * @module examples/everything/tasks
 */
import { setTimeout as sleep } from "node:timers/promises";
import { errorResult, form, RequestError, type ServerBuilder } from "tenon";
import { tasks } from "tenon/tasks";
import { z } from "zod";

/** Adds the extension and the tools to a server. */
export function addTasks(builder: ServerBuilder) {
  return builder
    .extension(tasks({ pollIntervalMs: 100 }))
    .tool("greet", {
      description: "Greets a person. Never runs as a task.",
      input: z.object({ name: z.string() }),
      handler: ({ name }) => `Hello, ${name}!`,
    })
    .tool("slow_compute", {
      description:
        "Works for some seconds. Clients without the extension wait for the result in the request.",
      input: z.object({ seconds: z.number().min(0).max(600), label: z.string().optional() }),
      task: "optional",
      handler: async ({ seconds, label }, call) => {
        for (let done = 0; done < seconds; done++) {
          await call.progress(done, seconds);
          // The signal aborts when the client cancels the task.
          await sleep(Math.min(1, seconds - done) * 1_000, undefined, { signal: call.signal });
        }
        return `Computed ${label ?? "the result"} in ${seconds} s.`;
      },
    })
    .tool("failing_job", {
      description: "Returns an error for the model. The task counts as completed.",
      task: "required",
      handler: async (_args, call) => {
        await sleep(1_000, undefined, { signal: call.signal });
        return errorResult("The job could not be finished.");
      },
    })
    .tool("protocol_error_job", {
      description: "Throws a JSON-RPC error. The task counts as failed.",
      task: "required",
      handler: () => {
        throw new RequestError("SERVICE_UNAVAILABLE", "The job server is offline.");
      },
    })
    .tool("confirm_delete", {
      description: "Asks the user for confirmation while the task runs. Deletes nothing.",
      input: z.object({ filename: z.string() }),
      task: "required",
      handler: async ({ filename }, call) => {
        const message = `Delete ${filename}?`;
        const answer = await call.input("confirm", form({ message, schema: CONFIRMATION }));
        const isConfirmed = answer.action === "accept" && answer.content.confirm;
        return isConfirmed ? `Deleted ${filename}.` : `Kept ${filename}.`;
      },
    })
    .tool("multi_input", {
      description: "Asks the user two questions at the same time. The client may answer them one by one.",
      task: "required",
      handler: async (_args, call) => {
        const [from, to] = await Promise.all([
          call.input("sender", SENDER),
          call.input("recipient", RECIPIENT),
        ]);
        if (from.action !== "accept" || to.action !== "accept") return "The user did not answer.";
        return `From ${from.content.name} to ${to.content.name}.`;
      },
    })
    .tool("test_tool_with_task", {
      description: "Asks for a name in the request, and then greets the person in a task.",
      task: {
        mode: "required",
        // The task is created when the client has answered. The handler finds the answer under the same key.
        prepare: async (_args, call) => void (await call.input("user_name", NAME)),
      },
      handler: async (_args, call) => {
        const answer = await call.input("user_name", NAME);
        return `Hello, ${answer.action === "accept" ? answer.content.name : "guest"}!`;
      },
    });
}

const CONFIRMATION = z.object({ confirm: z.boolean() });
const PERSON = z.object({ name: z.string() });
const NAME = form({ message: "What is your name?", schema: PERSON });
const SENDER = form({ message: "Who sends it?", schema: PERSON });
const RECIPIENT = form({ message: "Who receives it?", schema: PERSON });
