/**
 * @fileoverview Bar at the top: the server, its connections, the state of the code, and the settings of the page.
 * @module cli/page-app/views/shell/top-bar
 */
import { Badge, type Tone } from "@tenon/ui/components/controls/badge.js";
import type { IconName } from "@tenon/ui/icons/shapes.js";
import { IconButton } from "@tenon/ui/components/controls/button.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { Menu, type MenuItem } from "@tenon/ui/components/navigation/menu.js";
import { Segments } from "@tenon/ui/components/navigation/tabs.js";
import { formatClock, formatDuration } from "@tenon/ui/support/format.js";
import { ThemeButton } from "@tenon/ui/components/controls/theme-button.js";
import { useApp } from "../../app-context.js";
import { FindingBadge } from "../../components/badges.js";
import { useSetting } from "../../components/hooks.js";
import { ERA_LABELS } from "../../state/calls/call-facts.js";
import { ERA, oneOf } from "../../state/settings.js";
import { toLabel } from "../../state/text.js";
import { NavigationMenu } from "./navigation.js";

/** Properties of `TopBar`. */
export interface TopBarProps {
  readonly onHelp: () => void;
  /** Called when the user wants to see the facts about the server. */
  readonly onServer: () => void;
}

/** Bar at the top. */
export function TopBar({ onHelp, onServer }: TopBarProps) {
  const { store, theme } = useApp();
  const server = store.server.value;
  const launch = store.launch.value;
  return (
    <header class="p-top">
      <NavigationMenu />
      <div class="p-top__server">
        <h1 class="p-top__name">
          {server === undefined ? "Tenon" : toLabel(server.title ?? server.name)}
          {server !== undefined && <span class="p-top__version"> {toLabel(server.version, 40)}</span>}
        </h1>
        {server !== undefined && <FindingBadge findings={server.findings} />}
        {launch !== undefined && (
          <span class="p-top__target" title={launch.target}>
            {toLabel(launch.target)}
          </span>
        )}
      </div>
      <div class="p-top__state">
        <BuildBadge />
        <ConnectionBadges />
        <EraSwitch />
      </div>
      <div class="p-top__buttons">
        <ThemeButton theme={theme} />
        <IconButton icon="question" label="Keyboard shortcuts (?)" onClick={onHelp} />
        <MoreMenu onServer={onServer} />
      </div>
    </header>
  );
}

function BuildBadge() {
  const build = useApp().store.build.value;
  if (build === undefined) return null;
  if (build.status === "ok") {
    const time = formatClock(build.at).slice(0, 8);
    const label = build.ms === undefined ? `Started ${time}` : `Reloaded ${time}`;
    const duration = build.ms === undefined ? undefined : `Took ${formatDuration(build.ms)}`;
    return <Badge title={duration}>{label}</Badge>;
  }
  return stateBadge(build.status === "failed" ? "Code has errors" : "Server crashed", "danger");
}

function stateBadge(text: string, tone: Tone, icon: IconName | true = true) {
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}

function ConnectionBadges() {
  const { store, link, eras } = useApp();
  const { status, revisions } = store.connection.value;
  const isLoading = link.state.value.status === "connecting";
  if (link.state.value.status !== "open")
    return stateBadge(isLoading ? "Loading" : "Not connected", "warning");
  if (status === "connecting") {
    return (
      <span class="p-top__connecting" role="status">
        <Spinner /> Connecting
      </span>
    );
  }
  if (status === "sign-in") return stateBadge("Sign-in required", "warning", "key");
  if (status === "failed") return stateBadge("Not connected", "danger");
  return (
    <>
      {eras.value.map((era) => (
        <Badge key={era} tone="success" icon="plug" title={`Connected with revision ${revisions[era] ?? ""}`}>
          {`${ERA_LABELS[era]} ${revisions[era] ?? ""}`}
        </Badge>
      ))}
    </>
  );
}

/** Switch of the era for the next calls. Shown only if the server supports both. */
function EraSwitch() {
  const { eras, era } = useApp();
  const preferred = useSetting(ERA);
  if (eras.value.length < 2) return null;
  return (
    <Segments
      label="Era of the next call"
      options={eras.value.map((id) => ({ id, label: ERA_LABELS[id] }))}
      selectedId={era.value}
      onSelect={(id) => {
        preferred.value = oneOf(id, ["legacy", "modern"] as const) ?? "newest";
      }}
    />
  );
}

function MoreMenu({ onServer }: Pick<TopBarProps, "onServer">) {
  const { store, attempt, toasts } = useApp();
  const refresh = async () => {
    if ((await attempt("refresh", {})) !== undefined)
      toasts.show({ tone: "success", text: "The lists are up to date." });
  };
  const items: readonly MenuItem[] = [
    { id: "server", label: "About the server", icon: "info", onSelect: onServer },
    { id: "refresh", label: "List everything again", icon: "repeat", onSelect: () => void refresh() },
  ];
  const account: readonly MenuItem[] = [
    { id: "sign-in", label: "Sign in", icon: "key", onSelect: () => void attempt("sign-in", {}) },
    { id: "sign-out", label: "Sign out", icon: "user", onSelect: () => void attempt("sign-out", {}) },
  ];
  const canSignIn = store.launch.value?.canSignIn === true;
  return <Menu label="More actions" items={canSignIn ? [...items, ...account] : items} />;
}
