// Forms with a passkey: requests it from the browser and submits its response.
// Without passkey support the forms stay hidden; nothing else on the page needs this script.
"use strict";

const knowsPasskeys =
  typeof PublicKeyCredential === "function" &&
  typeof PublicKeyCredential.parseCreationOptionsFromJSON === "function" &&
  !/^(\[|[\d.]+$)/.test(location.hostname); // passkeys need a domain name, not an IP address

const MESSAGES = {
  InvalidStateError: "This device already has a passkey of yours.",
  NotAllowedError: "No passkey was chosen in time. Try again.",
};

class Refused extends Error {}

async function optionsFor(form) {
  const asked = { method: "POST", body: new URLSearchParams(new FormData(form)) };
  const answer = await fetch(form.dataset.passkey, asked);
  if (answer.status === 429) throw new Refused("Too many attempts. Wait a minute.");
  const type = answer.headers.get("Content-Type") ?? "";
  if (!type.startsWith("application/json")) {
    throw new Refused("This page has expired. Reload it and try again.");
  }
  const told = await answer.json();
  if (!answer.ok) throw new Refused(told.problem);
  return told;
}

async function credentialFor(form) {
  const told = await optionsFor(form);
  const found = told.user
    ? await navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(told),
      })
    : await navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(told),
      });
  return JSON.stringify(found.toJSON());
}

async function send(form) {
  const message = form.querySelector("[data-message]");
  const button = form.querySelector("button");
  message.textContent = "";
  button.disabled = true;
  try {
    form.elements.credential.value = await credentialFor(form);
    form.submit();
  } catch (error) {
    const other = "This browser cannot use a passkey here.";
    message.textContent = error instanceof Refused ? error.message : (MESSAGES[error.name] ?? other);
  } finally {
    button.disabled = false;
  }
}

if (knowsPasskeys) {
  for (const without of document.querySelectorAll("[data-without-passkeys]")) without.hidden = true;
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form);
    });
  }
}
