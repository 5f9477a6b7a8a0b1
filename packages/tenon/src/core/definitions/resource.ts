/**
 * @fileoverview Resource and resource template definitions, and their compiled entries.
 * @module tenon/core/definitions/resource
 */
import { toBase64 } from "@tenon/internal/base64";
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, withoutUndefined } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import { quoted } from "@tenon/internal/text";
import { compileUriTemplate, type TemplateValues, type UriTemplate } from "@tenon/internal/uri-template";
import {
  type Annotations,
  McpError,
  type ReadResult,
  type ResourceContent,
  type McpResourceDefinition,
} from "../../protocol/index.js";
import type { CacheHint } from "../../protocol/revisions/encoder.js";
import type { McpResourceTemplateDefinition } from "../../protocol/definitions.js";
import type { Call } from "../call/call.js";
import type { Completers } from "./completion.js";
import { layered } from "../call/middleware.js";
import type { Runnable } from "../call/operation.js";
import { kindOf } from "@tenon/internal/kind-of";
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom, integer, text } from "@tenon/internal/options/option-rows";
import { isUrl } from "@tenon/internal/security/is-url";
import {
  assertCompleters,
  COMMON_OPTIONS,
  DEFINITION,
  findVariable,
  HANDLER_ALIASES,
} from "./definition-checks.js";
import type { CompileSettings } from "./tool.js";

const RESOURCE_COMMON = /* @__PURE__ */ defineOptions("resource", {
  ...COMMON_OPTIONS.rows,
  /** MIME type of text and bytes that the handler returns. */
  mimeType: text({ aliases: ["mime", "contentType"] }),
  /** Hints about the audience and the importance of the resource. */
  annotations: custom<Annotations>(),
  /**
   * Lifetime and scope for client caches, in the modern era.
   * @default not cached
   */
  cache: custom<CacheHint>(),
  /** Function that returns the contents. */
  handler: callback<unknown>({ required: true, aliases: [...HANDLER_ALIASES, "read", "load"] }),
});

const RESOURCE_OPTIONS = /* @__PURE__ */ defineOptions(
  "resource",
  {
    ...RESOURCE_COMMON.rows,
    /** Absolute URI, unique within the server. */
    uri: custom<string>({
      required: true,
      expected: "an absolute URI",
      accepts: (value) => typeof value === "string" && isUrl(value),
      aliases: ["url"],
    }),
    /** Size in bytes, if known. */
    size: integer({ min: 0 }),
  },
  DEFINITION,
);

const TEMPLATE_OPTIONS = /* @__PURE__ */ defineOptions(
  "resourceTemplate",
  {
    ...RESOURCE_COMMON.rows,
    /** URI with variables, such as `notes://{id}`. */
    uriTemplate: text({ required: true, aliases: ["uri", "url", "template"], expected: "a URI template" }),
    /** Functions that complete variables, by name. */
    complete: custom<object>({ aliases: ["completers"] }),
  },
  DEFINITION,
);

/** Resource definition for `.resource()`. */
export interface ResourceSpec<Context> extends OptionsOf<typeof RESOURCE_OPTIONS> {
  readonly handler: (uri: string, call: Call<Context>) => MaybePromise<ResourceReturn>;
}

/** Resource template definition for `.resourceTemplate()`. */
export interface ResourceTemplateSpec<Context, Template extends string> extends OptionsOf<
  typeof TEMPLATE_OPTIONS
> {
  /** URI template (RFC 6570), such as `weather://{city}/today`. */
  readonly uriTemplate: Template;
  /** Completers by variable name. */
  readonly complete?: Completers<keyof TemplateVariables<Template> & string> | undefined;
  readonly handler: (
    variables: TemplateVariables<Template>,
    call: Call<Context>,
    uri: string,
  ) => MaybePromise<ResourceReturn>;
}

/** Return value of a resource handler: text, bytes, one or more contents, or a full result. */
export type ResourceReturn = string | Uint8Array | ResourceContent | readonly ResourceContent[] | ReadResult;

