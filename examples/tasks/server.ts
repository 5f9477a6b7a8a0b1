/**
 * @fileoverview A tool that takes a while: it writes a report chapter by chapter, and asks the user a question in
 * between. Clients that support tasks get a task at once; the others wait for the result.
 * @module examples/tasks/server
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Call, defineServer, form } from "tenon";
import { tasks, type TasksOptions } from "tenon/tasks";
import { z } from "zod";

/** Options for `createReportServer`. */
export interface ReportServerOptions {
  /** Options for `tasks()`, such as a directory for records that survive a restart. */
  readonly tasks?: TasksOptions;
  /** Time in milliseconds that one chapter takes. @default 400 */
  readonly chapterMs?: number;
  /** Receives a line for each step of the handler. */
  readonly print?: (line: string) => void;
}

const AUDIENCES = ["engineers", "managers"] as const;

/** Creates a server with the tool `write_report`. Each server has its own library of published reports. */
export function createReportServer(options: ReportServerOptions = {}) {
  const { chapterMs = 400, print = () => undefined } = options;
  const library: string[] = [];

  const writeChapter = async (title: string, signal: AbortSignal) => {
    // Work that takes a while must stop when the task is cancelled.
    await sleep(chapterMs, undefined, { signal });
    print(`wrote "${title}"`);
    return title;
  };

  const publish = (report: string) => {
    const number = library.push(report);
    print(`published report ${number}`);
    return number;
  };

  return defineServer({ name: "reports", version: "1.0.0" })
    .extension(tasks({ pollIntervalMs: 200, ...options.tasks }))
    .tool("write_report", {
      title: "Write a report",
      description: "Writes and publishes a report about a topic. Takes several seconds.",
      input: z.object({
        topic: z.string().min(1).max(100),
        chapters: z.int().min(1).max(20).default(3),
      }),
      output: z.object({ number: z.int(), chapters: z.array(z.string()) }),
      // All steps before "publish" can be repeated, so a new worker may continue after a crash.
      task: { mode: "optional", ttlMs: 600_000, onLostWorker: "retry" },
      handler: async ({ topic, chapters }, call) => {
        print("the handler starts");
        const titles = [await call.once("outline", () => writeChapter("Outline", call.signal), RETRY)];
        await call.progress(1, chapters + 1, "The outline is done.");
        const audience = await askForAudience(topic, call);
        for (let number = 1; number <= chapters; number++) {
          const title = `${topic} for ${audience}, part ${number}`;
          titles.push(await call.once(`chapter ${number}`, () => writeChapter(title, call.signal), RETRY));
          await call.progress(number + 1, chapters + 1, `Chapter ${number} of ${chapters} is done.`);
        }
        // Not `RETRY`: a report must not be published twice.
        const number = await call.once("publish", () => publish(titles.join("\n")));
        return { number, chapters: titles };
      },
    })
    .build();
}

/** For steps that have the same effect if they run twice. */
const RETRY = { retry: true } as const;

async function askForAudience(topic: string, call: Call): Promise<string> {
  if (!call.client.supports("form")) return "everyone";
  const question = form({
    message: `Who will read the report about ${topic}?`,
    schema: z.object({ audience: z.enum(AUDIENCES) }),
  });
  // Ends this run of a task. When the user has answered, the handler starts again and gets here with the answer.
  const answer = await call.input("audience", question);
  return answer.action === "accept" ? answer.content.audience : "everyone";
}
