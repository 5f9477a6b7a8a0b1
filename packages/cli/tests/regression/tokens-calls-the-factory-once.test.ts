import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fixtures, tenon } from "../../../../tests/support/program.js";

test("`tokens` loads a module with a factory of official SDK servers only once", async () => {
  const file = "counted-factory.mjs";
  writeFileSync(
    `${fixtures()}/${file}`,
    `import createServer from "./sdk-v1-factory.mjs";
export default function create() {
  console.error("created");
  return createServer();
}
`,
  );
  const { code, stdout, stderr } = await tenon(["tokens", file, "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "created\n" });
  expect(JSON.parse(stdout)).toMatchObject({ tools: [{ name: "shout" }] });
});
