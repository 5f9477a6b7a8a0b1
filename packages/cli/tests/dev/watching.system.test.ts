import { renameSync, rmSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { modernCall } from "../../../../tests/support/http-messages.js";
import { serveDev, startDev, textOf, toEndpoint } from "../support/dev/dev-run.js";

const versioned = (version: number | string) => `
import { defineServer } from "tenon";
export default defineServer({ name: "versioned", version: "1.0.0" })
  .tool("version", { handler: () => "${version}" });
`;

/** Code that returns the value of a package. */
const USES_PACKAGE = `
import { defineServer } from "tenon";
import { color } from "paint";
export default defineServer({ name: "painted", version: "1.0.0" }).tool("version", { handler: () => color });
`;

/** Files of a package that exports a value. */
const paint = (color: string) => ({
  "node_modules/paint/package.json": `{ "name": "paint", "version": "1.0.0", "type": "module", "exports": "./index.js" }`,
  "node_modules/paint/index.js": `export const color = "${color}";`,
});

describe("changes of files", () => {
  test("a file that is written in place is reloaded", async () => {
    const { endpoint, program, project } = await serveDev({ "server.ts": versioned(1) });
    project.write("server.ts", versioned(2));
    await program.next("reloaded");
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("2");
  });

  test("a file that is deleted is an error, and its new version is reloaded", async () => {
    const { endpoint, program, project } = await serveDev({ "server.ts": versioned(1) });
    rmSync(project.path("server.ts"));
    const failed = await program.next("build-failed");
    expect(failed.next).toBe("The last good version keeps serving.");
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("1");
    await program.save(project, ["server.ts", versioned(2)]);
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("2");
  });

  test.each([[[]], [["--poll"]]])(
    "a folder that is deleted and created again is watched, with %j",
    async (flags) => {
      const { program, project } = startDev(
        {
          "src/server.ts": `export { default } from "./parts/main.js";\n`,
          "src/parts/main.ts": versioned(1),
        },
        { args: ["src/server.ts", "--port", "0", ...flags] },
      );
      const endpoint = toEndpoint(await program.url());
      for (const version of [2, 3]) {
        const from = program.events.length;
        rmSync(project.path("src"), { recursive: true });
        await program.next("build-failed", { from });
        project.write("src/server.ts", `export { default } from "./parts/main.js";\n`);
        project.write("src/parts/main.ts", versioned(version));
        await program.next("reloaded", { from });
        await vi.waitFor(async () =>
          expect(await textOf(endpoint.fetch(modernCall("version")))).toBe(String(version)),
        );
      }
      await program.save(project, ["src/parts/main.ts", versioned(4)]);
      expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("4");
    },
  );

  test("a folder that is replaced by another one is watched", async () => {
    const { program, project } = startDev(
      { "src/server.ts": versioned(1), "next/server.ts": versioned(2) },
      { args: ["src/server.ts", "--port", "0"] },
    );
    const endpoint = toEndpoint(await program.url());
    renameSync(project.path("src"), project.path("old"));
    renameSync(project.path("next"), project.path("src"));
    await vi.waitFor(async () => expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("2"));
    await vi.waitFor(async () => {
      project.save("src/server.ts", versioned(3));
      expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("3");
    });
  });

  test("the last of several saves is served", async () => {
    const { endpoint, project } = await serveDev({ "server.ts": versioned(1) });
    for (let version = 2; version <= 40; version++) {
      project.save("server.ts", versioned(version));
      await new Promise((resolve) => setTimeout(resolve, version % 4 === 0 ? 12 : 0));
    }
    await vi.waitFor(async () => expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("40"));
  });

  test("a file that changes while the first version is being built is reloaded", async () => {
    const { program, project } = startDev({
      "server.ts": `export { default } from "./lib/main.js";\n`,
      "lib/main.ts": versioned("old"),
    });
    let count = 0;
    const timer = setInterval(() => project.save("lib/main.ts", versioned(`new ${++count}`)), 5);
    const endpoint = toEndpoint(await program.url().finally(() => clearInterval(timer)));
    await vi.waitFor(async () =>
      expect(await textOf(endpoint.fetch(modernCall("version")))).toBe(`new ${count}`),
    );
  });

  test("variables follow an .env file that is created, changed, and deleted", async () => {
    const { endpoint, program, project } = await serveDev({
      "server.ts": `
import { defineServer } from "tenon";
const { MOOD = "none" } = process.env;
export default defineServer({ name: "env", version: "1.0.0" }).tool("mood", { handler: () => MOOD });`,
    });
    const mood = () => textOf(endpoint.fetch(modernCall("mood")));
    expect(await mood()).toBe("none");
    await program.save(project, [".env", "MOOD=good\n"]);
    expect(await mood()).toBe("good");
    const from = program.events.length;
    rmSync(project.path(".env"));
    await program.next("reloaded", { from });
    expect(await mood()).toBe("none");
  });
});

describe("packages", () => {
  test("a missing package is found after it was installed", async () => {
    const { program, project } = startDev({ "server.ts": USES_PACKAGE });
    const failed = await program.next("load-failed");
    expect(failed.problems[0]?.hint).toBe("Install the package: npm install paint");
    for (const [name, text] of Object.entries(paint("blue"))) project.write(name, text);
    project.write("package.json", `{ "type": "module", "dependencies": { "paint": "1.0.0" } }\n`);
    const { url = "" } = await program.next("started");
    expect(await textOf(toEndpoint(url).fetch(modernCall("version")))).toBe("blue");
  });

  test.each(["package.json", "node_modules/.package-lock.json"])(
    "a different version of a package is loaded when %s changes",
    async (file) => {
      const { endpoint, program, project } = await serveDev({ "server.ts": USES_PACKAGE, ...paint("red") });
      expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("red");
      for (const [name, text] of Object.entries(paint("green"))) project.write(name, text);
      await program.save(project, [file, `{ "type": "module", "dependencies": { "paint": "1.0.1" } }\n`]);
      expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("green");
    },
  );

  test("a package that never finishes loading does not block the next version", async () => {
    const { program, project, signalled } = startDev({
      "server.ts": `import "endless";\n${versioned(1)}`,
      "node_modules/endless/package.json": `{ "name": "endless", "type": "module", "exports": "./index.js" }`,
      "node_modules/endless/index.js": `import { writeFileSync } from "node:fs"; writeFileSync("loading", ""); for (;;);`,
    });
    await signalled("loading");
    project.save("server.ts", `import "endless";\n${versioned(2)}`);
    rmSync(project.path("loading"));
    await signalled("loading");
    project.save("server.ts", versioned(3));
    const { url = "" } = await program.next("started");
    expect(await textOf(toEndpoint(url).fetch(modernCall("version")))).toBe("3");
  });
});
