import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { createLogger } from "../../src/logging/logger.js";
import { ROOT } from "../../../../tools/source-files.js";

const FULL = "/dev/full";

/** Lines that could not be written were retried forever, by `close` and at process exit. */
test.runIf(existsSync(FULL))(
  "a logger on a full disk closes, and its process exits",
  async () => {
    const logger = await createLogger({ destination: FULL });
    logger.info("lost");
    await logger.flush();
    logger.info("lost too");
    await logger.close();
    const program = `
    import { createLogger } from "${ROOT}/packages/app/src/logging/logger.ts";
    const logger = await createLogger({ destination: "${FULL}" });
    for (let index = 0; index < 100; index++) logger.info("lost");
    setTimeout(() => process.exit(3), 300);`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
      cwd: ROOT,
      stdio: "ignore",
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
    const [code] = (await once(child, "exit")) as [number | null];
    clearTimeout(timer);
    expect(code).toBe(3);
  },
  30_000,
);

test("logs a context with a throwing getter, and an error without a message", async () => {
  const lines: string[] = [];
  const logger = await createLogger({ destination: { write: (line) => lines.push(line) } });
  const hostile = {
    get x(): string {
      throw new Error("no");
    },
  };
  logger.child(hostile).info("child");
  logger.error(new Error("alone") as never);
  await logger.flush();
  expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual(["child", "alone"]);
});
