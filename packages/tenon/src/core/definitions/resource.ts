/**
 * @fileoverview Resources and families of them: what a developer writes, and the entries they become.
 * @module core/resource
 */
import { toBase64 } from "@tenon/internal/base64";
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import { compileUriTemplate, type TemplateValues, type UriTemplate } from "@tenon/internal/uri-template";
import {
  type Annotations,
  type CacheHint,
  type Icon,
  McpError,
  type ReadResult,
  type ResourceContent,
  type McpResourceDefinition,
  type McpResourceTemplateDefinition,
} from "../../protocol/index.js";
import type { Call } from "../call/call.js";
import type { Completers } from "./completion.js";
import { layered } from "../call/middleware.js";
import type { Runnable } from "../call/operation.js";
import type { CompileSettings } from "./tool.js";

interface ResourceCommon {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /** What a principal must hold to see and read it. */
  readonly scopes?: readonly string[];
  /** How long a client may keep what it read. */
  readonly cache?: CacheHint;
  /** Longest read in milliseconds. */
  readonly deadlineMs?: number;
}

/** A resource in code. */
export interface ResourceSpec<Context> extends ResourceCommon {
  readonly uri: string;
  /** Size in bytes, where known. */
  readonly size?: number;
  readonly handler: (uri: string, call: Call<Context>) => MaybePromise<ResourceReturn>;
}

/** A family of resources in code. */
export interface ResourceTemplateSpec<Context, Template extends string> extends ResourceCommon {
  /** RFC 6570, such as `weather://{city}/today`. */
  readonly uriTemplate: Template;
  /** Suggestions for the variables. */
  readonly complete?: Completers<keyof TemplateVariables<Template> & string>;
  readonly handler: (
    variables: TemplateVariables<Template>,
    call: Call<Context>,
    uri: string,
  ) => MaybePromise<ResourceReturn>;
}

/** What a handler may return: text, bytes, content, several of them, or a full result. */
export type ResourceReturn = string | Uint8Array | ResourceContent | readonly ResourceContent[] | ReadResult;

/** The variables of a template, by name. Those of a query may be absent, an exploded one is a list. */
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

/** A resource or family compiled. */
export interface ResourceEntry extends Runnable {
  readonly scopes: readonly string[];
  readonly cache: CacheHint | undefined;
  readonly run: (args: ReadTarget, call: Call) => MaybePromise<ReadResult>;
  readonly isReady: () => boolean;
}

/** What is read: the URI, and the variables a template found in it. */
export interface ReadTarget {
  readonly uri: string;
  readonly variables?: TemplateValues;
}

/** A single resource compiled. */
export interface FixedResourceEntry extends ResourceEntry {
  readonly definition: McpResourceDefinition;
}

/** A family compiled. */
export interface TemplateEntry extends ResourceEntry {
  readonly definition: McpResourceTemplateDefinition;
  readonly template: UriTemplate;
  readonly complete: Completers<string>;
}

/** A resource that is not compiled yet. */
export interface ResourceDraft {
  readonly name: string;
  readonly uri: string;
  compile(settings: CompileSettings): FixedResourceEntry;
}

/** A family that is not compiled yet. */
export interface TemplateDraft {
  readonly name: string;
  compile(settings: CompileSettings): TemplateEntry;
}

/** A draft of a resource in code. */
export function draftResource<Context>(name: string, spec: ResourceSpec<Context>): ResourceDraft {
  const { scopes, cache, deadlineMs, handler, ...described } = spec;
  return {
    name,
    uri: spec.uri,
    compile: (settings) => {
      if (!URL.canParse(spec.uri))
        throw new Error(`Resource "${name}" needs an absolute URI, not "${spec.uri}"`);
      return createResourceEntry(settings, {
        definition: { name, ...described },
        handler: (uri, call) => handler(uri, call as Call<Context>), // the context is the server's own
        scopes,
        cache,
        deadlineMs,
      });
    },
  };
}

/** A draft of a family in code. */
export function draftResourceTemplate<Context, Template extends string>(
  name: string,
  spec: ResourceTemplateSpec<Context, Template>,
): TemplateDraft {
  const { complete, scopes, cache, deadlineMs, handler, ...described } = spec;
  return {
    name,
    compile(settings) {
      const template = compileTemplate(name, spec.uriTemplate);
      const unknown = Object.keys(complete ?? {}).find((key) => !template.variables.includes(key));
      if (unknown !== undefined)
        throw new Error(`Resource template "${name}" completes {${unknown}}, which it does not have`);
      return {
        name,
        definition: frozenCopy({ name, ...described }),
        template,
        complete: { ...complete },
        scopes: scopes ?? [],
        cache,
        deadlineMs: deadlineMs ?? settings.deadlineMs,
        isReady: () => true,
        run: layered(settings.layers, { kind: "resource", name }, ({ uri, variables }, call) =>
          andThen(
            // The template that the type was read from found these variables.
            handler((variables ?? {}) as TemplateVariables<Template>, call as Call<Context>, uri),
            (value) => toReadResult(value, uri, spec.mimeType),
          ),
        ),
      };
    },
  };
}

/** What a resource entry is made of. */
export interface ResourceParts {
  readonly definition: McpResourceDefinition;
  readonly handler: (uri: string, call: Call) => MaybePromise<ResourceReturn>;
  readonly isReady?: () => boolean;
  readonly scopes?: readonly string[] | undefined;
  readonly cache?: CacheHint | undefined;
  readonly deadlineMs?: number | undefined;
}

/** Puts a resource entry together. */
export function createResourceEntry(settings: CompileSettings, parts: ResourceParts): FixedResourceEntry {
  const { definition, handler } = parts;
  return {
    name: definition.name,
    definition: frozenCopy(definition),
    scopes: parts.scopes ?? [],
    cache: parts.cache,
    deadlineMs: parts.deadlineMs ?? settings.deadlineMs,
    isReady: parts.isReady ?? (() => true),
    run: layered(settings.layers, { kind: "resource", name: definition.name }, ({ uri }, call) =>
      andThen(handler(uri, call), (value) => toReadResult(value, uri, definition.mimeType)),
    ),
  };
}

function compileTemplate(name: string, source: string): UriTemplate {
  try {
    return compileUriTemplate(source);
  } catch (cause) {
    throw new Error(`Resource template "${name}": ${cause instanceof Error ? cause.message : "malformed"}`, {
      cause,
    });
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
    return value as unknown as ReadResult; // its one required member was just checked
  }
  throw new TypeError("a resource handler must return text, bytes or resource contents");
}

function isResourceContent(value: unknown): value is ResourceContent {
  return (
    isJsonObject(value) &&
    typeof value["uri"] === "string" &&
    (typeof value["text"] === "string") !== (typeof value["blob"] === "string")
  );
}
