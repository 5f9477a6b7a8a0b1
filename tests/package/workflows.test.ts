import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { publishedPackages } from "../../tools/published-packages.js";
import { createSbomProject } from "../../tools/sbom-project.js";
import { ROOT } from "../../tools/source-files.js";

const FOLDER = `${ROOT}/.github/workflows`;

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly steps: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly strategy?: { readonly matrix?: { readonly node?: readonly number[] } };
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const files = readdirSync(FOLDER);
const read = (file: string) =>
  parse(readFileSync(`${FOLDER}/${file}`, "utf8"), { strict: true, uniqueKeys: true }) as Workflow;
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);
const commandsOf = (workflow: Workflow) => stepsOf(workflow).flatMap(({ run }) => run?.split("\n") ?? []);
const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

describe.each(files)("the workflow %s", (file) => {
  const workflow = read(file);

  test("uses only scripts and files that exist", () => {
    const commands = commandsOf(workflow);
    expect(commands.length).toBeGreaterThan(0);
    const missing = commands.filter((command) => {
      const [, script] = /^npm (?:run |(?=test\b))(\S+)/.exec(command) ?? [];
      const [, path] = /^bash (\S+)/.exec(command) ?? [];
      return (
        (script !== undefined && scripts[script] === undefined) ||
        (path !== undefined && !existsSync(`${ROOT}/${path}`))
      );
    });
    expect(missing).toEqual([]);
  });

  test("pins every action to a version or a commit, and has a time limit", () => {
    const actions = stepsOf(workflow).flatMap(({ uses }) => uses ?? []);
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => !/@(?:v\d+(?:\.\d+)*|[0-9a-f]{40})$/.test(action))).toEqual([]);
    for (const job of Object.values(workflow.jobs)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });

  test("has no permission by default, except to read the code", () => {
    expect([{}, { contents: "read" }]).toContainEqual(workflow.permissions);
  });
});

describe("the CI workflow", () => {
  test("runs all checks on every supported major version of Node", () => {
    const { jobs } = read("ci.yml");
    expect(Object.values(jobs).map(({ strategy }) => strategy?.matrix?.node)).toEqual([[20, 22, 24]]);
    expect(commandsOf(read("ci.yml")).at(-1)).toBe("bash .ci/run");
  });
});

describe("the publish workflow", () => {
  const workflow = read("publish.yml");
  const commands = commandsOf(workflow);

  test("runs only for tags, after all checks, and with the permissions that it needs", () => {
    expect(workflow.on).toEqual({ push: { tags: ["v*"] } });
    expect(Object.values(workflow.jobs).map(({ permissions }) => permissions)).toEqual([
      { contents: "write", "id-token": "write" },
    ]);
    const firstPublish = commands.findIndex((command) => command.startsWith("npm publish"));
    for (const command of ["bash .ci/run", "npm run build", "npm run sbom"])
      expect(commands.slice(0, firstPublish)).toContain(command);
  });

  test("publishes every public package with provenance, each after those that it depends on", () => {
    const published = commands.filter((command) => command.startsWith("npm publish"));
    const names = published.map(
      (command) =>
        /^npm publish --provenance --access public --workspace (\S+)$/.exec(command)?.[1] ?? command,
    );
    expect(names.toSorted()).toEqual(
      publishedPackages()
        .map(({ name }) => name)
        .toSorted(),
    );
    const tooEarly = publishedPackages().flatMap(({ name, needs }) =>
      needs
        .filter((need) => names.indexOf(need) > names.indexOf(name))
        .map((need) => `${name} before ${need}`),
    );
    expect(tooEarly).toEqual([]);
  });

  test("attaches the software bill of materials to the release", () => {
    expect(commands.filter((command) => command.startsWith("gh release create"))).toEqual([
      'gh release create "$GITHUB_REF_NAME" sbom/*.cdx.json --verify-tag --generate-notes',
    ]);
  });
});

describe("the software bill of materials", () => {
  const listed = (name: string) =>
    Object.keys(createSbomProject(name).lock.packages).map((path) => path.replace(/^.*node_modules\//, ""));

  test.each(publishedPackages().map(({ name }) => name))(
    "of %s lists everything that it depends on",
    (name) => {
      const folder = readdirSync(`${ROOT}/packages`).find((one) => manifestOf(one).name === name) ?? "";
      const { dependencies } = manifestOf(folder);
      expect(listed(name)).toEqual(expect.arrayContaining(Object.keys(dependencies ?? {})));
      expect(listed(name).includes("@tenon/internal")).toBe(false);
    },
  );

  test("includes dependencies of dependencies, peers that npm installs, and bundled packages", () => {
    expect(listed("@tenon/agent")).toEqual(
      expect.arrayContaining(["tenon", "ws", "zod", "@toon-format/toon"]),
    );
    expect(listed("@tenon/cli")).toEqual(expect.arrayContaining(["tenon", "citty", "jose"]));
    expect(listed("create-tenon")).toEqual(expect.arrayContaining(["citty", "@clack/prompts"]));
    expect(listed("tenon").toSorted()).toEqual(["", "@standard-schema/spec", "@toon-format/toon"]);
  });

  function manifestOf(folder: string) {
    return JSON.parse(readFileSync(`${ROOT}/packages/${folder}/package.json`, "utf8")) as {
      readonly name: string;
      readonly dependencies?: Readonly<Record<string, string>>;
    };
  }
});