/** URI template variables by name. Query variables are optional, and exploded variables are lists. */
export type TemplateVariables<Template extends string> = string extends Template
  ? TemplateValues
  : { [Name in keyof Variables<Template>]: Variables<Template>[Name] };

type Variables<Template extends string> = Template extends `${string}{${infer Expression}}${infer Rest}`
  ? Expressed<Expression> & Variables<Rest>
  : unknown;

type Expressed<Expression extends string> = Expression extends `${"?" | "&"}${infer Names}`
  ? { [Name in Split<Names>]?: string }
  : Expression extends `/${infer Names}`
    ? {
        [Spec in Split<Names> as Spec extends `${infer Name}*` ? Name : Spec]: Spec extends `${string}*`
          ? string[]
          : string;
      }
    : Expression extends `${"+" | "#" | "." | ";"}${infer Names}`
      ? Record<Split<Names>, string>
      : Record<Split<Expression>, string>;

type Split<Names extends string> = Names extends `${infer Head},${infer Tail}` ? Head | Split<Tail> : Names;

/** Compiled resource or resource template. */
export interface ResourceEntry extends Runnable {
  readonly scopes: readonly string[];
  readonly cache: CacheHint | undefined;
  readonly run: (args: ReadTarget, call: Call) => MaybePromise<ReadResult>;
  /** Returns false until the handler of a declared resource is attached. */
  readonly isReady: () => boolean;
}

/** URI to read. If a template matched it, `variables` holds the matched values. */
export interface ReadTarget {
  readonly uri: string;
  readonly variables?: TemplateValues;
}

/** Compiled resource. */
export interface FixedResourceEntry extends ResourceEntry {
  readonly definition: McpResourceDefinition;
}

/** Compiled resource template. */
export interface TemplateEntry extends ResourceEntry {
  readonly definition: McpResourceTemplateDefinition;
  readonly template: UriTemplate;
  readonly complete: Completers<string>;
}

/** Resource before it is compiled. */
export interface ResourceDraft {
  readonly name: string;
  readonly uri: string;
  compile(settings: CompileSettings): FixedResourceEntry;
}

/** Resource template before it is compiled. */
export interface TemplateDraft {
  readonly name: string;
  compile(settings: CompileSettings): TemplateEntry;
}

/** Creates a draft for a resource. @throws if an option is unknown or the handler is missing */
export function draftResource<Context>(name: string, spec: ResourceSpec<Context>): ResourceDraft {
  const label = `Resource "${name}"`;
  assertFixed(name, spec);
  assertOptions(RESOURCE_OPTIONS, spec, label);
  const { scopes, cache, deadlineMs, handler, ...described } = spec;
  return {
    name,
    uri: spec.uri,
    compile: (settings) =>
      createResourceEntry(settings, {
        definition: withoutUndefined({ name, ...described }),
        /** Function that returns the contents. */
        handler: (uri, call) => handler(uri, call as Call<Context>), // Safe: the context belongs to this server
        scopes,
        cache,
        deadlineMs,
      }),
  };
}

/** Creates a draft for a resource template. @throws if an option is unknown or the handler is missing */
export function draftResourceTemplate<Context, Template extends string>(
  name: string,
  spec: ResourceTemplateSpec<Context, Template>,
): TemplateDraft {
  const label = `Resource template "${name}"`;
  assertOptions(TEMPLATE_OPTIONS, spec, label);
  const { uriTemplate, complete, scopes, cache, deadlineMs, handler, ...described } = spec;
  assertCompleters(label, complete);
  return {
    name,
    compile(settings) {
      const template = compileTemplate(name, uriTemplate);
      const unknown = Object.keys(complete ?? {}).find((key) => !template.variables.includes(key));
      if (unknown !== undefined) {
        throw new Error(
          `${label}: \`complete\` contains "${unknown}", ` +
            "but the URI template does not contain that variable.",
        );
      }
      return {
        name,
        definition: frozenCopy({ name, uriTemplate, ...withoutUndefined(described) }),
        template,
        complete: { ...complete },
        scopes: scopes ?? [],
        cache,
        deadlineMs: deadlineMs ?? settings.deadlineMs,
        isReady: () => true,
        run: layered(settings.layers, { kind: "resource", name }, ({ uri, variables }, call) =>
          andThen(
            // Safe: these variables come from matching the template that determines the type.
            handler((variables ?? {}) as TemplateVariables<Template>, call as Call<Context>, uri),
            (value) => toReadResult(value, uri, spec.mimeType),
          ),
        ),
      };
    },
  };
}

