import { describe, expect, test } from "vitest";
import { form } from "../../src/index.js";
import { connect, taskServer } from "../support/tasks/task-client.js";

/** So long that no progress is stored by a timer. */
const progressIntervalMs = 3_600_000;

describe("progress that was not stored yet when the handler ends", () => {
  test("is the status message of the finished task", async () => {
    const server = taskServer({ progressIntervalMs })
      .tool("count", {
        task: "optional",
        async handler(_args, call) {
          for (let count = 1; count <= 3; count++) await call.progress(count, 3, `${count} of 3`);
          return "counted";
        },
      })
      .build();
    const { run } = await connect(server);
    expect(await run("count")).toMatchObject({ status: "completed", statusMessage: "3 of 3" });
  });

  test("is the status message while the task waits for an answer, and is not repeated afterwards", async () => {
    const server = taskServer({ progressIntervalMs })
      .tool("ask", {
        task: "optional",
        async handler(_args, call) {
          await call.progress(1, 4, "started");
          await call.progress(2, 4, "half");
          await call.input("go", form({ message: "Go on?", schema: { type: "object", properties: {} } }));
          await call.progress(2, 4, "again");
          return "done";
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("ask");
    expect((await until(taskId, "input_required")).statusMessage).toBe("half");
    await answer(taskId, { go: { action: "decline" } });
    expect(await settled(taskId)).toMatchObject({ status: "completed", statusMessage: "half" });
  });
});
