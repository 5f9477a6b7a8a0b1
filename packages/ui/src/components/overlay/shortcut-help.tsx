/**
 * @fileoverview Help for keyboard shortcuts.
 * @module ui/components/overlay/shortcut-help
 */
import { showKeys, type ShortcutRegistry } from "../../keys.js";
import { Switch } from "../fields/checkbox.js";
import { Dialog } from "./dialog.js";

/** Properties of `ShortcutHelp`. */
export interface ShortcutHelpProps {
  readonly registry: ShortcutRegistry;
  readonly isMac: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Dialog with every keyboard shortcut, and a switch for those that are single characters. */
export function ShortcutHelp({ registry, isMac, isOpen, onClose }: ShortcutHelpProps) {
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <div class="t-shortcuts">
        {registry.groups().map(({ title, shortcuts }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {shortcuts.map((shortcut) => (
                <div key={shortcut.keys} class="t-shortcuts__entry">
                  <dt>{shortcut.title}</dt>
                  <dd>
                    <kbd class="t-kbd">{showKeys(shortcut.keys, isMac)}</kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <Switch
          label="Shortcuts without Ctrl, Alt, or Command"
          isChecked={registry.hasCharacterKeys.value}
          onChange={registry.setCharacterKeys}
        />
      </div>
    </Dialog>
  );
}
