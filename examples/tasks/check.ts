/**
 * @fileoverview Runs both parts of the demo over HTTP, and the same tool for clients that do not support tasks.
 * @module examples/tasks/check
 */
import assert from "node:assert/strict";
import { serve } from "tenon/node";
import { REVISIONS } from "tenon/protocol";
import { createClient } from "tenon/testing";
import { runDemo } from "./demo.js";
import { createReportServer } from "./server.js";

/** Runs the example. @throws if its behavior differs from the documentation */
export async function check(): Promise<void> {
  await checkDemo();
  await checkClientsWithoutTasks();
}

async function checkDemo(): Promise<void> {
  const lines: string[] = [];
  const server = createReportServer({
    chapterMs: 100,
    tasks: { pollIntervalMs: 10 },
    print: (line) => lines.push(line),
  });
  const running = await serve(server, { port: 0, signals: false, banner: false });
  try {
    const shown: string[] = [];
    const [finished, cancelled] = await runDemo({
      url: running.url ?? "",
      print: (line) => shown.push(line),
    });
    assert.equal(finished.status, "completed");
    assert.deepEqual(finished.result?.["structuredContent"], {
      number: 1,
      chapters: [
        "Outline",
        "Sales for managers, part 1",
        "Sales for managers, part 2",
        "Sales for managers, part 3",
      ],
    });
    assert.equal(cancelled.status, "cancelled");
    assert.match(
      shown.join("\n"),
      /asks the user: Who will read the report about Sales\?[^]+"Chapter \d+ of 20 is done\."\nclient  tasks\/cancel/,
    );
    // The handler starts again after each answer, but repeats neither the outline nor anything that was published.
    const countOf = (text: string) => lines.filter((line) => line === text).length;
    assert.equal(countOf("the handler starts"), 4);
    assert.equal(countOf('wrote "Outline"'), 2);
    assert.deepEqual(
      lines.filter((line) => line.startsWith("published")),
      ["published report 1"],
    );
  } finally {
    await running.close();
  }
}

/** Clients that do not declare the extension get the result in the response, in every revision. */
async function checkClientsWithoutTasks(): Promise<void> {
  for (const revision of REVISIONS) {
    const client = await createClient(createReportServer({ chapterMs: 1 }), { revision });
    const { content, isError = false } = await client.callTool("write_report", {
      topic: "Sales",
      chapters: 1,
    });
    assert.equal(isError, false);
    assert.deepEqual(content, [
      { type: "text", text: '{"number":1,"chapters":["Outline","Sales for everyone, part 1"]}' },
    ]);
    await client.close();
  }
}
