/**
 * The view of what was found, and of the latest documents where nothing is searched for.
 *
 * The server sends the source of this function to the browser, so nothing from outside of it may be used in it.
 */
export function makeSearching(
  { call, getJson, button, element, say, show, search },
) {
  const PAGE_SIZE = 10;

  async function showHits(parameters, isWanted) {
    const query = parameters.get("q") ?? "";
    const collection = parameters.get("in") ?? "";
    const mode = parameters.get("by") ?? "";
    search.elements.q.value = query;
    search.elements.by.value = mode;
    await listCollections(collection, isWanted);
    if (!isWanted()) return;
    if (query.trim() === "") return showRecent(collection, isWanted);
    const list = element("ol", { className: "hits" });
    const more = element("p");
    show(query, list, more);
    async function load(offset) {
      say("Searching …");
      const answer = await (await call("POST", "search", {
        query,
        top: PAGE_SIZE,
        offset,
        ...(collection === "" ? {} : { collection }),
        ...(mode === "word" ? { fts_only: true } : {}),
        ...(mode === "meaning" ? { vec_only: true } : {}),
      })).json();
      if (!isWanted()) return;
      const { results, total, degraded, notes } = answer;
      say([
        total === 0
          ? "Nothing was found."
          : `${total} ${total === 1 ? "passage" : "passages"}`,
        ...degraded,
        ...notes,
      ].join(" · "));
      list.append(...results.map(toHit));
      const shown = offset + results.length;
      more.replaceChildren(
        ...(results.length === PAGE_SIZE && shown < total
          ? [button("More", () => load(shown))]
          : []),
      );
    }
    await load(0);
  }

  function toHit(hit) {
    const heading = [
      hit.title,
      ...hit.heading_path.filter((part) => part !== hit.title),
    ].filter((part) => part !== null).join(" › ");
    const link = element("a", {
      href: hit.document_id === null
        ? "#"
        : `#document/${hit.document_id}/${hit.chunk_id}`,
      textContent: heading || hit.docid || hit.kbid,
    });
    return element(
      "li",
      {},
      element("h2", {}, link),
      element("p", { className: "place", textContent: placeOf(hit) }),
      element("p", {}, mark(hit.snippet, hit.matched_terms)),
    );
  }

  /** Text in which the words that were found are marked. */
  function mark(text, terms) {
    const words = terms.filter((term) => term !== "").map((term) =>
      term.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
    );
    if (words.length === 0) return [text];
    return text.split(new RegExp(`(${words.join("|")})`, "giu")).map(
      (part, index) =>
        index % 2 === 1 ? element("mark", { textContent: part }) : part,
    );
  }

  function placeOf({ source_path, docid, line_start, page }) {
    const where = source_path ?? docid ?? "";
    if (page !== null) return `${where}, p. ${page}`;
    return line_start > 1 ? `${where}:${line_start}` : where;
  }

  async function showRecent(collection, isWanted) {
    const wanted = collection === ""
      ? ""
      : `&collection=${encodeURIComponent(collection)}`;
    const documents = await getJson(`documents?limit=20${wanted}`);
    if (!isWanted()) return;
    say(documents.length === 0 ? "The base is empty; add something." : "");
    show(
      "",
      element("h2", { textContent: "Latest" }),
      element(
        "ul",
        { className: "hits" },
        documents.map((one) =>
          element(
            "li",
            {},
            element("a", {
              href: `#document/${one.id}`,
              textContent: one.title || one.docid,
            }),
            " ",
            element("span", {
              className: "place",
              textContent: one.source_path ?? one.doc_type,
            }),
          )
        ),
      ),
    );
  }

  async function listCollections(chosen, isWanted) {
    const select = search.elements.in;
    const { documents } = await getJson("status");
    if (!isWanted()) return;
    const names = Object.keys(documents.by_collection).sort();
    select.replaceChildren(
      element("option", { value: "", textContent: "all collections" }),
      ...names.map((name) =>
        element("option", { value: name, textContent: name })
      ),
    );
    select.value = names.includes(chosen) ? chosen : "";
  }

  return { showHits };
}
