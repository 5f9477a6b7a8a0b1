/**
 * @fileoverview Links to places on the page, and to other sites.
 * @module cli/page-app/components/links
 */
import { Icon } from "@tenon/ui/icons/icon.js";
import { ExternalLink } from "@tenon/ui/markdown/markdown.js";
import { safeUrl } from "@tenon/ui/support/safe-url.js";
import type { ComponentChildren } from "preact";
import { formatRoute, type Route } from "../routes/route.js";

/** Properties of `RouteLink`. */
export interface RouteLinkProps {
  readonly to: Route;
  readonly children: ComponentChildren;
}

/** Link to a place on the page. */
export function RouteLink({ to, children }: RouteLinkProps) {
  return (
    <a class="t-link" href={formatRoute(to)}>
      {children}
    </a>
  );
}

/** Untrusted URL. It is a link only if its protocol is safe, and a text otherwise. */
export function UntrustedLink({ url, children }: Omit<RouteLinkProps, "to"> & { readonly url: string }) {
  const safe = safeUrl(url);
  if (safe === undefined) return <>{children}</>;
  return (
    <ExternalLink url={safe}>
      {children}
      <Icon name="external" label="Opens in a new tab" />
    </ExternalLink>
  );
}
