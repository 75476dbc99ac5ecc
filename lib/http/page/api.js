/**
 * Calls of the REST API, with the key that the reader gave.
 *
 * The server sends the source of this function to the browser, so nothing from outside of it may be used in it.
 */
export function makeApi() {
  const { document, sessionStorage } = globalThis;
  const KEY = "kbdb-key";
  let asking;

  /** Calls the API; asks for a key where one is needed. */
  async function call(method, path, body) {
    const key = sessionStorage.getItem(KEY);
    const isForm = body instanceof FormData;
    const response = await fetch(`api/v1/${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined || isForm
          ? {}
          : { "Content-Type": "application/json" }),
      },
      ...(body === undefined
        ? {}
        : { body: isForm ? body : JSON.stringify(body) }),
    }).catch(() => {
      throw new Error("The server does not answer. Is it running?");
    });
    if (response.ok) return response;
    if (response.status === 401) {
      // Another call may have got a new one meanwhile.
      if (sessionStorage.getItem(KEY) === key) {
        await (asking ??= askForKey(key !== null));
      }
      return call(method, path, body);
    }
    const answer = await response.json().catch(() => ({}));
    throw new Error(
      answer.error?.message ?? `The server answered ${response.status}.`,
    );
  }

  async function getJson(path) {
    return await (await call("GET", path)).json();
  }

  function askForKey(wasWrong) {
    const dialog = document.querySelector("#key");
    dialog.querySelector("p").textContent = wasWrong
      ? "This key is not right, or is no longer. Another one?"
      : "This server needs a key. It is kept until the tab is closed.";
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve, reject) => {
      dialog.addEventListener("close", () => {
        const input = dialog.querySelector("input");
        const key = input.value.trim();
        input.value = "";
        asking = undefined;
        if (dialog.returnValue === "given") {
          sessionStorage.setItem(KEY, key);
          resolve();
        } else {
          reject(new Error("Nothing is shown without a key; reload the page."));
        }
      }, { once: true });
    });
  }

  return { call, getJson };
}
