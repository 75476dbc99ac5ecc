/**
 * The web page's script: search, read, add, follow jobs, over the REST API.
 *
 * The server sends the source of this function to the browser, and hands it those of the others, so nothing from
 * outside of it may be used in it.
 */
export function runPage(
  { makeAdding, makeApi, makeElements, makeReading, makeSearching, makeStatus },
) {
  const { document, location } = globalThis;
  const search = document.querySelector("#search");
  const base = { ...makeApi(), ...makeElements(), search, route };
  const { act } = base;
  const { showAdding } = makeAdding(base);
  const { showDocument } = makeReading(base);
  const { showHits } = makeSearching(base);
  const { showStatus } = makeStatus(base);
  /** Counts views, so that what comes too late for one is left out. */
  let view = 0;

  async function route() {
    const mine = ++view;
    const isWanted = () => mine === view;
    const hash = location.hash.slice(1);
    const query = new URLSearchParams(hash.replace(/^\?/, ""));
    await act(async () => {
      const [, id, chunk] = /^document\/(\d+)(?:\/(\d+))?$/.exec(hash) ?? [];
      if (id !== undefined) await showDocument(id, chunk, isWanted);
      else if (hash === "add") await showAdding(isWanted);
      else if (hash === "status") await showStatus(isWanted);
      else await showHits(query, isWanted);
    }, isWanted);
  }

  search.addEventListener("submit", (event) => {
    event.preventDefault();
    const { q, by, in: collection } = search.elements;
    const hash = "?" + new URLSearchParams(
      [["q", q.value], ["in", collection.value], ["by", by.value]]
        .filter(([, value]) => value !== ""),
    );
    if (location.hash === `#${hash}`) route();
    else location.hash = hash;
  });
  for (const name of ["by", "in"]) {
    search.elements[name].addEventListener(
      "change",
      () => search.requestSubmit(),
    );
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, textarea, select")) {
      return;
    }
    event.preventDefault();
    search.elements.q.select();
  });
  globalThis.addEventListener("hashchange", route);
  route();
}
