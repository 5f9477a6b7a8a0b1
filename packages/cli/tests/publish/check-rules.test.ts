import { Compile } from "typebox/schema";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { addMcpName, checkMcpName, checkPackageJson } from "../../src/publish/check-package-json.js";
import { checkServerJson } from "../../src/publish/check-server-json.js";
import { createServerJson, listNextSteps } from "../../src/publish/server-json.js";
import { SERVER_SCHEMA_URL } from "../../src/publish/registry-schema.js";
import { PACKAGE } from "../support/bundle/weather-project.js";
import { serverSchema } from "../support/publish/server-json-schema.js";

const HASH = "a".repeat(64);
const RELEASE = "https://github.com/acme/weather-mcp/releases/download/v1.2.0/weather.mcpb";
const npm = {
  registryType: "npm",
  identifier: "@acme/weather",
  version: "1.2.0",
  transport: { type: "stdio" },
};
const mcpb = { registryType: "mcpb", identifier: RELEASE, fileSha256: HASH, transport: { type: "stdio" } };
const remote = { type: "streamable-http", url: "https://mcp.example.com/mcp" };

const VALID: JsonObject = {
  $schema: SERVER_SCHEMA_URL,
  name: "io.github.acme/weather",
  title: "Weather",
  description: "Weather forecasts for any city",
  repository: { url: "https://github.com/acme/weather-mcp", source: "github", subfolder: "packages/weather" },
  version: "1.2.0",
  websiteUrl: "https://example.com/weather?q=a%20b",
  icons: [
    { src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48", "any"], theme: "dark" },
  ],
  packages: [npm, mcpb],
  remotes: [remote],
  _meta: { "io.modelcontextprotocol.registry/publisher-provided": { tool: "tenon" } },
};

const withPackage = (changes: JsonObject) => ({ packages: [{ ...npm, ...changes }] });
const withArchive = (changes: JsonObject) => ({ packages: [{ ...mcpb, ...changes }] });
const withRemote = (changes: JsonObject) => ({ remotes: [{ ...remote, ...changes }] });
const withArgument = (argument: JsonObject) => withPackage({ packageArguments: [argument] });
const withVariable = (variable: JsonObject) => withPackage({ environmentVariables: [variable] });

describe("a server.json that the registry accepts", () => {
  test.each<[string, JsonObject]>([
    ["with all members", {}],
    ["with a version that is not semantic", { version: "2021.03.15" }],
    ["with a version that has a suffix", { version: "1.2.3-alpha.1+x86" }],
    ["with a description of 100 characters", { description: "é".repeat(100) }],
    [
      "with a repository in a group on GitLab",
      { repository: { url: "https://gitlab.com/a/b/c", source: "gitlab" } },
    ],
    [
      "with a release on GitLab",
      withArchive({ identifier: "https://gitlab.com/a/mcp/-/releases/v1/downloads/a.mcpb" }),
    ],
    [
      "with a package over HTTP on this machine",
      withPackage({ transport: { type: "streamable-http", url: "http://localhost:3000/mcp" } }),
    ],
    [
      "with variables in the URL of a package",
      {
        packages: [
          {
            ...npm,
            transport: { type: "sse", url: "http://{host}:{port}/sse" },
            environmentVariables: [{ name: "host" }],
            packageArguments: [{ type: "positional", valueHint: "port" }],
          },
        ],
      },
    ],
    [
      "with variables in the URL of a remote",
      withRemote({ url: "https://{tenant}.example.com/mcp", variables: { tenant: { isRequired: true } } }),
    ],
    ["with headers", withRemote({ headers: [{ name: "X-API-Key", isSecret: true, isRequired: true }] })],
    [
      "with arguments",
      withArgument({ type: "named", name: "--port", default: "8080", format: "number", isRepeated: false }),
    ],
    ["with choices", withVariable({ name: "UNITS", choices: ["c", "f"], default: "c" })],
    ["without packages", { packages: [] }],
    [
      "without optional members",
      { title: undefined, repository: undefined, websiteUrl: undefined, icons: undefined, _meta: undefined },
    ],
  ])("%s has no problems", (_title, changes) => {
    const server = JSON.parse(JSON.stringify({ ...VALID, ...changes })) as JsonObject;
    expect(checkServerJson(server)).toEqual([]);
    expect(Compile(serverSchema).Check(server)).toBe(true);
  });
});

describe("a server.json that the registry rejects", () => {
  test.each<[string, JsonObject, string]>([
    ["no schema", { $schema: undefined }, `$schema must be one of ${SERVER_SCHEMA_URL}; got undefined.`],
    [
      "an old schema",
      { $schema: SERVER_SCHEMA_URL.replace("2025-12-11", "2025-07-09") },
      `$schema must be one of ${SERVER_SCHEMA_URL}; got "https://static.modelcontextprotocol.io/s...".`,
    ],
    ["no name", { name: undefined }, "name must be a string; got undefined."],
    ["a short name", { name: "a/" }, "name must have at least 3 characters; got 2."],
    [
      "a long name",
      { name: `io.github.acme/${"a".repeat(190)}` },
      "name must have at most 200 characters; got 205.",
    ],
    [
      "a name without a slash",
      { name: "weather" },
      'name must have the form io.github.user/server; got "weather". It needs exactly one slash.',
    ],
    [
      "a name with two slashes",
      { name: "io.github.acme/a/b" },
      'name must have the form io.github.user/server; got "io.github.acme/a/b". It needs exactly one slash.',
    ],
    [
      "a name with an empty part",
      { name: "io.github.acme/" },
      'name must have the form io.github.user/server; got "io.github.acme/". It needs exactly one slash.',
    ],
    [
      "a namespace with an underscore",
      { name: "io.github.a_b/weather" },
      'name must have the form io.github.user/server; got "io.github.a_b/weather". Before the slash, use letters, digits, dots, and hyphens, with a letter or digit at both ends.',
    ],
    [
      "a namespace that ends with a dot",
      { name: "io.github./weather" },
      'name must have the form io.github.user/server; got "io.github./weather". Before the slash, use letters, digits, dots, and hyphens, with a letter or digit at both ends.',
    ],
    [
      "a name that ends with a hyphen",
      { name: "io.github.acme/weather-" },
      'name must have the form io.github.user/server; got "io.github.acme/weather-". After the slash, use letters, digits, and . _ -, with a letter or digit at both ends.',
    ],
    ["no description", { description: undefined }, "description must be a string; got undefined."],
    ["an empty description", { description: "" }, "description must not be empty."],
    [
      "a long description",
      { description: "a".repeat(101) },
      "description must have at most 100 characters; got 101.",
    ],
    ["no version", { version: undefined }, "version must be a string; got undefined."],
    [
      "the version latest",
      { version: "latest" },
      'version must be an exact version, such as 1.0.0; got "latest".',
    ],
    ...["^1.2.3", "~1.2", ">=1.0.0", "< 2", "=1.0.0", "1.x", "1.2.*", "*", "1.0.0 - 2.0.0", "1.2 || 1.3"].map(
      (version): [string, JsonObject, string] => [
        `the version range ${version}`,
        { version },
        `version must be an exact version, such as 1.0.0; got the range "${version}".`,
      ],
    ),
    [
      "a version that the registry takes for a range",
      { version: "1.0.0-next.1" },
      'version must not contain the letter x after the hyphen, because the registry takes it for a range; got "1.0.0-next.1".',
    ],
    ["a long version", { version: "1".repeat(256) }, "version must have at most 255 characters; got 256."],
    ["a blank title", { title: "   " }, "title must not be blank."],
    ["a long title", { title: "a".repeat(101) }, "title must have at most 100 characters; got 101."],
    [
      "a website without a scheme",
      { websiteUrl: "example.com" },
      "websiteUrl must be an absolute https URL.",
    ],
    [
      "a website over http",
      { websiteUrl: "http://example.com" },
      "websiteUrl must be an https URL; got the scheme http:",
    ],
    [
      "a website with a quote",
      { websiteUrl: "https://example.com/it's" },
      "websiteUrl must not contain spaces, quotes, or other characters that a URL must encode.",
    ],
    [
      "a repository of another host",
      { repository: { url: "https://bitbucket.org/a/b", source: "bitbucket" } },
      'repository.source must be one of github, gitlab; got "bitbucket".',
    ],
    [
      "a repository without a name",
      { repository: { url: "https://github.com/acme", source: "github" } },
      'repository.url must be the address of a repository on github.com; got "https://github.com/acme".',
    ],
    ...["../a", "/a", "a/", "a//b", "a b", "./a"].map((subfolder): [string, JsonObject, string] => [
      `the subfolder ${subfolder}`,
      { repository: { url: "https://github.com/a/b", source: "github", subfolder } },
      `repository.subfolder must be a relative path without "." and ".."; got "${subfolder}".`,
    ]),
    [
      "an icon over http",
      { icons: [{ src: "http://example.com/a.png" }] },
      "icons[0].src must be an https URL; got the scheme http:",
    ],
    [
      "an icon as data",
      { icons: [{ src: "data:image/png;base64,AAAA" }] },
      "icons[0].src must be an https URL; got the scheme data:",
    ],
    [
      "an icon with a relative address",
      { icons: [{ src: "/icon.png" }] },
      "icons[0].src must be an absolute https URL.",
    ],
    [
      "an icon of another type",
      { icons: [{ src: "https://e.com/a", mimeType: "image/gif" }] },
      'icons[0].mimeType must be one of image/png, image/jpeg, image/jpg, image/svg+xml, image/webp; got "image/gif".',
    ],
    [
      "an icon with an unknown size",
      { icons: [{ src: "https://e.com/a", sizes: ["big"] }] },
      'icons[0].sizes must be texts such as "48x48" or "any".',
    ],
    ["packages that are not a list", { packages: {} }, "packages must be an array; got an object."],
    [
      "a package that is not an object",
      { packages: ["weather"] },
      "packages[0] must be an object; got a string.",
    ],
    [
      "neither packages nor remotes",
      { packages: [], remotes: undefined },
      "packages or remotes must have at least one entry.",
    ],
    ["the same package twice", { packages: [npm, npm] }, "packages[1] is listed more than once."],
    [
      "an unknown registry",
      withPackage({ registryType: "gem" }),
      'packages[0].registryType must be one of npm, pypi, nuget, oci, cargo, mcpb; got "gem".',
    ],
    [
      "a package name with spaces",
      withPackage({ identifier: "my weather" }),
      'packages[0].identifier must not contain spaces; got "my weather".',
    ],
    [
      "a package version range",
      withPackage({ version: ">=1.2.3" }),
      'packages[0].version must be an exact version, such as 1.0.0; got the range ">=1.2.3".',
    ],
    [
      "the package version latest",
      withPackage({ version: "latest" }),
      'packages[0].version must be an exact version, such as 1.0.0; got "latest".',
    ],
    [
      "an npm package without a version",
      withPackage({ version: undefined }),
      "packages[0].version is required for an npm package.",
    ],
    [
      "an npm package with a hash",
      withPackage({ fileSha256: HASH }),
      "packages[0].fileSha256 is not allowed for an npm package.",
    ],
    [
      "another npm registry",
      withPackage({ registryBaseUrl: "https://npm.example.com" }),
      'packages[0].registryBaseUrl must be https://registry.npmjs.org; got "https://npm.example.com".',
    ],
    [
      "no transport",
      withPackage({ transport: undefined }),
      "packages[0].transport must be an object; got undefined.",
    ],
    [
      "an unknown transport",
      withPackage({ transport: { type: "websocket" } }),
      'packages[0].transport.type must be one of stdio, streamable-http, sse; got "websocket".',
    ],
    [
      "a URL for stdio",
      withPackage({ transport: { type: "stdio", url: "http://x" } }),
      "packages[0].transport.url is not allowed for stdio.",
    ],
    [
      "HTTP without a URL",
      withPackage({ transport: { type: "streamable-http" } }),
      "packages[0].transport.url is required for streamable-http.",
    ],
    [
      "a URL that is not one",
      withPackage({ transport: { type: "sse", url: "nowhere" } }),
      "packages[0].transport.url must be an http or https URL.",
    ],
    [
      "an unknown variable in a URL",
      withPackage({ transport: { type: "sse", url: "http://{host}/sse" } }),
      "packages[0].transport.url uses {host}, which is neither an argument nor an environment variable.",
    ],
    [
      "a .mcpb file without a hash",
      withArchive({ fileSha256: undefined }),
      "packages[0].fileSha256 is required for a .mcpb file.",
    ],
    [
      "a .mcpb file with a wrong hash",
      withArchive({ fileSha256: "ABC" }),
      'packages[0].fileSha256 must have 64 hexadecimal digits in lower case; got "ABC".',
    ],
    [
      "a .mcpb file with a registry",
      withArchive({ registryBaseUrl: "https://github.com" }),
      "packages[0].registryBaseUrl is not allowed for a .mcpb file.",
    ],
    [
      "a .mcpb file on another host",
      withArchive({ identifier: "https://example.com/weather.mcpb" }),
      "packages[0].identifier must be a file of a release on github.com or gitlab.com; got example.com.",
    ],
    [
      "a .mcpb file over http",
      withArchive({ identifier: RELEASE.replace("https", "http") }),
      "packages[0].identifier must be an https URL; got the scheme http:",
    ],
    [
      "a .mcpb file that is not in a release",
      withArchive({ identifier: "https://github.com/acme/weather-mcp/raw/main/weather.mcpb" }),
      "packages[0].identifier must be a file of a release, such as https://github.com/user/repository/releases/download/v1.0.0/server.mcpb",
    ],
    [
      "a .mcpb file without mcp in its address",
      withArchive({ identifier: "https://github.com/acme/weather/releases/download/v1/weather.zip" }),
      'packages[0].identifier must contain the text "mcp", such as in the name of the file.',
    ],
    [
      "an argument of an unknown type",
      withArgument({ type: "flag" }),
      'packages[0].packageArguments[0].type must be one of positional, named; got "flag".',
    ],
    [
      "a positional argument without a value",
      withArgument({ type: "positional" }),
      "packages[0].packageArguments[0] must have a value or a valueHint, because it is positional.",
    ],
    [
      "a named argument without a name",
      withArgument({ type: "named" }),
      "packages[0].packageArguments[0].name is required for a named argument.",
    ],
    [
      "a named argument with its value",
      withArgument({ type: "named", name: "--port 8080" }),
      "packages[0].packageArguments[0].name must be only the flag, such as --port, without its value.",
    ],
    [
      "a value that repeats the name",
      withArgument({ type: "named", name: "--port", value: "--port 8080" }),
      "packages[0].packageArguments[0].value must not start with the argument's name, because clients add it.",
    ],
    [
      "a default that repeats the name",
      withArgument({ type: "named", name: "--port", default: "--port 1" }),
      "packages[0].packageArguments[0].default must not start with the argument's name, because clients add it.",
    ],
    [
      "a variable without a name",
      withVariable({ description: "x" }),
      "packages[0].environmentVariables[0].name must be a non-empty string.",
    ],
    [
      "a default that is not text",
      withVariable({ name: "A", default: 5 }),
      "packages[0].environmentVariables[0].default must be a string; got a number.",
    ],
    [
      "an unknown format",
      withVariable({ name: "A", format: "date" }),
      'packages[0].environmentVariables[0].format must be one of string, number, boolean, filepath; got "date".',
    ],
    [
      "choices that are not texts",
      withVariable({ name: "A", choices: [1] }),
      "packages[0].environmentVariables[0].choices must be an array of strings.",
    ],
    [
      "a secret that is not a boolean",
      withVariable({ name: "A", isSecret: "yes" }),
      "packages[0].environmentVariables[0].isSecret must be a boolean; got a string.",
    ],
    [
      "the same variable twice",
      withPackage({ environmentVariables: [{ name: "A" }, { name: "A" }] }),
      "packages[0].environmentVariables[1].name is used more than once: A.",
    ],
    [
      "a remote over stdio",
      withRemote({ type: "stdio" }),
      'remotes[0].type must be one of streamable-http, sse; got "stdio".',
    ],
    [
      "a remote without a URL",
      withRemote({ url: undefined }),
      "remotes[0].url must be a string; got undefined.",
    ],
    [
      "a remote over http",
      withRemote({ url: "http://example.com/mcp" }),
      "remotes[0].url must be an https URL; got the scheme http:",
    ],
    ...["https://localhost/mcp", "https://127.0.0.1/mcp", "https://app.localhost/mcp"].map(
      (url): [string, JsonObject, string] => [
        `the remote ${url}`,
        withRemote({ url }),
        `remotes[0].url must be reachable from other machines; got the host ${new URL(url).hostname}.`,
      ],
    ),
    [
      "a remote with a password",
      withRemote({ url: "https://ann:s3cret@example.com/mcp" }),
      "remotes[0].url must not contain a user name or a password.",
    ],
    ["the same remote twice", { remotes: [remote, remote] }, "remotes[1].url is listed more than once."],
    [
      "a remote with an unknown variable",
      withRemote({ url: "https://example.com/{tenant}" }),
      "remotes[0].url uses {tenant}, which remotes[0].variables does not define.",
    ],
    ["a status", { status: "active" }, "status is not allowed, because the registry sets it. Remove it."],
    [
      "metadata of the registry",
      { _meta: { "io.modelcontextprotocol.registry/official": {} } },
      '_meta["io.modelcontextprotocol.registry/official"] is not allowed, because the registry sets it.',
    ],
    [
      "large metadata",
      { _meta: { "io.modelcontextprotocol.registry/publisher-provided": { a: "x".repeat(4_096) } } },
      '_meta["io.modelcontextprotocol.registry/publisher-provided"] has 4104 bytes (limit: 4096).',
    ],
    [
      "website_url",
      { website_url: "https://example.com" },
      "website_url is an old name. Rename it to websiteUrl.",
    ],
    [
      "runtime_hint",
      withPackage({ runtime_hint: "npx" }),
      "packages[0].runtime_hint is an old name. Rename it to runtimeHint.",
    ],
    [
      "is_secret",
      withVariable({ name: "A", is_secret: true }),
      "packages[0].environmentVariables[0].is_secret is an old name. Rename it to isSecret.",
    ],
  ])("%s", (_title, changes, problem) => {
    expect(checkServerJson({ ...VALID, ...changes })).toEqual([problem]);
  });

  test("reports all problems at once, and no value of a secret", () => {
    const problems = checkServerJson({
      ...VALID,
      name: "x",
      version: "latest",
      ...withRemote({ url: "https://a:s3cret@x.y" }),
    });
    expect(problems).toHaveLength(3);
    expect(problems.join("\n")).not.toContain("s3cret");
  });

  test.each([
    [[]],
    [null],
    ["x"],
    [{ packages: [null], remotes: [[]], icons: 5, _meta: [], repository: "x" }],
  ])("does not throw for %j", (value) => {
    const server = (typeof value === "object" && value !== null ? value : {}) as JsonObject;
    expect(checkServerJson(server).length).toBeGreaterThan(3);
  });
});

describe("the schema of server.json", () => {
  test("accepts a generated file with all kinds of entries", () => {
    const server = createServerJson({
      project: {
        folder: "/x",
        file: "package.json",
        text: "",
        members: { ...PACKAGE, homepage: "https://example.com" },
      },
      existing: { icons: [{ src: "https://example.com/icon.png" }] },
      name: "io.github.acme/weather",
      server: {
        title: "Weather",
        variables: [
          {
            name: "API_KEY",
            type: "string",
            title: "Key",
            description: "Key",
            isRequired: true,
            isSecret: true,
          },
          {
            name: "LIMIT",
            type: "number",
            title: "Limit",
            description: "Limit",
            isRequired: false,
            isSecret: false,
            default: 10,
          },
          {
            name: "CACHE",
            type: "directory",
            title: "Cache",
            description: "Cache",
            isRequired: false,
            isSecret: false,
          },
          {
            name: "UNITS",
            type: "string",
            title: "Units",
            description: "Units",
            isRequired: false,
            isSecret: false,
            choices: ["c", "f"],
          },
        ],
      },
      isOnNpm: true,
      archive: { url: RELEASE, sha256: HASH },
      remotes: ["https://mcp.example.com/mcp"],
    });
    expect(Compile(serverSchema).Check(server)).toBe(true);
    expect(checkServerJson(server)).toEqual([]);
  });

  test.each([
    ["a long description", { description: "a".repeat(101) }],
    ["a name without a slash", { name: "weather" }],
    ["the package version latest", withPackage({ version: "latest" })],
    ["a wrong hash", withArchive({ fileSha256: "x" })],
  ])("rejects %s too", (_title, changes) => {
    expect(Compile(serverSchema).Check({ ...VALID, ...changes })).toBe(false);
  });
});

describe("package.json", () => {
  test("of a program on npm has no problems", () => {
    expect(checkPackageJson(PACKAGE)).toEqual([]);
    expect(
      checkPackageJson({
        ...PACKAGE,
        bin: "./x.js",
        publishConfig: { registry: "https://registry.npmjs.org/" },
      }),
    ).toEqual([]);
  });

  test.each<[JsonObject, string]>([
    [{ name: undefined }, '"name" is missing.'],
    [
      { name: "My Weather" },
      '"name" must be a valid npm name, such as weather or @acme/weather; got "My Weather".',
    ],
    [{ version: "1.0" }, '"version" must be a version such as 1.0.0; got "1.0".'],
    [
      { private: true },
      '"private" is true, so npm rejects the package. Change it, or leave the package out with --no-npm.',
    ],
    [
      { bin: undefined },
      '"bin" is missing, so clients cannot start the package with npx. Change it, or leave the package out with --no-npm.',
    ],
    [
      { bin: {} },
      '"bin" is missing, so clients cannot start the package with npx. Change it, or leave the package out with --no-npm.',
    ],
    [
      { publishConfig: { registry: "https://npm.example.com/" } },
      '"publishConfig.registry" must be the public npm registry; got "https://npm.example.com/".',
    ],
  ])("%j is rejected", (changes, problem) => {
    expect(checkPackageJson({ ...PACKAGE, ...changes })).toEqual([problem]);
  });

  test.each<[unknown, readonly string[]]>([
    ["io.github.acme/weather", []],
    [
      undefined,
      [
        '"mcpName" is missing. Add "mcpName": "io.github.acme/weather", or run tenon publish without --dry-run, which adds it.',
      ],
    ],
    ["io.github.acme/other", ['"mcpName" must be "io.github.acme/weather"; got "io.github.acme/other".']],
    [5, ['"mcpName" must be a string; got a number.']],
  ])("mcpName %j", (mcpName, problems) => {
    expect(checkMcpName(mcpName, "io.github.acme/weather")).toEqual(problems);
  });
});

describe("adding mcpName", () => {
  test.each([
    [
      "two spaces",
      '{\n  "name": "weather",\n  "keywords": ["a", "b"]\n}\n',
      '{\n  "name": "weather",\n  "mcpName": "a.b/c",\n  "keywords": ["a", "b"]\n}\n',
    ],
    [
      "tabs and CRLF",
      '{\r\n\t"name": "weather",\r\n\t"x": 1\r\n}\r\n',
      '{\r\n\t"name": "weather",\r\n\t"mcpName": "a.b/c",\r\n\t"x": 1\r\n}\r\n',
    ],
    [
      "one line",
      '{ "name": "weather", "x": 1 }',
      '{\n  "name": "weather",\n  "x": 1,\n  "mcpName": "a.b/c"\n}\n',
    ],
    [
      "another name first",
      '{\n    "author": {\n        "name": "Ada",\n        "x": 1\n    },\n    "name": "weather"\n}\n',
      '{\n    "author": {\n        "name": "Ada",\n        "x": 1\n    },\n    "name": "weather",\n    "mcpName": "a.b/c"\n}\n',
    ],
  ])("keeps the form of a file with %s", (_title, text, expected) => {
    expect(addMcpName(text, JSON.parse(text) as JsonObject, "a.b/c")).toBe(expected);
  });
});

describe("next steps", () => {
  test("depend on the kinds of packages and on the namespace", () => {
    const archive = { path: "dist/weather.mcpb", url: RELEASE };
    const file = "server.json";
    expect(
      listNextSteps({ name: "io.github.acme/weather", npmName: "@acme/weather", archive, file }),
    ).toEqual([
      "npm publish --access public",
      `Upload dist/weather.mcpb to the release, so that it has the address ${RELEASE}`,
      "mcp-publisher login github",
      "mcp-publisher publish server.json",
    ]);
    expect(
      listNextSteps({ name: "com.example/weather", npmName: "weather", archive: undefined, file }),
    ).toEqual([
      "npm publish",
      "mcp-publisher login dns --domain example.com --private-key <key>",
      "mcp-publisher publish server.json",
    ]);
  });
});