/** Definition and handler from which a resource entry is created. */
export interface ResourceParts {
  readonly definition: McpResourceDefinition;
  /** True if the definition is deeply frozen, so that it need not be copied. */
  readonly isFrozen?: boolean;
  readonly handler: (uri: string, call: Call) => MaybePromise<ResourceReturn>;
  readonly isReady?: () => boolean;
  readonly scopes?: readonly string[] | undefined;
  readonly cache?: CacheHint | undefined;
  readonly deadlineMs?: number | undefined;
}

/** Creates a resource entry and composes the server's middleware around its handler. */
export function createResourceEntry(settings: CompileSettings, parts: ResourceParts): FixedResourceEntry {
  const { definition, handler } = parts;
  return {
    name: definition.name,
    definition: parts.isFrozen === true ? definition : frozenCopy(definition),
    scopes: parts.scopes ?? [],
    cache: parts.cache,
    deadlineMs: parts.deadlineMs ?? settings.deadlineMs,
    isReady: parts.isReady ?? (() => true),
    run: layered(settings.layers, { kind: "resource", name: definition.name }, ({ uri }, call) =>
      andThen(handler(uri, call), (value) => toReadResult(value, uri, definition.mimeType)),
    ),
  };
}

/** Rejects a URI with variables, because a resource has exactly one URI. */
function assertFixed(name: string, spec: unknown): void {
  const { uri, uriTemplate } = isJsonObject(spec) ? spec : {};
  const variable = typeof uri === "string" ? findVariable(uri) : undefined;
  const template = variable === undefined ? uriTemplate : uri;
  if (typeof template !== "string") return;
  const problem =
    variable === undefined
      ? "`uriTemplate` belongs to a resource template."
      : `\`uri\` contains the variable "${variable}".`;
  throw new TypeError(
    `Resource "${name}": ${problem} Use \`.resourceTemplate("${name}", { uriTemplate: "${template}", … })\`.`,
  );
}

function compileTemplate(name: string, source: string): UriTemplate {
  try {
    return compileUriTemplate(source);
  } catch (cause) {
    throw new Error(
      `Resource template "${name}": ${cause instanceof Error ? cause.message : "The URI template is malformed."}`,
      { cause },
    );
  }
}

function toReadResult(value: unknown, uri: string, mimeType: string | undefined): ReadResult {
  if (value instanceof McpError) throw value;
  const type = mimeType === undefined ? {} : { mimeType };
  if (typeof value === "string") return { contents: [{ uri, ...type, text: value }] };
  if (value instanceof Uint8Array) return { contents: [{ uri, ...type, blob: toBase64(value) }] };
  if (Array.isArray(value) && value.every(isResourceContent)) return { contents: value };
  if (isResourceContent(value)) return { contents: [value] };
  if (isJsonObject(value) && Array.isArray(value["contents"]) && value["contents"].every(isResourceContent)) {
    return value as unknown as ReadResult; // Safe: its only required property was checked above
  }
  throw new TypeError(
    `Resource "${quoted(uri)}": the handler must return a string, a Uint8Array, or resource contents; ` +
      `got ${kindOf(value)}.`,
  );
}

function isResourceContent(value: unknown): value is ResourceContent {
  return (
    isJsonObject(value) &&
    typeof value["uri"] === "string" &&
    (typeof value["text"] === "string") !== (typeof value["blob"] === "string")
  );
}
