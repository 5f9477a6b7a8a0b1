/**
 * @fileoverview Rule `resource-uri`: the URI of a resource, or a URI template, is not valid.
 * @module cli/doctor/rules/server/resource-uri
 */
import { isUrl } from "@tenon/internal/security/is-url";
import { placeOf, show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports URIs without a scheme, and templates with unbalanced braces. */
export const resourceUri: Rule = {
  id: "resource-uri",
  severity: "error",
  title: "Invalid resource URI",
  *check({ resources, templates }) {
    for (const { name: uri, place } of resources) {
      if (isUrl(uri)) continue;
      yield {
        place: placeOf(place, "uri"),
        message: `\`uri\` must be an absolute URI; got ${uri === "" ? "none" : show(uri)}. Clients with the Python SDK reject the whole list.`,
        fix: "Add a scheme, such as `notes://2025/list`, and encode spaces as `%20`.",
      };
    }
    for (const { name: template, place } of templates) {
      if (template !== "" && !/[{}]/.test(template.replaceAll(/\{[^{}]+\}/g, ""))) continue;
      yield {
        place: placeOf(place, "uriTemplate"),
        severity: "warning",
        message: `\`uriTemplate\` must be a URI template; got ${template === "" ? "none" : show(template)}.`,
        fix: "Write each variable as `{name}`, and close every brace.",
      };
    }
  },
};
