/**
 * @fileoverview Sign-in: a link to the application's own one, or a form for the token. The page sends the token as its first
 * message, and never as a part of a URL.
 * @module agent/page-app/views/shell/sign-in
 */
import { Note } from "@tenon/ui/components/controls/badge.js";
import { insteadOfDefault } from "@tenon/ui/support/events.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { Checkbox } from "@tenon/ui/components/fields/checkbox.js";
import { TextField } from "@tenon/ui/components/fields/text-field.js";
import { useState } from "preact/hooks";
import { useApp } from "../../app-context.js";

/** Sign-in of a user whom the server does not know. */
export function SignIn() {
  const { config } = useApp();
  return (
    <main class="a-sign-in">
      {config.signInUrl === undefined ? <TokenForm /> : <SignInLink signInUrl={config.signInUrl} />}
    </main>
  );
}

function SignInLink({ signInUrl }: { readonly signInUrl: string }) {
  const { config } = useApp();
  return (
    <div class="a-sign-in__form">
      <h1 class="a-sign-in__title">{config.title}</h1>
      <p role="status">You are not signed in.</p>
      <a class="t-button a-sign-in__link" data-tone="primary" href={signInUrl}>
        Sign in
      </a>
    </div>
  );
}

function TokenForm() {
  const { config, link, signIn, isSignedIn } = useApp();
  const [token, setToken] = useState("");
  const [isKept, setIsKept] = useState(false);
  const isRejected = link.state.value.connection === "unauthorized" && isSignedIn.value;
  const submit = () => {
    if (token.trim() !== "") signIn(token.trim(), isKept);
  };
  return (
    <form class="a-sign-in__form" aria-label="Sign in" onSubmit={insteadOfDefault(submit)}>
      <h1 class="a-sign-in__title">{config.title}</h1>
      {isRejected && (
        <Note tone="danger" isLive>
          The server does not accept this token.
        </Note>
      )}
      <TextField
        label="Token"
        description="The server needs a token to identify you. The page sends it only to this server."
        type="password"
        value={token}
        onInput={setToken}
        isRequired
      />
      <Checkbox label="Remember it until this tab is closed" isChecked={isKept} onChange={setIsKept} />
      <Button type="submit" tone="primary" isDisabled={token.trim() === ""}>
        Sign in
      </Button>
    </form>
  );
}
