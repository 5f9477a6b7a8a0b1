import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/source-files.js";

/** The public face: every entry point, and every value that can be imported from it. */
const FACE: Readonly<Record<string, readonly string[]>> = {
  ".": [
    "BaseErrorCode",
    "Connection",
    "FnToolHandler",
    "McpError",
    "PROTOCOL_VERSION",
    "Server",
    "ServerBuilder",
    "Tool",
    "defineServer",
    "errorResult",
    "extension",
    "form",
    "newErrorResponse",
    "parseResources",
    "parseTools",
    "receive",
    "replyText",
    "textResult",
    "url",
  ],
  "./protocol": [
    "BaseErrorCode",
    "DEFAULT_LIMITS",
    "ERRORS",
    "LATEST_LEGACY",
    "LEGACY_REVISIONS",
    "LOG_LEVELS",
    "META",
    "METHODS",
    "MODERN_REVISIONS",
    "McpError",
    "PROTOCOL_VERSION",
    "RETRYABLE_METHODS",
    "RETURN_DIRECT_META",
    "REVISIONS",
    "TRAITS",
    "byRevision",
    "checkParamHeaders",
    "checkStandardHeaders",
    "checkVersionHeader",
    "classifyEra",
    "compileHeaderRules",
    "createEncoder",
    "decodeHeaderValue",
    "describeInvalidMessage",
    "errorRow",
    "findRevision",
    "hasEnvelope",
    "isLogLevel",
    "isObjectSchema",
    "isRequestId",
    "isRevisionOf",
    "messageKind",
    "missingCapability",
    "negotiate",
    "parseFrame",
    "projectClientRequest",
    "projectDescribed",
    "projectTool",
    "readCapabilities",
    "readEnvelope",
    "salvageId",
    "serverCapabilities",
  ],
  "./node": ["NodeServerBuilder", "Server", "loadResources", "loadTools", "serve", "toNodeHandler"],
  "./fetch": ["toFetch"],
  "./grouped": [
    "ActionGroupBuilder",
    "DEFAULT_STRATEGIES",
    "GroupedToolBuilder",
    "ToolRegistry",
    "aggregateAnnotations",
    "compileMiddlewareChains",
    "createTool",
    "error",
    "generateDescription",
    "generateInputSchema",
    "generateToonDescription",
    "getActionRequiredFields",
    "getGroupSummaries",
    "loadToon",
    "required",
    "success",
    "toonSuccess",
  ],
  "./model": [
    "BaseModel",
    "CALL_META",
    "ConverterBase",
    "Group",
    "GroupConverterBase",
    "GroupItem",
    "Prompt",
    "PromptArgument",
    "PromptConverterBase",
    "PromptWireConverter",
    "RETURN_DIRECT_META",
    "Resource",
    "ResourceConverterBase",
    "ResourceWireConverter",
    "Role",
    "TAGS_META",
    "TEMPLATE_META",
    "Tool",
    "ToolAnnotations",
    "ToolAnnotationsConverterBase",
    "ToolAnnotationsWireConverter",
    "ToolConverterBase",
    "ToolWireConverter",
    "catalog",
  ],
  "./kit": [
    "buildAuthResponse",
    "checkOutputNaming",
    "configHelp",
    "connect",
    "createExtra",
    "createFileServingRouter",
    "createHttpError",
    "createHttpMcpRouter",
    "definePromptModule",
    "defineResourceModule",
    "defineToolModule",
    "fileLink",
    "fileUri",
    "handleToolError",
    "jsonResult",
    "outputVocabulary",
    "paged",
    "parseConfig",
    "registerPrompts",
    "registerResources",
    "registerTools",
    "saveFile",
    "setupHttpServer",
    "setupStdioServer",
    "setupStdioTransport",
    "toColumnar",
    "toErrorBranch",
    "toMcpError",
    "toShape",
    "toToolSource",
  ],
  "./oauth": [
    "AuthRequiredError",
    "accountIdOf",
    "createAccountTools",
    "createFileTokenStore",
    "createMemoryTokenStore",
    "createOAuthAdapters",
  ],
  "./stores": [
    "StoreError",
    "createMemoryBus",
    "createMemoryEventLog",
    "createMemoryKeyValueStore",
    "createMemoryQueue",
  ],
  "./testing": ["ClientError", "createClient", "openMemoryWire"],
  "./json-schema": ["loadJsonSchema"],
  "./package.json": [],
};

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

const manifest = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as Manifest;

describe("the export map", () => {
  test("has these entry points and no others", () => {
    expect(Object.keys(manifest.exports)).toEqual(Object.keys(FACE));
  });

  test.each(Object.entries(FACE).filter(([entry]) => entry !== "./package.json"))(
    "R5, R6: %s exports its names and no others",
    async (entry, names) => {
      const target = manifest.exports[entry];
      if (typeof target !== "object") throw new Error(`${entry} is not in the export map`);
      const module = (await import(`${ROOT}/${target.default}`)) as Record<string, unknown>;
      expect(Object.keys(module).toSorted()).toEqual([...names].toSorted());
    },
  );

  test("R5: the argument check's own module is not public", () => {
    expect(Object.values(FACE).flat()).not.toContain("validateArguments");
    expect(Object.keys(FACE)).not.toContain("./validate");
  });
});
